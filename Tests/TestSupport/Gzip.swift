/// Bodies in gzip (RFC 1952), and what only looks like them.
package enum Gzip {
    /// A gzip file without compression: one stored block (RFC 1951, 3.2.4) of at most 65,535 bytes.
    package static func stored(_ bytes: [UInt8]) -> [UInt8] {
        let length = UInt16(truncatingIfNeeded: bytes.count)
        return header + [1] + littleEndian(length) + littleEndian(~length) + bytes + littleEndian(checksum(bytes))
            + littleEndian(UInt32(truncatingIfNeeded: bytes.count))
    }

    /// Spaces, 1032 from each byte of `size` but the first few, and no end.
    package static func bomb(size: Int) -> [UInt8] {
        header + bombStart + Array(repeating: 0, count: size)
    }

    package static let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]

    /// A space and the codes of a block in which a zero bit each is "258 bytes more" and "from one byte before".
    private static let bombStart: [UInt8] = [
        0xED, 0xC1, 0x31, 0x01, 0, 0, 0, 0xC2, 0xA0, 0x2A, 0xEB, 0x9F, 0xD2, 0x10, 0xBE, 0x40, 0x01,
    ]

    /// CRC-32 of ISO 3309.
    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(~0) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte)) { sum, _ in sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
        }
    }

    private static func littleEndian(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }
}
