/// A text of HTML. Literals of the program are kept as they are; whatever is interpolated is escaped.
///
/// A page can only be made of this type, so that no foreign text becomes markup. Text is escaped byte by byte: a quote
/// that a combining mark follows is still a quote to a browser, though it is another character to Swift. Attributes
/// stand in double quotes.
///
///     let cell: HTML = "<td title=\"\(title)\">\(text)</td>"
package struct HTML: ExpressibleByStringInterpolation, Sendable, Equatable {
    package private(set) var bytes: [UInt8]

    package init() { bytes = [] }
    package init(stringLiteral literal: String) { bytes = Array(literal.utf8) }
    package init(stringInterpolation: StringInterpolation) { bytes = stringInterpolation.bytes }

    /// Escapes a foreign text.
    package init(_ text: some StringProtocol) {
        bytes = []
        bytes.reserveCapacity(text.utf8.count)
        bytes.append(escaping: text)
    }

    package init(_ number: some BinaryInteger) { bytes = Array(String(number).utf8) }

    package static func += (html: inout HTML, more: HTML) { html.bytes += more.bytes }

    package static func + (first: HTML, second: HTML) -> HTML {
        var both = first
        both += second
        return both
    }

    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var bytes: [UInt8] = []

        package init(literalCapacity: Int, interpolationCount: Int) {
            bytes.reserveCapacity(literalCapacity + interpolationCount * 16)
        }

        package mutating func appendLiteral(_ literal: String) { bytes += literal.utf8 }
        package mutating func appendInterpolation(_ html: HTML) { bytes += html.bytes }
        package mutating func appendInterpolation(_ html: HTML?) { bytes += html?.bytes ?? [] }
        package mutating func appendInterpolation(_ parts: [HTML]) { for part in parts { bytes += part.bytes } }
        package mutating func appendInterpolation(_ text: some StringProtocol) { bytes.append(escaping: text) }
        package mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            bytes.append(escaping: value.description)
        }
    }
}

extension [HTML] {
    package func joined(_ separator: HTML = "") -> HTML {
        var all = HTML()
        for (index, part) in enumerated() {
            if index > 0 { all += separator }
            all += part
        }
        return all
    }
}

extension [UInt8] {
    fileprivate mutating func append(escaping text: some StringProtocol) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "&"): self += "&amp;".utf8
            case UInt8(ascii: "<"): self += "&lt;".utf8
            case UInt8(ascii: ">"): self += "&gt;".utf8
            case UInt8(ascii: "\""): self += "&quot;".utf8
            case UInt8(ascii: "'"): self += "&#39;".utf8
            // A browser would read a NUL as another character.
            case 0: self += "\u{FFFD}".utf8
            default: append(byte)
            }
        }
    }
}
