/// A hash (64-bit FNV-1a) that is the same in every process, on every machine and in every release.
///
/// Stored names, schedule phases and jitter depend on it.
///
///     var hash = StableHash()
///     hash.add("zoo.animals".utf8)
///     String(hash.value, radix: 16)
package struct StableHash: Sendable, Equatable {
    @usableFromInline var state: UInt64 = 0xCBF2_9CE4_8422_2325

    @inlinable
    package init() {}

    /// The hash of all bytes added so far.
    @inlinable package var value: UInt64 { state }

    /// The hash with all bits mixed by MurmurHash3's `fmix64`, for use with a modulus: the low bits of FNV repeat.
    package var mixed: UInt64 {
        var mixed = state
        mixed = (mixed ^ (mixed >> 33)) &* 0xFF51_AFD7_ED55_8CCD
        mixed = (mixed ^ (mixed >> 33)) &* 0xC4CE_B9FE_1A85_EC53
        return mixed ^ (mixed >> 33)
    }

    @inlinable
    package mutating func add(_ byte: UInt8) {
        state = (state ^ UInt64(byte)) &* 0x100_0000_01B3
    }

    @inlinable
    package mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { add(byte) }
    }

    /// Adds the eight bytes of the integer, least significant first.
    package mutating func add(integer: Int64) {
        let pattern = UInt64(bitPattern: integer)
        for shift in 0..<8 { add(UInt8(truncatingIfNeeded: pattern >> (shift * 8))) }
    }
}
