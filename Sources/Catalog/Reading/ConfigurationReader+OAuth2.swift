extension ConfigurationReader {
    private enum GrantType: String, CaseIterable {
        case clientCredentials = "client_credentials"
        case refreshToken = "refresh_token"
    }

    static let oauth2Fields = [
        Field("grant_type", .choice(GrantType.allCases.map(\.rawValue)), "How tokens are asked for.", isRequired: true),
        Field("token_url", .text, "Where tokens are asked for; an absolute URL.", isRequired: true),
        Field("client_id", .secret, "The client's name.", isRequired: true),
        Field("client_secret", .secret, "The client's secret; needed for client_credentials."),
        Field("refresh_token", .secret, "The first refresh token; needed for refresh_token."),
        Field("scopes", .texts, "What access is asked for: a list, or one text with spaces."),
        Field(
            "auth_style", .choice(OAuth2.ClientStyle.allCases.map(\.rawValue)),
            "Where the client's name and secret are sent; by default in a header, without a secret in the body."),
    ]

    func oauth2(_ mapping: YAMLMapping) -> OAuth2? {
        let type = mapping.required("grant_type", hint: "add 'grant_type: client_credentials'")?
            .choice(GrantType.allCases)
        let url = mapping.required("token_url", hint: "add 'token_url: https://…'").flatMap(tokenURL)
        let client = mapping.required("client_id", hint: "add 'client_id: …'").flatMap(clientID)
        let scopes = mapping["scopes"].map(scopes) ?? []
        let style = mapping["auth_style"].map { $0.choice(OAuth2.ClientStyle.allCases) }
        guard let type, let grant = grant(type, mapping) else { return nil }
        let secret =
            type == .clientCredentials || mapping["client_secret"] != nil
            ? secret("client_secret", in: mapping, isHeader: false) : nil
        if style == .header, mapping["client_secret"] == nil, type == .refreshToken {
            mapping["auth_style"]?.fail(
                "'\(mapping.name).auth_style' is header without a secret", hint: "add 'client_secret', or write body")
        }
        guard let url, let client, let scopes else { return nil }
        return OAuth2(
            grant: grant, tokenURL: url, clientID: client, clientSecret: secret, scopes: scopes,
            style: (style ?? nil) ?? (secret == nil ? .body : .header))
    }

    private func grant(_ type: GrantType, _ mapping: YAMLMapping) -> OAuth2.Grant? {
        switch type {
        case .clientCredentials:
            mapping["refresh_token"]?.fail(
                "'\(mapping.name).refresh_token' does not belong here",
                hint: "write 'grant_type: refresh_token', or remove it")
            return .clientCredentials
        case .refreshToken:
            return secret("refresh_token", in: mapping, isHeader: false).map { .refreshToken($0) }
        }
    }

    /// Messages never show the URL: it may hold a password.
    private func tokenURL(_ value: YAMLValue) -> WebAddress? {
        let example = "write a URL such as https://auth.example.com/token"
        guard let text = value.text(hint: example) else { return nil }
        let url = absoluteURL(
            text, of: value, example: example, userHint: "use 'client_id' and 'client_secret' instead",
            mayHoldQuery: true)
        guard let url, let address = WebAddress(text) else { return nil }
        if address.scheme == "http", !isLoopback(url.host) {
            issues.warn(
                at: value.place, "'\(value.name)' sends secrets unencrypted", hint: "write an https URL")
        }
        return address
    }

    func isLoopback(_ host: String) -> Bool {
        host == "localhost" || host == "::1"
            || (host.hasPrefix("127.") && host.allSatisfy { $0.isNumber || $0 == "." })
    }

    private func clientID(_ value: YAMLValue) -> ConfiguredText? {
        guard let text = configuredText(value, isSecret: false) else { return nil }
        if !text.reveal().isEmpty { return text }
        value.fail("'\(value.name)' is empty", hint: "write the client's name")
        return nil
    }

    /// RFC 6749, 3.3: "scope-token = 1*( %x21 / %x23-5B / %x5D-7E )".
    private func scopes(_ value: YAMLValue) -> [String]? {
        guard let texts = value.texts() else { return nil }
        let scopes = texts.flatMap { $0.split(separator: " ").map(String.init) }
        let areTokens = scopes.joined().unicodeScalars.allSatisfy {
            (0x21...0x7E).contains($0.value) && $0 != "\"" && $0 != "\\"
        }
        if areTokens { return scopes }
        value.fail("'\(value.name)' holds a character that no scope has", hint: "write scopes such as [read, write]")
        return nil
    }
}
