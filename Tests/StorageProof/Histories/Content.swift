/// A JSON value as a source writes it: numbers keep their spelling.
indirect enum Content: Hashable, Codable, Sendable {
    case null
    case bool(Bool)
    case number(String)
    /// A text without characters that JSON would have to escape.
    case string(String)
    case array([Content])
    case object([Member])

    struct Member: Hashable, Codable, Sendable {
        var name: String
        var value: Content
    }

    static func object(_ members: KeyValuePairs<String, Content>) -> Content {
        .object(members.map { Member(name: $0.key, value: $0.value) })
    }

    /// The JSON text as it is sent. Members are made in the order of their names, so it is also the canonical text.
    var json: String {
        switch self {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .number(let spelling): spelling
        case .string(let text): "\"\(text)\""
        case .array(let elements): "[\(elements.map(\.json).joined(separator: ","))]"
        case .object(let members): "{\(members.map { "\"\($0.name)\":\($0.value.json)" }.joined(separator: ","))}"
        }
    }

    /// The text that a TEXT column holds; nil for null.
    var spelling: String? {
        switch self {
        case .null: nil
        case .string(let text): text
        default: json
        }
    }

    /// The objects of an array that holds nothing else.
    var objects: [Content]? {
        guard case .array(let elements) = self else { return nil }
        return elements.allSatisfy { if case .object = $0 { true } else { false } } ? elements : nil
    }
}
