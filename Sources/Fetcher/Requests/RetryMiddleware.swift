import GarnerCatalog
import GarnerTasks

/// Retries as the policy allows while the failure may be temporary, then waits for the host up to `waitForConnectivity`.
struct RetryMiddleware: Middleware {
    let policy: RetryPolicy
    /// The time in which an answer that a server is still making must come.
    var promiseLimit: Duration = .zero
    var waitForConnectivity: Duration = .zero
    let timing: Timing
    let traffic: SourceTraffic
    /// True if a POST only reads, so that it is repeated when the server says that it did not process it.
    var isReading = false

    func send<Answer: Sendable>(_ request: Request, next: Next<Answer>) async throws -> Answer {
        let schedule = RetrySchedule(policy: policy)
        var connectivity = ConnectivityWait(limit: waitForConnectivity, clock: timing.clock)
        let stopwatch = Stopwatch(timing.clock)
        var attempts = 0
        traffic.noteFirstAttempt(to: request.address.origin)
        while true {
            attempts += 1
            do {
                return try await next(request)
            } catch let kind as FetchError.Kind {
                try Task.checkCancellation()
                guard request.method != .post || kind.isUnsent || (isReading && kind.isUnprocessed) else { throw kind }
                // Once the host is reachable again, the attempts start anew.
                if connectivity.ended(with: kind) { attempts = 1 }
                // A server that makes an answer is in no trouble: nothing is left to chance, and no retry is charged.
                let random = kind.isPromise ? 1 : timing.random()
                let delay = schedule.delay(after: kind, attempts: attempts, random: random)
                if kind.isPromise, let delay, stopwatch.elapsed + delay > promiseLimit { throw kind }
                let lacksRetries = delay != nil && !kind.isPromise && !traffic.mayRetry(request.address.origin)
                request.trace.note { $0.lacksRetries = lacksRetries }
                if let delay, !lacksRetries {
                    try await timing.clock.sleep(for: delay)
                } else if let delay = connectivity.delay(after: kind, schedule.ceiling(after: attempts)) {
                    try await timing.clock.sleep(for: delay)
                } else {
                    throw kind
                }
            }
        }
    }
}

extension FetchError.Kind {
    /// True if a request with side effects may be repeated: it was never sent, or the configuration asks for a retry.
    fileprivate var isUnsent: Bool {
        if case .response(_, .retry, _) = self { true } else { isUnreachable }
    }

    /// True if the server says that it did not process the request, and that it may come again: 429 (RFC 6585, 4), 503
    /// with a time to wait (RFC 9110, 15.6.4), and 403 for a limit.
    fileprivate var isUnprocessed: Bool {
        switch self {
        case .status(429, _), .status(403, _?): true
        case .status(503, let retryAfter): retryAfter != nil
        default: false
        }
    }
}

/// Computes the delay before a retry: `random(0, min(cap, base·2ⁿ))`, but at least the server's `Retry-After`.
struct RetrySchedule: Sendable {
    let policy: RetryPolicy

    /// Returns the delay; nil if the request must not be retried. `random` is in 0..<1.
    func delay(after kind: FetchError.Kind, attempts: Int, random: Double) -> Duration? {
        guard kind.isRetryable, attempts < policy.maxAttempts else { return nil }
        let backoff = ceiling(after: attempts) * random
        guard policy.respectsRetryAfter, let wanted = kind.retryAfter else { return backoff }
        return wanted > policy.maxDelay ? nil : max(backoff, wanted)
    }

    /// Returns the longest delay after that many attempts.
    func ceiling(after attempts: Int) -> Duration {
        var delay = policy.baseDelay
        for _ in 1..<max(1, attempts) where delay < policy.maxDelay { delay *= 2 }
        return min(delay, policy.maxDelay)
    }
}

/// Limits the time that a request waits for an unreachable host, once per request and from its first such failure.
struct ConnectivityWait {
    private static let shortestDelay = Duration.seconds(1)
    private static let longestDelay = Duration.seconds(30)

    private let limit: Duration
    private let clock: any Clock<Duration>
    private var stopwatch: Stopwatch?
    private var isWaitedFor = false

    init(limit: Duration, clock: any Clock<Duration>) {
        self.limit = limit
        self.clock = clock
    }

    /// Returns true if a host that was waited for can now be reached.
    mutating func ended(with kind: FetchError.Kind) -> Bool {
        if kind.isUnreachable {
            if stopwatch == nil { stopwatch = Stopwatch(clock) }
            return false
        }
        defer { isWaitedFor = false }
        return isWaitedFor
    }

    /// Returns the delay before the next try, the last of which is at the limit; nil if time is up, or the host was reached.
    mutating func delay(after kind: FetchError.Kind, _ wanted: Duration) -> Duration? {
        guard kind.isUnreachable, let stopwatch else { return nil }
        let remaining = limit - stopwatch.elapsed
        guard remaining > .zero else { return nil }
        isWaitedFor = true
        return min(max(wanted, Self.shortestDelay), Self.longestDelay, remaining)
    }
}
