/// The result of a run, as far as its stream's schedule needs it.
package struct RunResult: Sendable, Equatable {
    package enum Ending: Sendable, Equatable {
        case succeeded
        /// A failure. A permanent one recurs until somebody changes something: 401, 403, 404, 410, a bad configuration.
        case failed(isPermanent: Bool)
        case cancelled
        /// The program ended. The run's instant stays undecided until the next start.
        case stopped
    }

    package var ending: Ending
    package var failure: RunFailure?
    /// The source asked for no requests before this instant, however the run ended.
    package var retryAfter: Timestamp?

    package init(_ ending: Ending, failure: RunFailure? = nil, retryAfter: Timestamp? = nil) {
        (self.ending, self.failure, self.retryAfter) = (ending, failure, retryAfter)
    }

    /// - Parameter wasStopped: True if the end of the program cancelled the run.
    package init(status: RunRecord.Status, wasStopped: Bool = false, failure: RunFailure? = nil) {
        let ending: Ending =
            switch status {
            case .succeeded: .succeeded
            case .cancelled: wasStopped ? .stopped : .cancelled
            // Other runs had served its requests.
            case .skipped: .cancelled
            case .failed, .interrupted, .running: .failed(isPermanent: failure?.isPermanent ?? false)
            }
        self.init(ending, failure: failure)
    }
}
