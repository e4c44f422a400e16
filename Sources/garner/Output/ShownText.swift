/// Text that people read: what the program's literals say, and in it what others say, escaped by `ForeignText`.
///
/// Standard output and standard error take nothing else but data, so that whatever is interpolated moves no cursor.
struct ShownText: ExpressibleByStringInterpolation, Equatable {
    /// As it is written.
    let text: String

    /// One line of what others say.
    init(_ foreign: some StringProtocol) { text = ForeignText.escaped(String(foreign)) }

    init(stringLiteral literal: String) { text = literal }
    init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

    private init(escaped text: String) { self.text = text }

    static func + (first: ShownText, second: ShownText) -> ShownText { ShownText(escaped: first.text + second.text) }

    fileprivate static func joined(_ texts: some Sequence<ShownText>, _ separator: ShownText) -> ShownText {
        ShownText(escaped: texts.map(\.text).joined(separator: separator.text))
    }

    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text: String

        init(literalCapacity: Int, interpolationCount: Int) {
            text = ""
            text.reserveCapacity(literalCapacity)
        }

        mutating func appendLiteral(_ literal: String) { text += literal }
        mutating func appendInterpolation(_ shown: ShownText) { text += shown.text }
        mutating func appendInterpolation(_ foreign: some CustomStringConvertible) {
            text += ForeignText.escaped(foreign.description)
        }
    }
}

extension Sequence<ShownText> {
    func joined(separator: ShownText = "") -> ShownText { ShownText.joined(self, separator) }
}
