/// A run as its row in the runs table describes it.
package struct RunRecord: Sendable, Equatable {
    package enum Status: String, Sendable, CaseIterable {
        case running, succeeded, failed, cancelled, skipped, interrupted
    }

    /// The cause of a run.
    package enum Trigger: String, Sendable, CaseIterable {
        case schedule, manual
    }

    package var id: RunID
    /// The stream's full name.
    package var stream: String
    package var status: Status
    package var trigger: Trigger
    package var nominalAt: Timestamp?
    /// The time at which a scheduled run was due.
    package var dueAt: Timestamp?
    package var startedAt: Timestamp
    package var endedAt: Timestamp?
    /// True if the run ended because the program ended.
    package var wasStopped: Bool
    /// The instants that a skipped run stands for.
    package var skipped: SkippedInstants?
    package var counts: RunCounts
    /// The judgement on the read that the run finished; nil if it finished none, and for runs of earlier versions.
    package var verdict: Verdict?
    /// A finding besides the verdict.
    package var notice: String?
    package var failure: RunFailure?
    /// How often in a row a run could not begin for this failure, from `startedAt` to `endedAt`; nil for a run that began.
    package var timesNotBegun: Int?
    /// The schedule's state, stored with the end of the run. Set only for a run that has just ended.
    package var schedule: ScheduleState?
    /// The run's changes to the columns of tables that existed before it. Set only when a single run is looked up.
    package var schemaChanges: [SchemaChange] = []

    /// True if the verdict differs from the stream's previous one, or is the first. Set for a run that has just ended.
    package var verdictIsNew = false
    /// True if the notice differs from that of the stream's previous run. Set only for a run that has just ended.
    package var noticeIsNew = false
    /// The notice of the previous successful run, if this one succeeded without any. Set for a run that has just ended.
    package var endedNotice: String?
    /// The number of runs in a row that failed: up to this one if it failed, or before it. Set only for a run that has just
    /// ended, and whose stream has hooks that ask for it.
    package var failuresInRow: Int?
    /// True if no read of the stream had ended before. Set only for a run that has just ended.
    package var isFirstRead = false

    package init(
        id: RunID, stream: String, status: Status, trigger: Trigger, nominalAt: Timestamp?, dueAt: Timestamp?,
        startedAt: Timestamp, endedAt: Timestamp?, wasStopped: Bool, skipped: SkippedInstants?, counts: RunCounts,
        verdict: Verdict?, notice: String?, failure: RunFailure?
    ) {
        self.id = id
        self.stream = stream
        self.status = status
        self.trigger = trigger
        self.nominalAt = nominalAt
        self.dueAt = dueAt
        self.startedAt = startedAt
        self.endedAt = endedAt
        self.wasStopped = wasStopped
        self.skipped = skipped
        self.counts = counts
        self.verdict = verdict
        self.notice = notice
        self.failure = failure
    }

    package var completeness: Completeness? { verdict?.completeness }

    /// The reason why the read is not complete; nil if it is.
    package var completenessReason: String? {
        completeness == .complete ? nil : verdict?.reason
    }

    /// The completeness for people, such as `40 of 800 records: partial`; nil if the read is complete.
    package var completenessText: String? {
        guard let completeness, completeness != .complete else { return nil }
        let cause = verdict?.cause
        let finding = cause?.finding ?? (completeness == .unknown ? Self.unexplained : nil)
        return [finding, completeness.rawValue].compactMap(\.self).joined(separator: ": ")
            + (cause?.advice.map { "; \($0)" } ?? "")
    }

    /// The reason of a read of which no version of Garner has stored one.
    private static let unexplained = "the source does not say whether there is more"

    /// Returns what a first read says of records that may be missing; nil for every other run, and if its warning says it.
    ///
    /// - Parameter remedy: what to set or to do; nil if the reason says so.
    package func advice(_ remedy: (Verdict) -> String?) -> String? {
        guard isFirstRead, let verdict, verdict.completeness == .unknown else { return nil }
        let reason = verdict.reason ?? Self.unexplained
        // What contradicts itself is told by warnings in words of their own.
        guard warning == nil || verdict.kind == .silent, warning?.contains(reason) != true else { return nil }
        return "It is not certain that all records came: \(reason)" + (remedy(verdict).map { "; \($0)" } ?? "")
    }

    /// The failure for people; nil if there is none.
    package var failureText: String? {
        guard let failure, let times = timesNotBegun, times > 1 else { return failure?.message }
        return "\(failure.message) (\(times) times since \(startedAt))"
    }

    /// The text to warn with: missed records, and the notice.
    package var warning: String? {
        guard verdict?.kind == .missed else { return notice }
        let missed = "the read is partial: \(verdict?.reason ?? "something was left out")"
        return [missed, notice].compactMap(\.self).joined(separator: "; ")
    }

    /// The part of the warning that the previous run has not reported.
    package var newWarning: String? { verdictIsNew ? warning : notice }

    /// The part of the warning that the previous run has not reported in the same words: what logs, and those who want no more, are told.
    package var changedWarning: String? { verdictIsNew ? warning : noticeIsNew ? notice : nil }

    /// The reason why instants were skipped; nil if the run was not skipped.
    package var reason: String? { status == .skipped ? notice : nil }

    /// The time from the due time to the start.
    ///
    /// A record that stands for several runs has the start of the first and the due time of the last.
    package var lateness: Duration? { timesNotBegun ?? 1 > 1 ? nil : dueAt.map { $0.duration(to: startedAt) } }

    /// The duration of the run; nil while it runs.
    package var duration: Duration? { endedAt.map { startedAt.duration(to: $0) } }
}

/// Nominal instants that no run served.
package struct SkippedInstants: Sendable, Equatable {
    package let first: Timestamp
    package let last: Timestamp
    package let count: Int

    package init(first: Timestamp, last: Timestamp, count: Int) {
        (self.first, self.last, self.count) = (first, last, count)
    }
}

/// The work of one run so far.
package struct RunCounts: Sendable, Equatable {
    package var pages = 0
    package var requests = 0
    package var notModified = 0
    package var inserted = 0
    package var updated = 0
    package var unchanged = 0
    package var deleted = 0
    package var quarantined = 0
    /// Records that the stream's contract left out.
    package var discarded = 0
    /// The size of response bodies in bytes, after decompression.
    package var bytes = 0

    /// The number of rows that were inserted, updated or deleted.
    package var changes: Int { inserted + updated + deleted }

    package init() {}
}
