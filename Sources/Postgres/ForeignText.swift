/// Makes the words of a server or of libpq safe to show: on one line, without control characters and without secrets.
struct ForeignText: Sendable, CustomStringConvertible, CustomReflectable {
    let secrets: [String]

    private static let longest = 1000

    var description: String { "ForeignText" }
    var customMirror: Mirror { Mirror(self, children: []) }

    func shown(_ text: String) -> String {
        // Where so short a text is masked in words, the words tell what it is.
        guard secrets.allSatisfy({ $0.utf8.count >= 4 || !text.utf8.contains($0.utf8) }) else {
            return "(words that hold the password)"
        }
        var bytes = Array(text.utf8)
        // The longest first: one may be a part of another.
        for secret in secrets.sorted(by: { $0.utf8.count > $1.utf8.count }) {
            bytes = bytes.replacing(Array(secret.utf8), with: Array("***".utf8))
        }
        return Self.onOneLine(String(decoding: bytes, as: UTF8.self))
    }

    /// Ends of lines and tabs become spaces, and what else has no glyph becomes U+FFFD.
    static func onOneLine(_ text: String) -> String {
        var shown = ""
        for scalar in text.unicodeScalars.prefix(longest) {
            switch scalar.properties.generalCategory {
            case .control where scalar.properties.isWhitespace, .lineSeparator, .paragraphSeparator, .spaceSeparator:
                if shown.last != " " { shown.unicodeScalars.append(" ") }
            case .control, .format, .privateUse, .surrogate, .unassigned:
                shown.unicodeScalars.append("\u{FFFD}")
            default:
                shown.unicodeScalars.append(scalar)
            }
        }
        while shown.last == " " { shown.removeLast() }
        return shown
    }
}

extension String.UTF8View {
    fileprivate func contains(_ other: String.UTF8View) -> Bool { !Array(self).ranges(of: Array(other)).isEmpty }
}
