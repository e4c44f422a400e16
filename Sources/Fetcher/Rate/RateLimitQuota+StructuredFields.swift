import Catalog
import RawStructuredFieldValues

extension RateLimitQuota {
    /// What stands in `RateLimit`, a structured field (RFC 9651): `"default";r=50;t=30`, a list, as the draft has it
    /// since its eighth version; or `limit=100, remaining=50, reset=30`, a dictionary, as in the seventh.
    static func structured(in headers: HeaderFields, sent: Timestamp) -> [RateLimitQuota] {
        guard let field = bytes(of: "RateLimit", in: headers) else { return [] }
        if let quotas = list(in: field) {
            let lengths = windows(in: headers)
            return quotas.map { item in
                let parameters = item.rfc9651Parameters
                // "t" is optional; the whole window is the longest that it can be.
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

    /// How long the windows of `RateLimit-Policy` are: `"default";q=100;w=60`.
    private static func windows(in headers: HeaderFields) -> [RFC9651BareItem: Duration] {
        let policies = bytes(of: "RateLimit-Policy", in: headers).flatMap(list) ?? []
        let lengths = policies.compactMap { item in
            number(item.rfc9651Parameters["w"]).map { (item.rfc9651BareItem, $0.seconds) }
        }
        return Dictionary(lengths, uniquingKeysWith: max)
    }

    /// "strings MUST be combined […] separated by COMMA SP" (RFC 9651, 4.2).
    ///
    /// nil also for a field so long that it cannot be meant: the parser's time grows with the square of the keys.
    private static func bytes(of name: String, in headers: HeaderFields) -> [UInt8]? {
        let bytes = Array(headers.values(of: name).joined(separator: ", ").utf8)
        return bytes.isEmpty || bytes.count > 4096 ? nil : bytes
    }

    /// nil where the field is no list: "the entire field value MUST be ignored" (RFC 9651, 4.2).
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
