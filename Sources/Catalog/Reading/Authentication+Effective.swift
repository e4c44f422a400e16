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
        }
    }
}
