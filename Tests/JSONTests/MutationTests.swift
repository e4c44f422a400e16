import GarnerJSON
import TestSupport
import Testing

struct MutationTests {
    static let samples = [
        #"{"data":[{"id":1,"name":"T\u00e9\n😀","x":[true,false,null,-0.5e-3,12345678901234567890]},{"id":2}],"next":null}"#,
        #"[[[[{"a":{"b":{"c":["\ud83d\ude00","\\\"",""]}}}]]],"é日本",1e400,-0]"#,
        #""a string \u0041 alone""#, "-123.456e-7", #"{"a":1,"a":2,"b\u0061":[],"":{}}"#,
    ]

    /// Changed bytes must either parse as a whole value, or fail at a place within the text.
    @Test(arguments: 0..<40)
    func `changed bytes are read or refused`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<250 {
            let bytes = Self.mutate(Array((Self.samples.randomElement(using: &random) ?? "").utf8), &random)
            do throws(JSONError) {
                let text = try Document(bytes).canonical
                #expect(failure(of: Array(text.utf8)) == nil, "\(bytes)")
            } catch {
                #expect((0...bytes.count).contains(error.offset), "\(bytes)")
            }
        }
    }

    private static func mutate(_ bytes: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
            let place = Int.random(in: bytes.indices, using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 2: bytes.remove(at: place)
            case 3: bytes.insert(Array(#"[]{}",:\u0-eE.+ tfn"#.utf8).randomElement(using: &random) ?? 0, at: place)
            case 4: bytes.removeLast(min(bytes.count, Int.random(in: 1...20, using: &random)))
            default: bytes.insert(contentsOf: bytes.prefix(Int.random(in: 0...40, using: &random)), at: place)
            }
        }
        return bytes
    }
}
