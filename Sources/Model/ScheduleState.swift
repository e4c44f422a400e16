/// The part of a stream's schedule that outlives the process: a row of `_garner_schedules`.
package struct ScheduleState: Sendable, Equatable {
    /// The latest decided instant. It and all earlier ones were run to their end or skipped, and never run again.
    package var settled: Timestamp?
    /// The end of the latest scheduled run. `anchor: finish` counts from it.
    package var endedAt: Timestamp?
    /// The number of consecutive failures.
    package var failures: Int
    /// The number of consecutive failures that a retry cannot fix; of any, while the circuit is open.
    package var permanentFailures: Int
    package var circuitOpenedAt: Timestamp?
    /// No scheduled run starts before this instant, because of back-off, an open circuit, or a request by the source.
    package var heldUntil: Timestamp?
    /// The reason for `heldUntil`, as a sentence for people.
    package var holdReason: String?
    /// The start of the pause; nil if the stream is not paused. Only `pause` and `resume` store it.
    package var pausedAt: Timestamp?
    /// The start of the next scheduled run, as known when this state was stored.
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
