/// An absolute `http` or `https` URL with a host, without user and fragment, and without a query unless it may hold one.
struct BaseURL {
    enum Problem: Error {
        case notAbsolute, otherScheme, holdsUser, holdsQuery, holdsFragment, noHost, badHost, badPort, badCharacter
    }

    let text: String
    /// In lower case, an IPv6 address without its brackets.
    let host: String

    init(_ text: String, mayHoldQuery: Bool = false) throws(Problem) {
        guard !text.unicodeScalars.contains(where: { $0.value <= 0x20 || $0.value == 0x7F || $0 == "\\" }) else {
            throw .badCharacter
        }
        guard let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://") else { throw .notAbsolute }
        guard ["http", "https"].contains(text[..<colon].lowercased()) else { throw .otherScheme }
        let rest = text[colon...].dropFirst(3)
        // By scalars, since a delimiter and a combining mark are one character.
        let authority = Substring(rest.unicodeScalars.prefix { !"/?#".unicodeScalars.contains($0) })
        if authority.unicodeScalars.contains("@") { throw .holdsUser }
        if text.unicodeScalars.contains("#") { throw .holdsFragment }
        if !mayHoldQuery, text.unicodeScalars.contains("?") { throw .holdsQuery }
        // RFC 3986, 6.2.3: an empty path is the same as "/".
        self.text = authority.endIndex == text.endIndex ? text + "/" : text
        host = try Self.host(of: authority)
    }

    private static func host(of authority: Substring) throws(Problem) -> String {
        let host: Substring
        var port: Substring
        if authority.first == "[" {
            guard let end = authority.firstIndex(of: "]") else { throw .badHost }
            host = authority[..<end].dropFirst()
            port = authority[end...].dropFirst()
            guard host.contains(":"), host.allSatisfy({ $0.isHexDigit || $0 == ":" || $0 == "." }) else {
                throw .badHost
            }
        } else {
            host = authority.prefix { $0 != ":" }
            port = authority.dropFirst(host.count)
            guard host.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "-._".contains($0)) }) else {
                throw .badHost
            }
        }
        guard !host.isEmpty else { throw .noHost }
        guard !port.isEmpty else { return host.lowercased() }
        guard port.removeFirst() == ":", port.allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int(port),
            (1...65535).contains(number)
        else { throw .badPort }
        return host.lowercased()
    }
}
