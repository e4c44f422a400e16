import Catalog
import JSON

/// The answer of a token endpoint (RFC 6749, 5.1).
struct TokenAnswer: Sendable {
    let refreshToken: Secret?
    /// An answer that grants nothing usable may have replaced the refresh token all the same.
    let grant: Result<TokenGrant, TokenProblem>
    /// All that it holds, for the redaction.
    let tokens: [Secret]

    /// Throws where it is an error with a status of success, as some servers send it.
    init(_ root: Node, status: Int) throws(TokenProblem) {
        let names = ["access_token", "refresh_token", "id_token"]
        tokens = names.compactMap { root[$0]?.string }.map(Secret.init)
        refreshToken = Self.token(root["refresh_token"])
        if root["access_token"] == nil, root["error"]?.string != nil {
            throw TokenProblem(refusal: root, status: status)
        }
        grant = Result { () throws(TokenProblem) in try Self.grant(root) }
    }

    private init(refreshToken: Secret?, grant: Result<TokenGrant, TokenProblem>, tokens: [Secret]) {
        self.refreshToken = refreshToken
        self.grant = grant
        self.tokens = tokens
    }

    /// The same with the time that passed since it was asked for taken off the token's life.
    func aged(by age: Duration) -> TokenAnswer {
        let aged = grant.map { TokenGrant(accessToken: $0.accessToken, lifetime: $0.lifetime.map { $0 - age }) }
        return TokenAnswer(refreshToken: refreshToken, grant: aged, tokens: tokens)
    }

    private static func grant(_ root: Node) throws(TokenProblem) -> TokenGrant {
        guard root.isObject else { throw .noToken(reason: "it is no object") }
        guard let value = root["access_token"] else { throw .noToken(reason: "access_token is missing") }
        guard let token = token(value), token.reveal().utf8.allSatisfy({ $0 != 0x20 }) else {
            throw .noToken(reason: "access_token is no text that a header can carry")
        }
        // Required, and left out by some that mean the usual one.
        if let type = root["token_type"], type.string?.lowercased() != "bearer" {
            throw .tokenType(type.string ?? "no text")
        }
        return TokenGrant(accessToken: token, lifetime: root["expires_in"].flatMap(lifetime))
    }

    /// "1*VSCHAR", which are the printable characters of ASCII (RFC 6749, A.12 and A.17).
    private static func token(_ value: Node?) -> Secret? {
        guard let text = value?.string, !text.isEmpty, text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            return nil
        }
        return Secret(text)
    }

    /// Seconds, which some servers write as a text; nil where it is none. A year at most, so that sums stay in range.
    private static func lifetime(_ value: Node) -> Duration? {
        let year = 365 * 24 * 3600
        return switch value.kind {
        case .integer: .seconds(min(max(value.integer, 0), Int64(year)))
        case .real: .seconds(min(max(value.real, 0), Double(year)))
        case .string: Int64(value.text).map { .seconds(min(max($0, 0), Int64(year))) }
        default: nil
        }
    }
}

extension TokenProblem {
    /// The members of an error (RFC 6749, 5.2), where it has them.
    init(refusal root: Node, status: Int) {
        self = .refused(
            status: status, error: root["error"]?.string, description: root["error_description"]?.string)
    }
}
