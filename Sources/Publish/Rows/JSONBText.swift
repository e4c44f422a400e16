/// What `jsonb` makes of a JSON text: it refuses NUL, half surrogate pairs, numbers beyond `numeric`, and deep nesting
/// (postgresql.org/docs/current/datatype-json.html).
///
/// A usual text is read once, and nothing is allocated.
struct JSONBText {
    enum Verdict: Equatable {
        /// `jsonb` holds the text as it is.
        case held
        /// `jsonb` holds `repaired`, and not the text itself.
        case heldAfterRepair
        case refused
    }

    /// The deepest nesting of a text that is not refused: more than Garner's own 512 (`walk.cpp`), and less than the
    /// server's stack has room for.
    static let deepest = 600
    /// The longest text that is not refused, in bytes. It makes no `jsonb` of more than 256 MiB, which is the most:
    /// `1,` takes 12 bytes there.
    static let longest = 20 << 20

    private struct Repair {
        let place: Range<Int>
        /// True for a number, which becomes a text; false for a character.
        let isNumber: Bool
    }

    private let text: UnsafeBufferPointer<UInt8>
    private let repairs: [Repair]
    let verdict: Verdict

    /// True if the text has a number beyond `numeric`, which `repaired` spells as a text.
    let hasFarNumber: Bool
    /// True if the text has NUL or half of a surrogate pair, which become U+FFFD.
    let hasBadCharacter: Bool
    let isObject: Bool
    /// True for an array or object without a value.
    let isEmpty: Bool

    init(_ text: UnsafeBufferPointer<UInt8>) {
        self.text = text
        var reader = Reader(text: text)
        let isValid = text.count <= Self.longest && reader.whole()
        repairs = reader.repairs
        verdict = !isValid ? .refused : repairs.isEmpty ? .held : .heldAfterRepair
        hasFarNumber = repairs.contains(where: \.isNumber)
        hasBadCharacter = repairs.contains { !$0.isNumber }
        isObject = reader.isObject
        isEmpty = reader.isEmpty
    }

    /// The text that `jsonb` holds, if the verdict is not `refused`.
    var repaired: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var start = 0
        for repair in repairs {
            bytes.append(contentsOf: text[start..<repair.place.lowerBound])
            if repair.isNumber {
                bytes.append(UInt8(ascii: "\""))
                bytes.append(contentsOf: text[repair.place])
                bytes.append(UInt8(ascii: "\""))
            } else {
                bytes.append(contentsOf: "\u{FFFD}".utf8)
            }
            start = repair.place.upperBound
        }
        bytes.append(contentsOf: text[start...])
        return bytes
    }

    /// Reads a text from its beginning, and notes the repairs. Its functions return false for what is no JSON or nests
    /// too deeply.
    private struct Reader {
        let text: UnsafeBufferPointer<UInt8>
        var place = 0
        var depth = 0
        var repairs: [Repair] = []
        var isObject = false
        var isEmpty = false

        var byte: UInt8? { place < text.count ? text[place] : nil }

        mutating func take(_ character: Unicode.Scalar) -> Bool {
            guard place < text.count, text[place] == UInt8(ascii: character) else { return false }
            place += 1
            return true
        }

        mutating func skipSpace() {
            while place < text.count,
                text[place] == 0x20 || 0x09...0x0D ~= text[place] && text[place] != 0x0B && text[place] != 0x0C
            { place += 1 }
        }

        mutating func whole() -> Bool {
            skipSpace()
            isObject = byte == UInt8(ascii: "{")
            let (start, isComposed) = (place, isObject || byte == UInt8(ascii: "["))
            if isComposed {
                place += 1
                skipSpace()
                isEmpty = byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]")
                place = start
            }
            guard value() else { return false }
            skipSpace()
            return place == text.count
        }

        mutating func value() -> Bool {
            switch byte {
            case UInt8(ascii: "{"): return list(until: "}", ofMembers: true)
            case UInt8(ascii: "["): return list(until: "]", ofMembers: false)
            case UInt8(ascii: "\""): return string()
            case UInt8(ascii: "t"): return word("true")
            case UInt8(ascii: "f"): return word("false")
            case UInt8(ascii: "n"): return word("null")
            default:
                let start = place
                guard let parts = DecimalText.parts(text, at: &place) else { return false }
                if !DecimalText.isHeld(parts) { repairs.append(Repair(place: start..<place, isNumber: true)) }
                return true
            }
        }

        mutating func word(_ word: StaticString) -> Bool {
            guard text.count - place >= word.utf8CodeUnitCount else { return false }
            for offset in 0..<word.utf8CodeUnitCount where text[place + offset] != word.utf8Start[offset] {
                return false
            }
            place += word.utf8CodeUnitCount
            return true
        }

        mutating func list(until end: Unicode.Scalar, ofMembers: Bool) -> Bool {
            place += 1
            depth += 1
            guard depth <= JSONBText.deepest else { return false }
            defer { depth -= 1 }
            skipSpace()
            if take(end) { return true }
            while true {
                if ofMembers {
                    skipSpace()
                    guard byte == UInt8(ascii: "\""), string() else { return false }
                    skipSpace()
                    guard take(":") else { return false }
                }
                skipSpace()
                guard value() else { return false }
                skipSpace()
                if take(end) { return true }
                guard take(",") else { return false }
            }
        }

        mutating func string() -> Bool {
            place += 1
            while place < text.count {
                let byte = text[place]
                if byte == UInt8(ascii: "\"") {
                    place += 1
                    return true
                }
                if byte == UInt8(ascii: "\\") {
                    guard escape() else { return false }
                } else {
                    guard byte >= 0x20 else { return false }
                    place += 1
                }
            }
            return false
        }

        /// Reads an escape, or two that are a surrogate pair.
        mutating func escape() -> Bool {
            let start = place
            guard place + 1 < text.count else { return false }
            switch text[place + 1] {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
                UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
                place += 2
                return true
            default: break
            }
            guard let unit = unit(at: place) else { return false }
            place += 6
            switch unit {
            case 0, 0xDC00...0xDFFF: repairs.append(Repair(place: start..<place, isNumber: false))
            case 0xD800...0xDBFF:
                if let low = self.unit(at: place), (0xDC00...0xDFFF).contains(low) {
                    place += 6
                } else {
                    repairs.append(Repair(place: start..<place, isNumber: false))
                }
            default: break
            }
            return true
        }

        /// Returns the UTF-16 code unit that `\u` and four hexadecimal digits name; nil if they do not stand there.
        func unit(at place: Int) -> Int? {
            guard place + 6 <= text.count, text[place] == UInt8(ascii: "\\"), text[place + 1] == UInt8(ascii: "u")
            else { return nil }
            var unit = 0
            for byte in text[place + 2..<place + 6] {
                guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else { return nil }
                unit = unit << 4 | digit
            }
            return unit
        }
    }
}
