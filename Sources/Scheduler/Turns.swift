import Catalog

/// Who has the next place: sources take turns, and within a source whoever waits longest goes first, as far as its host
/// has room.
struct Turns: Sendable {
    private struct Entry: Comparable {
        let since: Timestamp
        let line: Int
        let ticket: Int

        static func < (left: Entry, right: Entry) -> Bool {
            left.since == right.since ? left.line < right.line : left.since < right.since
        }
    }

    /// The lines of one source at one host.
    private struct Lane {
        let source: String
        let host: String
        /// Has entries of lines that were withdrawn, too: they are dropped when they come to the top.
        var queue = Heap<Entry>()
    }

    private let maximumRunsPerHost: Int
    private var lanes: [Lane] = []
    /// By line.
    private var laneNumbers: [Int] = []
    /// By line: its entry that counts, 0 for none.
    private var tickets: [Int] = []
    private var lastTicket = 0
    /// The lanes with entries.
    private var waiting: [Int] = []
    /// The number of each source's latest start; the lowest has the next turn.
    private var turns: [String: Int] = [:]
    private var lastTurn = 0
    private var runsAtHosts: [String: Int] = [:]

    init(maximumRunsPerHost: Int) {
        self.maximumRunsPerHost = max(1, maximumRunsPerHost)
    }

    /// Other lines from now on, none of which waits; turns and runs at hosts stay.
    mutating func seat(_ lines: [(source: String, host: String)]) {
        (lanes, waiting, laneNumbers) = ([], [], [])
        tickets = Array(repeating: 0, count: lines.count)
        var numbers: [[String]: Int] = [:]
        for line in lines {
            let number = numbers[[line.source, line.host]] ?? lanes.count
            if number == lanes.count {
                numbers[[line.source, line.host]] = number
                lanes.append(Lane(source: line.source, host: line.host))
            }
            laneNumbers.append(number)
        }
    }

    func isWaiting(_ line: Int) -> Bool { tickets[line] != 0 }

    /// Replaces the place that the line had in the queue.
    mutating func queue(_ line: Int, since: Timestamp) {
        let lane = laneNumbers[line]
        lastTicket += 1
        tickets[line] = lastTicket
        if lanes[lane].queue.count == 0 { waiting.append(lane) }
        lanes[lane].queue.insert(Entry(since: since, line: line, ticket: lastTicket))
    }

    mutating func withdraw(_ line: Int) {
        tickets[line] = 0
    }

    /// Takes the line with the next turn from the queue. Complexity: O(sources that wait).
    ///
    /// Sources that have not started anything yet go before all others; equals go by how long they wait, then by name.
    mutating func next() -> Int? {
        var best: (place: Int, turn: Int, entry: Entry)?
        var place = 0
        while place < waiting.count {
            guard let entry = head(of: waiting[place]) else {
                waiting.swapAt(place, waiting.count - 1)
                waiting.removeLast()
                continue
            }
            let lane = waiting[place]
            if hasRoom(lane) {
                let turn = turns[lanes[lane].source] ?? 0
                if best.map({ turn == $0.turn ? entry < $0.entry : turn < $0.turn }) ?? true {
                    best = (place, turn, entry)
                }
            }
            place += 1
        }
        guard let best else { return nil }
        lanes[waiting[best.place]].queue.removeFirst()
        tickets[best.entry.line] = 0
        return best.entry.line
    }

    /// Returns the host whose room is taken until `ended(at:)`.
    mutating func started(_ line: Int) -> String {
        let lane = lanes[laneNumbers[line]]
        lastTurn += 1
        turns[lane.source] = lastTurn
        runsAtHosts[lane.host, default: 0] += 1
        return lane.host
    }

    mutating func ended(at host: String) {
        runsAtHosts[host, default: 1] -= 1
    }

    private func hasRoom(_ lane: Int) -> Bool {
        let host = lanes[lane].host
        return host.isEmpty || runsAtHosts[host] ?? 0 < maximumRunsPerHost
    }

    private mutating func head(of lane: Int) -> Entry? {
        while let entry = lanes[lane].queue.first {
            if tickets[entry.line] == entry.ticket { return entry }
            lanes[lane].queue.removeFirst()
        }
        return nil
    }
}
