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

    /// Whether it stands anywhere in `text`.
    func isFound(in text: String) -> Bool {
        let bytes = Array(text.utf8)
        return bytes.indices.contains { match(bytes[$0...]).length != nil }
    }

    /// What stands at the start of `text`.
    func match(_ text: ArraySlice<UInt8>) -> Match {
        guard let first = text.first, let start = bytes.first else { return .none }
        guard Self.isSame(first, start) || Escape.starts.contains(first) || (first, start) == (UInt8(ascii: "+"), 0x20)
        else { return .none }
        // A text may be read in several ways: `%2525` is `%25`, or `%` in a URL inside of a URL.
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

    /// So many bytes of the secret were found in the text up to that place.
    private struct Position: Hashable {
        let found: Int
        let place: Int
    }

    private func isNext(_ characters: [UInt8], after count: Int) -> Bool {
        characters.count <= bytes.count - count && zip(characters, bytes[count...]).allSatisfy(Self.isSame)
    }

    /// What the start of a text may stand for, and how long that is in the text.
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
