import Catalog

/// Which time limit ends an attempt, and when, from what has come in so far. Times count from the attempt's start.
struct AttemptDeadlines: Sendable {
    private let limits: Limits
    /// When the head or the last chunk came; nil before the head.
    private var lastArrival: Duration?
    /// Whether the server waits for us rather than we for it.
    private var isHeld = false

    init(limits: Limits) { self.limits = limits }

    /// Also ends a hold: from then on the server is waited for again.
    mutating func arrived(at time: Duration) {
        lastArrival = time
        isHeld = false
    }

    /// Only the whole attempt's limit counts until the next arrival.
    mutating func hold() { isHeld = true }

    var next: (deadline: FetchError.Deadline, limit: Duration, time: Duration) {
        if isHeld { return (.total, limits.total, limits.total) }
        let nearest: (deadline: FetchError.Deadline, limit: Duration, time: Duration) =
            if let lastArrival {
                (.idle, limits.idle, lastArrival + limits.idle)
            } else {
                // The transport ends the connecting itself and does not tell when it is done: this is never too early.
                (.firstByte, limits.firstByte, limits.connect + limits.firstByte)
            }
        return limits.total <= nearest.time ? (.total, limits.total, limits.total) : nearest
    }

    /// When to look again: at the next deadline, or earlier, since a head that arrives from now on may bring `idle` forward.
    func nextLook(at time: Duration) -> Duration { min(next.time, time + limits.idle) }
}
