#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The hosts that lie on this machine or in a private network, as far as the name itself says so.
enum PrivateNetwork {
    /// Whether `host` is `localhost` or the literal of a loopback, link-local, private or unspecified address.
    static func contains(_ host: String) -> Bool {
        let name = host.hasSuffix(".") ? String(host.dropLast()) : host
        if name == "localhost" || name.hasSuffix(".localhost") { return true }
        if let address = IPv4Literal(name) { return address.isPrivate }
        if let bytes = bytes(ofIPv6: name) { return isPrivate(bytes) }
        return false
    }

    private static func bytes(ofIPv6 name: String) -> [UInt8]? {
        let withoutZone = name.prefix { $0 != "%" }
        var bytes = [UInt8](repeating: 0, count: 16)
        return inet_pton(AF_INET6, String(withoutZone), &bytes) == 1 ? bytes : nil
    }

    private static func isPrivate(_ bytes: [UInt8]) -> Bool {
        let head = bytes.prefix(10)
        let isMappedOrCompatible =
            head.allSatisfy { $0 == 0 } && [[0xFF, 0xFF], [0, 0]].contains(Array(bytes[10..<12]))
        // Covers `::` and `::1` too: 0.0.0.0/8 counts as private.
        if isMappedOrCompatible { return IPv4Literal(bytes: bytes.suffix(4)).isPrivate }
        // RFC 4193 unique local, RFC 4291 link-local, site-local and multicast, RFC 6052 translation of IPv4, RFC 3056 6to4.
        if bytes[0] & 0xFE == 0xFC || bytes[0] == 0xFF { return true }
        if bytes[0] == 0xFE, bytes[1] & 0x80 == 0x80 { return true }
        if bytes.starts(with: [0, 0x64, 0xFF, 0x9B]) { return IPv4Literal(bytes: bytes.suffix(4)).isPrivate }
        if bytes.starts(with: [0x20, 0x02]) { return IPv4Literal(bytes: bytes[2..<6]).isPrivate }
        return false
    }
}
