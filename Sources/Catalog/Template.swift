import GarnerModel

/// A text with placeholders that each request fills in: `{parent.id}`, `{partition.repo}`, `{incremental.start_value}`,
/// `{incremental.end_value}`, `{now}`, `{page.cursor}`.
///
/// A brace after a dollar begins no placeholder: `${parent.id}` is literal.
package struct Template: Sendable, Equatable {
    package enum Part: Sendable, Equatable {
        case literal(String)
        case placeholder(Placeholder)
    }

    /// The parts. No literal is empty or follows another one.
    package let parts: [Part]

    /// - Parameter parts: the parts, without two literals in a row.
    package init(parts: [Part]) { self.parts = parts }

    /// Cuts the text into parts. Braces that are no placeholder are literal.
    package init(_ text: String) {
        guard text.utf8.contains(UInt8(ascii: "{")) else {
            parts = text.isEmpty ? [] : [.literal(text)]
            return
        }
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

    /// True if the text is a placeholder of the page, and no more.
    package var isPage: Bool { parts.count == 1 && placeholders.contains(where: \.isPage) }

    package var placeholders: [Placeholder] {
        parts.compactMap { if case .placeholder(let placeholder) = $0 { placeholder } else { nil } }
    }

    /// Returns the text for one request; nil if a value is missing.
    ///
    /// - Parameter encoding: encodes the values, but not the literals.
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

    /// Returns the names in braces that are unknown, such as `parnet.id`. Texts such as `{"a": 1}` are not names.
    package static func unknownNames(in text: String) -> [String] {
        pieces(of: text).compactMap(\.name).filter { Placeholder(name: $0) == nil }
    }

    /// Returns what is in other braces than those of a placeholder, as in `{{ parent.id }}`, `{ parent.id }` and `{now|date}`, with the
    /// placeholder.
    ///
    /// - Parameter leavesOutFilters: false if only a filter that is a format is one of these.
    static func nearMisses(
        in text: String, isName: (String) -> Bool = { Placeholder(name: $0) != nil }, leavesOutFilters: Bool = true
    ) -> [(written: String, meant: String)] {
        var misses: [(written: String, meant: String)] = []
        var rest = text.utf8[...]
        while let brace = rest.firstIndex(of: UInt8(ascii: "{")) {
            let isEscaped = rest[..<brace].last == UInt8(ascii: "$")
            let inside = rest[brace...].drop { $0 == UInt8(ascii: "{") }.prefix { !"{}".utf8.contains($0) }
            let behind = rest[inside.endIndex...].prefix { $0 == UInt8(ascii: "}") }
            let name = Substring(inside).trimming { $0 == " " }
            let written = Substring(rest[brace..<behind.endIndex])
            // In GraphQL, `{ now }` asks for a field.
            let isMeant = isName(String(name)) && !(name == "now" && !written.hasPrefix("{{"))
            let meant = Self.name(in: name, isName, leavesOutFilters) ?? (isMeant ? String(name) : nil)
            // A range of Lucene may have a brace of its own before its start or behind its end.
            let isRange =
                meant.map { text.contains(" TO ") && (written == "{{\($0)}" || written == "{\($0)}}") } ?? false
            if let meant, !isEscaped, !behind.isEmpty, !isRange, written != "{\(meant)}" {
                misses.append((String(written), "{\(meant)}"))
            }
            rest = rest[inside.endIndex...]
        }
        return misses
    }

    /// Returns the name that is meant by one with a filter or a format behind it, as other programs have it: `now|date`; nil for other texts.
    private static func name(in text: Substring, _ isName: (String) -> Bool, _ leavesOutFilters: Bool) -> String? {
        guard let mark = text.firstIndex(where: { $0 == "|" || $0 == ":" }), TimePlaceholder(String(text)) == nil else {
            return nil
        }
        let name = String(text[..<mark].trimming { $0 == " " })
        let filter = text[mark...].dropFirst().trimming { $0 == " " }
        let quoted = filter.firstMatch(of: /['"]([^'"]+)['"]/)?.1
        let timed = "\(name), \(quoted ?? filter)"
        if TimePlaceholder(timed) != nil, isName(timed) { return timed }
        return leavesOutFilters && isName(name) && (text[mark] == "|" || name.contains(".")) ? name : nil
    }

    /// Cuts the text into names in braces and the text between them; O(n).
    static func pieces(of text: String) -> [(text: Substring, name: String?)] {
        var pieces: [(text: Substring, name: String?)] = []
        let bytes = text.utf8
        var start = text.startIndex
        var rest = bytes[...]
        while let brace = rest.firstIndex(of: UInt8(ascii: "{")) {
            let isEscaped = brace > text.startIndex && bytes[bytes.index(before: brace)] == UInt8(ascii: "$")
            let name = bytes[bytes.index(after: brace)...].prefix(while: isPartOfName)
            rest = bytes[name.endIndex...]
            var end = name.endIndex
            if let more = timeText(name, behind: rest) {
                end = more.endIndex
                rest = bytes[end...]
            }
            guard rest.first == UInt8(ascii: "}"), let first = name.first, isStartOfName(first), !isEscaped else {
                continue
            }
            rest = rest.dropFirst()
            pieces.append((text[start..<brace], nil))
            pieces.append((text[brace..<rest.startIndex], String(text[name.startIndex..<end])))
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
    /// A place in a text, with the source of its value.
    package enum Placeholder: Hashable, Sendable, CustomStringConvertible {
        /// A field of the parent's record.
        case parent(String)
        case partition(String)
        case incrementalStart
        case incrementalEnd
        case time(TimePlaceholder)
        case page(PagePlaceholder)

        /// Returns nil if the text between the braces is not a known name.
        package init?(name: String) {
            switch name {
            case "incremental.start_value": self = .incrementalStart
            case "incremental.end_value": self = .incrementalEnd
            default:
                if let time = TimePlaceholder(name) {
                    self = .time(time)
                    return
                }
                guard let dot = name.firstIndex(of: ".") else { return nil }
                let field = String(name[dot...].dropFirst())
                guard !field.isEmpty, !field.hasPrefix("."), !field.hasSuffix(".") else { return nil }
                switch name[..<dot] {
                case "parent": self = .parent(field)
                case "partition": self = .partition(field)
                case "page":
                    guard let page = PagePlaceholder(rawValue: field) else { return nil }
                    self = .page(page)
                default: return nil
                }
            }
        }

        /// The text between the braces.
        package var name: String {
            switch self {
            case .parent(let field): "parent.\(field)"
            case .partition(let name): "partition.\(name)"
            case .incrementalStart: "incremental.start_value"
            case .incrementalEnd: "incremental.end_value"
            case .time(let time): time.name
            case .page(let page): "page.\(page.rawValue)"
            }
        }

        /// The placeholder as it is written: `{parent.id}`.
        package var description: String { "{\(name)}" }

        /// True for the start of an incremental read, in any format. The first read may have none.
        package var isStart: Bool {
            switch self {
            case .incrementalStart: true
            case .time(let time): time.source == .start
            case .parent, .partition, .incrementalEnd, .page: false
            }
        }

        /// True for the start or the end of an incremental read, in any format.
        package var isIncremental: Bool {
            switch self {
            case .incrementalStart, .incrementalEnd: true
            case .time(let time): time.source != .now
            case .parent, .partition, .page: false
            }
        }

        /// True for the place of the page. The first one may have no value.
        package var isPage: Bool { if case .page = self { true } else { false } }

        /// Compares bytes, since Swift's strings are equal if they differ only in their Unicode form.
        package static func == (left: Placeholder, right: Placeholder) -> Bool {
            switch (left, right) {
            case (.parent(let one), .parent(let other)), (.partition(let one), .partition(let other)):
                one.utf8.elementsEqual(other.utf8)
            case (.incrementalStart, .incrementalStart), (.incrementalEnd, .incrementalEnd): true
            case (.time(let one), .time(let other)): one == other
            case (.page(let one), .page(let other)): one == other
            default: false
            }
        }
    }
}

/// The value that a paginator changes from page to page.
package enum PagePlaceholder: String, Sendable, CaseIterable {
    case cursor, offset, number
}

/// The values for the placeholders of one request.
package typealias Bindings = [Template.Placeholder: String]
