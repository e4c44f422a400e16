package import Catalog

/// How a run ended, as far as its schedule is concerned.
package enum RunResult: Sendable, Hashable {
    case succeeded
    case failed
    case cancelled
    /// However it ended: the source asks to be left alone until then.
    case leftAlone(until: Timestamp)
}
