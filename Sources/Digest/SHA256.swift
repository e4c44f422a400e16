import CGarnerSHA256

/// The SHA-256 hash of FIPS 180-4. Equal digests mean equal bytes.
package struct SHA256 {
    /// True if the processor has instructions for this hash, which take an eighth of the time.
    package static let hasInstructions = garner_sha256_has_instructions()

    /// The hash of the blocks so far (section 5.3.3).
    private var state: SIMD8<UInt32> = [
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
    ]
    private var byteCount = 0
    private let usesInstructions: Bool

    private init(usesInstructions: Bool = Self.hasInstructions) { self.usesInstructions = usesInstructions }

    /// Returns the digest as 64 lowercase hexadecimal digits.
    ///
    /// - Parameter usesInstructions: False to do without the processor's instructions.
    package static func hexDigest(
        of bytes: some Collection<UInt8>, usesInstructions: Bool = Self.hasInstructions
    ) -> String {
        let digest = withBytes(of: bytes) { SHA256(usesInstructions: usesInstructions).digest(endingWith: $0) }
        return String(unsafeUninitializedCapacity: hexLength) { text in
            digest.write(hexadecimalTo: text)
            return hexLength
        }
    }

    /// Returns the digest of bytes that come in parts, as 64 lowercase hexadecimal digits.
    ///
    /// - Parameter read: Calls its argument with each part.
    package static func hexDigest<Failure: Error>(
        ofParts read: (_ part: (UnsafeRawBufferPointer) -> Void) throws(Failure) -> Void
    ) throws(Failure) -> String {
        var hash = SHA256()
        var rest: [UInt8] = []
        try read { part in
            rest += part
            rest.withUnsafeBufferPointer { hash.add(blocks: $0) }
            rest.removeFirst(rest.count - rest.count % blockLength)
        }
        let digest = rest.withUnsafeBufferPointer { hash.digest(endingWith: $0) }
        return String(unsafeUninitializedCapacity: hexLength) { text in
            digest.write(hexadecimalTo: text)
            return hexLength
        }
    }

    /// Returns the HMAC of RFC 2104 with this hash, as 64 lowercase hexadecimal digits. Without the key, nobody can try
    /// which bytes have it.
    package static func hexAuthenticationCode(of bytes: some Collection<UInt8>, key: [UInt8]) -> String {
        String(unsafeUninitializedCapacity: hexLength) { text in
            let text = UnsafeMutableBufferPointer(rebasing: text[..<hexLength])
            withBytes(of: bytes) { AuthenticationKey(key).write(hexCodeOf: $0, to: text) }
            return hexLength
        }
    }

    /// The key of an HMAC, with the hashes of its two blocks: each code then takes two blocks less.
    package struct AuthenticationKey: Sendable {
        private var inner = SHA256()
        private var outer = SHA256()

        package init(_ key: [UInt8]) {
            let short =
                key.count > blockLength
                ? key.withUnsafeBufferPointer { SHA256().digest(endingWith: $0).withBytes { Array($0) } } : key
            let block = short + Array(repeating: 0, count: blockLength - short.count)
            block.map { $0 ^ 0x36 }.withUnsafeBufferPointer { inner.add(blocks: $0) }
            block.map { $0 ^ 0x5C }.withUnsafeBufferPointer { outer.add(blocks: $0) }
        }

        /// Writes the HMAC as 64 lowercase hexadecimal digits.
        package func write(hexCodeOf bytes: UnsafeBufferPointer<UInt8>, to text: UnsafeMutableBufferPointer<UInt8>) {
            inner.digest(endingWith: bytes).withBytes { outer.digest(endingWith: $0) }.write(hexadecimalTo: text)
        }
    }

    /// The number of digits of a digest.
    package static let hexLength = 64

    private static let blockLength = 64

    private static func withBytes<R>(
        of bytes: some Collection<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) -> R
    ) -> R { bytes.withContiguousStorageIfAvailable(body) ?? Array(bytes).withUnsafeBufferPointer(body) }

    /// Adds whole blocks; leaves the rest.
    private mutating func add(blocks bytes: UnsafeBufferPointer<UInt8>) {
        let count = bytes.count / Self.blockLength
        byteCount += count * Self.blockLength
        let raw = UnsafeRawBufferPointer(bytes)
        Self.roundConstants.withUnsafeBufferPointer { constants in
            guard !usesInstructions else {
                return withUnsafeMutableBytes(of: &state) {
                    garner_sha256_add(
                        $0.assumingMemoryBound(to: UInt32.self).baseAddress, bytes.baseAddress, count,
                        constants.baseAddress)
                }
            }
            for start in stride(from: 0, to: count * Self.blockLength, by: Self.blockLength) {
                let block = UnsafeRawBufferPointer(rebasing: raw[start..<start + Self.blockLength])
                Self.compress(block, into: &state, constants)
            }
        }
    }

    /// Returns the digest of what was added, followed by these bytes.
    ///
    /// A message is padded (section 5.1.1) by a one bit, zeros and the length in bits, up to a multiple of 64 bytes.
    private func digest(endingWith bytes: UnsafeBufferPointer<UInt8>) -> SIMD8<UInt32> {
        var hash = self
        hash.add(blocks: bytes)
        let rest = bytes.suffix(bytes.count % Self.blockLength)
        let bitCount = UInt64(hash.byteCount + rest.count) * 8
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 2 * Self.blockLength) { end in
            end.initialize(repeating: 0)
            for (place, byte) in rest.enumerated() { end[place] = byte }
            end[rest.count] = 0x80
            let count = rest.count + 9 > Self.blockLength ? 2 * Self.blockLength : Self.blockLength
            for place in 1...8 { end[count - place] = UInt8(truncatingIfNeeded: bitCount >> UInt64(8 * (place - 1))) }
            hash.add(blocks: UnsafeBufferPointer(rebasing: end[..<count]))
        }
        return hash.state
    }

    /// Adds one block to the hash (section 6.2.2).
    private static func compress(
        _ block: UnsafeRawBufferPointer, into hash: inout SIMD8<UInt32>, _ constants: UnsafeBufferPointer<UInt32>
    ) {
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { schedule in
            for index in 0..<16 {
                schedule[index] = UInt32(bigEndian: block.loadUnaligned(fromByteOffset: 4 &* index, as: UInt32.self))
            }
            for index in 16..<64 {
                let (early, late) = (schedule[index &- 15], schedule[index &- 2])
                let sigma0 = rotated(early, 7) ^ rotated(early, 18) ^ (early &>> 3)
                let sigma1 = rotated(late, 17) ^ rotated(late, 19) ^ (late &>> 10)
                schedule[index] = schedule[index &- 16] &+ sigma0 &+ schedule[index &- 7] &+ sigma1
            }
            var (a, b, c, d) = (hash[0], hash[1], hash[2], hash[3])
            var (e, f, g, h) = (hash[4], hash[5], hash[6], hash[7])
            // The names change places in each round, so that no value has to be moved.
            for start in stride(from: 0, to: 64, by: 8) {
                func word(_ place: Int) -> UInt32 { constants[start &+ place] &+ schedule[start &+ place] }
                round(a, b, c, &d, e, f, g, &h, word(0))
                round(h, a, b, &c, d, e, f, &g, word(1))
                round(g, h, a, &b, c, d, e, &f, word(2))
                round(f, g, h, &a, b, c, d, &e, word(3))
                round(e, f, g, &h, a, b, c, &d, word(4))
                round(d, e, f, &g, h, a, b, &c, word(5))
                round(c, d, e, &f, g, h, a, &b, word(6))
                round(b, c, d, &e, f, g, h, &a, word(7))
            }
            hash &+= SIMD8(a, b, c, d, e, f, g, h)
        }
    }

    @inline(__always)
    private static func round(
        _ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: inout UInt32, _ e: UInt32, _ f: UInt32, _ g: UInt32,
        _ h: inout UInt32, _ word: UInt32
    ) {
        let first = h &+ (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) &+ (g ^ (e & (f ^ g))) &+ word
        d = d &+ first
        h = first &+ (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) &+ ((a & b) | (c & (a | b)))
    }

    @inline(__always)
    private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 {
        (word &>> count) | (word &<< (32 &- count))
    }

    private static let roundConstants: [UInt32] = [
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
        0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
        0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
        0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
        0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
        0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
        0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
        0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
    ]
}

extension SIMD8<UInt32> {
    fileprivate func withBytes<R>(_ body: (UnsafeBufferPointer<UInt8>) -> R) -> R {
        var words = self
        for index in 0..<8 { words[index] = self[index].bigEndian }
        return withUnsafeBytes(of: words) { body($0.assumingMemoryBound(to: UInt8.self)) }
    }

    fileprivate func write(hexadecimalTo text: UnsafeMutableBufferPointer<UInt8>) {
        let digits = UnsafeMutableRawBufferPointer(text)
        for index in 0..<8 {
            digits.storeBytes(of: self[index].hexadecimalDigits.bigEndian, toByteOffset: 8 * index, as: UInt64.self)
        }
    }
}

extension UInt32 {
    /// The eight digits, a byte each, the first one in the highest byte.
    fileprivate var hexadecimalDigits: UInt64 {
        var digits = UInt64(self)
        digits = (digits | digits << 16) & 0x0000_FFFF_0000_FFFF
        digits = (digits | digits << 8) & 0x00FF_00FF_00FF_00FF
        digits = (digits | digits << 4) & 0x0F0F_0F0F_0F0F_0F0F
        // A byte is 1 where the digit is a letter, which stands 39 places behind the one that would follow 9.
        let letters = (digits + 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
        return digits + 0x3030_3030_3030_3030 + letters * 39
    }
}
