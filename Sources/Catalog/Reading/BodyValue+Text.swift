extension BodyValue: CustomStringConvertible {
    /// JSON without spaces, secrets as `***`.
    package var description: String {
        switch self {
        case .null: "null"
        case .flag(let flag): String(flag)
        case .number(let number): number
        case .text(let text): JSONString.quoted(text.description)
        case .array(let values): "[" + values.map(\.description).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { "\(JSONString.quoted($0.name)):\($0.value)" }.joined(separator: ",") + "}"
        }
    }

    /// All texts without secrets, however deep.
    var literals: [String] {
        switch self {
        case .null, .flag, .number, .text(.secret): []
        case .text(.literal(let text)): [text]
        case .array(let values): values.flatMap(\.literals)
        case .object(let members): members.flatMap(\.value.literals)
        }
    }
}
