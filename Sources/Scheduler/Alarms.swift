import Catalog

/// When each line wants to be looked at next, the earliest first.
struct Alarms: Sendable {
    private struct Entry: Comparable {
        let instant: Timestamp
        let line: Int

        static func < (left: Entry, right: Entry) -> Bool {
            left.instant == right.instant ? left.line < right.line : left.instant < right.instant
        }
    }

    /// Has entries that were replaced, too: they are dropped when they come to the top.
    private var heap = Heap<Entry>()
    private var instants: [Timestamp?]

    init(lines: Int) {
        instants = Array(repeating: nil, count: lines)
    }

    /// Replaces the line's instant. Complexity: O(log n), amortised.
    mutating func set(_ line: Int, _ instant: Timestamp?) {
        guard instants[line] != instant else { return }
        instants[line] = instant
        if let instant { heap.insert(Entry(instant: instant, line: line)) }
        if heap.count > 64 + 4 * instants.count { sweep() }
    }

    /// The line whose instant is the earliest of those that have come, which is forgotten.
    mutating func removeDue(at now: Timestamp) -> Int? {
        guard let earliest, earliest <= now, let entry = heap.removeFirst() else { return nil }
        instants[entry.line] = nil
        return entry.line
    }

    var earliest: Timestamp? {
        mutating get {
            while let entry = heap.first {
                if instants[entry.line] == entry.instant { return entry.instant }
                heap.removeFirst()
            }
            return nil
        }
    }

    private mutating func sweep() {
        heap = Heap()
        for (line, instant) in instants.enumerated() {
            if let instant { heap.insert(Entry(instant: instant, line: line)) }
        }
    }
}
