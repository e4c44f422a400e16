extension ConfigurationReader {
    static let responseActionFields = [
        Field("status", .integer(100...599), "The status that a response must have."),
        Field("body_contains", .text, "A text that its body must hold."),
        Field(
            "action", .choice(ResponseAction.Action.allCases.map(\.rawValue)),
            "ignore: as if there were no records; retry: try again; fail: end the run.", isRequired: true),
    ]

    func responseActions(_ value: YAMLValue) -> [ResponseAction]? {
        value.elements(hint: "write response_actions: [ { status: 404, action: ignore } ]", read: responseAction)
    }

    private func responseAction(_ value: YAMLValue) -> ResponseAction? {
        guard let mapping = value.mapping(hint: "write { status: 404, action: ignore }") else { return nil }
        mapping.expect(Self.responseActionFields)
        let action = mapping.required("action", hint: "add 'action: ignore', 'retry' or 'fail'")?
            .choice(ResponseAction.Action.allCases)
        let status = mapping["status"].map { $0.integer(in: 100...599) }
        let text = mapping["body_contains"].map(name)
        if status == nil, text == nil {
            value.fail("'\(value.name)' says not which responses", hint: "add 'status: 404' or 'body_contains: …'")
            return nil
        }
        guard let action else { return nil }
        return ResponseAction(status: status ?? nil, bodyContains: text ?? nil, action: action)
    }

    static let attachmentFields = [
        Field("field", .text, "The field that holds the URL.", isRequired: true),
        Field("media_types", .texts, "What may be kept, such as image/png or image/*, which is the default."),
    ]

    func attachments(_ value: YAMLValue) -> [Attachment]? {
        let example = "write attachments: [ { field: photo_url } ]"
        guard let attachments = value.elements(hint: example, read: attachment) else { return nil }
        guard Set(attachments.map(\.field)).count == attachments.count else {
            value.fail("'\(value.name)' names a field twice", hint: "keep one of them")
            return nil
        }
        return attachments
    }

    private func attachment(_ value: YAMLValue) -> Attachment? {
        guard let mapping = value.mapping(hint: "write { field: photo_url }") else { return nil }
        mapping.expect(Self.attachmentFields)
        let field = mapping.required("field", hint: "add 'field: photo_url'").flatMap(name)
        let types = mapping["media_types"].map(mediaTypes)
        guard let field else { return nil }
        guard let types else { return Attachment(field: field) }
        return types.map { Attachment(field: field, mediaTypes: $0) }
    }

    private func mediaTypes(_ value: YAMLValue) -> [String]? {
        guard let types = value.texts() else { return nil }
        let areTypes = types.allSatisfy { type in
            let parts = type.split(separator: "/", omittingEmptySubsequences: false)
            return parts.count == 2 && parts.allSatisfy { HeaderSyntax.isName(String($0)) }
                && (parts[0] != "*" || parts[1] == "*")
        }
        if areTypes, !types.isEmpty { return types.map { $0.lowercased() } }
        value.fail("'\(value.name)' names no media type", hint: "write image/png, image/* or */*")
        return nil
    }
}
