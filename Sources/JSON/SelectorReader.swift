/// Why a text is not a selector that Garner reads.
package struct SelectorError: Error, Equatable, Sendable, CustomStringConvertible {
    package let selector: String
    /// Bytes from the start of the selector.
    package let offset: Int
    package let reason: String

    package var description: String { "\(selector): \(reason) (byte \(offset))" }
}

/// Reads the part of RFC 9535 that Garner supports: `$`, `.name`, `['name']`, `[0]`, `[-1]`, `[*]`, `.*`.
struct SelectorReader {
    private let text: String
    private let bytes: [UInt8]
    private var place = 0

    init(_ text: String) {
        self.text = text
        bytes = Array(text.utf8)
    }

    mutating func read() throws(SelectorError) -> [Selector.Segment] {
        guard take("$") else { throw error("a selector begins with '$', as in $.data[*]") }
        var segments: [Selector.Segment] = []
        while true {
            skipSpace()
            if place == bytes.count { return segments }
            if take(".") {
                segments.append(try readShorthand())
            } else if take("[") {
                segments.append(try readBracket())
            } else {
                throw error("'.name' or '[…]' expected")
            }
        }
    }

    private mutating func readShorthand() throws(SelectorError) -> Selector.Segment {
        if take("*") { return .wildcard }
        if peek == UInt8(ascii: ".") { throw error("'..' is not supported; name the path step by step") }
        let start = place
        while let byte = peek, isNameByte(byte, first: place == start) { place += 1 }
        guard place > start else { throw error("a name expected; write an odd one as ['odd name']") }
        return .name(String(decoding: bytes[start..<place], as: UTF8.self))
    }

    private mutating func readBracket() throws(SelectorError) -> Selector.Segment {
        skipSpace()
        let segment: Selector.Segment
        if take("*") {
            segment = .wildcard
        } else if let quote = peek, quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\"") {
            place += 1
            segment = .name(try readQuoted(until: quote))
        } else {
            segment = .index(try readIndex())
        }
        skipSpace()
        guard take("]") else { throw error("']' expected; filters, slices and lists are not supported") }
        return segment
    }

    private mutating func readQuoted(until quote: UInt8) throws(SelectorError) -> String {
        var name: [UInt8] = []
        while let byte = peek, byte != quote {
            place += 1
            if byte == UInt8(ascii: "\\") {
                guard let escaped = peek, escaped == quote || escaped == byte else {
                    throw error("only a quote or a backslash can be escaped here")
                }
                name.append(escaped)
                place += 1
            } else {
                name.append(byte)
            }
        }
        guard peek == quote else { throw error("a closing quote expected") }
        place += 1
        return String(decoding: name, as: UTF8.self)
    }

    private mutating func readIndex() throws(SelectorError) -> Int {
        let start = place
        if peek == UInt8(ascii: "-") { place += 1 }
        while let byte = peek, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { place += 1 }
        guard let index = Int(String(decoding: bytes[start..<place], as: UTF8.self)) else {
            place = start
            throw error("an index, a quoted name or '*' expected; filters are not supported")
        }
        return index
    }

    private var peek: UInt8? { place < bytes.count ? bytes[place] : nil }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard peek == UInt8(ascii: character) else { return false }
        place += 1
        return true
    }

    private mutating func skipSpace() {
        while let byte = peek, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { place += 1 }
    }

    private func isNameByte(_ byte: UInt8, first: Bool) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"), 0x80...:
            true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "@"), UInt8(ascii: "$"): true
        default: false
        }
    }

    private func error(_ reason: String) -> SelectorError {
        SelectorError(selector: text, offset: place, reason: reason)
    }
}
