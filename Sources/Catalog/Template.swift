/// A text with places that are filled in for each request: `{parent.id}`, `{partition.repo}`,
/// `{incremental.start_value}`, `{incremental.end_value}`.
///
/// A brace behind a dollar begins no placeholder: `${parent.id}` is literal.
package struct Template: Sendable, Equatable {
    package enum Part: Sendable, Equatable {
        case literal(String)
        case placeholder(Placeholder)
    }

    /// No literal is empty or stands next to another one.
    package let parts: [Part]

    /// - Parameter parts: no two literals next to each other.
    package init(parts: [Part]) { self.parts = parts }

    /// Never fails: what is no placeholder is literal.
    package init(_ text: String) {
        var parts: [Part] = []
        var literal = ""
        for piece in Self.pieces(of: text) {
            if let name = piece.name, let placeholder = Placeholder(name: name) {
                if !literal.isEmpty { parts.append(.literal(literal)) }
                parts.append(.placeholder(placeholder))
                literal = ""
            } else {
                literal.append(contentsOf: piece.text)
            }
        }
        if !literal.isEmpty { parts.append(.literal(literal)) }
        self.parts = parts
    }

    package var placeholders: [Placeholder] {
        parts.compactMap { if case .placeholder(let placeholder) = $0 { placeholder } else { nil } }
    }

    /// The text for one request; nil where a value is missing.
    ///
    /// - Parameter encoding: Applied to the values, not to what was written.
    package func filled(
        _ value: (Placeholder) -> String?, encoding: (String) -> String = { $0 }
    ) -> String? {
        var text = ""
        for part in parts {
            switch part {
            case .literal(let literal): text += literal
            case .placeholder(let placeholder):
                guard let value = value(placeholder) else { return nil }
                text += encoding(value)
            }
        }
        return text
    }

    /// The names in braces that stand for nothing, such as `parnet.id`; texts such as `{"a": 1}` are none.
    static func unknownNames(in text: String) -> [String] {
        pieces(of: text).compactMap(\.name).filter { Placeholder(name: $0) == nil }
    }

    /// The text cut into names in braces and what is between them; O(n).
    private static func pieces(of text: String) -> [(text: Substring, name: String?)] {
        var pieces: [(text: Substring, name: String?)] = []
        let bytes = text.utf8
        var start = text.startIndex
        var rest = bytes[...]
        while let brace = rest.firstIndex(of: UInt8(ascii: "{")) {
            let isEscaped = brace > text.startIndex && bytes[bytes.index(before: brace)] == UInt8(ascii: "$")
            let name = bytes[bytes.index(after: brace)...].prefix(while: isPartOfName)
            rest = bytes[name.endIndex...]
            guard rest.first == UInt8(ascii: "}"), let first = name.first, isStartOfName(first), !isEscaped else {
                continue
            }
            rest = rest.dropFirst()
            pieces.append((text[start..<brace], nil))
            pieces.append((text[brace..<rest.startIndex], String(text[name.startIndex..<name.endIndex])))
            start = rest.startIndex
        }
        return pieces + [(text[start...], nil)]
    }

    private static func isStartOfName(_ byte: UInt8) -> Bool {
        PercentEncoding.isLetter(byte) || byte == UInt8(ascii: "_") || byte >= 0x80
    }

    private static func isPartOfName(_ byte: UInt8) -> Bool {
        isStartOfName(byte) || PercentEncoding.isDigit(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
    }
}

extension Template {
    /// A place in a text, by what fills it.
    package enum Placeholder: Hashable, Sendable, CustomStringConvertible {
        /// A field of the parent's record.
        case parent(String)
        /// The value of the partition with this name.
        case partition(String)
        case incrementalStart
        case incrementalEnd

        /// From what stands between the braces; nil where that names nothing.
        package init?(name: String) {
            switch name {
            case "incremental.start_value": self = .incrementalStart
            case "incremental.end_value": self = .incrementalEnd
            default:
                guard let dot = name.firstIndex(of: ".") else { return nil }
                let field = String(name[dot...].dropFirst())
                guard !field.isEmpty, !field.hasPrefix("."), !field.hasSuffix(".") else { return nil }
                switch name[..<dot] {
                case "parent": self = .parent(field)
                case "partition": self = .partition(field)
                default: return nil
                }
            }
        }

        /// What stands between the braces.
        package var name: String {
            switch self {
            case .parent(let field): "parent.\(field)"
            case .partition(let name): "partition.\(name)"
            case .incrementalStart: "incremental.start_value"
            case .incrementalEnd: "incremental.end_value"
            }
        }

        /// As it is written: `{parent.id}`.
        package var description: String { "{\(name)}" }

        /// By bytes, since Swift's strings are equal where only their Unicode form differs.
        package static func == (left: Placeholder, right: Placeholder) -> Bool {
            switch (left, right) {
            case (.parent(let one), .parent(let other)), (.partition(let one), .partition(let other)):
                one.utf8.elementsEqual(other.utf8)
            case (.incrementalStart, .incrementalStart), (.incrementalEnd, .incrementalEnd): true
            default: false
            }
        }
    }
}

/// What fills the placeholders of one request.
package typealias Bindings = [Template.Placeholder: String]
