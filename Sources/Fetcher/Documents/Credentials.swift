import Catalog

/// What proves to a server who asks. Tokens and passwords print as `***`.
public struct Credentials: Sendable, Equatable {
    let authentication: Authentication

    /// A token without `Bearer` before it (RFC 6750).
    public static func bearer(_ token: String) -> Credentials {
        Credentials(authentication: .bearer(token: Secret(token)))
    }

    /// RFC 7617: a colon would end the user name, and is refused.
    public static func basic(username: String, password: String) -> Credentials {
        Credentials(authentication: .basic(username: .literal(username), password: Secret(password)))
    }

    var hasUnusableName: Bool {
        guard case .basic(let username, _) = authentication else { return false }
        return username.reveal().unicodeScalars.contains(":")
    }
}
