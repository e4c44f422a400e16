/// The parts of a URL or a relative reference, split as RFC 3986, appendix B does; the fragment is dropped.
struct URLReference {
    var scheme: String?
    var authority: String?
    var path: String
    var query: String?

    init(_ text: String) {
        var rest = Substring(PercentEncoding.cleaned(text))
        if let hash = rest.firstIndex(of: "#") { rest = rest[..<hash] }
        if let colon = rest.firstIndex(of: ":"), Self.isScheme(rest[..<colon]) {
            scheme = String(rest[..<colon])
            rest = rest[rest.index(after: colon)...]
        }
        if let mark = rest.firstIndex(of: "?") {
            query = PercentEncoding.withoutBrackets(String(rest[rest.index(after: mark)...]))
            rest = rest[..<mark]
        }
        if rest.hasPrefix("//") {
            let behind = rest.dropFirst(2)
            let end = behind.firstIndex(of: "/") ?? behind.endIndex
            authority = String(behind[..<end])
            rest = behind[end...]
        }
        path = PercentEncoding.withoutBrackets(String(rest))
    }

    private static func isScheme(_ text: Substring) -> Bool {
        guard let first = text.utf8.first, PercentEncoding.isLetter(first) else { return false }
        return text.utf8.allSatisfy {
            PercentEncoding.isLetter($0) || PercentEncoding.isDigit($0) || $0 == UInt8(ascii: "+")
                || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".")
        }
    }
}
