import GarnerJSON
import Testing

struct InvalidLinesTests {
    /// Lines, the number of the first wrong one, and the byte at which it stops being JSON.
    @Test(
        arguments: [
            ("x", 1, 0), ("1\nx\n2", 2, 2), ("1\r\n2\r\nx", 3, 6), ("\n\n\nx", 4, 3), ("\u{FEFF}x", 1, 3),
            ("\u{FEFF}1\n[1,]", 2, 8),
            // Values do not span lines
            ("{\"a\":\n1}", 1, 5), ("[1\n,2]", 1, 2), ("[\n]", 1, 1), ("1\n[\r\n]", 2, 3),
            ("{\"a\":1}\n{\"b\"\n:2}", 2, 12),
            // Two values on one line
            ("1 2", 1, 2), ("{}{}", 1, 2), ("{} {}", 1, 3), ("1\n\"a\" \"b\"\n", 2, 6), ("{}\n{},\n{}", 2, 5),
            ("1\r2", 1, 2), ("[1]\r[2]\n", 1, 4), ("1\u{2028}2", 1, 0), ("[1]\u{2028}[2]", 1, 3),
            ("[1]\u{85}[2]", 1, 3),
            // A stream that broke off
            ("{\"a\":1}\n{\"a\":", 2, 13), ("{\"a\":1}\n{", 2, 9), ("{\"a\":1}\n{\"a\":1", 2, 14), ("[1]\n[1,", 2, 7),
            ("1\ntru", 2, 2), ("1\n\"a", 2, 2), ("1\n-", 2, 2), ("1\n{\"a", 2, 3),
            // A newline inside a string, and other control characters
            ("\"a\nb\"", 1, 0), ("1\n{\"a\":\"b\nc\"}", 2, 7), ("1\n[\"a\tb\"]", 2, 5), ("1\n\u{0}", 2, 2),
            ("1\n\u{C}\n", 2, 2),
            // A mark is one only at the start
            ("\u{FEFF}\u{FEFF}1", 1, 3), ("1\n\u{FEFF}2", 2, 2), ("\n\u{FEFF}", 2, 1),
            // Other framings
            ("[{},\n{}]", 1, 4), ("\u{1E}{}\n", 1, 0), ("{},\n{},\n", 1, 2), ("1\n01", 2, 2), ("1\n[\"\\x\"]\n", 2, 4),
        ] as [(String, Int, Int)])
    func `invalid JSON lines are refused at the first byte that is wrong`(lines: String, line: Int, offset: Int) throws
    {
        let error = try #require(failure(ofLines: Array(lines.utf8)))
        #expect(error.kind == .invalid)
        #expect(error.reason.hasPrefix("line \(line): "), "\(error)")
        #expect(error.offset == offset, "\(error)")
    }

    @Test(arguments: ["1\n{\"a\":", "1\n{\"a\":\n2", "1\n[1\r\n", "1\n[[]", "1\r\n{\n"])
    func `a JSON line that ends inside a value is reported as such`(lines: String) {
        #expect(failure(ofLines: Array(lines.utf8))?.reason == "line 2: the text ends too early")
    }

    @Test func `what is not UTF-8 is refused in its line`() throws {
        let error = try #require(failure(ofLines: Array("1\n\"é".utf8) + [0xFF] + Array("\"\n3".utf8)))
        #expect(error.kind == .invalidUTF8)
        #expect(error.offset == 5)
        #expect(error.reason == "line 2: not UTF-8")
    }

    static let sample = #"{"id":1,"name":"T\u00e9\n😀","x":[true,-0.5e-3]}"#

    @Test(arguments: 1..<sample.utf8.count)
    func `a cut last one is no shorter array`(length: Int) throws {
        let whole = Array("\(Self.sample)\n\(Self.sample)\r\n".utf8)
        let error = try #require(failure(ofLines: whole + Self.sample.utf8.prefix(length)))
        #expect(error.reason.hasPrefix("line 3: "))
        #expect((whole.count...whole.count + length).contains(error.offset))
    }

    @Test func `a document's error names no line`() {
        #expect(failure(of: Array("[1,\n]".utf8))?.reason.contains("line") == false)
    }
}
