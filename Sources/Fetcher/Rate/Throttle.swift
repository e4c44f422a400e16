import GarnerCatalog

/// Decides when requests to one source start, by its rate limit, its concurrency and the server's reports.
///
/// Requests start in the order of their arrival. All times are of one monotonic clock. An ID is used only once.
struct Throttle: Sendable {
    enum Action: Equatable, Sendable {
        case start(UInt64)
        /// The request would have to wait until that time or longer, which exceeds the maximum wait.
        case refuse(UInt64, until: Duration)
        /// Call `woke` at that time. It replaces the time from earlier actions; actions without a `wakeAt` cancel it.
        case wakeAt(Duration)
    }

    private let maximumConcurrency: Int
    private let maximumWait: Duration
    private var bucket: TokenBucket?
    private var server = ServerLimit()
    private var waiting: [UInt64] = []
    private var inFlight: Set<UInt64> = []

    /// Creates a throttle. `maximumConcurrency` is clamped to 1...2³¹-1. `maximumWait`, at most a year, limits waits
    /// with a known end; waiting for another request to finish is not limited.
    init(rateLimit: RateLimit?, maximumConcurrency: Int, maximumWait: Duration) {
        self.maximumConcurrency = min(max(maximumConcurrency, 1), Int(Int32.max))
        self.maximumWait = min(max(maximumWait, .zero), .seconds(365 * 24 * 3600))
        bucket = rateLimit.map(TokenBucket.init)
    }

    mutating func request(id: UInt64, at now: Duration) -> [Action] {
        waiting.append(id)
        return settle(at: now)
    }

    /// Ends a request. `report` and `retryAfter` come from its response.
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

    /// Removes a request from the queue. A request that has started must finish instead.
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

    /// Refuses requests from the end of the queue. The last one waits longest, so once it may stay, all may.
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

    /// Returns the earliest start of a request with `others` before it, as far as times are known.
    private func due(at now: Duration, behind others: Int) -> Duration {
        let turn = server.due(at: now, behind: others)
        guard let bucket else { return turn }
        return max(turn, bucket.due(at: max(now, server.closedUntil), behind: others))
    }
}

/// A token bucket that starts full and refills evenly.
///
/// Within any period of the limit, it admits at most twice the limit's requests. In the long run it admits exactly its
/// rate, since no rounding error accumulates.
struct TokenBucket: Sendable {
    private let requests: Int128
    /// The limit's period in nanoseconds, at most 292 years.
    private let per: Int128
    /// The time of the next free token, in units of 1/`requests` nanosecond, in which the interval is the integer `per`.
    private var next: Int128 = .min

    init(_ limit: RateLimit) {
        requests = Int128(max(limit.requests, 1))
        per = max(limit.per.wholeNanoseconds, 1)
    }

    /// Takes the next token and returns the time to wait for it from `now`. Later callers get later tokens.
    mutating func take(at now: Duration) -> Duration {
        let due = due(at: now)
        next = token(at: now, behind: 0) + per
        return due - now
    }

    /// Returns the earliest start of a request with `others` before it, at least `now`.
    func due(at now: Duration, behind others: Int = 0) -> Duration {
        let (quotient, remainder) = token(at: now, behind: others).quotientAndRemainder(dividingBy: requests)
        return max(now, Duration(wholeNanoseconds: remainder > 0 ? quotient + 1 : quotient))
    }

    /// Returns the time of a token in the bucket's units. It holds at most `requests` unused tokens; older ones are lost.
    private func token(at now: Duration, behind others: Int) -> Int128 {
        let oldest = now.wholeNanoseconds * requests - (requests - 1) * per
        return max(next, oldest) + Int128(others) * per
    }
}

extension Duration {
    /// The duration in nanoseconds, rounded towards zero and saturated at the limits of Int64.
    fileprivate var wholeNanoseconds: Int128 {
        let (seconds, attoseconds) = components
        let nanoseconds = Int128(seconds) * 1_000_000_000 + Int128(attoseconds / 1_000_000_000)
        return Int128(Int64(clamping: nanoseconds))
    }

    /// Creates a duration, saturated at Int64's number of seconds.
    fileprivate init(wholeNanoseconds: Int128) {
        let (seconds, nanoseconds) = wholeNanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        self = .seconds(Int64(clamping: seconds)) + .nanoseconds(Int64(nanoseconds))
    }
}

/// The times at which the server, by its own reports, accepts another request.
struct ServerLimit: Sendable {
    /// The time until which the server accepts no request.
    private(set) var closedUntil: Duration = .zero
    /// The spacing of the remaining requests, if they are few.
    private var pace: Pace?

    /// Blocks all requests for that time, at most 24 hours, whatever later responses say.
    mutating func close(for wait: Duration, at now: Duration) {
        closedUntil = max(closedUntil, now + min(max(wait, .zero), .seconds(24 * 3600)))
    }

    /// Applies a response's report. It may not count the `inFlight` requests. If at most `few` requests remain, they
    /// are spread over the rest of the window, unless that is longer than `longest`.
    mutating func update(
        with report: RateLimitReport, inFlight: Int, few: Int, longest: Duration, at now: Duration
    ) {
        guard let remaining = report.remaining, let reset = report.reset else { return }
        pace = nil
        if remaining == 0 {
            close(for: reset, at: now)
        } else if remaining <= few {
            pace = Pace(remaining: max(0, remaining - inFlight), end: now + reset, longest: longest, from: now)
        }
    }

    mutating func started(at now: Duration) {
        guard let pace, now < pace.end else { return }
        self.pace = Pace(
            remaining: max(0, pace.remaining - 1), end: pace.end, longest: pace.longest, from: now)
    }

    /// Returns the earliest start of a request with `others` before it, at least `now`.
    func due(at now: Duration, behind others: Int) -> Duration {
        max(now, closedUntil, pace?.due(behind: others) ?? now)
    }

    /// An even schedule for the few remaining requests of a window.
    private struct Pace {
        let remaining: Int
        /// The start of the next window.
        let end: Duration
        let longest: Duration
        private let start: Duration
        private let interval: Duration

        init(remaining: Int, end: Duration, longest: Duration, from start: Duration) {
            self.remaining = remaining
            self.end = end
            self.longest = longest
            self.start = start
            // Even spacing must not cause a refusal of requests that the server would accept.
            interval = end - start > longest ? .zero : (end - start) / (remaining + 1)
        }

        func due(behind others: Int) -> Duration {
            others < remaining ? start + interval * (others + 1) : end
        }
    }
}

/// The error of a request that the throttle refused.
package enum ThrottleError: Error, Equatable, Sendable {
    /// The request would have to wait at least that long, which exceeds the maximum wait.
    case waitTooLong(Duration)
}
