import Catalog

/// An HTTP proxy, and what proves who uses it.
struct Proxy: Hashable, Sendable, CustomStringConvertible {
    let address: WebAddress
    var credentials: BasicCredentials?

    /// Without the credentials.
    var description: String { "\(address.origin)" }

    /// What a server may repeat of them.
    var secrets: [Secret] {
        guard let credentials else { return [] }
        let username: [Secret] = if case .secret(let username) = credentials.username { [username] } else { [] }
        return [credentials.password, credentials.encoded] + username
    }

    func hash(into hasher: inout Hasher) { hasher.combine(address) }
}

extension Proxy {
    /// `http://user:password@host:port`, or without what stands before `host`; nil where it is anything else.
    ///
    /// User and password may be percent-encoded.
    init?(environmentValue text: String) {
        let (scheme, rest) = text.split(atFirst: "://") ?? ("http", text[...])
        guard scheme.lowercased() == "http" else { return nil }
        let authority = Substring(rest.unicodeScalars.prefix { !"/?#".unicodeScalars.contains($0) })
        let (user, host) = authority.split(atLast: "@") ?? ("", authority)
        guard let address = WebAddress("http://\(host)") else { return nil }
        self.init(address: address, credentials: user.isEmpty ? nil : Self.credentials(user))
    }

    /// A user alone may be a token, and is as secret as a password.
    private static func credentials(_ text: Substring) -> BasicCredentials {
        guard let (username, password) = text.split(atFirst: ":") else {
            return BasicCredentials(username: .secret(Secret(decoded(text))), password: Secret(""))
        }
        return BasicCredentials(username: .literal(decoded(username)), password: Secret(decoded(password)))
    }

    /// Outside of a query a `+` is a plus.
    private static func decoded(_ text: Substring) -> String {
        let escaped = text.unicodeScalars.map { $0 == "+" ? "%2B" : String($0) }.joined()
        return PercentEncoding.decoded(escaped[...])
    }
}

/// By scalars, since a delimiter and a combining mark are one character.
extension StringProtocol where SubSequence == Substring {
    fileprivate func split(atFirst separator: String) -> (Substring, Substring)? {
        let scalars = self[...].unicodeScalars
        guard let range = scalars.firstRange(of: separator.unicodeScalars) else { return nil }
        return (Substring(scalars[..<range.lowerBound]), Substring(scalars[range.upperBound...]))
    }

    fileprivate func split(atLast separator: Unicode.Scalar) -> (Substring, Substring)? {
        let scalars = self[...].unicodeScalars
        guard let index = scalars.lastIndex(of: separator) else { return nil }
        return (Substring(scalars[..<index]), Substring(scalars[scalars.index(after: index)...]))
    }
}
