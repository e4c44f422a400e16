import GarnerCatalog
import GarnerModel

/// A queue for run places: sources take turns, and within a source the slot that has waited longest goes first,
/// as far as its host has room.
struct FairQueue: Sendable {
    private struct Entry: Comparable {
        let since: Timestamp
        let slot: Int
        let serial: Int

        static func < (left: Entry, right: Entry) -> Bool {
            left.since == right.since ? left.slot < right.slot : left.since < right.since
        }
    }

    /// The waiting slots of one source at one host.
    private struct HostQueue {
        let source: String
        let host: String
        /// The entries. Those of withdrawn slots are dropped when they reach the top.
        var queue = Heap<Entry>()
    }

    private let maximumRunsPerHost: Int
    private var hostQueues: [HostQueue] = []
    /// The host queue of each slot.
    private var queueNumbers: [Int] = []
    /// The serial of each slot's valid entry; 0 if it has none.
    private var serials: [Int] = []
    private var lastSerial = 0
    /// The host queues with entries.
    private var waiting: [Int] = []
    /// The number of each source's latest start. The lowest goes next.
    private var turns: [String: Int] = [:]
    private var lastTurn = 0
    private var runsAtHosts: [String: Int] = [:]

    init(maximumRunsPerHost: Int) {
        self.maximumRunsPerHost = max(1, maximumRunsPerHost)
    }

    /// Replaces the slots; none of the new ones waits. Turns and counts of runs at hosts stay.
    mutating func assign(_ slots: [(source: String, host: String)]) {
        (hostQueues, waiting, queueNumbers) = ([], [], [])
        serials = Array(repeating: 0, count: slots.count)
        var numbers: [[String]: Int] = [:]
        for slot in slots {
            let number = numbers[[slot.source, slot.host]] ?? hostQueues.count
            if number == hostQueues.count {
                numbers[[slot.source, slot.host]] = number
                hostQueues.append(HostQueue(source: slot.source, host: slot.host))
            }
            queueNumbers.append(number)
        }
    }

    func isWaiting(_ slot: Int) -> Bool { serials[slot] != 0 }

    /// Queues a slot, replacing its earlier entry.
    mutating func enqueue(_ slot: Int, since: Timestamp) {
        let hostQueue = queueNumbers[slot]
        lastSerial += 1
        serials[slot] = lastSerial
        if hostQueues[hostQueue].queue.count == 0 { waiting.append(hostQueue) }
        hostQueues[hostQueue].queue.insert(Entry(since: since, slot: slot, serial: lastSerial))
    }

    mutating func withdraw(_ slot: Int) {
        serials[slot] = 0
    }

    /// Removes and returns the slot that goes next. Complexity: O(waiting sources).
    ///
    /// Sources that have not started anything go first. Among equals the one that has waited longest goes
    /// first, then by name.
    mutating func next() -> Int? {
        var best: (place: Int, turn: Int, entry: Entry)?
        var place = 0
        while place < waiting.count {
            guard let entry = head(of: waiting[place]) else {
                waiting.swapAt(place, waiting.count - 1)
                waiting.removeLast()
                continue
            }
            let hostQueue = waiting[place]
            if hasRoom(hostQueue) {
                let turn = turns[hostQueues[hostQueue].source] ?? 0
                if best.map({ turn == $0.turn ? entry < $0.entry : turn < $0.turn }) ?? true {
                    best = (place, turn, entry)
                }
            }
            place += 1
        }
        guard let best else { return nil }
        hostQueues[waiting[best.place]].queue.removeFirst()
        serials[best.entry.slot] = 0
        return best.entry.slot
    }

    /// Records a start. Returns the host whose room is taken until `ended(at:)`.
    mutating func started(_ slot: Int) -> String {
        let hostQueue = hostQueues[queueNumbers[slot]]
        lastTurn += 1
        turns[hostQueue.source] = lastTurn
        runsAtHosts[hostQueue.host, default: 0] += 1
        return hostQueue.host
    }

    mutating func ended(at host: String) {
        runsAtHosts[host, default: 1] -= 1
    }

    private func hasRoom(_ hostQueue: Int) -> Bool {
        let host = hostQueues[hostQueue].host
        return host.isEmpty || runsAtHosts[host] ?? 0 < maximumRunsPerHost
    }

    private mutating func head(of hostQueue: Int) -> Entry? {
        while let entry = hostQueues[hostQueue].queue.first {
            if serials[entry.slot] == entry.serial { return entry }
            hostQueues[hostQueue].queue.removeFirst()
        }
        return nil
    }
}

/// A binary heap with the least element first.
struct Heap<Element: Comparable & Sendable>: Sendable {
    private var elements: [Element] = []

    var first: Element? { elements.first }
    var count: Int { elements.count }

    mutating func insert(_ element: Element) {
        var place = elements.count
        elements.append(element)
        while place > 0 {
            let parent = (place - 1) / 2
            guard elements[place] < elements[parent] else { return }
            elements.swapAt(place, parent)
            place = parent
        }
    }

    @discardableResult
    mutating func removeFirst() -> Element? {
        guard let last = elements.popLast() else { return nil }
        guard let first = elements.first else { return last }
        elements[0] = last
        var place = 0
        while true {
            var least = place
            for child in [2 * place + 1, 2 * place + 2]
            where child < elements.count && elements[child] < elements[least] {
                least = child
            }
            guard least != place else { return first }
            elements.swapAt(place, least)
            place = least
        }
    }
}

/// The next wake time of each slot, earliest first.
struct WakeTimes: Sendable {
    private struct Entry: Comparable {
        let instant: Timestamp
        let slot: Int

        static func < (left: Entry, right: Entry) -> Bool {
            left.instant == right.instant ? left.slot < right.slot : left.instant < right.instant
        }
    }

    /// The entries. Replaced ones are dropped when they reach the top.
    private var heap = Heap<Entry>()
    private var instants: [Timestamp?]

    init(slots: Int) {
        instants = Array(repeating: nil, count: slots)
    }

    /// Replaces the slot's wake time. Complexity: O(log n), amortised.
    mutating func set(_ slot: Int, _ instant: Timestamp?) {
        guard instants[slot] != instant else { return }
        instants[slot] = instant
        if let instant { heap.insert(Entry(instant: instant, slot: slot)) }
        if heap.count > 64 + 4 * instants.count { sweep() }
    }

    /// Removes the earliest wake time that has come, and returns its slot.
    mutating func removeDue(at now: Timestamp) -> Int? {
        guard let earliest, earliest <= now, let entry = heap.removeFirst() else { return nil }
        instants[entry.slot] = nil
        return entry.slot
    }

    var earliest: Timestamp? {
        mutating get {
            while let entry = heap.first {
                if instants[entry.slot] == entry.instant { return entry.instant }
                heap.removeFirst()
            }
            return nil
        }
    }

    private mutating func sweep() {
        heap = Heap()
        for (slot, instant) in instants.enumerated() {
            if let instant { heap.insert(Entry(instant: instant, slot: slot)) }
        }
    }
}
