/// How a run ended, as far as its schedule is concerned.
package enum RunResult: Sendable, Hashable {
    case succeeded
    case failed
    case cancelled
}
