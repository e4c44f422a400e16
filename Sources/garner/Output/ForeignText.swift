/// Makes text of servers, databases and files fit for a terminal. This is the one place that decides how it is shown.
///
/// Escaped is what moves the cursor, ends a line, turns the direction of text or is not seen; as JSON writes it.
enum ForeignText {
    /// - Parameter inQuotes: whether `"` and `\` are escaped too.
    static func escaped(_ text: String, inQuotes: Bool = false) -> String {
        guard !isPlain(text, inQuotes: inQuotes) else { return text }
        var escaped = String.UnicodeScalarView()
        let scalars = Array(text.unicodeScalars)
        for (index, scalar) in scalars.enumerated() {
            let next = index + 1 < scalars.count ? scalars[index + 1] : nil
            if inQuotes, scalar == "\"" || scalar == "\\" {
                escaped += ["\\", scalar]
            } else if isShown(scalar, between: index > 0 ? scalars[index - 1] : nil, and: next) {
                escaped.append(scalar)
            } else {
                escaped += escape(of: scalar).unicodeScalars
            }
        }
        return String(escaped)
    }

    /// True where all of a text is shown as it is.
    static func isShown(_ text: String) -> Bool { escaped(text).utf8.elementsEqual(text.utf8) }

    /// Most texts are told by their bytes.
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
        // Emoji, and scripts from Hebrew on, are written with joiners; in Latin ones they only hide.
        case .format where scalar == "\u{200C}" || scalar == "\u{200D}":
            return [previous, next].allSatisfy { ($0?.value ?? 0) >= firstJoined }
        case .format: return false
        // "Default_Ignorable_Code_Point" (unicode.org/reports/tr44): without a glyph of its own.
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
