#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// An IPv4 or IPv6 address.
package struct IPAddress: Hashable, Sendable {
    /// 4 or 16.
    let bytes: [UInt8]

    /// Reads an address in its usual spelling, and fails on anything else. An IPv6 address stands without brackets, and
    /// its zone does not count.
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

    /// Reads the number that `host` is, in any spelling that the system reads, and fails on names: `127.1`,
    /// `0x7f.1`, `2130706433`, `0177.0.0.1`.
    init?(numeric host: String) {
        guard let address = Self.all(of: host, flags: AI_NUMERICHOST).first else { return nil }
        self = address
    }

    init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

    /// The addresses of a host as `getaddrinfo` orders them (RFC 6724), which may wait for other machines; none where
    /// there are none, or nobody knows.
    static func all(of host: String, flags: Int32 = 0) -> [IPAddress] {
        var hints = addrinfo()
        hints.ai_flags = flags
        #if canImport(Glibc)
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
            hints.ai_socktype = SOCK_STREAM
        #endif
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

    /// Whether both are of one kind and begin with the same `bits`.
    func sharesPrefix(with other: IPAddress, bits: Int) -> Bool {
        guard bytes.count == other.bytes.count, bytes.prefix(bits / 8) == other.bytes.prefix(bits / 8) else {
            return false
        }
        let rest = bits % 8
        return rest == 0 || (bytes[bits / 8] ^ other.bytes[bits / 8]) >> (8 - rest) == 0
    }
}

extension IPAddress: CustomStringConvertible {
    /// In the usual spelling (RFC 5952).
    package var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let isWritten = inet_ntop(bytes.count == 4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count)) != nil
        return isWritten ? String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self) : ""
    }
}
