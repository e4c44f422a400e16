import Catalog

/// Finds a secret in what a server repeats: as it is, or with any of its characters as a URL, HTML or JSON writes them.
///
/// Upper and lower case are the same, since the names of hosts and media types arrive in lower case.
struct SecretPattern {
    enum Match: Equatable {
        case none
        /// The text ends inside the secret.
        case begun
        /// In bytes of the text.
        case whole(length: Int)

        var length: Int? { if case .whole(let length) = self { length } else { nil } }
    }

    private let bytes: [UInt8]

    init(_ secret: Secret) { bytes = Array(secret.reveal().utf8) }

    var count: Int { bytes.count }

    /// What stands at the start of `text`.
    func match(_ text: ArraySlice<UInt8>) -> Match {
        guard let first = text.first, let start = bytes.first else { return .none }
        guard Self.isSame(first, start) || Self.escapes.contains(first) || (first, start) == (UInt8(ascii: "+"), 0x20)
        else { return .none }
        let plain = matchPlain(text)
        if case .whole = plain { return plain }
        let escaped = matchEscaped(text)
        return escaped == .none ? plain : escaped
    }

    private func matchPlain(_ text: ArraySlice<UInt8>) -> Match {
        guard zip(bytes, text).allSatisfy(Self.isSame) else { return .none }
        return text.count < bytes.count ? .begun : .whole(length: bytes.count)
    }

    private func matchEscaped(_ text: ArraySlice<UInt8>) -> Match {
        var rest = text
        for byte in bytes {
            guard let first = rest.first else { return .begun }
            if let (character, length) = Self.escape(rest), Self.isSame(character, byte) {
                rest = rest.dropFirst(length)
            } else if Self.isSame(first, byte) || (first == UInt8(ascii: "+") && byte == 0x20) {
                rest = rest.dropFirst()
            } else {
                return Self.escapes.contains(first) && rest.count < Self.longestEscape ? .begun : .none
            }
        }
        return .whole(length: text.count - rest.count)
    }

    private static let escapes = Set("%&\\".utf8)
    private static let longestEscape = 6

    /// The character that `%XX`, `&name;`, `&#N;` or `\\c` at the start of `text` stands for, and its length.
    private static func escape(_ text: ArraySlice<UInt8>) -> (character: UInt8, length: Int)? {
        switch text.first {
        case UInt8(ascii: "%"):
            let digits = String(decoding: text.dropFirst().prefix(2), as: UTF8.self)
            return digits.utf8.count == 2 ? UInt8(digits, radix: 16).map { ($0, 3) } : nil
        case UInt8(ascii: "&"):
            guard let end = text.prefix(longestEscape).firstIndex(of: UInt8(ascii: ";")) else { return nil }
            let name = String(decoding: text[text.startIndex..<end].dropFirst(), as: UTF8.self).lowercased()
            return entity(name).map { ($0, end - text.startIndex + 1) }
        case UInt8(ascii: "\\"): return text.dropFirst().first.map { ($0, 2) }
        default: return nil
        }
    }

    private static func entity(_ name: String) -> UInt8? {
        switch name {
        case "amp": UInt8(ascii: "&")
        case "lt": UInt8(ascii: "<")
        case "gt": UInt8(ascii: ">")
        case "quot": UInt8(ascii: "\"")
        case "apos": UInt8(ascii: "'")
        case _ where name.hasPrefix("#x"): UInt8(name.dropFirst(2), radix: 16)
        case _ where name.hasPrefix("#"): UInt8(name.dropFirst())
        default: nil
        }
    }

    private static func isSame(_ left: UInt8, _ right: UInt8) -> Bool { lowercased(left) == lowercased(right) }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
