import GarnerModel

/// When tables that are behind, or PostgreSQL that is away, are tried again: after a second, two, four and so on.
struct Delay: Sendable, Equatable {
    /// The number of failures in a row.
    private(set) var failures = 0
    /// The pause after the last failure.
    private(set) var pause: Duration = .zero
    /// The time of the next attempt, by the publisher's stopwatch.
    private(set) var next: Duration = .zero

    mutating func fail(at now: Duration, atMost longest: Duration, atLeast shortest: Duration = .seconds(1)) {
        failures += 1
        pause = min(longest, max(shortest, .seconds(1 << min(failures - 1, 16))))
        next = now + pause
    }
}

struct TableDelays: Sendable, Equatable {
    private var byTable: [StreamID: Delay] = [:]

    static let longest: Duration = .seconds(300)

    subscript(_ table: StreamID) -> Delay? { byTable[table] }

    /// True if the table waits for its next attempt.
    func pauses(_ table: StreamID, at now: Duration) -> Bool { byTable[table].map { $0.next > now } ?? false }

    mutating func fail(_ table: StreamID, at now: Duration) {
        byTable[table, default: Delay()].fail(at: now, atMost: Self.longest)
    }

    mutating func succeed(_ table: StreamID) { byTable[table] = nil }

    /// Lets the next batch try all tables.
    mutating func forgive() { byTable = [:] }
}
