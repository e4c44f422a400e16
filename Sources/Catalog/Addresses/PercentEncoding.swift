/// Percent-encoding (RFC 3986, 2.1).
package enum PercentEncoding {
    /// Returns the text as one value of a query: only unreserved characters are left as they are.
    package static func encoded(_ text: String) -> String {
        encoding(text.utf8) { _, byte in isUnreserved(byte) }
    }

    /// Returns the text as one value in a path or a query. A `:` and a `@` stay, since servers may compare the bytes of a path.
    static func encodedInURL(_ text: String) -> String {
        encoding(text.utf8) { _, byte in isUnreserved(byte) || byte == UInt8(ascii: ":") || byte == UInt8(ascii: "@") }
    }

    /// Returns a field of a form (URL Standard, 5.2). A space is `+`.
    static func formField(name: String, value: String) -> String {
        [name, value].map { encoded($0).replacing("%20", with: "+") }.joined(separator: "=")
    }

    /// Returns a URL in which only the bytes that no URL may hold are encoded.
    static func cleaned(_ text: String) -> String {
        if text.utf8.allSatisfy({ mayStand($0) && $0 != UInt8(ascii: "%") }) { return text }
        let bytes = Array(text.utf8)
        let isBlank: (UInt8) -> Bool = { $0 <= 0x20 }
        guard let first = bytes.firstIndex(where: { !isBlank($0) }), let last = bytes.lastIndex(where: { !isBlank($0) })
        else { return "" }
        let trimmed = bytes[first...last]
        return encoding(trimmed) { index, byte in
            if byte == UInt8(ascii: "%") {
                return index + 2 <= last && isHexadecimal(trimmed[index + 1]) && isHexadecimal(trimmed[index + 2])
            }
            return mayStand(byte)
        }
    }

    /// Returns a path or query with its brackets encoded. Foundation's URL, which the HTTP client uses, would encode
    /// the whole text again because of a bracket.
    package static func withoutBrackets(_ text: String) -> String {
        guard text.utf8.contains(where: isBracket) else { return text }
        return encoding(text.utf8) { _, byte in !isBracket(byte) }
    }

    /// Returns the text with the query's `%XX` and `+` decoded.
    package static func decoded(_ text: Substring) -> String {
        text.utf8.contains { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }
            ? decoded(text.utf8, plusIsSpace: true) : String(text)
    }

    /// Returns the text with `%XX` decoded. A wrong escape stays as it is.
    package static func decoded(_ bytes: some Sequence<UInt8>, plusIsSpace: Bool) -> String {
        let bytes = Array(bytes)
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count, isHexadecimal(bytes[index + 1]),
                let value = UInt8(String(decoding: bytes[index + 1...index + 2], as: UTF8.self), radix: 16)
            {
                result.append(value)
                index += 3
            } else {
                result.append(plusIsSpace && bytes[index] == UInt8(ascii: "+") ? 0x20 : bytes[index])
                index += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    package static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    package static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isBracket(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "[") || byte == UInt8(ascii: "]") }

    /// True for the bytes that a URL may hold.
    private static func mayStand(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"), UInt8(ascii: "^"),
            UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"):
            false
        default: byte > 0x20 && byte < 0x7F
        }
    }

    private static let digits = Array("0123456789ABCDEF".utf8)

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        isLetter(byte) || isDigit(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
            || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "~")
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
    }

    private static func encoding<Bytes: Collection<UInt8>>(_ bytes: Bytes, keeping: (Bytes.Index, UInt8) -> Bool)
        -> String
    {
        var result: [UInt8] = []
        for index in bytes.indices {
            let byte = bytes[index]
            if keeping(index, byte) {
                result.append(byte)
            } else {
                result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
