import Catalog

/// An IPv4 address in any spelling that `inet_aton` reads: `127.0.0.1`, `127.1`, `0x7f.1`, `2130706433`, `0177.0.0.1`.
struct IPv4Literal {
    let value: UInt32

    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...4).contains(parts.count) else { return nil }
        var value: UInt64 = 0
        for (index, part) in parts.enumerated() {
            guard let number = Self.number(part) else { return nil }
            let isLast = index == parts.count - 1
            let bits = UInt64(isLast ? 8 * (4 - index) : 8)
            guard number < (1 << bits) else { return nil }
            value = value << bits | number
        }
        self.value = UInt32(value)
    }

    init(bytes: some Sequence<UInt8>) {
        value = bytes.reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// RFC 6890: this network, private use, shared, loopback, link-local, and what no unicast address may be.
    var isPrivate: Bool {
        let blocks: [(prefix: UInt32, bits: UInt32)] = [
            (0x0000_0000, 8), (0x0A00_0000, 8), (0x6440_0000, 10), (0x7F00_0000, 8), (0xA9FE_0000, 16),
            (0xAC10_0000, 12), (0xC000_0000, 24), (0xC0A8_0000, 16), (0xE000_0000, 3),
        ]
        return blocks.contains { value >> (32 - $0.bits) == $0.prefix >> (32 - $0.bits) }
    }

    private static func number(_ part: Substring) -> UInt64? {
        if part.lowercased().hasPrefix("0x") { return part.count == 2 ? 0 : UInt64(part.dropFirst(2), radix: 16) }
        guard part.utf8.allSatisfy(PercentEncoding.isDigit) else { return nil }
        return part.hasPrefix("0") && part.count > 1 ? UInt64(part, radix: 8) : UInt64(part)
    }
}
