import TestSupport
import Testing

@testable import GarnerFetcher

struct InflaterTests {
    private static let text = Array("[1,2,3]".utf8)
    /// `text` in the zlib format (RFC 1950), as one stored block.
    private static let zlib: [UInt8] = [0x78, 0x01] + raw + [0x06, 0x95, 0x01, 0xA7]
    /// The same without a format (RFC 1951).
    private static let raw: [UInt8] = [0x01, 0x07, 0x00, 0xF8, 0xFF] + text

    /// Returns the content of the parts, one after the other.
    private static func inflate(_ parts: [[UInt8]], takesRawDeflate: Bool = false) throws(InflateError) -> [UInt8] {
        let inflater = Inflater(takesRawDeflate: takesRawDeflate)
        var content: [UInt8] = []
        for part in parts {
            let result = part.withUnsafeBytes { part in
                Result { () throws(InflateError) in
                    try inflater.inflate(part) { piece in
                        content += piece
                        return true
                    }
                }
            }
            try result.get()
        }
        try inflater.finish()
        return content
    }

    private static let whole: [([UInt8], Int)] = [
        (Gzip.stored(text), 1), (Gzip.stored(text) + Gzip.stored(text), 2),
        (Gzip.stored(text) + Gzip.stored([]) + Gzip.stored(text) + Gzip.stored(text), 3),
        (Gzip.stored(text) + [0, 0, 0], 1), (Gzip.stored(text) + [0] + Gzip.stored(text), 2), (zlib, 1), (raw, 1),
    ]

    @Test(arguments: whole)
    func `gzip of several members, zlib and raw deflate are read, wherever they are cut`(data: [UInt8], count: Int)
        throws
    {
        let expected = Array(repeatElement(Self.text, count: count).joined())
        for cut in 0...data.count {
            let parts = [Array(data[..<cut]), Array(data[cut...])]
            #expect(try Self.inflate(parts, takesRawDeflate: true) == expected, "\(cut)")
        }
        #expect(try Self.inflate(data.map { [$0] }, takesRawDeflate: true) == expected)
    }

    private static let broken: [([UInt8], String)] = [
        ([], "its end is missing"), ([0x1F], "its end is missing"),
        (Array(Gzip.stored(text).dropLast()), "its end is missing"),
        (Gzip.stored(text) + Gzip.stored(text).prefix(4), "its end is missing"),
        (Gzip.stored(text) + [1], "something stands behind its end"), (zlib + [0], "something stands behind its end"),
        (Gzip.stored(text) + [0x1F, 0x8C], "its data is broken"), (raw, "its data is broken"),
        (text, "its data is broken"), (Array(zlib.dropLast()) + [0], "its data is broken"),
    ]

    @Test(arguments: broken)
    func `what is cut off, broken or followed by something else is refused`(data: [UInt8], reason: String) {
        #expect(throws: InflateError(reason: reason)) { try Self.inflate([data]) }
        #expect(throws: InflateError(reason: reason)) { try Self.inflate(data.map { [$0] }) }
    }
}
