import Catalog

/// A character as a URL, HTML or JSON writes it, or as one of them writes what another one wrote.
enum Escape {
    static let starts = Set("%&\\".utf8)
    /// As in `\ud83d\ude00`.
    private static let maximumLength = 12
    private static let maximumDepth = 3

    /// Whether an escape may begin here that the text's end cuts off.
    static func mayBeCut(_ text: ArraySlice<UInt8>) -> Bool {
        text.first.map(starts.contains) == true && text.count < maximumLength * 2
            && text.allSatisfy {
                PercentEncoding.isLetter($0) || PercentEncoding.isDigit($0) || "%&\\#;".utf8.contains($0)
            }
    }

    /// What the escapes at the start of `text` stand for, the outermost first, and how long each is.
    static func readings(of text: ArraySlice<UInt8>, depth: Int = 1) -> [(characters: [UInt8], length: Int)] {
        guard let (characters, length) = outermost(text) else { return [] }
        let outer = [(characters: characters, length: length)]
        guard depth < maximumDepth, characters.count == 1, let first = characters.first, starts.contains(first) else {
            return outer
        }
        // What it stands for begins an escape itself, together with what follows.
        let inner = [first] + text.dropFirst(length).prefix(maximumLength * (maximumDepth - depth))
        return outer + readings(of: inner[...], depth: depth + 1).map { ($0.characters, $0.length - 1 + length) }
    }

    private static func outermost(_ text: ArraySlice<UInt8>) -> (characters: [UInt8], length: Int)? {
        switch text.first {
        case UInt8(ascii: "%"): hexadecimal(text.dropFirst(), digits: 2).map { ([UInt8(truncatingIfNeeded: $0)], 3) }
        case UInt8(ascii: "&"): entity(text)
        case UInt8(ascii: "\\") where text.dropFirst().first == UInt8(ascii: "u"):
            jsonCharacter(text)
        case UInt8(ascii: "\\"): text.dropFirst().first.map { ([$0], 2) }
        default: nil
        }
    }

    /// Beyond U+FFFF there are two escapes for one character.
    private static func jsonCharacter(_ text: ArraySlice<UInt8>) -> (characters: [UInt8], length: Int)? {
        guard let code = hexadecimal(text.dropFirst(2), digits: 4) else { return nil }
        guard (0xD800..<0xDC00).contains(code) else { return utf8(code).map { ($0, 6) } }
        let rest = text.dropFirst(6)
        guard rest.starts(with: "\\u".utf8), let low = hexadecimal(rest.dropFirst(2), digits: 4),
            (0xDC00..<0xE000).contains(low)
        else { return nil }
        return utf8(0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)).map { ($0, 12) }
    }

    private static func entity(_ text: ArraySlice<UInt8>) -> (characters: [UInt8], length: Int)? {
        guard let end = text.prefix(maximumLength).firstIndex(of: UInt8(ascii: ";")) else { return nil }
        let name = String(decoding: text[text.startIndex..<end].dropFirst(), as: UTF8.self).lowercased()
        let characters: [UInt8]? =
            switch name {
            case "amp": [UInt8(ascii: "&")]
            case "lt": [UInt8(ascii: "<")]
            case "gt": [UInt8(ascii: ">")]
            case "quot": [UInt8(ascii: "\"")]
            case "apos": [UInt8(ascii: "'")]
            case _ where name.hasPrefix("#x"): UInt32(name.dropFirst(2), radix: 16).flatMap(utf8)
            case _ where name.hasPrefix("#"): UInt32(name.dropFirst()).flatMap(utf8)
            default: nil
            }
        return characters.map { ($0, end - text.startIndex + 1) }
    }

    private static func hexadecimal(_ text: ArraySlice<UInt8>, digits count: Int) -> UInt32? {
        let digits = String(decoding: text.prefix(count), as: UTF8.self)
        return digits.utf8.count == count ? UInt32(digits, radix: 16) : nil
    }

    private static func utf8(_ code: UInt32) -> [UInt8]? { Unicode.Scalar(code).map { Array(String($0).utf8) } }
}
