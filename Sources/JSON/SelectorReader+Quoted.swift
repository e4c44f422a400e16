extension SelectorReader {
    /// Reads a name or a text between quotes; returns nil if no quote comes next.
    mutating func readQuoted() throws(SelectorError) -> [UInt8]? {
        guard let quote = peek, quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\"") else { return nil }
        place += 1
        var unescaped: [UInt8] = []
        while let byte = peek, byte != quote {
            if isStrict, byte < 0x20 { throw error("a control character is written as an escape, such as \\n") }
            place += 1
            if byte == UInt8(ascii: "\\") {
                unescaped.append(contentsOf: try readEscape(in: quote))
            } else {
                unescaped.append(byte)
            }
        }
        guard peek == quote else { throw error("a closing quote expected") }
        place += 1
        return unescaped
    }

    private mutating func readEscape(in quote: UInt8) throws(SelectorError) -> [UInt8] {
        let escapes: [UInt8: UInt8] = [
            UInt8(ascii: "b"): 0x08, UInt8(ascii: "f"): 0x0C, UInt8(ascii: "n"): 0x0A, UInt8(ascii: "r"): 0x0D,
            UInt8(ascii: "t"): 0x09, UInt8(ascii: "/"): UInt8(ascii: "/"), UInt8(ascii: "\\"): UInt8(ascii: "\\"),
            quote: quote,
        ]
        if take("u") { return Array(String(Character(try readScalar())).utf8) }
        guard let escaped = peek, let byte = escapes[escaped] else {
            throw error("an escape is one of \\b \\f \\n \\r \\t \\/ \\\\ \\uXXXX, or '\\' and the quote around it")
        }
        place += 1
        return [byte]
    }

    /// Reads the digits after `\u`, and those of a second `\u` if the first ones are the first half of a pair.
    private mutating func readScalar() throws(SelectorError) -> Unicode.Scalar {
        let start = place
        let first = try readHexadecimal()
        if let scalar = Unicode.Scalar(first) { return scalar }
        let unpaired = error("a surrogate needs the other of its pair, as in \\uD83D\\uDE00", at: start)
        guard first < 0xDC00, take("\\u") else { throw unpaired }
        let second = try readHexadecimal()
        guard (0xDC00...0xDFFF).contains(second),
            let scalar = Unicode.Scalar(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00))
        else { throw unpaired }
        return scalar
    }

    private mutating func readHexadecimal() throws(SelectorError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = peek, byte < 0x80, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw error("four hexadecimal digits expected after \\u")
            }
            value = value * 16 + UInt32(digit)
            place += 1
        }
        return value
    }
}
