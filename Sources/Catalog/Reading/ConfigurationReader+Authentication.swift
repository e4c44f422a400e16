extension ConfigurationReader {
    private enum Kind: String, CaseIterable {
        case none, bearer
        case basic = "http_basic"
        case apiKey = "api_key"
        case oauth2

        var fields: [Field] {
            switch self {
            case .none: []
            case .bearer: [Field("token", .secret, "The token.", isRequired: true)]
            case .basic:
                [
                    Field("username", .secret, "The user's name.", isRequired: true),
                    Field("password", .secret, "The user's password.", isRequired: true),
                ]
            case .apiKey:
                [
                    Field("name", .text, "The name of the header or parameter.", isRequired: true),
                    Field(
                        "in", .choice(Authentication.KeyLocation.allCases.map(\.rawValue)), "Where the key is sent."),
                    Field("value", .secret, "The key.", isRequired: true),
                ]
            case .oauth2: oauth2Fields
            }
        }
    }

    static let authenticationVariants = Kind.allCases.map { (type: $0.rawValue, fields: $0.fields) }

    func authentication(_ value: YAMLValue) -> Authentication? {
        let names = Kind.allCases.map(\.rawValue).joined(separator: ", ")
        guard let mapping = value.mapping(hint: "write auth: { type: bearer, token: \"${TOKEN}\" }"),
            let kind = mapping.required("type", hint: "write one of \(names)")?
                .choice(Kind.allCases, notYet: ["hmac"])
        else { return nil }
        mapping.expect(["type"] + kind.fields.map(\.name))
        switch kind {
        case .none: return Authentication.none
        case .bearer: return secret("token", in: mapping, isHeader: true).map { .bearer(token: $0) }
        case .basic: return basic(mapping)
        case .apiKey: return apiKey(mapping)
        case .oauth2: return oauth2(mapping).map { .oauth2($0) }
        }
    }

    private func basic(_ mapping: YAMLMapping) -> Authentication? {
        let username = mapping.required("username", hint: "add 'username: …'").flatMap(userName)
        let password = secret("password", in: mapping, isHeader: false)
        guard let username, let password else { return nil }
        return .basic(username: username, password: password)
    }

    /// A name that HTTP Basic can send.
    func userName(_ value: YAMLValue) -> ConfiguredText? {
        guard let text = configuredText(value, isSecret: false) else { return nil }
        // RFC 7617: "a user-id containing a colon character is invalid".
        guard !text.reveal().unicodeScalars.contains(":") else {
            value.fail("'\(value.name)' has a colon in it", hint: "HTTP Basic cannot send such a name")
            return nil
        }
        return text
    }

    private func apiKey(_ mapping: YAMLMapping) -> Authentication? {
        let location =
            mapping["in"].map { value in
                value.choice(Authentication.KeyLocation.allCases)
            } ?? .header
        guard let location else { return nil }
        let name = mapping.required("name", hint: "add 'name: X-API-Key'").flatMap { value -> String? in
            guard let name = self.name(value) else { return nil }
            return location == .query || isHeaderName(name, value.place) ? name : nil
        }
        let secret = secret("value", in: mapping, isHeader: location == .header)
        guard let name, let secret else { return nil }
        return .apiKey(name: name, location: location, value: secret)
    }

    func secret(_ key: String, in mapping: YAMLMapping, isHeader: Bool) -> Secret? {
        mapping.required(key, hint: "add '\(key): \"${NAME}\"' and export NAME=…").flatMap {
            secret($0, isHeader: isHeader)
        }
    }

    func secret(_ value: YAMLValue, isHeader: Bool) -> Secret? {
        guard let text = configuredText(value, isSecret: true) else { return nil }
        if isHeader, !isHeaderValue(text, of: value) { return nil }
        return if case .secret(let secret) = text { secret } else { Secret(text.reveal()) }
    }
}
