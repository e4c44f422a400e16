import JSON

extension Document {
    convenience init(_ text: String) throws(JSONError) { try self.init(parsing: Bytes(text.utf8)) }

    convenience init(_ bytes: [UInt8]) throws(JSONError) { try self.init(parsing: Bytes(bytes)) }

    /// The whole value, written out.
    var canonical: String { withRoot(\.canonical) }
}

extension Node {
    var canonical: String {
        var text = CanonicalText()
        text.append(self)
        return String(decoding: text.bytes, as: UTF8.self)
    }
}

/// The error that parsing gives; nil where it succeeds.
func failure(of bytes: [UInt8]) -> JSONError? {
    do throws(JSONError) {
        _ = try Document(bytes)
        return nil
    } catch {
        return error
    }
}

/// Steele, Lea and Flood's SplitMix64: the same numbers for the same seed everywhere.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }
}
