package import Catalog

/// What of a stream's schedule outlives a process.
package struct ScheduleRecord: Sendable, Equatable {
    /// The latest nominal instant that was run to its end or skipped.
    package var settled: Timestamp?
    /// The end of the latest run.
    package var endedAt: Timestamp?
    /// In a row.
    package var failures: Int
    /// Of those, the ones that will come again as long as nobody changes something.
    package var permanentFailures: Int
    package var circuitOpenedAt: Timestamp?
    /// No run starts by itself before.
    package var heldUntil: Timestamp?
    /// Why, as a sentence for people.
    package var holdReason: String?
    /// Only what pauses and resumes a stream writes it.
    package var pausedAt: Timestamp?
    package var nextDue: Timestamp?

    package var isPaused: Bool { pausedAt != nil }

    package init(
        settled: Timestamp? = nil, endedAt: Timestamp? = nil, failures: Int = 0, permanentFailures: Int = 0,
        circuitOpenedAt: Timestamp? = nil, heldUntil: Timestamp? = nil, holdReason: String? = nil,
        pausedAt: Timestamp? = nil, nextDue: Timestamp? = nil
    ) {
        self.settled = settled
        self.endedAt = endedAt
        self.failures = failures
        self.permanentFailures = permanentFailures
        self.circuitOpenedAt = circuitOpenedAt
        self.heldUntil = heldUntil
        self.holdReason = holdReason
        self.pausedAt = pausedAt
        self.nextDue = nextDue
    }
}
