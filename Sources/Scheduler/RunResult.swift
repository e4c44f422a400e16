package import Catalog

/// How a run ended, as far as its schedule is concerned.
package struct RunResult: Sendable, Equatable {
    package enum Ending: Sendable, Equatable {
        case succeeded
        /// Permanent is what trying again does not mend: 401, 403, 404, 410, a bad configuration.
        case failed(isPermanent: Bool)
        case cancelled
        /// By a shutdown: its instant stays undecided, and is the next start's.
        case stopped
    }

    package var ending: Ending
    /// However it ended: the source asks to be left alone until then.
    package var leftAlone: Timestamp?

    package init(_ ending: Ending, leftAlone: Timestamp? = nil) {
        self.ending = ending
        self.leftAlone = leftAlone
    }
}
