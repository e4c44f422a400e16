import GarnerJSON

/// The kind of a value in the file, as precisely as an editor can check it.
indirect enum Schema: Sendable {
    /// Numbers and booleans are texts too.
    case text
    /// A text with `${NAME}`, or `{ file: path }`.
    case secret
    case flag
    case integer(ClosedRange<Int>)
    case number(ClosedRange<Double>)
    case duration
    case size
    case jsonPath
    case choice([String])
    case list(Schema)
    /// Names of any kind with values of one kind. No value counts as none.
    case named(Schema)
    /// These keys and no others.
    case mapping([Field])
    /// A mapping that its `type` chooses. One may be meant where there is no type.
    case variants([(type: String, fields: [Field])], implied: String?)
    case anyOf([Schema])
    /// The value, or none after the colon.
    case optional(Schema)
    case anything
    /// The schema of the stream key with this name.
    case reference(String)
    /// A schema that is made when it is asked for.
    case later(@Sendable () -> Schema)

    static let texts = Schema.anyOf([.text, .list(.text)])
}

extension Schema {
    /// The keys of the mappings that the value may be.
    var keys: Set<String> {
        switch self {
        case .mapping(let fields): Set(fields.map(\.name))
        case .variants(let variants, _): Set(variants.flatMap { $0.fields.map(\.name) })
        case .anyOf(let schemas): Set(schemas.flatMap(\.keys))
        case .optional(let schema): schema.keys
        case .later(let make): make().keys
        default: []
        }
    }

    /// The kind as JSON Schema. It refuses no value that the reader accepts.
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
        case .later(let make): make().json
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
        case .variants(let variants, let implied):
            .members(
                ("oneOf", .array(variants.map { Self.object($0.fields, type: $0.type, isImplied: $0.type == implied) }))
            )
        case .anyOf(let schemas): .members(("anyOf", .array(schemas.map(\.json))))
        case .optional(let schema): .members(("anyOf", .array([schema.json, .members(("type", .string("null")))])))
        case .anything: .members()
        case .reference(let name): .members(("$ref", .string("#/$defs/\(name)")))
        }
    }

    /// - Parameters:
    ///   - type: the required value of the key `type`.
    ///   - isImplied: True if that key may be left out.
    private static func object(_ fields: [Field], type: String? = nil, isImplied: Bool = false) -> BodyValue {
        let chosen = type.map { [("type", BodyValue.members(("const", .string($0))))] } ?? []
        let properties = chosen + fields.map { ($0.name, $0.json) }
        let required = (isImplied ? [] : chosen.map(\.0)) + fields.filter(\.isRequired).map(\.name)
        return .members(
            ("type", .string("object")), ("properties", .members(properties)),
            ("required", required.isEmpty ? nil : .strings(required)), ("additionalProperties", .flag(false)))
    }
}

extension Field {
    /// The schema with the text that editors show.
    var json: BodyValue {
        guard case .object(let members) = schema.json else { return schema.json }
        return .object([.init(name: "description", value: .string(summary))] + members)
    }
}

extension BodyValue {
    static func string(_ text: String) -> BodyValue { .text(.literal(text)) }
    static func strings(_ texts: [String]) -> BodyValue { .array(texts.map(string)) }

    /// Returns an object of the members that have a value.
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

/// The schema by which editors complete and check a `garner.yaml`.
package enum ConfigurationSchema {
    /// A JSON Schema (draft 2020-12), indented, with a line break at its end.
    package static func json() -> String {
        guard case .object(let document) = Schema.mapping(ConfigurationReader.documentFields).json else {
            return "{}\n"
        }
        let head: [(String, BodyValue)] = [
            ("$schema", .string("https://json-schema.org/draft/2020-12/schema")),
            ("title", .string("garner.yaml")),
        ]
        let definitions = BodyValue.members(StreamKey.all.map { ($0.name, $0.field.schema.json) })
        let members = head.map { BodyValue.Member(name: $0, value: $1) } + document
        return BodyValue.object(members + [.init(name: "$defs", value: definitions)]).indented() + "\n"
    }
}

extension BodyValue {
    /// Returns JSON with a line for each member. A list without objects is on one line.
    fileprivate func indented(_ indentation: String = "") -> String {
        let inner = indentation + "  "
        switch self {
        case .object(let members) where !members.isEmpty:
            let lines = members.map { "\(inner)\(JSONText.quoted($0.name)): \($0.value.indented(inner))" }
            return "{\n\(lines.joined(separator: ",\n"))\n\(indentation)}"
        case .array(let values) where values.contains { if case .object = $0 { true } else { false } }:
            let lines = values.map { inner + $0.indented(inner) }
            return "[\n\(lines.joined(separator: ",\n"))\n\(indentation)]"
        default: return description
        }
    }
}
