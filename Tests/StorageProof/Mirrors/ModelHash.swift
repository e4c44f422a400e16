/// HMAC-SHA-256, written from FIPS 180-4 and RFC 2104.
enum ModelHash {
    static func hmac(of text: String, key: String) -> String {
        var block = Array(key.utf8)
        if block.count > 64 { block = sha256(block) }
        block += Array(repeating: 0, count: 64 - block.count)
        let inner = sha256(block.map { $0 ^ 0x36 } + Array(text.utf8))
        let outer = sha256(block.map { $0 ^ 0x5c } + inner)
        return outer.map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }

    private static let primes: [Int] = {
        var primes: [Int] = []
        var number = 2
        while primes.count < 64 {
            if primes.allSatisfy({ number % $0 != 0 }) { primes.append(number) }
            number += 1
        }
        return primes
    }()

    /// The first 32 bits of the fraction of a root.
    private static func fraction(_ root: Double) -> UInt32 {
        UInt32((root - root.rounded(.down)) * 4_294_967_296)
    }

    private static let rounds: [UInt32] = primes.map { fraction(cubeRoot(Double($0))) }
    private static let start: [UInt32] = primes.prefix(8).map { fraction(Double($0).squareRoot()) }

    private static func cubeRoot(_ number: Double) -> Double {
        var root = number / 2
        for _ in 0..<80 { root -= (root * root * root - number) / (3 * root * root) }
        return root
    }

    static func sha256(_ message: [UInt8]) -> [UInt8] {
        var bytes = message + [0x80]
        bytes += Array(repeating: 0, count: (120 - bytes.count % 64) % 64)
        let bits = UInt64(message.count) * 8
        bytes += (0..<8).map { UInt8(truncatingIfNeeded: bits >> (56 - 8 * $0)) }
        var hash = start
        for first in stride(from: 0, to: bytes.count, by: 64) { add(bytes[first..<first + 64], to: &hash) }
        return hash.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * $0)) } }
    }

    private static func add(_ block: ArraySlice<UInt8>, to hash: inout [UInt32]) {
        func turned(_ word: UInt32, _ count: UInt32) -> UInt32 { word >> count | word << (32 - count) }
        var words = (0..<16).map { index in
            (0..<4).reduce(UInt32(0)) { $0 << 8 | UInt32(block[block.startIndex + 4 * index + $1]) }
        }
        for index in 16..<64 {
            let (early, late) = (words[index - 15], words[index - 2])
            let small = turned(early, 7) ^ turned(early, 18) ^ early >> 3
            let large = turned(late, 17) ^ turned(late, 19) ^ late >> 10
            words.append(words[index - 16] &+ small &+ words[index - 7] &+ large)
        }
        var state = hash
        for index in 0..<64 {
            let (a, e) = (state[0], state[4])
            let choice = (e & state[5]) ^ (~e & state[6])
            let majority = (a & state[1]) ^ (a & state[2]) ^ (state[1] & state[2])
            let one =
                state[7] &+ (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) &+ choice &+ rounds[index] &+ words[index]
            let two = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) &+ majority
            state = [one &+ two, a, state[1], state[2], state[3] &+ one, e, state[5], state[6]]
        }
        for index in 0..<8 { hash[index] = hash[index] &+ state[index] }
    }
}
