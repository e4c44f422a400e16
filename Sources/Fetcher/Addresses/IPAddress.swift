#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// An IPv4 or IPv6 address in its usual spelling.
struct IPAddress: Hashable, Sendable {
    /// 4 or 16.
    private let bytes: [UInt8]

    /// nil where the text is none; an IPv6 address stands without brackets, and its zone does not count.
    init?(_ text: some StringProtocol) {
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, String(text), &bytes) == 1 {
            self.bytes = Array(bytes.prefix(4))
        } else if inet_pton(AF_INET6, String(text.prefix { $0 != "%" }), &bytes) == 1 {
            self.bytes = bytes
        } else {
            return nil
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
