extension Schema {
    /// As JSON Schema spells it; it refuses nothing that the reader takes.
    var json: BodyValue {
        switch self {
        case .text: .members(("type", .strings(["string", "number", "boolean"])))
        case .secret:
            .members(
                (
                    "anyOf",
                    .array([
                        Schema.text.json,
                        Schema.mapping([Field("file", .text, "The file with the secret.", isRequired: true)]).json,
                    ])
                ))
        case .flag: .members(("type", .string("boolean")))
        case .integer(let range):
            .members(
                ("type", .string("integer")), ("minimum", .number(String(range.lowerBound))),
                ("maximum", range.upperBound == .max ? nil : .number(String(range.upperBound))))
        case .number(let range):
            .members(
                ("type", .string("number")), ("minimum", .number(String(range.lowerBound))),
                ("maximum", .number(String(range.upperBound))))
        case .duration: .pattern(#"^(P.+|([0-9]+(\.[0-9]+)?(d|h|m|s|ms))+)$"#)
        case .size:
            .members(
                (
                    "anyOf",
                    .array([
                        Schema.integer(1...Int.max).json,
                        .pattern("^[0-9]+ *(\(ByteSize.unitNames.joined(separator: "|")))?$"),
                    ])
                ))
        case .jsonPath: .pattern(#"^\$"#)
        case .choice(let words): .members(("enum", .strings(words)))
        case .list(let element): .members(("type", .string("array")), ("items", element.json))
        case .named(let value):
            .members(("type", .strings(["object", "null"])), ("additionalProperties", value.json))
        case .mapping(let fields): Self.object(fields)
        case .variants(let variants):
            .members(
                ("oneOf", .array(variants.map { Self.object($0.fields, type: $0.type) })))
        case .anyOf(let schemas): .members(("anyOf", .array(schemas.map(\.json))))
        case .optional(let schema): .members(("anyOf", .array([schema.json, .members(("type", .string("null")))])))
        case .anything: .members()
        case .reference(let name): .members(("$ref", .string("#/$defs/\(name)")))
        }
    }

    /// - Parameter type: What the key `type` must be.
    private static func object(_ fields: [Field], type: String? = nil) -> BodyValue {
        let chosen = type.map { [("type", BodyValue.members(("const", .string($0))))] } ?? []
        let properties = chosen + fields.map { ($0.name, $0.json) }
        let required = chosen.map(\.0) + fields.filter(\.isRequired).map(\.name)
        return .members(
            ("type", .string("object")), ("properties", .members(properties)),
            ("required", required.isEmpty ? nil : .strings(required)), ("additionalProperties", .flag(false)))
    }
}

extension Field {
    /// The schema with what editors show beside it.
    var json: BodyValue {
        guard case .object(let members) = schema.json else { return schema.json }
        return .object([.init(name: "description", value: .string(summary))] + members)
    }
}

extension BodyValue {
    static func string(_ text: String) -> BodyValue { .text(.literal(text)) }
    static func strings(_ texts: [String]) -> BodyValue { .array(texts.map(string)) }

    /// Those that are there.
    static func members(_ members: (String, BodyValue?)...) -> BodyValue {
        .members(members.compactMap { name, value in value.map { (name, $0) } })
    }

    static func members(_ members: [(String, BodyValue)]) -> BodyValue {
        .object(members.map { Member(name: $0, value: $1) })
    }

    fileprivate static func pattern(_ pattern: String) -> BodyValue {
        .members(("type", .string("string")), ("pattern", .string(pattern)))
    }
}
