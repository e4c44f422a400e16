/// An absolute `http` or `https` URL without user information and fragment, with its spelling.
///
/// Bytes that no URL may hold (spaces, quotes, brackets, non-ASCII, a lone `%`) are percent-encoded. Nothing else
/// changes.
package struct WebAddress: Hashable, Sendable, CustomStringConvertible {
    package let scheme: String
    /// `host` or `host:port`, as written.
    package let authority: String
    /// The path; empty, or with a `/` at its beginning.
    package var path: String
    /// The text after `?`; nil if there is no `?`.
    package var query: String?

    /// Returns nil if the text is no absolute `http` or `https` URL with a host, or names a user.
    package init?(_ text: String) { self.init(URLReference(text)) }

    private init?(_ parts: URLReference) {
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

    /// The host in lower case, an IPv6 address without its brackets.
    package var host: String { String(Self.split(authority: authority).host).lowercased() }

    package var origin: Origin {
        let port = Self.split(authority: authority).port.flatMap { Int($0) }
        return Origin(scheme: scheme, host: host, port: port ?? (scheme == "https" ? 443 : 80))
    }

    /// True if both have the same scheme, host and port.
    package func hasOrigin(of other: WebAddress) -> Bool {
        scheme == other.scheme && authority == other.authority || origin == other.origin
    }

    private static func isValid(authority: String) -> Bool {
        let (host, port) = split(authority: authority)
        let isPort =
            port.map { $0.isEmpty || ($0.utf8.allSatisfy(PercentEncoding.isDigit) && UInt16($0) != nil) } ?? true
        let isHost = authority.isBracketed ? host.utf8.contains(UInt8(ascii: ":")) : !host.isEmpty
        return isHost && isPort && !authority.utf8.contains(UInt8(ascii: "@"))
            && !host.utf8.contains { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "]") }
    }

    private static func split(authority: String) -> (host: Substring, port: Substring?) {
        let bytes = authority.utf8
        if authority.isBracketed, let end = bytes.firstIndex(of: UInt8(ascii: "]")) {
            let host = bytes[..<end].dropFirst()
            let rest = bytes[end...].dropFirst()
            let port = rest.first == UInt8(ascii: ":") ? Substring(rest.dropFirst()) : rest.isEmpty ? nil : "invalid"
            return (Substring(host), port)
        }
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return (authority[...], nil) }
        return (authority[..<colon], Substring(bytes[colon...].dropFirst()))
    }
}

/// The scheme, host and port to which secrets are bound (RFC 6454).
package struct Origin: Hashable, Sendable, CustomStringConvertible {
    package let scheme: String
    package let host: String
    package let port: Int

    /// The origin without the scheme's usual port.
    package var description: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return (scheme, port) == ("https", 443) || (scheme, port) == ("http", 80)
            ? "\(scheme)://\(name)" : "\(scheme)://\(name):\(port)"
    }
}

extension WebAddress {
    /// Returns the decoded value of the first parameter with that name.
    package func value(of name: String) -> String? {
        for item in items where Self.name(of: item) == name {
            return Self.value(of: item)
        }
        return nil
    }

    /// The decoded names and values, in order.
    package var parameters: [(name: String, value: String)] {
        items.map { (name: Self.name(of: $0), value: Self.value(of: $0)) }
    }

    /// Returns this address with that one parameter, in its old place or at the end. All other bytes stay the same.
    package func setting(_ name: String, to value: String) -> WebAddress {
        let written = "\(PercentEncoding.encoded(name))=\(PercentEncoding.encoded(value))"
        var found = false
        var changed = items.compactMap { item -> Substring? in
            guard Self.name(of: item) == name else { return item }
            defer { found = true }
            return found ? nil : written[...]
        }
        if !found { changed.append(written[...]) }
        return replacing(items: changed)
    }

    /// Returns this address with these values of one parameter, at the end if there are several.
    package func setting(_ name: String, to values: [String]) -> WebAddress {
        guard let only = values.first, values.count == 1 else {
            return values.reduce(removingParameters { other, _ in other == name }) {
                $0.appending(parameter: name, value: $1)
            }
        }
        return setting(name, to: only)
    }

    package func appending(parameter name: String, value: String) -> WebAddress {
        let written = "\(PercentEncoding.encoded(name))=\(PercentEncoding.encoded(value))"
        return replacing(items: items + [written[...]])
    }

    package func removingParameters(where isUnwanted: (_ name: String, _ value: String) -> Bool) -> WebAddress {
        let kept = items.filter { !isUnwanted(Self.name(of: $0), Self.value(of: $0)) }
        return kept.count == items.count ? self : replacing(items: kept)
    }

    /// The parameters as they are written. An address is ASCII, in which a byte is a character.
    private var items: [Substring] {
        (query ?? "").utf8.split(separator: UInt8(ascii: "&")).map { Substring($0) }
    }

    private func replacing(items: [Substring]) -> WebAddress {
        var changed = self
        changed.query = items.isEmpty ? nil : items.joined(separator: "&")
        return changed
    }

    private static func name(of item: Substring) -> String {
        PercentEncoding.decoded(item[..<(item.utf8.firstIndex(of: UInt8(ascii: "=")) ?? item.endIndex)])
    }

    private static func value(of item: Substring) -> String {
        item.utf8.firstIndex(of: UInt8(ascii: "=")).map { PercentEncoding.decoded(item[item.utf8.index(after: $0)...]) }
            ?? ""
    }
}

extension WebAddress {
    /// Returns the URL that `reference` means on a page at this address (RFC 3986, 5.2); nil if it is neither `http`
    /// nor `https`.
    package func resolving(_ reference: String) -> WebAddress? {
        let parts = URLReference(reference)
        if parts.scheme != nil { return WebAddress(parts) }
        if parts.authority != nil { return WebAddress("\(scheme):\(PercentEncoding.cleaned(reference))") }
        var target = self
        if parts.path.isEmpty {
            if let query = parts.query { target.query = query }
            return target
        }
        target.path = Self.withoutDotSegments(parts.path.hasPrefix("/") ? parts.path : merged(with: parts.path))
        target.query = parts.query
        return target
    }

    /// Returns this address with `suffix`, which may have a query, after its own path.
    package func appending(_ suffix: String) -> WebAddress {
        let encoded = PercentEncoding.withoutBrackets(PercentEncoding.cleaned(suffix))
        let mark = encoded.firstIndex(of: "?")
        let added = encoded[..<(mark ?? encoded.endIndex)]
        var target = self
        if !added.isEmpty {
            let head = path.hasSuffix("/") ? path.dropLast() : path[...]
            target.path = "\(head)\(added.hasPrefix("/") ? "" : "/")\(added)"
        }
        if let mark {
            let addedQuery = encoded[encoded.index(after: mark)...]
            target.query = query.map { $0.isEmpty ? String(addedQuery) : "\($0)&\(addedQuery)" } ?? String(addedQuery)
        }
        return target
    }

    /// Merges two paths (RFC 3986, 5.2.3).
    private func merged(with relativePath: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "/" + relativePath }
        return path[...slash] + relativePath
    }

    /// Removes `.` and `..` (RFC 3986, 5.2.4).
    private static func withoutDotSegments(_ path: String) -> String {
        var kept: [Substring] = []
        let segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            switch segment {
            case ".":
                if isLast { kept.append("") }
            case "..":
                _ = kept.popLast()
                if isLast { kept.append("") }
            default: kept.append(segment)
            }
        }
        return "/" + kept.joined(separator: "/")
    }
}

/// The parts of a URL or a relative reference, split as in RFC 3986, appendix B, without the fragment.
struct URLReference {
    var scheme: String?
    var authority: String?
    var path: String
    var query: String?

    init(_ text: String) {
        // A cleaned text is ASCII, in which a byte is a character.
        var cleaned = PercentEncoding.cleaned(text)
        self = cleaned.withUTF8 { URLReference(cleaned: $0[...]) }
    }

    private init(cleaned: Bytes) {
        var rest = cleaned
        if let hash = rest.firstIndex(of: UInt8(ascii: "#")) { rest = rest[..<hash] }
        if let colon = rest.firstIndex(of: UInt8(ascii: ":")), Self.isScheme(rest[..<colon]) {
            scheme = Self.text(rest[..<colon])
            rest = rest[colon...].dropFirst()
        }
        if let mark = rest.firstIndex(of: UInt8(ascii: "?")) {
            query = PercentEncoding.withoutBrackets(Self.text(rest[mark...].dropFirst()))
            rest = rest[..<mark]
        }
        if rest.starts(with: "//".utf8) {
            let behind = rest.dropFirst(2)
            let end = behind.firstIndex(of: UInt8(ascii: "/")) ?? behind.endIndex
            authority = Self.text(behind[..<end])
            rest = behind[end...]
        }
        path = PercentEncoding.withoutBrackets(Self.text(rest))
    }

    private typealias Bytes = Slice<UnsafeBufferPointer<UInt8>>

    private static func text(_ bytes: Bytes) -> String { String(decoding: bytes, as: UTF8.self) }

    private static func isScheme(_ text: Bytes) -> Bool {
        guard let first = text.first, PercentEncoding.isLetter(first) else { return false }
        return text.allSatisfy {
            PercentEncoding.isLetter($0) || PercentEncoding.isDigit($0) || $0 == UInt8(ascii: "+")
                || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".")
        }
    }
}

extension String {
    /// True if this authority begins with an IPv6 address.
    fileprivate var isBracketed: Bool { utf8.first == UInt8(ascii: "[") }
}
