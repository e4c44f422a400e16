import GarnerCatalog
import GarnerJSON
import GarnerModel

/// The response of a token endpoint (RFC 6749, 5.1).
struct TokenAnswer: Sendable {
    let refreshToken: Secret?
    /// The granted token, or the reason why it is unusable. Even such a response may have replaced the refresh token.
    let grant: Result<TokenGrant, TokenError>
    /// All tokens in the response, for the redaction.
    let tokens: [Secret]

    /// Parses a successful response. Throws if it is an error, which some servers send with a status of success.
    init(_ root: Node, of client: OAuth2, status: Int) throws(TokenError) {
        let names = ["access_token", "refresh_token", "id_token"]
        let token = client.tokenPath.map { $0.first(in: root) } ?? root["access_token"]
        tokens = (names.map { root[$0] } + [token]).compactMap { $0?.string }.map { Secret($0) }
        refreshToken = Self.token(root["refresh_token"])
        if token == nil, root["error"]?.string != nil {
            throw TokenError(refusal: root, status: status)
        }
        grant = Result { () throws(TokenError) in try Self.grant(root, token, client) }
    }

    private init(refreshToken: Secret?, grant: Result<TokenGrant, TokenError>, tokens: [Secret]) {
        self.refreshToken = refreshToken
        self.grant = grant
        self.tokens = tokens
    }

    /// Returns the answer with the token's lifetime reduced by the time since the request.
    func aged(by age: Duration) -> TokenAnswer {
        let aged = grant.map { TokenGrant(headers: $0.headers, lifetime: $0.lifetime.map { $0 - age }) }
        return TokenAnswer(refreshToken: refreshToken, grant: aged, tokens: tokens)
    }

    private static func grant(
        _ root: Node, _ found: Node?, _ client: OAuth2
    ) throws(TokenError) -> TokenGrant {
        guard root.isObject || client.tokenPath != nil else { throw .noToken(reason: "it is no object") }
        let name = client.tokenPath?.description ?? "access_token"
        guard let found else {
            if client.tokenPath != nil { throw .noToken(reason: "\(name) is missing", isOfPath: true) }
            let near = SessionLogin.likelySession(among: SessionLogin.texts(in: root))
            throw .noToken(
                reason: "\(name) is missing", near: near.flatMap { $0.hasPrefix("$.") ? String($0.dropFirst(2)) : nil })
        }
        guard let token = token(found), token.reveal().utf8.allSatisfy({ $0 != 0x20 }) else {
            throw .noToken(
                reason: "\(name) is no text that a header can carry", isOfPath: client.tokenPath != nil)
        }
        // The member is required, but some servers omit it, or have words of their own, and mean bearer tokens.
        if let type = root["token_type"], type.kind != .null, type.string.map(isOther) ?? true {
            throw .tokenType(type.string ?? "no text")
        }
        let expires = client.expiresPath.map { $0.first(in: root) } ?? root["expires_in"]
        return TokenGrant(accessToken: token, lifetime: expires.flatMap(lifetime))
    }

    /// Returns true for a type whose tokens are sent in another way, in any case (iana.org/assignments/oauth-parameters).
    private static func isOther(_ type: String) -> Bool {
        ["basic", "dpop", "hawk", "mac", "n_a", "pop"].contains(type.lowercased())
    }

    /// Returns a valid token: "1*VSCHAR", the printable characters of ASCII (RFC 6749, A.12 and A.17).
    static func token(_ value: Node?) -> Secret? {
        guard let text = value?.string, !text.isEmpty, text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            return nil
        }
        return Secret(text)
    }

    /// Returns the lifetime; nil if the value is not a number of seconds, or a string of one, as some servers write it.
    /// It is at most a year, so that sums stay in range.
    static func lifetime(_ value: Node) -> Duration? {
        let year = 365 * 24 * 3600
        return switch value.kind {
        case .integer: .seconds(min(max(value.integer, 0), Int64(year)))
        case .real: .seconds(min(max(value.real, 0), Double(year)))
        case .string: Int64(value.text).map { .seconds(min(max($0, 0), Int64(year))) }
        default: nil
        }
    }
}

extension TokenError {
    /// Reads the members of an error response (RFC 6749, 5.2), as far as it has them.
    init(refusal root: Node, status: Int) {
        self = .refused(
            status: status, error: root["error"]?.string, description: root["error_description"]?.string)
    }
}
