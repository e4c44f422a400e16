import GarnerCatalog

/// A server's request for credentials: a response with status 401 and `WWW-Authenticate` fields (RFC 9110, 11.6.1).
public struct AuthenticationChallenge: Sendable, Equatable {
    /// One authentication scheme that the server offers.
    public struct Scheme: Sendable, Equatable {
        /// The scheme's name in lower case, such as `basic`.
        public let name: String
        /// The protection space that the credentials are for, as the server names it; nil if it names none.
        public internal(set) var realm: String?
    }

    /// The status of the response.
    public let status: Int
    /// The offered schemes in the server's order; empty if the server names none.
    public let schemes: [Scheme]
    /// The requested URL without secrets.
    public let url: String
    /// The challenge of the digest scheme with the best hash function; nil if there is none that can be answered.
    let digest: DigestChallenge?

    init(_ head: ResponseHead, at url: String) {
        status = head.status
        let offers = head.headers.values(of: "WWW-Authenticate").flatMap(Self.offers)
        schemes = offers.map { offer in
            Scheme(name: offer.scheme, realm: offer.parameters.first { $0.name == "realm" }?.value)
        }
        digest = offers.filter { $0.scheme == "digest" }.compactMap { DigestChallenge($0.parameters) }
            .max { $0.algorithm.rawValue < $1.algorithm.rawValue }
        self.url = url
    }

    private typealias Offer = (scheme: String, parameters: [(name: String, value: String)])

    /// Parses the challenges of one field. Its list mixes challenges and their parameters: an element with a word
    /// before its first `=` begins a new challenge.
    private static func offers(in field: String) -> [Offer] {
        elements(of: field).reduce(into: []) { offers, element in
            var parameter = element[...]
            let word = element.prefix { !isSpace($0) && $0 != "=" }
            let rest = element[word.endIndex...].drop(while: isSpace)
            if rest.first != "=" {
                offers.append((scheme: String(word).lowercased(), parameters: []))
                parameter = rest
            }
            if let last = offers.indices.last, let parameter = self.parameter(in: parameter) {
                offers[last].parameters.append(parameter)
            }
        }
    }

    /// Splits a field at the commas outside quotes. It compares scalars, since a mark behind a quote would hide it.
    private static func elements(of field: String) -> [String.UnicodeScalarView] {
        var elements = [String.UnicodeScalarView()]
        var isQuoted = false
        var isEscaped = false
        for scalar in field.unicodeScalars {
            if scalar == ",", !isQuoted {
                elements.append(String.UnicodeScalarView())
                continue
            }
            if scalar == "\"", !isEscaped { isQuoted.toggle() }
            isEscaped = scalar == "\\" && isQuoted && !isEscaped
            elements[elements.count - 1].append(scalar)
        }
        return elements.map { String.UnicodeScalarView($0.drop(while: isSpace)) }.filter { !$0.isEmpty }
    }

    private static func parameter(in text: Substring.UnicodeScalarView) -> (name: String, value: String)? {
        let pair = text.split(separator: "=", maxSplits: 1)
        guard pair.count == 2 else { return nil }
        return (String(pair[0].prefix { !isSpace($0) }).lowercased(), unquoted(pair[1].drop(while: isSpace)))
    }

    private static func unquoted(_ value: Substring.UnicodeScalarView) -> String {
        guard value.first == "\"" else { return String(value.prefix { !isSpace($0) }) }
        var text = String.UnicodeScalarView()
        var isEscaped = false
        for scalar in value.dropFirst() {
            if scalar == "\"", !isEscaped { break }
            if scalar == "\\", !isEscaped {
                isEscaped = true
                continue
            }
            isEscaped = false
            text.append(scalar)
        }
        return String(text)
    }

    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.isWhitespace }
}

/// The credentials of a client. Tokens and passwords print as `***`.
///
///     request.credentials = .bearer(token)
///     request.credentials = .basic(username: "aladdin", password: "open sesame")
///     request.credentials = .digest(username: "aladdin", password: "open sesame")
public struct Credentials: Sendable, Equatable {
    enum Kind: Sendable, Equatable {
        /// Sent with the first request, or as the answer to a challenge.
        case fixed(Authentication)
        /// Computed for each request from a challenge.
        case digest(username: String, password: Secret)
    }

    let kind: Kind

    /// Creates credentials from a token without the word `Bearer` (RFC 6750).
    ///
    ///     request.credentials = .bearer(token)
    public static func bearer(_ token: String) -> Credentials {
        Credentials(kind: .fixed(.bearer(token: Secret(token))))
    }

    /// Creates credentials from a user name and a password (RFC 7617). The user name must not contain a colon; the
    /// fetch refuses it with a `FetchError`.
    ///
    ///     request.credentials = .basic(username: "aladdin", password: "open sesame")
    public static func basic(username: String, password: String) -> Credentials {
        Credentials(kind: .fixed(.basic(username: .literal(username), password: Secret(password))))
    }

    /// Creates credentials that answer a challenge of the digest scheme with SHA-256 or MD5, which never sends the
    /// password (RFC 7616). The first request goes without them, since only the server's challenge says how to compute
    /// them. The user name must not contain a colon; the fetch refuses it with a `FetchError`.
    ///
    ///     request.credentials = .digest(username: "aladdin", password: "open sesame")
    public static func digest(username: String, password: String) -> Credentials {
        Credentials(kind: .digest(username: username, password: Secret(password)))
    }

    /// The credentials that the first request carries.
    var authentication: Authentication { if case .fixed(let authentication) = kind { authentication } else { .none } }

    /// True if the credentials answer a challenge only.
    var needChallenge: Bool { if case .digest = kind { true } else { false } }

    var hasUnusableName: Bool {
        switch kind {
        case .fixed(.basic(let username, _)): username.reveal().unicodeScalars.contains(":")
        case .digest(let username, _): username.unicodeScalars.contains(":")
        case .fixed: false
        }
    }

    /// All that a server must not repeat of them.
    var secrets: [Secret] {
        switch kind {
        case .fixed(.bearer(let token)): [token]
        case .fixed(.basic(let username, let password)):
            [password, BasicCredentials(username: username, password: password).encoded]
        case .fixed: []
        case .digest(_, let password): [password]
        }
    }

    /// The value of `Authorization`; nil for a digest, which depends on the challenge.
    var value: String? {
        switch kind {
        case .fixed(.bearer(let token)): "Bearer \(token.reveal())"
        case .fixed(.basic(let username, let password)):
            "Basic \(BasicCredentials(username: username, password: password).encoded.reveal())"
        case .fixed, .digest: nil
        }
    }

    /// Throws `FetchError.Kind` if they cannot be sent as the answer to a challenge.
    func check() throws(FetchError.Kind) {
        guard HeaderSyntax.isValue(value ?? "") else {
            throw .misconfigured(reason: "the answer to the challenge holds a control character")
        }
        guard !hasUnusableName else {
            throw .misconfigured(reason: "the user name of the answer to the challenge holds a colon")
        }
    }
}
