/// The failure of a run, or of anything else that a program reports.
package struct RunFailure: Sendable, Equatable {
    package var category: ErrorCategory
    /// A stable word for scripts.
    package var kind: String
    package var message: String
    package var url: String?
    package var hint: Hint?
    /// True if the failure will recur until somebody changes something, here or at the source.
    package var isPermanent: Bool

    package init(
        _ category: ErrorCategory, kind: String, message: String, url: String? = nil, hint: Hint? = nil,
        isPermanent: Bool = false
    ) {
        self.category = category
        self.kind = kind
        self.message = message
        self.url = url
        self.hint = hint
        self.isPermanent = isPermanent
    }

    /// Creates the failure that an error stands for. An error that stands for none is a bug.
    package init(_ error: any Error) {
        self =
            (error as? any FailureConvertible)?.failure
            ?? RunFailure(.bug, kind: "bug", message: "\(error)", hint: .report)
    }
}

/// An error that stands for a failure with a category and a kind.
package protocol FailureConvertible: Error {
    var failure: RunFailure { get }
}

extension CancellationError: FailureConvertible {
    package var failure: RunFailure { RunFailure(.cancelled, kind: "cancelled", message: "cancelled") }
}
