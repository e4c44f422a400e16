import GarnerCatalog
import GarnerModel

/// An HTTP date in one of its three formats (RFC 9110, 5.6.7).
struct HTTPDate: Equatable {
    let timestamp: Timestamp

    /// Parses a date. `now` decides the century of a two-digit year: one more than 50 years ahead lies in the past.
    init?(_ text: String, now: Timestamp) {
        guard let parts = Self.parts(of: text), let month = Self.months.firstIndex(of: parts.month),
            let year = Int(parts.year), let day = Int(parts.day)
        else { return nil }
        let fullYear = parts.year.count == 2 ? Self.year(year, closeTo: now) : year
        let date = "\(Self.padded(fullYear, 4))-\(Self.padded(month + 1, 2))-\(Self.padded(day, 2))T\(parts.time)Z"
        guard let timestamp = Timestamp(rfc3339: date) else { return nil }
        self.timestamp = timestamp
    }

    private typealias Parts = (year: String, month: String, day: String, time: String)

    private static func parts(of text: String) -> Parts? {
        // Sun, 06 Nov 1994 08:49:37 GMT
        let fixed = /[A-Z][a-z]{2}, (\d\d) ([A-Z][a-z]{2}) (\d{4}) (\d\d:\d\d:\d\d) GMT/
        // Sunday, 06-Nov-94 08:49:37 GMT
        let obsolete = /[A-Z][a-z]+, (\d\d)-([A-Z][a-z]{2})-(\d\d) (\d\d:\d\d:\d\d) GMT/
        // Sun Nov  6 08:49:37 1994
        let asctime = /[A-Z][a-z]{2} ([A-Z][a-z]{2}) ([ \d]\d) (\d\d:\d\d:\d\d) (\d{4})/
        if let match = text.wholeMatch(of: fixed)?.output {
            return (String(match.3), String(match.2), String(match.1), String(match.4))
        }
        if let match = text.wholeMatch(of: obsolete)?.output {
            return (String(match.3), String(match.2), String(match.1), String(match.4))
        }
        if let match = text.wholeMatch(of: asctime)?.output {
            return (String(match.4), String(match.1), match.2.filter { $0 != " " }, String(match.3))
        }
        return nil
    }

    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    private static func year(_ lastDigits: Int, closeTo now: Timestamp) -> Int {
        let current = Int(now.description.prefix(4)) ?? 2000
        let year = current - current % 100 + lastDigits
        return year > current + 50 ? year - 100 : year
    }

    private static func padded(_ value: Int, _ width: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

/// The delay that a server asks for in `Retry-After` (RFC 9110, 10.2.3), at most 24 hours.
struct RetryAfter: Equatable {
    let delay: Duration

    /// Parses the field; fails if it is missing, or neither a number of seconds nor a date. A date is compared with the
    /// response's own `Date`. "Retry-After = HTTP-date / delay-seconds", but some servers write decimals.
    init?(_ headers: HeaderFields, now: () -> Timestamp) {
        guard let text = headers["Retry-After"] else { return nil }
        if !text.hasPrefix("-"), let number = PlainNumber(text.utf8) {
            delay = Self.clamped(number.seconds)
        } else {
            let sent = headers["Date"].flatMap { HTTPDate($0, now: now()) }?.timestamp ?? now()
            guard let date = HTTPDate(text, now: sent) else { return nil }
            delay = Self.clamped(sent.duration(to: date.timestamp))
        }
    }

    private static func clamped(_ delay: Duration) -> Duration { min(max(delay, .zero), .seconds(24 * 3600)) }
}

/// The time for which a response stays fresh (RFC 9111, 4.2), at most 24 hours.
struct CacheLifetime: Equatable {
    let duration: Duration

    /// Reads `Cache-Control`; fails if the response is not a page, or states no usable `max-age`.
    init?(_ head: ResponseHead) {
        guard (200..<300).contains(head.status) || head.status == 304 else { return nil }
        let directives = Self.directives(in: head.headers)
        guard let maximum = directives.first(where: { $0.name == "max-age" }).flatMap({ Self.seconds($0.value) }) else {
            return nil
        }
        if directives.contains(where: { $0.name == "no-cache" || $0.name == "no-store" }) { return nil }
        // The time that the response spent in a cache on the way counts too.
        let age = head.headers["Age"].flatMap { Self.seconds($0[...]) } ?? .zero
        duration = min(max(maximum - age, .zero), .seconds(24 * 3600))
    }

    private static func directives(in headers: HeaderFields) -> [(name: String, value: Substring)] {
        headers.values(of: "Cache-Control").flatMap { $0.split(separator: ",") }.map { directive in
            let parts = directive.split(separator: "=", maxSplits: 1)
            let value = parts.count == 2 ? parts[1] : ""
            return (String((parts.first ?? "").filter { !$0.isWhitespace }).lowercased(), value)
        }
    }

    /// Parses a number of seconds. The sender writes `max-age=5`; "a recipient ought to accept" `max-age="5"` as well
    /// (RFC 9111, 5.2).
    private static func seconds(_ text: Substring) -> Duration? {
        let digits = text.filter { !$0.isWhitespace && $0 != "\"" }
        guard !digits.isEmpty, digits.utf8.allSatisfy(PercentEncoding.isDigit) else { return nil }
        // A number too large to represent counts as the largest one (RFC 9111, 1.2.2).
        return .seconds(min(Int64(digits) ?? .max, 1 << 31))
    }
}
