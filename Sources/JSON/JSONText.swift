/// A JSON value of the program's own output. Its members have an order.
package enum JSONText: Sendable {
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
    package init(_ texts: [String]) { self = .array(texts.map { .string($0) }) }
    package init(_ integer: Int?) { self = integer.map { .integer(Int64($0)) } ?? .null }

    package var text: String {
        var text = CanonicalText(capacity: 512)
        text.append(self)
        return String(decoding: text.bytes, as: UTF8.self)
    }

    /// Returns a JSON text in the notation of stored values; nil if it is not JSON.
    package static func canonical(_ text: String) -> String? {
        guard let document = try? Document(parsing: Bytes(Array(text.utf8))) else { return nil }
        var canonical = CanonicalText()
        document.withRoot { canonical.append($0) }
        return String(decoding: canonical.bytes, as: UTF8.self)
    }

    /// Returns an array with each value on a line of its own.
    package static func list(_ values: [JSONText], inLines: Bool = false) -> String {
        if inLines { return values.map { $0.text + "\n" }.joined() }
        return values.isEmpty ? "[]\n" : "[" + values.map { "\n" + $0.text }.joined(separator: ",") + "\n]\n"
    }

    /// Returns a JSON string with its quotes.
    package static func quoted(_ string: String) -> String {
        JSONText.string(string).text
    }
}

extension CanonicalText {
    /// Writes a value with its members in their order.
    fileprivate mutating func append(_ value: JSONText) {
        switch value {
        case .null: append(verbatim: "null")
        case .bool(let flag): append(verbatim: flag ? "true" : "false")
        case .integer(let integer): append(verbatim: String(integer))
        case .number(let number): append(verbatim: number.isFinite ? String(number) : "null")
        case .string(let string): append(string: string)
        case .verbatim(let json): append(verbatim: json)
        case .array(let values):
            append(verbatim: "[")
            for (index, value) in values.enumerated() {
                if index > 0 { append(verbatim: ",") }
                append(value)
            }
            append(verbatim: "]")
        case .object(let members):
            append(verbatim: "{")
            for (index, (name, value)) in members.enumerated() {
                if index > 0 { append(verbatim: ",") }
                append(string: name)
                append(verbatim: ":")
                append(value)
            }
            append(verbatim: "}")
        }
    }

    private mutating func append(string: String) {
        var string = string
        string.withUTF8 { append(string: $0) }
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
