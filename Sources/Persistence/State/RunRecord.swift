package import Catalog
package import Model

/// One run as the runs table tells it.
package struct RunRecord: Sendable, Equatable {
    package enum Status: String, Sendable, CaseIterable {
        case running, succeeded, failed, cancelled, skipped, interrupted
    }

    /// What has started it.
    package enum Trigger: String, Sendable, CaseIterable {
        case schedule, manual
    }

    package var id: Int64
    /// The full name.
    package var stream: String
    package var status: Status
    package var trigger: Trigger
    package var nominalAt: Timestamp?
    /// When a run of the schedule was to start.
    package var dueAt: Timestamp?
    package var startedAt: Timestamp
    package var endedAt: Timestamp?
    /// Whether the end of the program has ended it.
    package var wasStopped: Bool
    /// What a skip has left out.
    package var skipped: SkippedInstants?
    package var counts: RunCounts
    /// How much of what its read asked for has come; nil where it ended no read, and for runs of earlier versions.
    package var verdict: Verdict?
    /// What the run has found besides its verdict.
    package var notice: String?
    package var failure: RunFailure?
    /// Its stream's schedule as it was stored with the run's end; of a run that was just ended.
    package var schedule: ScheduleRecord?
    /// What it has changed of the columns of tables that were there before it; of a run that is looked at by itself.
    package var schemaChanges: [SchemaChange] = []

    /// Of a run that was just ended: the verdict is another one than that of the stream's read before, or it is the first.
    package var verdictIsNew = false
    /// Of a run that was just ended: no read of the stream had ended before.
    package var isFirstRead = false

    package var completeness: Completeness? { verdict?.completeness }

    /// Why the read is not complete; nil where it is.
    package var completenessReason: String? {
        completeness == .complete ? nil : verdict?.reason
    }

    /// For people: `40 of 800 records: partial`; nil where the read is complete.
    package var completenessText: String? {
        guard let completeness, completeness != .complete else { return nil }
        guard verdict?.kind != .silent else { return "completeness unknown" }
        return completenessReason.map { "\($0): \(completeness.rawValue)" } ?? completeness.rawValue
    }

    /// What to do about a first read that nothing says is complete; nil for any other one.
    package var advice: String? {
        isFirstRead && verdict?.kind == .silent ? "No sign of further pages. If there are more, set paginator." : nil
    }

    /// All that is to be warned of: what was missed, and what was found besides.
    package var warning: String? {
        guard verdict?.kind == .missed else { return notice }
        let missed = "the read is partial: \(verdict?.reason ?? "something was left out")"
        return [missed, notice].compactMap(\.self).joined(separator: "; ")
    }

    /// What people have not been told by the run before.
    package var news: String? { verdictIsNew ? warning : notice }

    /// Why instants were skipped; nil for a run.
    package var reason: String? { status == .skipped ? notice : nil }

    /// How much later than it was due the run started.
    package var lateness: Duration? { dueAt.map { $0.duration(to: startedAt) } }
}

/// Nominal instants without a run.
package struct SkippedInstants: Sendable, Equatable {
    package let first: Timestamp
    package let last: Timestamp
    package let count: Int

    package init(first: Timestamp, last: Timestamp, count: Int) {
        (self.first, self.last, self.count) = (first, last, count)
    }
}

/// Why a run failed, as it is stored: without secrets, and in the terms of the command line.
package struct RunFailure: Sendable, Equatable {
    /// The exit code that a program which ran only this would end with.
    package var code: Int32
    package var kind: String
    package var message: String
    package var url: String?
    package var hint: String?
    /// Whether it will come again as long as nobody changes something, here or there.
    package var isPermanent: Bool

    package init(
        code: Int32, kind: String, message: String, url: String? = nil, hint: String? = nil, isPermanent: Bool = false
    ) {
        self.code = code
        self.kind = kind
        self.message = message
        self.url = url
        self.hint = hint
        self.isPermanent = isPermanent
    }
}
