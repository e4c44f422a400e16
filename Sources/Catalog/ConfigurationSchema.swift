/// What editors need to know to complete and check a `garner.yaml`.
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
    /// JSON with a line for each member, and lists on one line where they hold no objects.
    fileprivate func indented(_ indentation: String = "") -> String {
        let inner = indentation + "  "
        switch self {
        case .object(let members) where !members.isEmpty:
            let lines = members.map { "\(inner)\(JSONString.quoted($0.name)): \($0.value.indented(inner))" }
            return "{\n\(lines.joined(separator: ",\n"))\n\(indentation)}"
        case .array(let values) where values.contains { if case .object = $0 { true } else { false } }:
            let lines = values.map { inner + $0.indented(inner) }
            return "[\n\(lines.joined(separator: ",\n"))\n\(indentation)]"
        default: return description
        }
    }
}
