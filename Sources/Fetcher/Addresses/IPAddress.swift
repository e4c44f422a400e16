import GarnerCatalog

import GarnerLibC

/// An IPv4 or IPv6 address.
package struct IPAddress: Hashable, Sendable {
    /// The address in network byte order: 4 or 16 bytes.
    let bytes: [UInt8]

    /// Parses an address in its usual spelling, without brackets; fails for anything else. A zone of IPv6 is ignored.
    package init?(_ text: some StringProtocol) {
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, String(text), &bytes) == 1 {
            self.bytes = Array(bytes.prefix(4))
        } else if inet_pton(AF_INET6, String(text.prefix { $0 != "%" }), &bytes) == 1 {
            self.bytes = bytes
        } else {
            return nil
        }
    }

    /// Parses an address in any numeric spelling of the system, such as `127.1`, `0x7f.1` or `2130706433`; fails for names.
    init?(numeric host: String) {
        guard let address = Self.all(of: host, flags: AI_NUMERICHOST).first else { return nil }
        self = address
    }

    init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

    /// Returns the addresses of a host in the order of `getaddrinfo` (RFC 6724), or none if it cannot be resolved.
    /// Blocks the thread while it waits for name servers.
    static func all(of host: String, flags: Int32 = 0) -> [IPAddress] {
        var hints = addrinfo()
        hints.ai_flags = flags
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var answer: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &answer) == 0, let first = answer else { return [] }
        defer { freeaddrinfo(first) }
        return sequence(first: first, next: \.pointee.ai_next).compactMap { entry in
            entry.pointee.ai_addr.flatMap { IPAddress(UnsafeRawPointer($0), family: entry.pointee.ai_family) }
        }
    }

    private init?(_ address: UnsafeRawPointer, family: Int32) {
        switch family {
        case AF_INET:
            let address = address.loadUnaligned(as: sockaddr_in.self)
            bytes = withUnsafeBytes(of: address.sin_addr) { Array($0) }
        case AF_INET6:
            let address = address.loadUnaligned(as: sockaddr_in6.self)
            bytes = withUnsafeBytes(of: address.sin6_addr) { Array($0) }
        default: return nil
        }
    }

    var bitCount: Int { bytes.count * 8 }

    /// Returns true if both addresses have the same length and the same first `bits` bits.
    func sharesPrefix(with other: IPAddress, bits: Int) -> Bool {
        guard bytes.count == other.bytes.count, bytes.prefix(bits / 8) == other.bytes.prefix(bits / 8) else {
            return false
        }
        let rest = bits % 8
        return rest == 0 || (bytes[bits / 8] ^ other.bytes[bits / 8]) >> (8 - rest) == 0
    }
}

extension IPAddress: CustomStringConvertible {
    /// The address in its usual spelling (RFC 5952).
    package var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let isWritten = inet_ntop(bytes.count == 4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count)) != nil
        return isWritten ? String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self) : ""
    }
}

extension IPAddress {
    /// True if the address belongs to a host on the internet, according to IANA's registries of special-purpose
    /// addresses (RFC 6890). This machine, private networks, multicast groups, documentation, benchmarks and the like
    /// are not public.
    package var isPublic: Bool {
        if let embedded = embeddedIPv4 { return embedded.isPublic }
        // "IANA unicast address assignments are currently limited to the IPv6 unicast address range of 2000::/3" (IANA,
        // IPv6 Global Unicast Address Assignments). All other addresses are special or unassigned.
        if bytes.count == 16, bytes[0] & 0xE0 != 0x20 { return false }
        return !Self.special.contains { sharesPrefix(with: $0.network, bits: $0.bits) }
    }

    /// True for addresses of one link, such as `169.254.0.0/16`, where clouds tell machines their credentials.
    var isLinkLocal: Bool {
        if bytes.count == 4 { return bytes.starts(with: [169, 254]) }
        if let embedded = embeddedIPv4 { return embedded.isLinkLocal }
        // "IPv4-compatible" (RFC 4291, 2.5.5.1), and "IPv4-translated" (RFC 2765, 2.1).
        let zeros = [UInt8](repeating: 0, count: 8)
        if bytes.starts(with: zeros + [0, 0, 0, 0]) || bytes.starts(with: zeros + [0xFF, 0xFF, 0, 0]) {
            return IPAddress(bytes.suffix(4)).isLinkLocal
        }
        // Translated in a local network (RFC 8215). Its prefix ends where the network's owner wants, and the byte of bits
        // 64 to 71 is none of the address (RFC 6052, 2.2).
        if bytes.starts(with: [0, 0x64, 0xFF, 0x9B]) {
            let places = [[6, 7, 9, 10], [7, 9, 10, 11], [9, 10, 11, 12], [12, 13, 14, 15]]
            return places.contains { place in IPAddress(place.map { bytes[$0] }).isLinkLocal }
        }
        // fe80::/10, and the instance metadata services of EC2 and of Google's cloud.
        return (bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80) || bytes.starts(with: [0xFD, 0x00, 0x0E, 0xC2])
            || bytes.starts(with: [0xFD, 0x20, 0x00, 0xCE])
    }

    /// The IPv4 address embedded in an IPv6 address: mapped (RFC 4291), translated (RFC 6052) or 6to4 (RFC 3056).
    private var embeddedIPv4: IPAddress? {
        guard bytes.count == 16 else { return nil }
        if bytes.starts(with: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]) { return IPAddress(bytes.suffix(4)) }
        if bytes.starts(with: [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]) { return IPAddress(bytes.suffix(4)) }
        if bytes.starts(with: [0x20, 0x02]) { return IPAddress(bytes[2..<6]) }
        return nil
    }

    /// The blocks that are not globally reachable, or reserved for protocols. They contain a few globally reachable
    /// addresses, but no host at those answers HTTP.
    private static let special: [(network: IPAddress, bits: Int)] =
        blocks(
            ofLength: 4,
            [
                ([0], 8), ([10], 8), ([100, 64], 10), ([127], 8), ([169, 254], 16), ([172, 16], 12), ([192, 0, 0], 24),
                ([192, 0, 2], 24), ([192, 88, 99], 24), ([192, 168], 16), ([198, 18], 15), ([198, 51, 100], 24),
                ([203, 0, 113], 24),
                // Multicast, and the reserved range from 240.0.0.0 on with the broadcast address.
                ([224], 3),
            ])
        // Protocol assignments, Teredo among them, and two documentation blocks.
        + blocks(
            ofLength: 16, [([0x20, 0x01], 23), ([0x20, 0x01, 0x0D, 0xB8], 32), ([0x3F, 0xFF], 20)])

    private static func blocks(
        ofLength length: Int, _ blocks: [(start: [UInt8], bits: Int)]
    ) -> [(network: IPAddress, bits: Int)] {
        blocks.map { (IPAddress($0.start + [UInt8](repeating: 0, count: length - $0.start.count)), $0.bits) }
    }
}

/// The addresses that a connection may lead to.
package enum AddressRange: Hashable, Sendable {
    case `public`
    /// Private and public addresses, but none of one link.
    case local
    case any
}

/// The hosts on this machine or in a private network, as far as their names show it.
enum PrivateNetwork {
    /// Returns the addresses that the owner of a configuration means with a host in a URL of it.
    static func range(meantBy host: String) -> AddressRange {
        let name = plain(host)
        if let address = IPAddress(numeric: name) ?? IPAddress(name) {
            return address.isPublic || address.isLinkLocal ? .public : .any
        }
        if contains(host) { return .any }
        // No host on the internet has such a name (RFC 6762, RFC 8375, and ICANN's resolution on .internal).
        let isLocal =
            !name.contains(".") || [".local", ".lan", ".home.arpa", ".internal"].contains { name.hasSuffix($0) }
        return isLocal ? .local : .public
    }

    /// Returns true if `host` is `localhost` or an address that is not public, in any spelling.
    static func contains(_ host: String) -> Bool {
        let name = plain(host)
        if name == "localhost" || name.hasSuffix(".localhost") { return true }
        return IPAddress(numeric: name).map { !$0.isPublic } ?? IPAddress(name).map { !$0.isPublic } ?? false
    }

    private static func plain(_ host: String) -> String {
        // "URI producers should use names that conform to the DNS syntax", but may percent-encode them (RFC 3986, 3.2.2).
        let decoded = host.contains("%") ? PercentEncoding.decoded(host[...]).lowercased() : host
        return decoded.hasSuffix(".") ? String(decoded.dropLast()) : decoded
    }
}

/// Resolves host names and judges the addresses, for requests that may not reach private networks.
package struct HostLookup: Sendable {
    /// Returns the addresses of a host, or none if it cannot be resolved. Blocks the thread.
    private let addresses: @Sendable (_ host: String) -> [IPAddress]
    private let isPublic: @Sendable (IPAddress) -> Bool

    package init(
        isPublic: @escaping @Sendable (IPAddress) -> Bool = \.isPublic,
        addresses: @escaping @Sendable (_ host: String) -> [IPAddress]
    ) {
        self.addresses = addresses
        self.isPublic = isPublic
    }

    /// The system's resolver: its `hosts` file, DNS and other configured sources.
    package static let system = HostLookup { IPAddress.all(of: $0) }

    /// Returns the addresses that a connection may use, in the order in which to try them. The list is never empty.
    ///
    /// Throws `unknownHost` if the host has no address, and `privateNetwork` if none is in the range. Blocks the thread.
    func addresses(of host: String, in range: AddressRange) throws(TransportError) -> [IPAddress] {
        let all = addresses(host)
        guard let first = all.first else { throw .unknownHost }
        let allowed = all.filter { range == .any || isPublic($0) || (range == .local && !$0.isLinkLocal) }
        guard !allowed.isEmpty else { throw .privateNetwork(address: first.description) }
        return allowed
    }
}
