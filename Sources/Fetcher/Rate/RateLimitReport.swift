package import Catalog

/// What a response says of the server's rate limit.
///
/// Read are `X-RateLimit-…`, `X-Rate-Limit-…`, and the IETF's `RateLimit` in its three forms
/// (draft-ietf-httpapi-ratelimit-headers). What is not understood is taken for not said.
package struct RateLimitReport: Sendable, Equatable {
    /// How many requests the server still takes before the reset.
    package let remaining: Int?
    /// How long until the window begins anew, in 0...24 h.
    package let reset: Duration?
    /// How long to wait from one poll to the next, in 0...24 h.
    package let pollInterval: Duration?

    package init(remaining: Int? = nil, reset: Duration? = nil, pollInterval: Duration? = nil) {
        self.remaining = remaining.map { max($0, 0) }
        self.reset = reset.map(Self.clamped)
        self.pollInterval = pollInterval.map(Self.clamped)
    }

    /// Of several limits the one with the least remaining counts, among those the one with the longest reset.
    ///
    /// An instant is compared with the response's own date; `now` counts where it has none.
    package init(_ headers: HeaderFields, now: Timestamp) {
        let tightest = Self.quotas(in: headers, now: now).min()
        let poll = headers["X-Poll-Interval"].flatMap { PlainNumber($0.utf8) }
        self.init(remaining: tightest?.remaining, reset: tightest?.reset, pollInterval: poll?.seconds)
    }

    private static func quotas(in headers: HeaderFields, now: Timestamp) -> [RateLimitQuota] {
        // Most responses say nothing, and reading their date would cost more than all else here.
        guard headers.contains(where: { $0.hasPrefix("ratelimit") || $0.hasPrefix("x-rate") }) else { return [] }
        let sent = headers["Date"].flatMap { HTTPDate($0, now: now) }?.timestamp ?? now
        return RateLimitQuota.plain(in: headers, sent: sent) + RateLimitQuota.structured(in: headers, sent: sent)
    }

    private static func clamped(_ duration: Duration) -> Duration { min(max(duration, .zero), .seconds(24 * 3600)) }
}
