/// FNV-1a (64 bits) over the bytes, then MurmurHash3's `fmix64`, because FNV's low bits alone repeat under a modulus.
///
/// The same in every process, on every machine and in every release: phases and jitters rest on it.
struct StableHash: Sendable, Equatable {
    private var state: UInt64 = 0xcbf2_9ce4_8422_2325

    mutating func combine(_ bytes: some Sequence<UInt8>) {
        for byte in bytes {
            state = (state ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
        }
    }

    /// Combines the eight bytes of the integer, the least significant first.
    mutating func combine(_ integer: Int64) {
        let pattern = UInt64(bitPattern: integer)
        combine((0..<8).map { UInt8(truncatingIfNeeded: pattern >> ($0 * 8)) })
    }

    var value: UInt64 {
        var mixed = state
        mixed = (mixed ^ (mixed >> 33)) &* 0xff51_afd7_ed55_8ccd
        mixed = (mixed ^ (mixed >> 33)) &* 0xc4ce_b9fe_1a85_ec53
        return mixed ^ (mixed >> 33)
    }
}
