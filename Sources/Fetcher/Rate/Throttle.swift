import Catalog

/// When the requests to one source start: its rate limit, how many may be in flight, and the server's own word.
///
/// First come, first served. Times are of one clock that only goes forward; an id is used once.
struct Throttle: Sendable {
    enum Action: Equatable, Sendable {
        case start(UInt64)
        /// It would have to wait beyond the longest wait, until that time at least.
        case refuse(UInt64, until: Duration)
        /// `woke` is to be called then. This replaces the time of the answer before, and an answer without it cancels that.
        case wakeAt(Duration)
    }

    private let maximumConcurrency: Int
    private let maximumWait: Duration
    private var bucket: TokenBucket?
    private var server = ServerLimit()
    private var waiting: [UInt64] = []
    private var inFlight: Set<UInt64> = []

    /// `maximumConcurrency` is in 1...2³¹-1. `maximumWait`, a year at most, is for waits whose end is known; waiting for
    /// another request to finish is none.
    init(rateLimit: RateLimit?, maximumConcurrency: Int, maximumWait: Duration) {
        self.maximumConcurrency = min(max(maximumConcurrency, 1), Int(Int32.max))
        self.maximumWait = min(max(maximumWait, .zero), .seconds(365 * 24 * 3600))
        bucket = rateLimit.map(TokenBucket.init)
    }

    var waitingCount: Int { waiting.count }

    mutating func request(id: UInt64, at now: Duration) -> [Action] {
        waiting.append(id)
        return settle(at: now)
    }

    /// The report and `Retry-After` are those of its response.
    mutating func finished(
        id: UInt64, report: RateLimitReport?, retryAfter: Duration?, at now: Duration
    ) -> [Action] {
        inFlight.remove(id)
        if let report {
            server.update(
                with: report, inFlight: inFlight.count, few: maximumConcurrency, longest: maximumWait, at: now)
        }
        if let retryAfter { server.close(for: retryAfter, at: now) }
        return settle(at: now)
    }

    /// Takes a request out of the queue; one that has started has to finish.
    mutating func cancelled(id: UInt64, at now: Duration) -> [Action] {
        waiting.removeAll { $0 == id }
        return settle(at: now)
    }

    mutating func woke(at now: Duration) -> [Action] { settle(at: now) }

    private mutating func settle(at now: Duration) -> [Action] {
        var actions = startDue(at: now)
        actions += refuseLate(at: now)
        if !waiting.isEmpty, inFlight.count < maximumConcurrency { actions.append(.wakeAt(due(at: now, behind: 0))) }
        return actions
    }

    private mutating func startDue(at now: Duration) -> [Action] {
        var started: [Action] = []
        while let id = waiting.first, inFlight.count < maximumConcurrency, due(at: now, behind: 0) <= now {
            waiting.removeFirst()
            inFlight.insert(id)
            _ = bucket?.take(at: now)
            server.started(at: now)
            started.append(.start(id))
        }
        return started
    }

    /// The further back in the queue, the later: once the last one may stay, all may.
    private mutating func refuseLate(at now: Duration) -> [Action] {
        var refused: [Action] = []
        while let id = waiting.last {
            let due = due(at: now, behind: waiting.count - 1)
            guard due - now > maximumWait else { break }
            waiting.removeLast()
            refused.append(.refuse(id, until: due))
        }
        return refused.reversed()
    }

    /// When the request may start that has so many others before it, as far as time can tell.
    private func due(at now: Duration, behind others: Int) -> Duration {
        let turn = server.due(at: now, behind: others)
        guard let bucket else { return turn }
        return max(turn, bucket.due(at: max(now, server.closedUntil), behind: others))
    }
}
