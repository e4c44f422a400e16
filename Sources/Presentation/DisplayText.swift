/// Text for people. Literals of the program are kept; interpolated text is escaped by `TerminalEscaping`.
///
/// Standard output and standard error take only such text and data, so that no foreign text moves the cursor.
package struct DisplayText: ExpressibleByStringInterpolation, Equatable, Sendable {
    /// The escaped text.
    package let text: String

    /// Escapes a foreign text into one line.
    package init(_ foreign: some StringProtocol) { text = TerminalEscaping.escaped(String(foreign)) }

    package init(stringLiteral literal: String) { text = literal }
    package init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

    init(escaped text: String) { self.text = text }

    package static func + (first: DisplayText, second: DisplayText) -> DisplayText {
        DisplayText(escaped: first.text + second.text)
    }

    fileprivate static func joined(_ texts: some Sequence<DisplayText>, _ separator: DisplayText) -> DisplayText {
        DisplayText(escaped: texts.map(\.text).joined(separator: separator.text))
    }

    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text: String

        package init(literalCapacity: Int, interpolationCount: Int) {
            text = ""
            text.reserveCapacity(literalCapacity)
        }

        package mutating func appendLiteral(_ literal: String) { text += literal }
        package mutating func appendInterpolation(_ shown: DisplayText) { text += shown.text }
        package mutating func appendInterpolation(_ foreign: some CustomStringConvertible) {
            text += TerminalEscaping.escaped(foreign.description)
        }
    }
}

extension DisplayText {
    /// Returns a sentence in lines of at most `width` cells, broken between words; a longer word stays whole. With nil
    /// it is one line.
    ///
    /// - Parameter indent: the cells before the text; the further lines begin with as many spaces.
    package func wrapped(to width: Int?, indent: Int) -> DisplayText {
        guard let width else { return self }
        let room = width - indent
        var lines: [(text: String, cells: Int)] = []
        for word in text.split(separator: " ", omittingEmptySubsequences: false).map(String.init) {
            let cells = DisplayWidth.of(word)
            if let last = lines.last, last.cells + 1 + cells <= room {
                lines[lines.count - 1] = (last.text + " " + word, last.cells + 1 + cells)
            } else {
                lines.append((word, cells))
            }
        }
        let separator = "\n" + String(repeating: " ", count: indent)
        return DisplayText(escaped: lines.map(\.text).joined(separator: separator))
    }
}

extension Sequence<DisplayText> {
    package func joined(separator: DisplayText = "") -> DisplayText { DisplayText.joined(self, separator) }
}

/// Makes text of servers, databases and files safe for a terminal. This is the only place that decides how it is shown.
///
/// It escapes, in the notation of JSON, whatever moves the cursor, ends a line, turns the direction of text or is
/// invisible.
package enum TerminalEscaping {
    /// - Parameter inQuotes: true if `"` and `\` are escaped too.
    package static func escaped(_ text: String, inQuotes: Bool = false) -> String {
        guard !isPlain(text, inQuotes: inQuotes) else { return text }
        // Bytes: a view of a string's scalars is copied whole each time that scalars are appended to it.
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        escape(text.unicodeScalars, inQuotes: inQuotes) { bytes.append($0) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Passes on the bytes of the escaped text one by one. Each scalar is read once; O(length).
    package static func escape(
        _ scalars: some Sequence<Unicode.Scalar>, inQuotes: Bool = false, to write: (UInt8) -> Void
    ) {
        var scalars = scalars.makeIterator()
        var previous: Unicode.Scalar?
        var next = scalars.next()
        while let scalar = next {
            next = scalars.next()
            if inQuotes, scalar == "\"" || scalar == "\\" {
                write(UInt8(ascii: "\\"))
                write(UInt8(truncatingIfNeeded: scalar.value))
            } else if isShown(scalar, between: previous, and: next) {
                UTF8.encode(scalar)?.forEach(write)
            } else {
                escape(of: scalar).utf8.forEach(write)
            }
            previous = scalar
        }
    }

    /// Returns true if the whole text is shown as it is.
    package static func isShown(_ text: String) -> Bool { escaped(text).utf8.elementsEqual(text.utf8) }

    /// Returns true for texts of plain ASCII, which most texts are.
    private static func isPlain(_ text: String, inQuotes: Bool) -> Bool {
        text.utf8.allSatisfy { (0x20..<0x7F).contains($0) && !(inQuotes && ($0 == 0x22 || $0 == 0x5C)) }
    }

    private static func isShown(
        _ scalar: Unicode.Scalar, between previous: Unicode.Scalar?, and next: Unicode.Scalar?
    ) -> Bool {
        if scalar.value < 0x7F { return scalar.value >= 0x20 }
        let properties = scalar.properties
        switch properties.generalCategory {
        case .control, .surrogate, .lineSeparator, .paragraphSeparator: return false
        // Emoji, and scripts from Hebrew on, need joiners. In Latin scripts they only hide.
        case .format where scalar == "\u{200C}" || scalar == "\u{200D}":
            return [previous, next].allSatisfy { ($0?.value ?? 0) >= firstJoined }
        case .format: return false
        // "Default_Ignorable_Code_Point" (unicode.org/reports/tr44): it has no glyph of its own.
        default: return !properties.isDefaultIgnorableCodePoint || properties.isVariationSelector
        }
    }

    /// The first scalar of the scripts that are written from right to left or with joined letters.
    private static let firstJoined: UInt32 = 0x590

    private static func escape(of scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\n": "\\n"
        case "\r": "\\r"
        case "\t": "\\t"
        default:
            String(scalar).utf16.map { unit in
                let digits = String(unit, radix: 16)
                return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }.joined()
        }
    }
}

/// A style that a terminal adds to text. Without a style the text stays the same.
package struct ANSIStyle: Sendable {
    private let isOn: Bool

    package init(isOn: Bool) { self.isOn = isOn }

    package func bold(_ text: DisplayText) -> DisplayText { decorated(text, "1") }
    package func red(_ text: DisplayText) -> DisplayText { decorated(text, "1;31") }

    private func decorated(_ text: DisplayText, _ code: String) -> DisplayText {
        isOn && !text.text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}

/// The notation of sizes for people.
package enum ByteCount {
    /// Returns a size such as `980 B` or `12.3 MiB`.
    package static func format(_ bytes: Int) -> String {
        let units = ["KiB", "MiB", "GiB", "TiB"]
        var (value, unit) = (Double(bytes), "B")
        for larger in units where value >= 1024 { (value, unit) = (value / 1024, larger) }
        guard unit != "B" else { return "\(bytes) B" }
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10) \(unit)"
    }
}
