/// A JSON value of the program's own output. Its members have an order.
package indirect enum JSONText: Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([JSONText])
    case object([(String, JSONText)])
    /// A text that is JSON already.
    case verbatim(String)

    package init(_ text: String?) { self = text.map { .string($0) } ?? .null }
    package init(_ integer: Int?) { self = integer.map { .integer(Int64($0)) } ?? .null }

    package var text: String {
        switch self {
        case .null: "null"
        case .bool(let flag): flag ? "true" : "false"
        case .integer(let integer): String(integer)
        case .number(let number): number.isFinite ? String(number) : "null"
        case .string(let string): Self.quoted(string)
        case .verbatim(let json): json
        case .array(let values): "[" + values.map(\.text).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { Self.quoted($0.0) + ":" + $0.1.text }.joined(separator: ",") + "}"
        }
    }

    /// Returns a JSON text in the notation of stored values; nil if it is not JSON.
    package static func canonical(_ text: String) -> String? {
        guard let document = try? Document(parsing: Bytes(Array(text.utf8))) else { return nil }
        var canonical = CanonicalText()
        document.withRoot { canonical.append($0) }
        return String(decoding: canonical.bytes, as: UTF8.self)
    }

    /// Returns an array with each value on a line of its own.
    package static func list(_ values: [JSONText]) -> String {
        values.isEmpty ? "[]\n" : "[" + values.map { "\n" + $0.text }.joined(separator: ",") + "\n]\n"
    }

    /// Returns a JSON string with its quotes.
    package static func quoted(_ string: String) -> String {
        var string = string
        var canonical = CanonicalText()
        string.withUTF8 { canonical.append(string: $0) }
        return String(decoding: canonical.bytes, as: UTF8.self)
    }
}

/// The members of an object that leaves out what is not set.
extension [(String, JSONText)] {
    package mutating func add(_ name: String, _ text: String?) {
        if let text { append((name, .string(text))) }
    }

    package mutating func add(_ name: String, _ count: Int?) {
        if let count { append((name, .integer(Int64(count)))) }
    }

    /// Adds a flag that is true.
    package mutating func add(_ name: String, if flag: Bool) {
        if flag { append((name, .bool(true))) }
    }
}
