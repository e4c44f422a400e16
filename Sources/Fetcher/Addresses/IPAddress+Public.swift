extension IPAddress {
    /// True for addresses that hosts of the internet have, as IANA's registries of special-purpose addresses say
    /// (RFC 6890), rather than this machine, private networks, groups, documentation, benchmarks and the like.
    package var isPublic: Bool {
        if let embedded = embeddedIPv4 { return embedded.isPublic }
        // "IANA unicast address assignments are currently limited to the IPv6 unicast address range of 2000::/3" (IANA,
        // IPv6 Global Unicast Address Assignments): all else is special or nobody's.
        if bytes.count == 16, bytes[0] & 0xE0 != 0x20 { return false }
        return !Self.special.contains { sharesPrefix(with: $0.network, bits: $0.bits) }
    }

    /// The IPv4 address that an IPv6 address stands for: mapped (RFC 4291), translated (RFC 6052), 6to4
    /// (RFC 3056).
    private var embeddedIPv4: IPAddress? {
        guard bytes.count == 16 else { return nil }
        if bytes.starts(with: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]) { return IPAddress(bytes.suffix(4)) }
        if bytes.starts(with: [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]) { return IPAddress(bytes.suffix(4)) }
        if bytes.starts(with: [0x20, 0x02]) { return IPAddress(bytes[2..<6]) }
        return nil
    }

    /// The blocks that are not globally reachable, or for protocols only. No host at one of the few globally reachable
    /// addresses inside of them answers HTTP.
    private static let special: [(network: IPAddress, bits: Int)] =
        blocks(
            ofLength: 4,
            [
                ([0], 8), ([10], 8), ([100, 64], 10), ([127], 8), ([169, 254], 16), ([172, 16], 12), ([192, 0, 0], 24),
                ([192, 0, 2], 24), ([192, 88, 99], 24), ([192, 168], 16), ([198, 18], 15), ([198, 51, 100], 24),
                ([203, 0, 113], 24),
                // Multicast, and from 240.0.0.0 on what is reserved, with the broadcast address.
                ([224], 3),
            ])
        // Protocol assignments, Teredo among them; documentation, twice.
        + blocks(
            ofLength: 16, [([0x20, 0x01], 23), ([0x20, 0x01, 0x0D, 0xB8], 32), ([0x3F, 0xFF], 20)])

    private static func blocks(
        ofLength length: Int, _ blocks: [(start: [UInt8], bits: Int)]
    ) -> [(network: IPAddress, bits: Int)] {
        blocks.map { (IPAddress($0.start + [UInt8](repeating: 0, count: length - $0.start.count)), $0.bits) }
    }
}
