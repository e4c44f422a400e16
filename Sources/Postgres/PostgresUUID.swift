/// A UUID (RFC 9562), as PostgreSQL's type `uuid` holds it.
package struct PostgresUUID: Hashable, Sendable, CustomStringConvertible {
    let high: UInt64
    let low: UInt64

    init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Returns a random one, of version 4.
    package static func random() -> PostgresUUID {
        PostgresUUID(
            high: .random(in: 0 ... .max) & 0xFFFF_FFFF_FFFF_0FFF | 0x4000,
            low: .random(in: 0 ... .max) & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000)
    }

    /// Reads 32 hexadecimal digits in groups of 8, 4, 4, 4 and 12; nil for another text.
    package init?(_ text: String) {
        let groups = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard groups.map(\.count) == [8, 4, 4, 4, 12] else { return nil }
        let digits = groups.joined()
        guard digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
            let high = UInt64(String(decoding: digits.prefix(16), as: UTF8.self), radix: 16),
            let low = UInt64(String(decoding: digits.dropFirst(16), as: UTF8.self), radix: 16)
        else { return nil }
        self.init(high: high, low: low)
    }

    /// Its 16 bytes, the highest first.
    package var bytes: [UInt8] {
        [high, low].flatMap { part in withUnsafeBytes(of: part.bigEndian) { Array($0) } }
    }

    package var description: String {
        let digits = [high, low].map { number in
            let text = String(number, radix: 16)
            return String(repeating: "0", count: 16 - text.utf8.count) + text
        }.joined()
        var groups: [Substring] = []
        var rest = digits[...]
        for length in [8, 4, 4, 4, 12] {
            groups.append(rest.prefix(length))
            rest = rest.dropFirst(length)
        }
        return groups.joined(separator: "-")
    }
}
