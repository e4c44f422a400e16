import GarnerCatalog

extension String {
    enum Edges {
        case leading, trailing, both
    }

    /// Returns the text without the whitespace, or without these characters, at its edges.
    func trimmingSpace(_ edges: Edges = .both, of characters: String? = nil) -> String {
        let taken = characters.map { Set($0.unicodeScalars) }
        func isTaken(_ scalar: Unicode.Scalar) -> Bool { taken?.contains(scalar) ?? scalar.properties.isWhitespace }
        var rest = unicodeScalars[...]
        if edges != .trailing { rest = rest.drop(while: isTaken) }
        if edges != .leading { while let last = rest.last, isTaken(last) { rest.removeLast() } }
        return String(rest)
    }

    /// Returns what stands between the places where a text is, up to a number of such places.
    func parts(between separator: String, most: Int = .max) -> [String] {
        let (bytes, separator) = (Array(utf8), Array(separator.utf8))
        guard let first = separator.first else { return [self] }
        var parts: [String] = []
        var (start, place) = (0, 0)
        while place + separator.count <= bytes.count, parts.count < most {
            if bytes[place] == first, bytes[place..<place + separator.count].elementsEqual(separator) {
                parts.append(String(decoding: bytes[start..<place], as: UTF8.self))
                place += separator.count
                start = place
            } else {
                place += 1
            }
        }
        return parts + [String(decoding: bytes[start...], as: UTF8.self)]
    }

    /// Returns the words between whitespace, of which the last is all that is left after this many.
    func words(most: Int) -> [String] {
        var words: [String] = []
        var rest = trimmingSpace(.leading).unicodeScalars[...]
        while !rest.isEmpty {
            guard words.count < most else { return words + [String(rest).trimmingSpace(.trailing)] }
            let word = rest.prefix { !$0.properties.isWhitespace }
            words.append(String(word))
            rest = rest[word.endIndex...].drop { $0.properties.isWhitespace }
        }
        return words
    }

    /// The text with a capital at the beginning of each run of letters.
    var inTitleCase: String {
        var isInWord = false
        return String(
            decoding: unicodeScalars.flatMap { scalar -> [UInt8] in
                defer { isInWord = scalar.properties.isAlphabetic }
                let text = String(Character(scalar))
                return Array((isInWord ? text.lowercased() : text.uppercased()).utf8)
            }, as: UTF8.self)
    }

    /// The text with a capital at the beginning of each word, as Jinja's filter `title` has it.
    var withCapitalWords: String {
        var isInWord = false
        return unicodeScalars.map { scalar in
            let isBetween = scalar.properties.isWhitespace || "-({[<".unicodeScalars.contains(scalar)
            defer { isInWord = !isBetween }
            let text = String(Character(scalar))
            return isInWord ? text.lowercased() : text.uppercased()
        }.joined()
    }

    /// The text with one capital, at its beginning.
    var capitalized: String { prefix(1).uppercased() + dropFirst().lowercased() }

    /// The text as `hasLargeLetters` becomes `has_large_letters`.
    var inSnakeCase: String {
        String(
            unicodeScalars.enumerated().map { index, scalar in
                (index > 0 && ("A"..."Z").contains(scalar) ? "_" : "") + String(Character(scalar))
            }.joined()
        ).lowercased()
    }
}

/// RFC 4648, section 4.
enum JinjaBase64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func encoded(_ text: String) -> String {
        let bytes = Array(text.utf8)
        var encoded: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for place in 0..<4 {
                let isFilling = place > group.count
                encoded.append(isFilling ? UInt8(ascii: "=") : alphabet[bits >> (18 - 6 * place) & 63])
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    /// Returns nil for what is no Base64 of a text.
    static func decoded(_ text: String) -> String? {
        let digits = text.utf8.filter { !PercentEncoding.isSpace($0) }
        let meant = digits.prefix { $0 != UInt8(ascii: "=") }
        guard digits.count % 4 == 0, digits.count - meant.count <= 2,
            digits[meant.count...].allSatisfy({ $0 == UInt8(ascii: "=") })
        else { return nil }
        var bytes: [UInt8] = []
        var (bits, count) = (0, 0)
        for digit in meant {
            guard let value = alphabet.firstIndex(of: digit) else { return nil }
            bits = (bits << 6 | value) & 0xFF_FFFF
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> count))
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}

extension PercentEncoding {
    fileprivate static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }
}
