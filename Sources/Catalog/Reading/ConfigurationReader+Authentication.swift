extension ConfigurationReader {
    private enum Kind: String, CaseIterable {
        case none, bearer
        case basic = "http_basic"
        case apiKey = "api_key"

        var keys: [String] {
            switch self {
            case .none: []
            case .bearer: ["token"]
            case .basic: ["username", "password"]
            case .apiKey: ["name", "in", "value"]
            }
        }
    }

    func authentication(_ value: YAMLValue) -> Authentication? {
        guard let mapping = value.mapping(hint: "write auth: { type: bearer, token: \"${TOKEN}\" }"),
            let type = mapping.required("type", hint: "write one of none, bearer, api_key, http_basic"),
            let kind = type.choice(Kind.allCases.map { ($0.rawValue, $0) }, notYet: ["oauth2", "hmac"])
        else { return nil }
        mapping.expect(["type"] + kind.keys)
        switch kind {
        case .none: return Authentication.none
        case .bearer: return secret("token", in: mapping, isHeader: true).map { .bearer(token: $0) }
        case .basic: return basic(mapping)
        case .apiKey: return apiKey(mapping)
        }
    }

    private func basic(_ mapping: YAMLMapping) -> Authentication? {
        let username = mapping.required("username", hint: "add 'username: …'").flatMap { value -> ConfiguredText? in
            guard let text = configuredText(value, isSecret: false) else { return nil }
            // RFC 7617: "a user-id containing a colon character is invalid".
            guard !text.reveal().contains(":") else {
                value.fail("'\(value.name)' has a colon in it", hint: "HTTP Basic cannot send such a name")
                return nil
            }
            return text
        }
        let password = secret("password", in: mapping, isHeader: false)
        guard let username, let password else { return nil }
        return .basic(username: username, password: password)
    }

    private func apiKey(_ mapping: YAMLMapping) -> Authentication? {
        let location =
            mapping["in"].map { value in
                value.choice(Authentication.KeyLocation.allCases.map { ($0.rawValue, $0) })
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

    private func secret(_ key: String, in mapping: YAMLMapping, isHeader: Bool) -> Secret? {
        guard let value = mapping.required(key, hint: "add '\(key): \"${NAME}\"' and export NAME=…"),
            let text = configuredText(value, isSecret: true)
        else { return nil }
        if isHeader, !isHeaderValue(text, of: value) { return nil }
        return Secret(text.reveal())
    }
}
