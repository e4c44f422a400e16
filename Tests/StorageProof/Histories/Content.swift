import Foundation

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

// Values that do not fit a column of numbers or booleans (docs/decisions/0059).
extension Content {
    /// True if it says that there is no value.
    var isPlaceholder: Bool {
        switch self {
        case .string(let text): text.utf8.count <= 32 && !text.contains { "0123456789".contains($0) }
        case .array(let elements): elements.isEmpty
        case .object(let members): members.isEmpty
        case .null, .bool, .number: false
        }
    }

    /// The number that a text spells as JSON does; nil for any other value.
    var spelledNumber: Content? {
        guard case .string(let text) = self,
            text.range(of: #"^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$"#, options: .regularExpression) != nil
        else { return nil }
        return .number(text)
    }

    /// What a column of this type holds of a value that does not fit it, if the value is kept beside it; nil if the column becomes
    /// wider instead.
    func beside(_ type: ModelType) -> Content? {
        guard type <= .real else { return nil }
        if isPlaceholder { return .null }
        guard let number = spelledNumber, let own = ModelType(of: number), own <= type, type > .boolean else {
            return nil
        }
        // A decimal in a column of integers makes it one of decimals.
        return type.holds(number) ? number : nil
    }

    var isEmptyObject: Bool { if case .object(let members) = self { members.isEmpty } else { false } }

    /// What the type of its field makes of the value (`types` in docs/configuration.md).
    func shaped(as type: ModelType) -> Content {
        switch (type, self) {
        case (.text, _): spelling.map(Content.string) ?? .null
        case (.integer, .string(let text)) where Int64(text)?.description == text: .number(text)
        case (.real, .string): spelledNumber?.shaped(as: .real) ?? self
        case (.real, .number(let spelling)) where Int64(spelling) != nil && !isHuge: .number("\(spelling).0")
        case (.boolean, .string("true")), (.boolean, .number("1")): .bool(true)
        case (.boolean, .string("false")), (.boolean, .number("0")): .bool(false)
        default: self
        }
    }

    /// True for a boolean in a column of numbers, which has 1 or 0 for it. Its spelling is kept beside.
    func isBoolean(amongNumbersOf type: ModelType) -> Bool {
        if case .bool = self { type == .integer || type == .real } else { false }
    }

    /// The texts of the members of an object, as columns of text have them, by their names.
    static func members(of object: String) -> [(String, String?)] {
        let members = (try? JSONSerialization.jsonObject(with: Data(object.utf8))) as? [String: Any] ?? [:]
        return members.map { name, value in
            if let text = value as? String { return (name, text) }
            let data = try? JSONSerialization.data(withJSONObject: value, options: [.fragmentsAllowed, .sortedKeys])
            return (name, data.map { String(decoding: $0, as: UTF8.self) })
        }
    }
}
