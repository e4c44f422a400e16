import GarnerCatalog
package import GarnerModel
import RawStructuredFieldValues

/// One of the limits that a response reports. The tighter limit compares as less.
struct RateLimitQuota: Comparable {
    let remaining: Int?
    let reset: Duration?

    static func < (left: RateLimitQuota, right: RateLimitQuota) -> Bool {
        let (leftRemaining, rightRemaining) = (left.remaining ?? .max, right.remaining ?? .max)
        if leftRemaining != rightRemaining { return leftRemaining < rightRemaining }
        return (left.reset ?? .seconds(-1)) > (right.reset ?? .seconds(-1))
    }

    static func remaining(_ number: PlainNumber) -> Int { Int(clamping: number.whole) }

    /// Returns the time until the reset. Numbers above 10⁹ are seconds since 1970, those above 10¹² milliseconds, above 10¹⁵
    /// microseconds and above 10¹⁸ nanoseconds. Others are seconds since the response was sent.
    static func reset(_ number: PlainNumber, sent: Timestamp) -> Duration {
        let instant: Duration? =
            switch number.whole {
            case 1_000_000_000_000_000_001...: .nanoseconds(number.whole)
            case 1_000_000_000_000_001...: .microseconds(number.whole)
            case 1_000_000_000_001...: number.milliseconds
            case 1_000_000_001...: number.seconds
            default: nil
            }
        guard let instant else { return number.seconds }
        return max(instant - .milliseconds(sent.millisecondsSince1970), .zero)
    }
}

/// The server's rate limit as a response reports it.
///
/// The report reads `X-RateLimit-…`, `X-Rate-Limit-…`, and the IETF's `RateLimit` in its three forms
/// (draft-ietf-httpapi-ratelimit-headers). Fields that cannot be parsed are ignored.
package struct RateLimitReport: Sendable, Equatable {
    /// The number of requests that the server still accepts before the reset.
    package let remaining: Int?
    /// The time until the next window begins, in 0...24 h.
    package let reset: Duration?
    /// The time to wait between two polls, in 0...24 h.
    package let pollInterval: Duration?

    package init(remaining: Int? = nil, reset: Duration? = nil, pollInterval: Duration? = nil) {
        self.remaining = remaining.map { max($0, 0) }
        self.reset = reset.map(Self.clamped)
        self.pollInterval = pollInterval.map(Self.clamped)
    }

    /// Reads the report from header fields. Of several limits, the one with the fewest remaining requests counts, and
    /// among equal ones the one with the longest reset.
    ///
    /// A reset at an instant is compared with the response's `Date`, or with `now` if it has none.
    package init(_ headers: HeaderFields, now: Timestamp) {
        let tightest = Self.quotas(in: headers, now: now).min()
        let poll = headers["X-Poll-Interval"].flatMap { PlainNumber($0.utf8) }
        self.init(remaining: tightest?.remaining, reset: tightest?.reset, pollInterval: poll?.seconds)
    }

    private static func quotas(in headers: HeaderFields, now: Timestamp) -> [RateLimitQuota] {
        // Most responses report no limit, and parsing their date would be the largest cost here.
        guard headers.contains(where: { $0.hasPrefix("ratelimit") || $0.hasPrefix("x-rate") }) else { return [] }
        let sent = headers["Date"].flatMap { HTTPDate($0, now: now) }?.timestamp ?? now
        return RateLimitQuota.plain(in: headers, sent: sent) + RateLimitQuota.structured(in: headers, sent: sent)
    }

    private static func clamped(_ duration: Duration) -> Duration { min(max(duration, .zero), .seconds(24 * 3600)) }
}

extension RateLimitQuota {
    /// Parses `RateLimit`, a structured field (RFC 9651). Since its eighth version, the draft has a list, as in
    /// `"default";r=50;t=30`; the seventh has a dictionary, as in `limit=100, remaining=50, reset=30`.
    static func structured(in headers: HeaderFields, sent: Timestamp) -> [RateLimitQuota] {
        guard let field = bytes(of: "RateLimit", in: headers) else { return [] }
        if let quotas = list(in: field) {
            let lengths = windows(in: headers)
            return quotas.map { item in
                let parameters = item.rfc9651Parameters
                // "t" is optional; without it, the reset comes at most one whole window later.
                let reset = number(parameters["t"]).map { Self.reset($0, sent: sent) } ?? lengths[item.rfc9651BareItem]
                return RateLimitQuota(remaining: number(parameters["r"]).map(remaining), reset: reset)
            }
        }
        var parser = StructuredFieldValueParser(field)
        guard let members = try? parser.parseDictionaryFieldValue() else { return [] }
        let quota = RateLimitQuota(
            remaining: number(members["remaining"]).map(remaining),
            reset: number(members["reset"]).map { Self.reset($0, sent: sent) })
        return [quota]
    }

    /// Returns the lengths of the windows in `RateLimit-Policy`: `"default";q=100;w=60`.
    private static func windows(in headers: HeaderFields) -> [RFC9651BareItem: Duration] {
        let policies = bytes(of: "RateLimit-Policy", in: headers).flatMap(list) ?? []
        let lengths = policies.compactMap { item in
            number(item.rfc9651Parameters["w"]).map { (item.rfc9651BareItem, $0.seconds) }
        }
        return Dictionary(lengths, uniquingKeysWith: max)
    }

    /// Returns a field's lines joined: "strings MUST be combined […] separated by COMMA SP" (RFC 9651, 4.2).
    ///
    /// Returns nil without the field, or above 4096 bytes: the parser's time grows with the square of the number of keys.
    private static func bytes(of name: String, in headers: HeaderFields) -> [UInt8]? {
        let bytes = Array(headers.values(of: name).joined(separator: ", ").utf8)
        return bytes.isEmpty || bytes.count > 4096 ? nil : bytes
    }

    /// Returns the items of a list; nil if the field is not a list: "the entire field value MUST be ignored" (RFC 9651,
    /// 4.2).
    private static func list(in field: [UInt8]) -> [Item]? {
        var parser = StructuredFieldValueParser(field)
        return (try? parser.parseListFieldValue())?.compactMap { member in
            if case .item(let item) = member { item } else { nil }
        }
    }

    private static func number(_ member: ItemOrInnerList?) -> PlainNumber? {
        if case .item(let item) = member { number(item.rfc9651BareItem) } else { nil }
    }

    private static func number(_ item: RFC9651BareItem?) -> PlainNumber? {
        switch item {
        case .integer(let integer): PlainNumber(String(integer).utf8)
        case .decimal(let decimal): PlainNumber(String(decimal).utf8)
        default: nil
        }
    }
}

extension RateLimitQuota {
    /// Parses the fields that hold one number for each limit.
    static func plain(in headers: HeaderFields, sent: Timestamp) -> [RateLimitQuota] {
        ["X-RateLimit", "X-Rate-Limit", "RateLimit"].flatMap { prefix in
            let remaining = numbers(of: "\(prefix)-Remaining", in: headers).map { $0.map(Self.remaining) }
            let resets = Self.resets(of: "\(prefix)-Reset", in: headers, sent: sent)
            return (0..<max(remaining.count, resets.count)).map { place in
                // A single reset applies to each of several limits.
                let reset = place < resets.count ? resets[place] : resets.last.flatMap { $0 }
                return RateLimitQuota(remaining: place < remaining.count ? remaining[place] : nil, reset: reset)
            }
        }
    }

    /// Parses the resets. A date is read only as the field's sole value: it contains a comma, and is slow to parse.
    private static func resets(of name: String, in headers: HeaderFields, sent: Timestamp) -> [Duration?] {
        let (lines, numbers) = (headers.values(of: name), Self.numbers(of: name, in: headers))
        if lines.count == 1, numbers.allSatisfy({ $0 == nil }),
            let date = HTTPDate(lines[0], now: sent)?.timestamp ?? Timestamp(rfc3339: lines[0])
        {
            return [max(sent.duration(to: date), .zero)]
        }
        return numbers.map { number in number.map { reset($0, sent: sent) } }
    }

    /// Returns the members of a field in order, with nil for those that cannot be parsed.
    private static func numbers(of name: String, in headers: HeaderFields) -> [PlainNumber?] {
        headers.values(of: name).flatMap { line in
            line.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map { member in
                PlainNumber(member.drop(while: isSpace).reversed().drop(while: isSpace).reversed())
            }
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
}

/// A count or a time in a header field, such as `12` or `0.25`. Negative numbers become 0.
struct PlainNumber: Equatable {
    /// The integer part, saturated at the largest Int64.
    let whole: Int64
    /// The fraction in billionths; further digits are dropped.
    let billionths: Int64

    /// Parses digits with an optional leading minus and at most one decimal point; fails for anything else.
    init?(_ text: some Sequence<UInt8>) {
        let bytes = Array(text)
        let isNegative = bytes.first == UInt8(ascii: "-")
        let parts = bytes.dropFirst(isNegative ? 1 : 0).split(
            separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(PercentEncoding.isDigit) }), let digits = parts.first
        else { return nil }
        let fraction = parts.count == 2 ? Array(parts[1].prefix(9)) : []
        let padding = Array(repeating: UInt8(ascii: "0"), count: 9 - fraction.count)
        whole = isNegative ? 0 : Self.value(of: digits)
        billionths = isNegative ? 0 : Self.value(of: fraction + padding)
    }

    var seconds: Duration { .seconds(whole) + .nanoseconds(billionths) }
    var milliseconds: Duration { .milliseconds(whole) + .nanoseconds(billionths / 1000) }

    private static func value(of digits: some Sequence<UInt8>) -> Int64 {
        var value: Int64 = 0
        for digit in digits {
            let (product, productOverflows) = value.multipliedReportingOverflow(by: 10)
            let (sum, sumOverflows) = product.addingReportingOverflow(Int64(digit) - Int64(UInt8(ascii: "0")))
            if productOverflows || sumOverflows { return .max }
            value = sum
        }
        return value
    }
}
