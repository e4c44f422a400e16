import CXXHash

/// 128 bits of XXH3 that tell one text from another: the same on every machine and in every version (xxhash.com).
///
/// It keeps no secret. Without a `HashKey`, someone who looks for two texts with the same fingerprint may find them.
package struct Fingerprint: Sendable, Hashable {
    private let high: UInt64
    private let low: UInt64

    /// The fingerprint of nothing.
    package static let zero = Fingerprint(high: 0, low: 0)

    /// O(bytes), some 10 GB/s.
    ///
    /// - Parameter kind: what the bytes are: the same bytes as something else have another fingerprint.
    package init(of bytes: UnsafeRawBufferPointer, as kind: UInt64 = 0) {
        let hash = garner_xxh3_128bits(bytes.baseAddress, bytes.count, kind)
        self.init(high: hash.high64, low: hash.low64)
    }

    init(high: UInt64, low: UInt64) {
        (self.high, self.low) = (high, low)
    }

    /// Half of the bits, for a table in memory.
    package var shortened: Int64 { Int64(bitPattern: low) }

    /// 32 lowercase hexadecimal digits.
    package var text: String {
        [high, low].map { half in
            let digits = String(half, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    /// What `text` gave; nil where it is none.
    package init?(text: String) {
        let digits = Array(text.utf8)
        guard digits.count == 32,
            let high = UInt64(String(decoding: digits[..<16], as: UTF8.self), radix: 16),
            let low = UInt64(String(decoding: digits[16...], as: UTF8.self), radix: 16)
        else { return nil }
        (self.high, self.low) = (high, low)
    }
}
