/// FNV-1a of 64 bits: the same on every machine and in every version, unlike Swift's own.
package struct StableHash {
    private var bits: UInt64 = 0xCBF2_9CE4_8422_2325

    package init() {}

    package var value: Int64 { Int64(bitPattern: bits) }

    package mutating func add(_ byte: UInt8) {
        bits = (bits ^ UInt64(byte)) &* 0x100_0000_01B3
    }

    package mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { add(byte) }
    }
}
