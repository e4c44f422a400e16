/// Reads objects of one level from NDJSON, each number as it is spelled: written against RFC 8259.
struct JSONReading {
    struct Malformed: Error {
        let place: Int
    }

    private let bytes: [UInt8]
    private var place = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The members in their order, null as nil; nil at the end.
    mutating func nextObject() throws -> [(name: [UInt8], value: [UInt8]?)]? {
        guard place < bytes.count else { return nil }
        var members: [(name: [UInt8], value: [UInt8]?)] = []
        try take("{")
        repeat {
            let name = try string()
            try take(":")
            members.append((name, try value()))
        } while isNext(",")
        try take("}")
        try take("\n")
        return members
    }

    private mutating func value() throws -> [UInt8]? {
        if place < bytes.count, bytes[place] == UInt8(ascii: "\"") { return try string() }
        let start = place
        while place < bytes.count, bytes[place] != UInt8(ascii: ","), bytes[place] != UInt8(ascii: "}") { place += 1 }
        let text = Array(bytes[start..<place])
        if text == Array("null".utf8) { return nil }
        guard ExactNumber(text) != nil else { throw Malformed(place: start) }
        return text
    }

    private mutating func string() throws -> [UInt8] {
        try take("\"")
        var units: [UInt16] = []
        var text: [UInt8] = []
        func append(_ units: [UInt16]) { text += Array(String(decoding: units, as: UTF16.self).utf8) }
        while place < bytes.count {
            let byte = bytes[place]
            place += 1
            guard byte == UInt8(ascii: "\\") else {
                if !units.isEmpty { append(units) }
                units = []
                if byte == UInt8(ascii: "\"") { return text }
                guard byte >= 0x20 else { throw Malformed(place: place) }
                text.append(byte)
                continue
            }
            units.append(try escape())
        }
        throw Malformed(place: place)
    }

    private mutating func escape() throws -> UInt16 {
        guard place < bytes.count else { throw Malformed(place: place) }
        let letter = bytes[place]
        place += 1
        if letter == UInt8(ascii: "u") {
            let digits = String(decoding: bytes[min(place, bytes.count)..<min(place + 4, bytes.count)], as: UTF8.self)
            place += 4
            guard digits.utf8.count == 4, let unit = UInt16(digits, radix: 16) else { throw Malformed(place: place) }
            return unit
        }
        let escapes: [UInt8: UInt16] = [
            0x22: 0x22, 0x5C: 0x5C, 0x2F: 0x2F, 0x62: 8, 0x66: 12, 0x6E: 10, 0x72: 13, 0x74: 9,
        ]
        guard let unit = escapes[letter] else { throw Malformed(place: place) }
        return unit
    }

    private mutating func take(_ character: Unicode.Scalar) throws {
        guard isNext(character) else { throw Malformed(place: place) }
    }

    private mutating func isNext(_ character: Unicode.Scalar) -> Bool {
        guard place < bytes.count, bytes[place] == UInt8(ascii: character) else { return false }
        place += 1
        return true
    }
}
