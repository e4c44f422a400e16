import GarnerCatalog

/// Finds a secret in a server's text, in the clear or with any of its characters escaped as in a URL, HTML or JSON.
///
/// Case is ignored, because host names and media types arrive in lower case.
struct SecretPattern {
    enum Match: Equatable {
        case none
        /// The text ends inside what may be the secret.
        case begun
        /// The secret was found, with this length in the text in bytes.
        case whole(length: Int)

        var length: Int? { if case .whole(let length) = self { length } else { nil } }
    }

    private let bytes: [UInt8]

    init(_ secret: Secret) { bytes = Array(secret.reveal().utf8) }

    var count: Int { bytes.count }

    /// Returns true if the secret occurs anywhere in `text`.
    func isFound(in text: String) -> Bool {
        let bytes = Array(text.utf8)
        return bytes.indices.contains { match(bytes[$0...]).length != nil }
    }

    /// Returns the text with another one in the places of the secret.
    func replaced(in text: String, by other: String) -> String {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if let length = match(bytes[index...]).length {
                result += other.utf8
                index += length
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Compares the start of `text` with the secret.
    func match(_ text: ArraySlice<UInt8>) -> Match {
        guard let first = text.first, let start = bytes.first else { return .none }
        guard Self.isSame(first, start) || Escape.starts.contains(first) || (first, start) == (UInt8(ascii: "+"), 0x20)
        else { return .none }
        // A text may have several readings: `%2525` is `%25`, or `%` in a URL inside a URL.
        var open = [Position(found: 0, place: text.startIndex)]
        var known = Set(open)
        var end: Int?
        var isBegun = false
        while let position = open.popLast() {
            guard position.found < bytes.count else {
                end = max(end ?? 0, position.place)
                continue
            }
            let rest = text[position.place...]
            if rest.isEmpty || Escape.mayBeCut(rest) { isBegun = true }
            for (characters, length) in Self.readings(of: rest) where isNext(characters, after: position.found) {
                let next = Position(found: position.found + characters.count, place: position.place + length)
                if known.insert(next).inserted { open.append(next) }
            }
        }
        if let end { return .whole(length: end - text.startIndex) }
        return isBegun ? .begun : .none
    }

    /// A partial match: `found` bytes of the secret precede `place` in the text.
    private struct Position: Hashable {
        let found: Int
        let place: Int
    }

    private func isNext(_ characters: [UInt8], after count: Int) -> Bool {
        characters.count <= bytes.count - count && zip(characters, bytes[count...]).allSatisfy(Self.isSame)
    }

    /// Returns the possible readings of a text's start, each with its length in the text.
    private static func readings(of text: ArraySlice<UInt8>) -> [(characters: [UInt8], length: Int)] {
        guard let first = text.first else { return [] }
        let space: [(characters: [UInt8], length: Int)] = first == UInt8(ascii: "+") ? [([0x20], 1)] : []
        return [([first], 1)] + space + Escape.readings(of: text)
    }

    private static func isSame(_ left: UInt8, _ right: UInt8) -> Bool { lowercased(left) == lowercased(right) }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}

/// Decodes a character escaped as in a URL, HTML or JSON, including an escaped escape.
enum Escape {
    static let starts = Set("%&\\".utf8)
    /// The longest escape in bytes, such as `\ud83d\ude00`.
    static let maximumLength = 12
    private static let maximumDepth = 3

    /// Returns true if an escape may begin here that the end of the text cuts off.
    static func mayBeCut(_ text: ArraySlice<UInt8>) -> Bool {
        text.first.map(starts.contains) == true && text.count < maximumLength * 2
            && text.allSatisfy {
                PercentEncoding.isLetter($0) || PercentEncoding.isDigit($0) || "%&\\#;".utf8.contains($0)
            }
    }

    /// Returns the characters for the escapes at the start of `text`, the outermost first, each with its length.
    static func readings(of text: ArraySlice<UInt8>, depth: Int = 1) -> [(characters: [UInt8], length: Int)] {
        guard let (characters, length) = outermost(text) else { return [] }
        let outer = [(characters: characters, length: length)]
        guard depth < maximumDepth, characters.count == 1, let first = characters.first, starts.contains(first) else {
            return outer
        }
        // The decoded character, together with the text after it, begins another escape.
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

    /// Decodes `\uXXXX`. Characters above U+FFFF are two such escapes.
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
