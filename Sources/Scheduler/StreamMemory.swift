package import Catalog

/// What the schedule of one stream has to know when the process that knew it is gone.
package struct StreamMemory: Sendable, Equatable {
    /// No instant up to this one is ever decided on again: each was run to its end, or skipped, or is none of the stream's.
    package var settled: Timestamp?
    /// The end of the latest scheduled run, which `anchor: finish` counts from.
    package var endedAt: Timestamp?
    /// In a row.
    package var failures: Int
    /// In a row, of those that trying again does not mend; while the circuit is open, failures of any kind.
    package var permanentFailures: Int
    package var circuitOpenedAt: Timestamp?
    /// Nothing starts by itself before: back-off, an open circuit, or the source's own wish.
    package var heldUntil: Timestamp?
    /// Why, for people.
    package var holdReason: String?
    package var isPaused: Bool
    /// When the next run is to start by itself, as far as it was known when this was written.
    package var nextDue: Timestamp?

    package init(
        settled: Timestamp? = nil, endedAt: Timestamp? = nil, failures: Int = 0, permanentFailures: Int = 0,
        circuitOpenedAt: Timestamp? = nil, heldUntil: Timestamp? = nil, holdReason: String? = nil,
        isPaused: Bool = false, nextDue: Timestamp? = nil
    ) {
        self.settled = settled
        self.endedAt = endedAt
        self.failures = failures
        self.permanentFailures = permanentFailures
        self.circuitOpenedAt = circuitOpenedAt
        self.heldUntil = heldUntil
        self.holdReason = holdReason
        self.isPaused = isPaused
        self.nextDue = nextDue
    }
}

extension StreamMemory {
    /// Lets no instant up to this one be decided on again; never moves back.
    mutating func settle(upTo instant: Timestamp) {
        settled = settled.map { max($0, instant) } ?? instant
    }
}
