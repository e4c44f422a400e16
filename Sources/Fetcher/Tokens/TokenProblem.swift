/// Why a token endpoint gave no access token. Texts are what the server wrote.
package enum TokenProblem: Error, Sendable, Equatable {
    /// It said no; `error` and `description` are those of RFC 6749, 5.2, nil where the body does not tell.
    case refused(status: Int, error: String?, description: String?)
    /// It could not be asked, or its answer did not come in.
    indirect case failed(FetchError.Kind)
    /// A redirect, which is not followed: it would take the client's secret elsewhere.
    case redirect(status: Int)
    /// The answer is of this media type, where it tells something, and no JSON.
    case noJSON(String?)
    case noToken(reason: String)
    /// A token that is not sent as `Bearer`.
    case tokenType(String)

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
        case .noJSON, .noToken, .tokenType: .badContent
        }
    }

    /// What stands behind the endpoint's URL.
    var reason: String {
        switch self {
        case .refused(let status, let error, let description):
            "HTTP \(status)" + (error.map { ", \($0)" } ?? "") + (description.map { ": \($0)" } ?? "")
        case .failed(let kind): kind.reason
        case .redirect(let status): "HTTP \(status), a redirect, which is not followed with a secret"
        case .noJSON(let type): "the answer is \(type.map { "\($0) and " } ?? "")no JSON"
        case .noToken(let reason): "the answer is no token: \(reason)"
        case .tokenType(let type): "the token is of the type \(type), and only bearer tokens can be sent"
        }
    }

    var hint: String {
        switch self {
        case .refused(_, "invalid_grant", _): "sign in again, and replace auth: refresh_token"
        case .refused(_, "invalid_scope", _): "check auth: scopes"
        case .refused(_, "invalid_request", _), .refused(_, "unsupported_grant_type", _):
            "check auth: grant_type, auth_style and token_url"
        case .refused where category == .unauthorized: "check auth: client_id, client_secret and auth_style"
        case .refused(let status, nil, _): "check auth: token_url; HTTP \(status) came without a reason"
        case .refused: "see what the server's documentation says of this error"
        case .failed(let kind):
            switch kind {
            case .unknownHost, .refused, .unreachable, .closed, .connection, .tls:
                "check auth: token_url, the network, and that the server is running"
            default: kind.hint
            }
        case .redirect: "set auth: token_url to the address that is meant"
        case .noJSON, .noToken: "check auth: token_url, which has to answer with a token in JSON (RFC 6749, 5.1)"
        case .tokenType: "ask the server's operator for bearer tokens (RFC 6750)"
        }
    }

    func quoted(with redaction: Redaction) -> Self {
        switch self {
        case .refused(let status, let error, let description):
            .refused(
                status: status, error: error.map { redaction.quoted($0, limit: 60) },
                description: description.map { redaction.quoted($0) })
        case .failed(let kind): .failed(kind.quoted(with: redaction))
        case .tokenType(let type): .tokenType(redaction.quoted(type, limit: 40))
        case .redirect, .noJSON, .noToken: self
        }
    }
}
