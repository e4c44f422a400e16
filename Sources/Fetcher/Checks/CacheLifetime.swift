import Catalog

/// How long a response may be taken for what the server still has (RFC 9111, 4.2), 24 hours at most.
struct CacheLifetime: Equatable {
    let duration: Duration

    /// nil where the response is no page, or does not say it in a `max-age` that can be read.
    init?(_ head: ResponseHead) {
        guard (200..<300).contains(head.status) || head.status == 304 else { return nil }
        let directives = Self.directives(in: head.headers)
        guard let maximum = directives.first(where: { $0.name == "max-age" }).flatMap({ Self.seconds($0.value) }) else {
            return nil
        }
        if directives.contains(where: { $0.name == "no-cache" || $0.name == "no-store" }) { return nil }
        // What a cache on the way has kept it for already counts.
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

    /// The sender writes `max-age=5`; "a recipient ought to accept" `max-age="5"` as well (RFC 9111, 5.2).
    private static func seconds(_ text: Substring) -> Duration? {
        let digits = text.filter { !$0.isWhitespace && $0 != "\"" }
        guard !digits.isEmpty, digits.utf8.allSatisfy(PercentEncoding.isDigit) else { return nil }
        // A delta-seconds beyond what can be counted is the largest that can (RFC 9111, 1.2.2).
        return .seconds(min(Int64(digits) ?? .max, 1 << 31))
    }
}
