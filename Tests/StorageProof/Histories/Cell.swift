import GarnerDatabase

/// The types of columns, from narrow to wide, and what values they hold, as docs/decisions/0003 has them.
enum ModelType: String, Codable, CaseIterable, Comparable, Sendable {
    case boolean = "BOOLEAN"
    case integer = "INTEGER"
    case real = "REAL"
    /// Arrays and objects alone; whatever else comes makes it TEXT.
    case json = "JSON TEXT"
    case text = "TEXT"

    private var width: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    static func < (left: Self, right: Self) -> Bool { left.width < right.width }

    /// The narrowest type of a value; nil for null.
    init?(of content: Content) {
        switch content {
        case .null: return nil
        case .bool: self = .boolean
        case .number(let spelling): self = Int64(spelling) != nil ? .integer : .real
        case .array, .object: self = .json
        case .string: self = .text
        }
    }

    /// The narrowest type for the values of both.
    func widened(toHold other: ModelType) -> ModelType {
        self == other ? self : self == .json || other == .json ? .text : max(self, other)
    }

    /// Returns true if a column of this type holds the value exactly.
    func holds(_ content: Content) -> Bool {
        guard let type = ModelType(of: content) else { return true }
        return widened(toHold: type) == self && !(self == .real && content.isHuge)
    }
}

extension Content {
    /// True if the value is an integer beyond the range in which a double holds every integer.
    var isHuge: Bool {
        guard case .number(let spelling) = self, let integer = Int64(spelling) else { return false }
        return integer.magnitude > 1 << 53
    }

    /// Returns the value that a column of that type stores.
    func cell(as type: ModelType) -> Value {
        switch (type, self) {
        case (_, .null): return .null
        case (.text, _): return .text(spelling ?? "")
        case (.real, .bool(let value)): return .real(value ? 1 : 0)
        case (_, .bool(let value)): return .integer(value ? 1 : 0)
        case (.real, .number(let spelling)): return .real(Double(spelling) ?? .nan)
        case (_, .number(let spelling)):
            return Int64(spelling).map { .integer($0) } ?? Double(spelling).map { .real($0) } ?? .text(spelling)
        default: return .text(spelling ?? "")
        }
    }

    /// The value in a form that does not depend on the types that its column has had; nil for null, and for an empty object, of which
    /// a row that came before its column has nothing.
    var essence: String? { spelling.flatMap { Value.essence(of: $0) } }
}

extension Value {
    /// The value in a form that does not depend on the types that its column has had: 7, 7.0, '7' and '7.0' are equal,
    /// and so are true, 1 and '1'.
    var essence: String? { self == .null ? nil : Self.essence(of: keyText) }

    static func essence(of text: String) -> String? {
        switch text {
        case "{}": return nil
        case "true": return "1.0"
        case "false": return "0.0"
        default:
            if let integer = Int64(text), integer.magnitude > 1 << 53 { return text }
            return Double(text).map { "\($0)" } ?? text
        }
    }

    /// The value as a part of a key.
    var keyText: String {
        switch self {
        case .null: ""
        case .integer(let integer): "\(integer)"
        case .real(let real): "\(real)"
        case .text(let text): text
        case .blob: "a blob"
        }
    }

    var told: String {
        switch self {
        case .null: "NULL"
        case .text(let text): "'\(text)'"
        default: keyText
        }
    }
}
