import Catalog

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

    init(_ head: ResponseHead, at url: String) {
        status = head.status
        schemes = head.headers.values(of: "WWW-Authenticate").flatMap(Self.schemes)
        self.url = url
    }

    /// Parses the challenges of one field. Its list mixes challenges and their parameters: an element with a word
    /// before its first `=` begins a new challenge.
    private static func schemes(in field: String) -> [Scheme] {
        elements(of: field).reduce(into: []) { schemes, element in
            var parameter = element[...]
            let word = element.prefix { !isSpace($0) && $0 != "=" }
            let rest = element[word.endIndex...].drop(while: isSpace)
            if rest.first != "=" {
                schemes.append(Scheme(name: String(word).lowercased()))
                parameter = rest
            }
            if let last = schemes.indices.last, schemes[last].realm == nil, let realm = realm(in: parameter) {
                schemes[last].realm = realm
            }
        }
    }

    /// Splits a field at the commas outside quotes. It compares scalars, because Swift joins a quote and a following
    /// combining mark into one character.
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

    private static func realm(in parameter: Substring.UnicodeScalarView) -> String? {
        let pair = parameter.split(separator: "=", maxSplits: 1)
        guard pair.count == 2, String(pair[0].prefix { !isSpace($0) }).lowercased() == "realm" else { return nil }
        let value = pair[1].drop(while: isSpace)
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

/// Asks the delegate for credentials, once per fetch and only for the origin of the base URL. The credentials go
/// nowhere else.
struct ChallengeMiddleware: Middleware {
    let boundary: SecretBoundary
    let delegateSession: DelegateSession
    let runtimeSecrets: RuntimeSecrets

    func send<Answer: Sendable>(_ request: Request, next: Next<Answer>) async throws -> Answer {
        guard boundary.isInside(request.address) else { return try await next(request) }
        if delegateSession.answer != nil { return try await next(answered(request)) }
        do {
            return try await next(request)
        } catch FetchError.Kind.unauthorized(status: 401) {
            guard try await delegateSession.askForAnswer(runtimeSecrets: runtimeSecrets) != nil else {
                throw FetchError.Kind.unauthorized(status: 401)
            }
            try Task.checkCancellation()
            return try await next(answered(request))
        }
    }

    private func answered(_ request: Request) -> Request {
        guard let answer = delegateSession.answer else { return request }
        var request = request
        request.headers.removeAll { $0.name.lowercased() == "authorization" }
        request.headers.append(answer)
        return request
    }
}

/// The credentials of a client. Tokens and passwords print as `***`.
///
///     request.credentials = .bearer(token)
///     request.credentials = .basic(username: "aladdin", password: "open sesame")
public struct Credentials: Sendable, Equatable {
    let authentication: Authentication

    /// Creates credentials from a token without the word `Bearer` (RFC 6750).
    public static func bearer(_ token: String) -> Credentials {
        Credentials(authentication: .bearer(token: Secret(token)))
    }

    /// Creates credentials from a user name and a password (RFC 7617). The user name must not contain a colon; the
    /// fetch refuses it with a `FetchError`.
    public static func basic(username: String, password: String) -> Credentials {
        Credentials(authentication: .basic(username: .literal(username), password: Secret(password)))
    }

    var hasUnusableName: Bool {
        guard case .basic(let username, _) = authentication else { return false }
        return username.reveal().unicodeScalars.contains(":")
    }
}

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The user name and password that the `Authorization` field carries (RFC 7617).
struct BasicCredentials: Equatable, Sendable {
    let username: ConfiguredText
    let password: Secret

    var encoded: Secret {
        Secret(Data("\(username.reveal()):\(password.reveal())".utf8).base64EncodedString())
    }
}
