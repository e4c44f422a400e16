package import Catalog

/// One run as the runs table tells it.
package struct RunRecord: Sendable, Equatable {
    package enum Status: String, Sendable, CaseIterable {
        case running, succeeded, failed, cancelled, skipped, interrupted
    }

    package var id: Int64
    /// The full name.
    package var stream: String
    package var status: Status
    package var nominalAt: Timestamp?
    package var startedAt: Timestamp
    package var endedAt: Timestamp?
    package var counts: RunCounts
    package var warning: String?
    package var failure: RunFailure?
}

/// Why a run failed, as it is stored: without secrets, and in the terms of the command line.
package struct RunFailure: Sendable, Equatable {
    /// The exit code that a program which ran only this would end with.
    package var code: Int32
    package var kind: String
    package var message: String
    package var url: String?
    package var hint: String?

    package init(code: Int32, kind: String, message: String, url: String? = nil, hint: String? = nil) {
        self.code = code
        self.kind = kind
        self.message = message
        self.url = url
        self.hint = hint
    }
}
