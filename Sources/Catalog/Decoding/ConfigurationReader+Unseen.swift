import GarnerModel
import GarnerYAML

// Characters that nobody sees, which come with a text that is copied from a page or a chat.
extension ConfigurationReader {
    /// Warns of a character that nobody sees in a text that is sent; in a secret, also of a control character, and of a line break at an end.
    ///
    /// - Parameter isForeign: true for the text of a variable or a file, which is a secret, too.
    func warnOfUnseen(in text: String, of value: YAMLValue, isSecret: Bool, isForeign: Bool) {
        guard !text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }),
            isSecret || ["auth.", "headers.", "params."].contains(where: value.name.hasPrefix)
        else { return }
        // A header with a control character is an error of its own.
        let isSecret = (isSecret || isForeign) && !value.name.hasPrefix("headers.")
        func odd(in text: String) -> Unicode.Scalar? {
            let scalars = text.unicodeScalars
            let ends = [scalars.first, scalars.last].compactMap(\.self)
            return scalars.first { $0.isUnseen || isSecret && $0.isControl && !$0.isLineBreak }
                ?? (isSecret ? ends.first(where: \.isLineBreak) : nil)
        }
        guard let found = odd(in: text) else { return }
        let name = (found.isLineBreak ? "line break" : found.properties.name?.lowercased()).map { " (\($0))" } ?? ""
        // Without these characters, only those of keyboards are left, so that a program can take out all others.
        let isPlain = found != "\u{A0}" && text.unicodeScalars.allSatisfy { $0.isASCII || $0.isUnseen }
        let tidy = "LC_ALL=C tr -cd ' -~'"
        let hint =
            switch origin(of: value, where: { odd(in: $0) != nil }) {
            case .variable(let name):
                "remove it where \(name) is set"
                    + (isPlain ? "; or: export \(name)=\"$(printf %s \"$\(name)\" | \(tidy))\"" : "")
            case .file(let path):
                "remove it from \(path)"
                    + (isPlain && path.wholeMatch(of: /[\w.\/@+-]+/) != nil
                        ? "; or: printf %s \"$(\(tidy) < \(path))\" > \(path)" : "")
            case .text: "type the text anew, without it"
            }
        value.warn(
            "'\(value.name)' holds \(found.codePoint)\(name), which nobody sees and which is sent, too", hint: hint)
    }

    /// The place where the value of a text stands.
    private enum Origin {
        case variable(String), file(String), text
    }

    private func origin(of value: YAMLValue, where isMeant: (String) -> Bool) -> Origin {
        if value.node.mapping != nil {
            return value.mapping()?["file"]?.plainOrQuotedText.map { .file(resolve($0)) } ?? .text
        }
        let names = (value.plainOrQuotedText ?? "").matches(of: /\$\{(\w+)\}/).map { String($0.1) }
        return names.first { environment[$0].map(isMeant) ?? false }.map { .variable($0) } ?? .text
    }

    /// Returns true for a text that a header can carry, and notes an issue for another one.
    func isHeaderValue(_ text: ConfiguredText, of value: YAMLValue) -> Bool {
        if HeaderSyntax.isValue(text.reveal()) { return true }
        let isAtEnd = HeaderSyntax.isValue(String(text.reveal().trimming { $0.isNewline }))
        let place = origin(of: value) { !HeaderSyntax.isValue($0) }
        let remedy =
            switch place {
            case .variable(let name) where isAtEnd:
                "; remove the line break at its end: export \(name)=\"$(printf %s \"$\(name)\" | tr -d '\\r\\n')\""
            case .variable(let name): "; put only the line that is meant into \(name): export \(name)=…"
            case .file(let path): "; leave only the line that is meant in \(path)"
            case .text: isAtEnd ? "; remove the line break at its end" : ""
            }
        value.fail(
            "'\(value.name)' holds a line break or another control character",
            hint: "a header's value is one line of text\(remedy)")
        return false
    }
}

extension Unicode.Scalar {
    /// The character as Unicode writes it: `U+200B`.
    var codePoint: String {
        let digits = String(value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }

    /// True for a space that is none to programs, and for a character without a shape. Those that join letters belong to their text.
    fileprivate var isUnseen: Bool {
        switch value {
        case 0xA0, 0xAD, 0x200B, 0x200E, 0x200F, 0x2028...0x202F, 0x2060...0x2064, 0xFEFF: true
        default: false
        }
    }

    fileprivate var isControl: Bool { value < 0x20 || (0x7F..<0xA0).contains(value) }

    fileprivate var isLineBreak: Bool { self == "\n" || self == "\r" }
}
