import Catalog

/// How long a server asks to be left alone (RFC 9110, 10.2.3), 24 hours at most.
struct RetryAfter: Equatable {
    let delay: Duration

    /// nil where the field is missing or neither a number of seconds nor a date. A date is compared with the response's own.
    init?(_ headers: HeaderFields, now: () -> Timestamp) {
        guard let text = headers["Retry-After"] else { return nil }
        if !text.isEmpty, text.utf8.allSatisfy(PercentEncoding.isDigit) {
            delay = Self.clamped(.seconds(Int64(text) ?? .max))
        } else {
            let sent = headers["Date"].flatMap { HTTPDate($0, now: now()) }?.timestamp ?? now()
            guard let date = HTTPDate(text, now: sent) else { return nil }
            delay = Self.clamped(sent.duration(to: date.timestamp))
        }
    }

    private static func clamped(_ delay: Duration) -> Duration { min(max(delay, .zero), .seconds(24 * 3600)) }
}
