import Catalog

/// As many requests at once as the limit has, then one each time that a token has come back.
///
/// Tokens come back evenly. In any time of the limit's length it lets at most twice its requests go, in the long run
/// exactly its rate: no rounding adds up.
struct TokenBucket: Sendable {
    private let requests: Int128
    /// In nanoseconds, at most 292 years.
    private let per: Int128
    /// When the next token that nobody has taken is there, in parts of a nanosecond, of which there are `requests`: the
    /// time from one token to the next is then the whole number `per`.
    private var next: Int128 = .min

    init(_ limit: RateLimit) {
        requests = Int128(max(limit.requests, 1))
        per = max(limit.per.wholeNanoseconds, 1)
    }

    /// Takes the next token, and returns how long to wait for it from `now`.
    ///
    /// Who takes later waits for a later token.
    mutating func take(at now: Duration) -> Duration {
        let due = due(at: now)
        next = token(at: now, behind: 0) + per
        return due - now
    }

    /// When the next request may go that has so many others before it, but not before `now`.
    func due(at now: Duration, behind others: Int = 0) -> Duration {
        let (quotient, remainder) = token(at: now, behind: others).quotientAndRemainder(dividingBy: requests)
        return max(now, Duration(wholeNanoseconds: remainder > 0 ? quotient + 1 : quotient))
    }

    /// A bucket is never more than full: of the tokens nobody took, only `requests` are still there at `now`.
    private func token(at now: Duration, behind others: Int) -> Int128 {
        let oldest = now.wholeNanoseconds * requests - (requests - 1) * per
        return max(next, oldest) + Int128(others) * per
    }
}

extension Duration {
    /// Rounded towards zero; saturates at the ends of Int64.
    fileprivate var wholeNanoseconds: Int128 {
        let (seconds, attoseconds) = components
        let nanoseconds = Int128(seconds) * 1_000_000_000 + Int128(attoseconds / 1_000_000_000)
        return Int128(Int64(clamping: nanoseconds))
    }

    /// Saturates at Int64's number of seconds.
    fileprivate init(wholeNanoseconds: Int128) {
        let (seconds, nanoseconds) = wholeNanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        self = .seconds(Int64(clamping: seconds)) + .nanoseconds(Int64(nanoseconds))
    }
}
