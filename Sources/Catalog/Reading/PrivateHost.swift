internal import Foundation

/// Hosts that name this machine or a private network by themselves, without a look-up.
enum PrivateHost {
    /// - Parameter host: In lower case, an IPv6 address without brackets.
    static func names(_ host: String) -> Bool {
        let name = host.hasSuffix(".") ? String(host.dropLast()) : host
        if name == "localhost" || name.hasSuffix(".localhost") { return true }
        var v4 = in_addr()
        if inet_pton(AF_INET, name, &v4) == 1 { return isPrivate(v4: withUnsafeBytes(of: v4) { Array($0) }) }
        var v6 = in6_addr()
        if inet_pton(AF_INET6, name, &v6) == 1 { return isPrivate(v6: withUnsafeBytes(of: v6) { Array($0) }) }
        return false
    }

    /// RFC 6890: this host, private use, shared, loopback, link local.
    private static func isPrivate(v4 bytes: [UInt8]) -> Bool {
        switch (bytes[0], bytes[1]) {
        case (0, _), (10, _), (127, _), (169, 254), (192, 168), (172, 16...31), (100, 64...127): true
        default: false
        }
    }

    /// Unspecified, loopback, unique local (RFC 4193), link local, and IPv4 addresses in IPv6 form.
    private static func isPrivate(v6 bytes: [UInt8]) -> Bool {
        if bytes[..<15].allSatisfy({ $0 == 0 }) { return bytes[15] <= 1 }
        if bytes[..<10].allSatisfy({ $0 == 0 }), bytes[10] == 0xFF, bytes[11] == 0xFF {
            return isPrivate(v4: Array(bytes[12...]))
        }
        return bytes[0] & 0xFE == 0xFC || (bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80)
    }
}
