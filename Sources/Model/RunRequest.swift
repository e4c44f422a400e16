/// A request for one run outside the schedule.
///
///     RunRequest("7c1f", of: StreamName(source: "zoo", stream: "animals"), restarts: true)
package struct RunRequest: Sendable, Equatable {
    /// The idempotency key: one ID starts one run. Printable ASCII without spaces, `1...longestID` characters.
    package let id: String
    package let stream: StreamName
    package let scope: RunScope

    package static let longestID = 128

    package init(_ id: String, of stream: StreamName, restarts: Bool = false, maximumPages: Int? = nil) {
        (self.id, self.stream) = (id, stream)
        scope = RunScope(restarts: restarts, maximumPages: maximumPages)
    }

    package static func isID(_ text: String) -> Bool {
        (1...longestID).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}

/// The way in which a run differs from the usual one, which continues an unfinished read and reads all pages.
package struct RunScope: Sendable, Equatable {
    /// True if the run begins with the first page even if an earlier read is unfinished.
    package var restarts: Bool
    /// The number of pages after which the run ends; at least 1. Nil for no limit.
    package var maximumPages: Int?

    package init(restarts: Bool = false, maximumPages: Int? = nil) {
        (self.restarts, self.maximumPages) = (restarts, maximumPages)
    }

    /// Returns the scope that serves both: it restarts if either does, and reads as far as the farther one.
    package func union(_ other: RunScope) -> RunScope {
        let pages = maximumPages.flatMap { own in other.maximumPages.map { max(own, $0) } }
        return RunScope(restarts: restarts || other.restarts, maximumPages: pages)
    }
}

package enum RunOccasion: Sendable, Equatable {
    /// A nominal instant of the schedule, with the time at which it was due.
    case scheduled(nominal: Timestamp, dueAt: Timestamp)
    /// A request by a person or program; `requests` are the IDs of the requests that the run serves.
    case manual(requests: [String] = [])

    package var nominal: Timestamp? {
        if case .scheduled(let nominal, _) = self { nominal } else { nil }
    }

    package var dueAt: Timestamp? {
        if case .scheduled(_, let dueAt) = self { dueAt } else { nil }
    }

    package var requests: [String] {
        if case .manual(let requests) = self { requests } else { [] }
    }

    package var trigger: RunRecord.Trigger {
        switch self {
        case .scheduled: .schedule
        case .manual: .manual
        }
    }
}
