/// Why a request got no turn.
package enum ThrottleError: Error, Equatable, Sendable {
    /// It would have to wait at least that long, which is more than a task should sleep.
    case waitTooLong(Duration)
}
