extension BodyValue {
    /// With null in the place of each secret, to be stored.
    package var withoutSecrets: BodyValue {
        switch self {
        case .text(.secret): .null
        case .null, .flag, .number, .text(.literal): self
        case .array(let values): .array(values.map(\.withoutSecrets))
        case .object(let members):
            .object(members.map { Member(name: $0.name, value: $0.value.withoutSecrets) })
        }
    }

    /// All that it holds, in its order.
    package var secrets: [Secret] {
        switch self {
        case .text(.secret(let secret)): [secret]
        case .null, .flag, .number, .text(.literal): []
        case .array(let values): values.flatMap(\.secrets)
        case .object(let members): members.flatMap(\.value.secrets)
        }
    }

    /// The text to be sent.
    ///
    /// - Parameter template: has the secrets, in the places where this value has null.
    package func revealedJSON(withSecretsOf template: BodyValue?) -> Secret {
        Secret(revealed(template))
    }

    private func revealed(_ template: BodyValue?) -> String {
        switch (self, template) {
        case (.null, .text(.secret(let secret))?): JSONString.quoted(secret.reveal())
        case (.array(let values), .array(let templates)?) where values.count == templates.count:
            "[" + zip(values, templates).map { $0.revealed($1) }.joined(separator: ",") + "]"
        case (.object(let members), _):
            "{"
                + members.map { "\(JSONString.quoted($0.name)):\($0.value.revealed(template?.member($0.name)))" }
                .joined(separator: ",") + "}"
        default: description
        }
    }
}
