package import Catalog

/// Why a run begins.
package enum RunOccasion: Sendable, Equatable {
    /// A nominal instant of the schedule, which was to be run at its due time.
    case scheduled(nominal: Timestamp, dueAt: Timestamp)
    /// Somebody wants it; `requests` tell the wishes apart that it serves.
    case manual(requests: [String] = [])

    var nominal: Timestamp? {
        if case .scheduled(let nominal, _) = self { nominal } else { nil }
    }

    var dueAt: Timestamp? {
        if case .scheduled(_, let dueAt) = self { dueAt } else { nil }
    }

    var requests: [String] {
        if case .manual(let requests) = self { requests } else { [] }
    }

    var trigger: RunRecord.Trigger {
        switch self {
        case .scheduled: .schedule
        case .manual: .manual
        }
    }
}

/// How a run ends, as far as its stream's schedule is concerned.
package struct RunEnding: Sendable, Equatable {
    package let status: RunRecord.Status
    /// The end of the program has ended it: its nominal instant may be run again.
    package let wasStopped: Bool
    package let failure: RunFailure?
    package let at: Timestamp

    package init(_ status: RunRecord.Status, wasStopped: Bool = false, failure: RunFailure? = nil, at: Timestamp) {
        (self.status, self.wasStopped, self.failure, self.at) = (status, wasStopped, failure, at)
    }
}

/// Gives what the stream's schedule is when the run has ended; called in the transaction that ends it.
package typealias SettleSchedule = @Sendable (RunEnding) -> ScheduleRecord

/// A run that does not begin, since each of its requests has been served by one.
package struct AlreadyServed: Error, Equatable {
    /// By request, the run that began for it.
    package let runs: [String: Int64]

    package init(runs: [String: Int64]) { self.runs = runs }
}
