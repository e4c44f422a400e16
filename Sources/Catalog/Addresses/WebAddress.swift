/// An absolute `http` or `https` URL without user information and fragment, kept as it was written.
///
/// Bytes that no URL may hold (spaces, quotes, brackets, non-ASCII, a lone `%`) are percent-encoded; nothing else is changed.
package struct WebAddress: Hashable, Sendable, CustomStringConvertible {
    package let scheme: String
    /// `host` or `host:port`, as written.
    package let authority: String
    /// Empty, or begins with `/`.
    package var path: String
    /// What stands behind `?`; nil where there is none.
    package var query: String?

    /// nil where the text is no absolute `http` or `https` URL with a host, or names a user.
    package init?(_ text: String) {
        let parts = URLReference(text)
        guard let scheme = parts.scheme?.lowercased(), scheme == "http" || scheme == "https",
            let authority = parts.authority, Self.isValid(authority: authority)
        else { return nil }
        self.init(scheme: scheme, authority: authority, path: parts.path, query: parts.query)
    }

    package init(scheme: String, authority: String, path: String, query: String?) {
        self.scheme = scheme
        self.authority = authority
        self.path = path
        self.query = query
    }

    package var description: String { "\(scheme)://\(authority)\(path)" + (query.map { "?" + $0 } ?? "") }

    /// Lower case; an IPv6 address without its brackets.
    package var host: String { String(Self.split(authority: authority).host).lowercased() }

    package var origin: Origin {
        let port = Self.split(authority: authority).port.flatMap { Int($0) }
        return Origin(scheme: scheme, host: host, port: port ?? (scheme == "https" ? 443 : 80))
    }

    private static func isValid(authority: String) -> Bool {
        let (host, port) = split(authority: authority)
        let isPort =
            port.map { $0.isEmpty || ($0.utf8.allSatisfy(PercentEncoding.isDigit) && UInt16($0) != nil) } ?? true
        let isHost = authority.hasPrefix("[") ? host.contains(":") : !host.isEmpty
        return isHost && isPort && !authority.contains("@") && !host.contains { $0 == "[" || $0 == "]" }
    }

    private static func split(authority: String) -> (host: Substring, port: Substring?) {
        if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") {
            let host = authority[authority.index(after: authority.startIndex)..<end]
            let rest = authority[authority.index(after: end)...]
            return (host, rest.hasPrefix(":") ? rest.dropFirst() : rest.isEmpty ? nil : "invalid")
        }
        guard let colon = authority.firstIndex(of: ":") else { return (authority[...], nil) }
        return (authority[..<colon], authority[authority.index(after: colon)...])
    }
}

/// What secrets are bound to: scheme, host and port (RFC 6454).
package struct Origin: Hashable, Sendable, CustomStringConvertible {
    package let scheme: String
    package let host: String
    package let port: Int

    /// Without the scheme's usual port.
    package var description: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return (scheme, port) == ("https", 443) || (scheme, port) == ("http", 80)
            ? "\(scheme)://\(name)" : "\(scheme)://\(name):\(port)"
    }
}
