import Catalog

/// One of the limits that a response tells of; the tighter one is the lesser.
struct RateLimitQuota: Comparable {
    let remaining: Int?
    let reset: Duration?

    static func < (left: RateLimitQuota, right: RateLimitQuota) -> Bool {
        let (leftRemaining, rightRemaining) = (left.remaining ?? .max, right.remaining ?? .max)
        if leftRemaining != rightRemaining { return leftRemaining < rightRemaining }
        return (left.reset ?? .seconds(-1)) > (right.reset ?? .seconds(-1))
    }

    static func remaining(_ number: PlainNumber) -> Int { Int(clamping: number.whole) }

    /// Numbers beyond 10⁹ are seconds since 1970, those beyond 10¹² milliseconds; others are seconds from when the
    /// response was sent.
    static func reset(_ number: PlainNumber, sent: Timestamp) -> Duration {
        let epoch = Duration.milliseconds(sent.millisecondsSince1970)
        let wait =
            if number.whole > 1_000_000_000_000 {
                number.milliseconds - epoch
            } else if number.whole > 1_000_000_000 {
                number.seconds - epoch
            } else {
                number.seconds
            }
        return max(wait, .zero)
    }
}
