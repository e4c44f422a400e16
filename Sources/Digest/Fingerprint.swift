import CGarnerXXHash

/// A 128-bit XXH3 hash that distinguishes texts. It is the same on every machine and in every version (xxhash.com).
///
/// It is not cryptographic: without a `HashKey`, an attacker may find two texts with the same fingerprint.
package struct Fingerprint: Sendable, Hashable {
    private let high: UInt64
    private let low: UInt64

    /// The fingerprint of an empty list.
    package static let zero = Fingerprint(high: 0, low: 0)

    /// Hashes bytes. O(bytes), at some 10 GB/s.
    ///
    /// - Parameter kind: a number for the kind of the bytes. The same bytes of another kind have another fingerprint.
    package init(of bytes: UnsafeRawBufferPointer, as kind: UInt64 = 0) {
        let hash = garner_xxh3_128bits(bytes.baseAddress, bytes.count, kind)
        self.init(high: hash.high64, low: hash.low64)
    }

    /// Hashes bytes that come part by part. The fingerprint is that of all of them together.
    ///
    /// - Parameter parts: Calls its argument with each part.
    package init<Failure: Error>(
        as kind: UInt64, _ parts: ((UnsafeRawBufferPointer) -> Void) throws(Failure) -> Void
    ) throws(Failure) {
        guard let state = garner_xxh3_begin(kind) else { preconditionFailure("there is no memory for a hash") }
        let result = Result { () throws(Failure) in
            try parts { garner_xxh3_add(state, $0.baseAddress, $0.count) }
        }
        let hash = garner_xxh3_end(state)
        try result.get()
        self.init(high: hash.high64, low: hash.low64)
    }

    init(high: UInt64, low: UInt64) {
        (self.high, self.low) = (high, low)
    }

    /// The lower half of the bits, for tables in memory.
    package var shortened: Int64 { Int64(bitPattern: low) }

    /// The fingerprint as 32 lowercase hexadecimal digits.
    package var text: String {
        String(unsafeUninitializedCapacity: 32) { digits in
            for place in 0..<32 {
                let digit = UInt8(truncatingIfNeeded: (place < 16 ? high : low) >> UInt64(60 - place % 16 * 4)) & 15
                digits.initializeElement(at: place, to: digit + (digit < 10 ? 0x30 : 0x57))
            }
            return 32
        }
    }

    /// Parses what `text` returned; fails for anything else.
    package init?(text: String) {
        let digits = Array(text.utf8)
        guard digits.count == 32,
            let high = UInt64(String(decoding: digits[..<16], as: UTF8.self), radix: 16),
            let low = UInt64(String(decoding: digits[16...], as: UTF8.self), radix: 16)
        else { return nil }
        (self.high, self.low) = (high, low)
    }
}

/// A random key for hashes. Without it, nobody can prepare two inputs with the same hash.
package struct HashKey: Sendable {
    /// The size of a key in bytes: XXH3's own size of a secret (xxhash.h, `XXH3_SECRET_DEFAULT_SIZE`).
    package static let byteCount = 192

    private let secret: [UInt8]

    /// Creates a key; fails unless there are `byteCount` bytes.
    package init?(_ secret: [UInt8]) {
        guard secret.count == Self.byteCount else { return nil }
        self.secret = secret
    }

    /// Hashes bytes with XXH3 and this key. O(bytes), some ten nanoseconds for a short text.
    package func fingerprint(of bytes: UnsafeRawBufferPointer) -> Fingerprint {
        secret.withUnsafeBytes { secret in
            let hash = garner_xxh3_128bits_with_secret(
                bytes.baseAddress, bytes.count, secret.baseAddress, secret.count)
            return Fingerprint(high: hash.high64, low: hash.low64)
        }
    }
}

/// The fingerprint of a list, which depends on its elements, their order and their boundaries.
///
///     var list = ListFingerprint(key: key)
///     list.add("ab")
///     list.add("c")  // differs from the value for "a" and "bc"
package struct ListFingerprint: Sendable {
    private let key: HashKey?
    /// The fingerprint of all elements so far.
    package private(set) var value = Fingerprint.zero

    /// Creates the fingerprint of an empty list.
    ///
    /// - Parameter key: the key of the hash; nil if the author of the elements would gain nothing from a collision.
    package init(key: HashKey? = nil) {
        self.key = key
    }

    /// Adds an element by its own fingerprint.
    package mutating func add(_ element: Fingerprint) {
        value = withUnsafeBytes(of: (value, element)) { (pair: UnsafeRawBufferPointer) in fingerprint(of: pair) }
    }

    package mutating func add(_ element: UnsafeBufferPointer<UInt8>) {
        add(fingerprint(of: UnsafeRawBufferPointer(element)))
    }

    package mutating func add(_ element: String) {
        var element = element
        element.withUTF8 { add($0) }
    }

    private func fingerprint(of bytes: UnsafeRawBufferPointer) -> Fingerprint {
        key?.fingerprint(of: bytes) ?? Fingerprint(of: bytes)
    }
}
