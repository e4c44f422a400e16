import GarnerCatalog

/// An HTTP proxy with its credentials.
struct Proxy: Hashable, Sendable, CustomStringConvertible {
    let address: WebAddress
    var credentials: BasicCredentials?

    /// The proxy's address without the credentials.
    var description: String { "\(address.origin)" }

    /// The parts of the credentials that a server may repeat.
    var secrets: [Secret] {
        guard let credentials else { return [] }
        let username: [Secret] = if case .secret(let username) = credentials.username { [username] } else { [] }
        return [credentials.password, credentials.encoded] + username
    }

    func hash(into hasher: inout Hasher) { hasher.combine(address) }
}

extension Proxy {
    /// Parses `http://user:password@host:port`, all of it optional but the host; fails for anything else.
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

    /// Returns the credentials. A user without a password may be a token, and is as secret as a password.
    private static func credentials(_ text: Substring) -> BasicCredentials {
        guard let (username, password) = text.split(atFirst: ":") else {
            return BasicCredentials(username: .secret(Secret(decoded(text))), password: Secret(""))
        }
        return BasicCredentials(username: .literal(decoded(username)), password: Secret(decoded(password)))
    }

    /// Decodes percent-encoding. A `+` outside a query is a plus.
    private static func decoded(_ text: Substring) -> String {
        let escaped = text.unicodeScalars.map { $0 == "+" ? "%2B" : String($0) }.joined()
        return PercentEncoding.decoded(escaped[...])
    }
}

/// Splits by scalars, because Swift joins a delimiter and a following combining mark into one character.
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

/// Decides which proxy a request uses, if any.
struct ProxyRules: Hashable, Sendable {
    private let http: Choice
    private let https: Choice
    private let exceptions: ProxyExceptions

    private enum Choice: Hashable {
        case straight
        case proxy(Proxy)
        /// The environment variable does not name a usable proxy.
        case unusable(variable: String)
    }

    /// Creates the rules of a stream's setting.
    ///
    /// - Parameter environment: variables, of which `http_proxy`, `https_proxy` and `no_proxy` are read. They are in
    ///   lower case only: in a web server's scripts, `HTTP_PROXY` is a header field of the request.
    init(_ setting: ProxySetting, environment: [String: String]) {
        switch setting {
        case .none: (http, https, exceptions) = (.straight, .straight, ProxyExceptions(""))
        case .server(let address, let username, let password):
            let credentials = username.map { BasicCredentials(username: $0, password: password ?? Secret("")) }
            let proxy = Choice.proxy(Proxy(address: address, credentials: credentials))
            (http, https, exceptions) = (proxy, proxy, ProxyExceptions(""))
        case .environment:
            http = Self.choice("http_proxy", environment)
            https = Self.choice("https_proxy", environment)
            exceptions = ProxyExceptions(environment["no_proxy"] ?? "")
        }
    }

    /// Returns the proxy for a URL, or nil. Throws if the environment names something other than an HTTP proxy.
    func proxy(to address: WebAddress) throws(TransportError) -> Proxy? {
        let choice = address.scheme == "https" ? https : http
        if choice == .straight || exceptions.contains(address.origin) { return nil }
        switch choice {
        case .straight: return nil
        case .proxy(let proxy): return proxy
        case .unusable(let variable): throw .proxy(variable, .unusable)
        }
    }

    /// The parts of the proxies' credentials that a server may repeat.
    var secrets: [Secret] {
        [http, https].flatMap { choice -> [Secret] in
            if case .proxy(let proxy) = choice { proxy.secrets } else { [] }
        }
    }

    private static func choice(_ variable: String, _ environment: [String: String]) -> Choice {
        guard let value = environment[variable], !value.isEmpty else { return .straight }
        return Proxy(environmentValue: value).map { .proxy($0) } ?? .unusable(variable: variable)
    }
}

/// The hosts that `no_proxy` excludes, parsed as in curl: names with their subdomains, addresses, and networks such as
/// `10.0.0.0/8`, each with an optional port. `*` is every host.
struct ProxyExceptions: Hashable, Sendable {
    private let entries: [Entry]

    fileprivate struct Entry: Hashable {
        let host: Host
        /// The port; nil for any.
        var port: Int?
    }

    fileprivate enum Host: Hashable {
        case any
        /// A name and its subdomains, in lower case, without a leading or trailing dot.
        case name(String)
        case network(IPAddress, bits: Int)
    }

    init(_ text: String) {
        entries = text.lowercased().split { $0 == "," || $0.isWhitespace }.compactMap { Entry(text: $0) }
    }

    func contains(_ origin: Origin) -> Bool {
        let address = IPAddress(origin.host)
        let name = origin.host.hasSuffix(".") ? origin.host.dropLast() : origin.host[...]
        return entries.contains { entry in
            guard entry.port == nil || entry.port == origin.port else { return false }
            return switch entry.host {
            case .any: true
            case .name(let suffix): address == nil && (name == suffix || name.hasSuffix("." + suffix))
            case .network(let network, let bits): address?.sharesPrefix(with: network, bits: bits) ?? false
            }
        }
    }
}

extension ProxyExceptions.Entry {
    /// Parses one entry; fails if it is malformed.
    fileprivate init?(text: Substring) {
        let (host, port) = Self.split(text)
        if let host = ProxyExceptions.Host(host) {
            self.init(host: host, port: port)
        } else {
            return nil
        }
    }

    /// Splits an entry into host and port, which is nil if there is none. An IPv6 address with a port has brackets.
    private static func split(_ text: Substring) -> (Substring, port: Int?) {
        if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
            let behind = text[text.index(after: end)...]
            return (text[..<end].dropFirst(), behind.hasPrefix(":") ? Int(behind.dropFirst()) : nil)
        }
        guard let colon = text.firstIndex(of: ":"), colon == text.lastIndex(of: ":"),
            let port = Int(text[text.index(after: colon)...])
        else { return (text, nil) }
        return (text[..<colon], port)
    }
}

extension ProxyExceptions.Host {
    fileprivate init?(_ text: Substring) {
        if text == "*" {
            self = .any
        } else if let address = IPAddress(text) {
            self = .network(address, bits: address.bitCount)
        } else if let slash = text.firstIndex(of: "/") {
            guard let address = IPAddress(text[..<slash]), let bits = Int(text[text.index(after: slash)...]),
                (0...address.bitCount).contains(bits)
            else { return nil }
            self = .network(address, bits: bits)
        } else {
            let name = text.drop { $0 == "*" || $0 == "." }
            let trimmed = name.hasSuffix(".") ? name.dropLast() : name
            if trimmed.isEmpty { return nil }
            self = .name(String(trimmed))
        }
    }
}
