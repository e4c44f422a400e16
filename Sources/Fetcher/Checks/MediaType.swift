import Catalog

/// The value of a `Content-Type` field (RFC 9110, 8.3.1).
struct MediaType: Equatable {
    /// `type/subtype` in lower case.
    let name: String
    /// In lower case, without quotes.
    let charset: String?

    /// nil where the text has not the form `type/subtype`.
    init?(_ text: String) {
        let parts = text.split(separator: ";", omittingEmptySubsequences: false).map(Self.trimmed)
        let name = (parts.first ?? "").lowercased()
        let halves = name.split(separator: "/", omittingEmptySubsequences: false)
        guard halves.count == 2, halves.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(Self.isTokenByte) }) else {
            return nil
        }
        self.name = name
        charset = parts.dropFirst().lazy.compactMap(Self.charset).first
    }

    /// Whether it is one of `range`: `image/png`, `image/*` or `*/*`.
    func matches(_ range: String) -> Bool {
        range == "*/*" || range == name || (range.hasSuffix("/*") && name.hasPrefix(range.dropLast()))
    }

    var isJSON: Bool { name == "application/json" || name == "text/json" || name.hasSuffix("+json") }

    var isJSONLines: Bool {
        ["application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines"].contains(name)
    }

    private static func charset(of parameter: Substring) -> String? {
        let pair = parameter.split(separator: "=", maxSplits: 1)
        guard pair.count == 2, trimmed(pair[0]).lowercased() == "charset" else { return nil }
        let value = trimmed(pair[1])
        return (value.hasPrefix("\"") ? value.dropFirst().prefix { $0 != "\"" } : value).lowercased()
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        let start = text.drop(while: isBlank)
        return start.lastIndex { !isBlank($0) }.map { start[...$0] } ?? ""
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        PercentEncoding.isLetter(byte) || PercentEncoding.isDigit(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
}
