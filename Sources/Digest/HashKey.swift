import CXXHash

/// Random bits for hashes. Nobody who does not know them can prepare two inputs that have the same hash.
package struct HashKey: Sendable {
    /// XXH3's own size of a secret (xxhash.h, `XXH3_SECRET_DEFAULT_SIZE`).
    package static let byteCount = 192

    private let secret: [UInt8]

    /// Fails unless there are `byteCount` bytes.
    package init?(_ secret: [UInt8]) {
        guard secret.count == Self.byteCount else { return nil }
        self.secret = secret
    }

    /// Hashes bytes with XXH3 and these bits. O(bytes); some ten nanoseconds for a short text.
    package func fingerprint(of bytes: UnsafeRawBufferPointer) -> Fingerprint {
        secret.withUnsafeBytes { secret in
            let hash = garner_xxh3_128bits_with_secret(
                bytes.baseAddress, bytes.count, secret.baseAddress, secret.count)
            return Fingerprint(high: hash.high64, low: hash.low64)
        }
    }
}

/// The fingerprint of a list: of its elements, in their order, and of where each begins and ends.
///
///     var list = ListFingerprint(key: key)
///     list.add("ab")
///     list.add("c")  // another value than that of "a" and "bc"
package struct ListFingerprint: Sendable {
    private let key: HashKey?
    /// The fingerprint of all elements so far.
    package private(set) var value = Fingerprint.zero

    /// - Parameter key: nil where whoever writes the elements gains nothing by a second list with the same fingerprint.
    package init(key: HashKey? = nil) {
        self.key = key
    }

    /// Adds an element that is known by its own fingerprint.
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
