import GarnerDatabase
import GarnerJSON

/// The key of a deleted row as the outbox keeps it: its value, or a JSON array of its parts.
///
/// It is spelled as in `_garner_changes`, but with all digits of a REAL: SQLite's `json_array(0.1 + 0.2)` is `[0.3]`.
enum NotedKey {
    static func stored(_ key: [Value]) -> Value {
        guard key.count > 1 else { return key.first ?? .null }
        return .text("[\(key.map(spelled).joined(separator: ","))]")
    }

    /// - Parameter count: The number of the key's columns.
    static func read(_ value: Value, count: Int) -> [Value]? {
        guard count > 1 else { return [value] }
        guard case .text(let text) = value, let document = try? Document(parsing: Bytes(Array(text.utf8))) else {
            return nil
        }
        let parts = document.withRoot { $0.elements.map(part) }
        return parts.count == count ? parts : nil
    }

    private static func spelled(_ value: Value) -> String {
        switch value {
        case .null: "null"
        case .integer(let integer): String(integer)
        // As SQLite writes what is no number in JSON.
        case .real(let real): real.isInfinite ? (real < 0 ? "-9e999" : "9e999") : real.description
        case .text(let text): JSONText.quoted(text)
        // A record has none. JSON has no place for it but a mapping, which no other value is.
        case .blob(let bytes): "{\"x\":[\(bytes.map(String.init).joined(separator: ","))]}"
        }
    }

    private static func part(_ node: Node) -> Value {
        switch node.kind {
        case .null: .null
        case .string: .text(node.text)
        case .object: .blob(node["x"]?.elements.map { UInt8(clamping: Int64($0.text) ?? 0) } ?? [])
        default: Int64(node.text).map { .integer($0) } ?? .real(Double(node.text) ?? 0)
        }
    }
}
