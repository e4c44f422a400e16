import CXXHash

/// 128 bits of XXH3 that tell one body from another: the same on every machine and in every version (xxhash.com).
///
/// Not for secrets, and not against someone who looks for two bodies with the same one.
package struct Fingerprint: Sendable, Equatable {
    private let high: UInt64
    private let low: UInt64

    /// O(bytes), some 10 GB/s.
    ///
    /// - Parameter kind: what the bytes are: the same bytes as something else have another fingerprint.
    package init(of bytes: UnsafeRawBufferPointer, as kind: UInt64 = 0) {
        let hash = garner_xxh3_128bits(bytes.baseAddress, bytes.count, kind)
        (high, low) = (hash.high64, hash.low64)
    }

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
