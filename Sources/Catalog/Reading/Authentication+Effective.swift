extension Authentication {
    /// Keys and values as they would be written, secrets as `***`.
    var effectiveValues: [(String, EffectiveConfiguration.Value)] {
        switch self {
        case .none: [("type", .text("none"))]
        case .bearer(let token): [("type", .text("bearer")), ("token", .text(token.description))]
        case .apiKey(let name, let location, let value):
            [
                ("type", .text("api_key")), ("name", .text(name)), ("in", .text(location.rawValue)),
                ("value", .text(value.description)),
            ]
        case .basic(let username, let password):
            [
                ("type", .text("http_basic")), ("username", .text(username.description)),
                ("password", .text(password.description)),
            ]
        case .oauth2(let oauth2): oauth2.effectiveValues
        }
    }
}

extension OAuth2 {
    fileprivate var effectiveValues: [(String, EffectiveConfiguration.Value)] {
        var values: [(String, EffectiveConfiguration.Value)] = [("type", .text("oauth2"))]
        switch grant {
        case .clientCredentials: values.append(("grant_type", .text("client_credentials")))
        case .refreshToken(let token):
            values += [("grant_type", .text("refresh_token")), ("refresh_token", .text(token.description))]
        }
        // A query may hold a key.
        let url = "\(tokenURL.origin)\(tokenURL.path)\(tokenURL.query == nil ? "" : "?***")"
        values += [("token_url", .text(url)), ("client_id", .text(clientID.description))]
        if let clientSecret { values.append(("client_secret", .text(clientSecret.description))) }
        return values + [("scopes", .list(scopes)), ("auth_style", .text(style.rawValue))]
    }
}
