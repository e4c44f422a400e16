import GarnerCatalog
package import GarnerModel

/// The reason why a token endpoint gave no access token. Texts are quoted from the server.
package enum TokenError: Error, Sendable, Equatable {
    /// The endpoint refused. `error` and `description` are those of RFC 6749, 5.2; nil if the body has none.
    case refused(status: Int, error: String?, description: String?)
    /// The request failed, or its response did not arrive.
    indirect case failed(FetchError.Kind)
    /// The endpoint redirected. The redirect is not followed, because it would take the client's secret elsewhere.
    case redirect(status: Int)
    /// The response is not JSON. The text is its media type, if that is informative.
    case noJSON(String?)
    /// The response has no token, or none at the configured path. `near` is a member that is likely to be the token.
    case noToken(reason: String, isOfPath: Bool = false, near: String? = nil)
    /// The token has another type than `Bearer`.
    case tokenType(String)
    /// The program that prints tokens could not be started.
    case notStarted(reason: String)
    /// The program exited with another status than 0; `words` is the end of its standard error.
    case programFailed(status: String, words: String)
    /// The program did not end within its time.
    case programTimedOut(Duration)
    /// The program's output is no token, or no object with one.
    case badOutput(reason: String, isObject: Bool = false)
    /// The server refused a login, in these words.
    case loginRefused(status: Int, words: String?)
    /// The server has refused this login before, and it is not to be repeated yet.
    case loginRests(since: Timestamp, until: Timestamp)
    /// The answer to a login has no session.
    /// `texts` are the places of an object's texts, and `near` that of the one which is likely to be the session.
    case noSession(reason: String, texts: [String] = [], near: String? = nil)

    /// True if another login would be refused as well, and might lock the account.
    var isRefusedLogin: Bool {
        switch self {
        case .loginRefused, .noSession: true
        default: false
        }
    }

    /// The thing that is missing because of the error.
    var missing: String {
        switch self {
        case .loginRefused, .noSession, .loginRests: "session"
        default: "access token"
        }
    }

    var isInvalidGrant: Bool {
        if case .refused(_, error: "invalid_grant", _) = self { true } else { false }
    }

    var category: FetchError.Kind.Category {
        switch self {
        case .refused(_, "invalid_client", _), .refused(_, "invalid_grant", _), .refused(_, "unauthorized_client", _),
            .refused(_, "access_denied", _):
            .unauthorized
        case .refused(_, "invalid_scope", _), .refused(_, "invalid_request", _),
            .refused(_, "unsupported_grant_type", _):
            .misconfigured
        case .refused(401, _, _), .refused(403, _, _): .unauthorized
        case .refused, .redirect: .unavailable
        case .failed(let kind): kind.category
        case .loginRefused(404, _), .loginRefused(405, _), .loginRefused(410, _), .notStarted: .misconfigured
        case .loginRefused, .loginRests: .unauthorized
        case .noJSON, .noToken, .tokenType, .badOutput, .noSession: .badContent
        case .programFailed, .programTimedOut: .unavailable
        }
    }

    /// The words after the endpoint's URL.
    var reason: String {
        switch self {
        case .refused(let status, let error, let description):
            "HTTP \(status)" + (error.map { ", \($0)" } ?? "") + (description.map { ": \($0)" } ?? "")
        case .failed(let kind): kind.reason
        case .redirect(let status): "HTTP \(status), a redirect; requests with secrets do not follow redirects"
        case .noJSON(let type): "the answer is \(type.map { "\($0) and " } ?? "")no JSON"
        case .noToken(let reason, _, _): "the answer is no token: \(reason)"
        case .tokenType(let type): "the token is of the type \(type), and only bearer tokens can be sent"
        case .notStarted(let reason): "the program cannot be started: \(reason)"
        case .programFailed(let status, let words): "the program \(status)" + (words.isEmpty ? "" : ": “\(words)”")
        case .programTimedOut(let limit): "the program was not done within \(DurationText.format(limit))"
        case .badOutput(let reason, _): "the program printed no token: \(reason)"
        case .loginRefused(let status, let words):
            "the login was refused with HTTP \(status)" + (words.map { ": “\($0)”" } ?? "")
        case .loginRests(let start, let end):
            "this login was refused at \(start), and is not repeated before \(end), since that might lock the account"
        case .noSession(let reason, _, _): "the answer to the login \(reason)"
        }
    }

    var hint: String {
        switch self {
        case .refused(404, _, _), .refused(405, _, _):
            "nothing gives tokens at this address: check the path in auth: token_url"
        case .refused(_, "invalid_grant", _): "sign in again, and replace auth: refresh_token"
        case .refused(_, "invalid_scope", _): "check auth: scopes"
        case .refused(_, "invalid_request", let words?) where Self.missesClient(words),
            .refused(_, _, let words?) where category == .unauthorized && Self.missesClient(words):
            "write auth_style: body in auth, beside client_id and client_secret"
        case .refused(_, "invalid_request", _):
            "check auth: grant_type, auth_style and token_url; what else the server asks for, such as audience, goes into "
                + "auth: params"
        case .refused(_, "unsupported_grant_type", _): "check auth: grant_type, auth_style and token_url"
        case .refused where category == .unauthorized: "check auth: client_id, client_secret and auth_style"
        case .refused(let status, nil, _): "check auth: token_url; HTTP \(status) came without a reason"
        case .refused: "see what the server's documentation says of this error"
        case .failed(let kind):
            switch kind {
            case .unknownHost, .refused, .unreachable, .closed, .connection, .tls:
                "check the URL, the network, and that the server is running"
            default: kind.hint
            }
        case .redirect: "set auth: token_url to the address that is meant"
        case .noToken(_, _, let near?): "if the token is the answer's \(near), write token_path: $.\(near) in auth"
        case .noToken(_, isOfPath: true, _):
            "check auth: token_path, which is the JSONPath of the token in the answer of token_url"
        case .noJSON, .noToken: "check auth: token_url, which has to answer with a token in JSON (RFC 6749, 5.1)"
        case .tokenType: "ask the server's operator for bearer tokens (RFC 6750)"
        case .notStarted: "check auth: run, the program's permissions and PATH; no shell is between"
        case .programFailed: "run the program by hand"
        case .programTimedOut: "make it quicker, or raise auth: timeout"
        case .loginRefused where category == .misconfigured: "check auth: request: path, which follows base_url"
        case .loginRefused: "check auth: request and its secrets; no other login is tried for 5 minutes at least"
        case .loginRests: "correct auth: request or its secrets, or run 'garner check --connect', which logs in at once"
        case .noSession(_, _, let near?):
            "did you mean \(near)? If that is the session, write take: { token: \(near) } in auth"
        case .noSession(_, let texts, _) where !texts.isEmpty:
            "write the place of the session into auth: take; the answer has \(texts.prefix(6).joined(separator: ", "))"
        case .noSession: "check auth: request and take; log in with curl to see the answer"
        case .badOutput(_, isObject: true):
            #"print an object such as {"token": "…"} or {"headers": {"X-Sign": "…"}}, or remove auth: output"#
        case .badOutput: "print the token alone on one line, or set auth: output: json"
        }
    }

    /// Returns true if a server misses the client's ID or secret in the body of the request.
    private static func missesClient(_ words: String) -> Bool {
        let words = words.lowercased()
        return words.contains(/client[ _-]?(?:id|secret|credentials)/)
            && words.contains(/missing|required|lacks|not (?:found|given|present|provided|sent)|must be/)
            && !words.contains(/invalid|wrong|incorrect|unknown|header|basic/)
    }

    func quoted(with redaction: Redaction) -> Self {
        switch self {
        case .refused(let status, let error, let description):
            .refused(
                status: status, error: error.map { redaction.quoted($0, limit: 60) },
                description: description.map { redaction.quoted($0) })
        case .failed(let kind): .failed(kind.quoted(with: redaction))
        case .tokenType(let type): .tokenType(redaction.quoted(type, limit: 40))
        case .notStarted(let reason): .notStarted(reason: redaction.quoted(reason))
        case .programFailed(let status, let words): .programFailed(status: status, words: redaction.quoted(words))
        case .loginRefused(let status, let words):
            .loginRefused(status: status, words: words.map { redaction.quoted($0) })
        case .redirect, .noJSON, .noToken, .programTimedOut, .badOutput, .loginRests, .noSession: self
        }
    }
}
