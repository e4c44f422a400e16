import GarnerJSON
import Testing

struct InvalidDocumentTests {
    /// A source, and the byte at which it stops being JSON.
    @Test(
        arguments: [
            // Arrays
            ("[", 1), ("[1", 2), ("[1,", 3), ("]", 0), ("[1,]", 3), ("[,1]", 1), ("[,]", 1), ("[1,,2]", 3),
            ("[1 2]", 3), ("[1:2]", 2),
            ("[\"a\" \"b\"]", 5), ("[1}", 2), ("[[1]", 4), ("[1]]", 3), ("[1],", 3), ("[1]x", 3), ("[1] [2]", 4),
            ("[1]\u{0}", 3),
            ("[[]", 3), ("[1]null", 3), ("[(1)]", 1), ("[]]", 2), ("[][]", 2), ("[]{}", 2), ("[*]", 1),
            // Objects
            ("{", 1), ("}", 0), ("{\"a\"", 4), ("{\"a\":", 5), ("{\"a\":1", 6), ("{\"a\":1,", 7), ("{\"a\":1,}", 7),
            ("{,}", 1),
            ("{\"a\"}", 4), ("{\"a\" 1}", 5), ("{\"a\",1}", 4), ("{\"a\":}", 5), ("{:1}", 1), ("{a:1}", 1),
            ("{1:1}", 1), ("{null:1}", 1),
            ("{'a':1}", 1), ("{\"a\":1 \"b\":2}", 7), ("{\"a\":1,,\"b\":2}", 7), ("{\"a\":1]", 6), ("{\"a\":1}}", 7),
            ("{\"a\":1}#", 7),
            ("{\"a\"::1}", 5), ("{[]:1}", 1), ("{\"a\":1,\"b\"}", 10), ("{}}", 2), ("{\"a\":1;\"b\":2}", 5),
            ("{\"a\":\"b\"}/**/", 9),
            // Literals
            ("nul", 0), ("nulll", 0), ("NULL", 0), ("True", 0), ("tru", 0), ("truefalse", 0), ("[nul]", 1),
            ("[tru]", 1), ("[fals]", 1),
            ("[truee]", 1), ("[nan]", 1), ("[NaN]", 1), ("[Infinity]", 1), ("[-Infinity]", 1), ("[undefined]", 1),
            ("x", 0), ("[x]", 1),
            ("null x", 5), ("1 2", 2), ("1,", 1), ("1]", 1), ("\"a\"x", 3), ("\"a\" 1", 4), ("true false", 5),
            // Numbers
            ("01", 0), ("[01]", 1), ("[-01]", 1), ("[+1]", 1), ("[-]", 1), ("[.5]", 1), ("[5.]", 1), ("[1.e5]", 1),
            ("[1e]", 1), ("[1e+]", 1),
            ("[1e-]", 1), ("[1.5.5]", 1), ("[1e5e5]", 1), ("[0x10]", 1), ("[1_000]", 1), ("[1a]", 1), ("[- 1]", 1),
            ("[--1]", 1),
            ("[1 000]", 3), ("[1,000]", 3), ("[1e5.5]", 1), ("[00]", 1), ("[1E+ 1]", 1), ("-", 0), ("1.", 0),
            ("[-.5]", 1), ("[1\u{FF11}]", 1),
            ("[1.\u{0}5]", 1),
            // Strings
            ("\"", 0), ("\"a", 0), ("[\"a]", 1), ("[\"a", 1), ("{\"a:1}", 1), ("'a'", 0), ("['a']", 1),
            ("[\"\\x\"]", 2), ("[\"\\\"]", 1),
            ("[\"\\u12\"]", 2), ("[\"\\u12G4\"]", 2), ("[\"\\u 123\"]", 2), ("[\"\\U0041\"]", 2), ("[\"\\a\"]", 2),
            ("[\"\\0\"]", 2),
            ("[\"a\\\u{E9}\"]", 3), ("[\"\t\"]", 2), ("[\"a\nb\"]", 3), ("[\"\u{0}\"]", 2), ("[\"\u{1F}\"]", 2),
            ("[\"ok\",\"\u{1}\"]", 7),
            ("[\\u0020\"a\"]", 1), ("{\"\\q\":1}", 2), ("[\"\\u\"]", 2), ("[\"\\uD800\\u\"]", 8),
            ("[\"\\uD800\\uZZZZ\"]", 8),
            // What is no white space
            ("[\u{C}1]", 1), ("[\u{B}1]", 1), ("[\u{A0}1]", 1), ("[1\u{2003}]", 1), ("\u{FEFF}\u{FEFF}1", 3),
            ("[\u{FEFF}1]", 1),
            ("[1]\u{A0}", 3), ("// a\n[1]", 0), ("/* a */[1]", 0), ("[1]//", 3), ("<html></html>", 0),
            ("\u{FEFF}[1,]", 6),
        ] as [(String, Int)])
    func `an invalid document is refused at the byte where it stops being JSON`(source: String, offset: Int) throws {
        let error = try #require(failure(of: Array(source.utf8)))
        #expect(error.kind == .invalid)
        #expect(error.offset == offset, "\(error)")
    }

    @Test(arguments: [
        ("[NaN]", "found NaN"), ("[nan]", "found nan"), ("[-Infinity]", "found -Infinity"),
        ("{\"a\": undefined}", "found undefined"), ("[True]", "found True"),
        ("{'a': 1}", "found a text in single quotes"), ("[1,]", "found a comma with nothing behind it"),
        ("{\"a\": 1,\n}", "found a comma with nothing behind it"), ("[x]", "not JSON"),
    ])
    func `what other languages write is named`(source: String, reason: String) throws {
        let error = try #require(failure(of: Array(source.utf8)))
        #expect(error.reason == reason)
        #expect((ForeignJSON.advice(on: error.reason) == nil) == (source == "[x]"))
    }

    @Test(arguments: ["", " ", "\n", "\t\r\n  ", "\u{FEFF}", "\u{FEFF} "])
    func `an empty text is not a JSON document`(source: String) throws {
        #expect(failure(of: Array(source.utf8))?.kind == .empty)
    }

    /// The text before the first byte that is not UTF-8, and the bad bytes.
    @Test(
        arguments: [
            ("[\"", [0xFF]), ("[\"", [0xC3, 0x22]), ("[\"", [0x80]), ("[\"ab", [0xC0, 0x80]),
            ("[\"", [0xE0, 0x80, 0x80]), ("[\"", [0xED, 0xA0, 0x80]),
            ("[\"", [0xF4, 0x90, 0x80, 0x80]), ("[\"", [0xF8, 0x88, 0x80, 0x80, 0x80]), ("[\"é", [0xC3]),
            ("[\"😀", [0xF0, 0x9F, 0x98]), ("[", [0xE9]),
            ("[\"", [0xE2, 0x82]), ("[\"" + String(repeating: "a", count: 200), [0xFE]), ("{\"", [0xC1, 0xBF]),
        ] as [(String, [UInt8])])
    func `what is not UTF-8 is refused at its first byte`(before: String, bad: [UInt8]) throws {
        let error = try #require(failure(of: Array(before.utf8) + bad + Array("\"]".utf8)))
        #expect(error.kind == .invalidUTF8)
        #expect(error.offset == before.utf8.count)
    }

    @Test(arguments: [("[", "]"), ("{\"a\":", "}")], [513, 600, 100_000])
    func `513 levels are too deep`(brackets: (String, String), depth: Int) throws {
        let (open, close) = brackets
        let text =
            String(repeating: open, count: depth - 1) + (open == "[" ? "[]" : "{}")
            + String(repeating: close, count: depth - 1)
        let error = try #require(failure(of: Array(text.utf8)))
        #expect(error.kind == .tooDeep)
        #expect(error.offset == 512 * open.utf8.count)
    }

    static let sample =
        #" {"data" : [ {"id":1,"name":"T\u00e9\n😀","x":[true,false,null,-0.5e-3]}, {} ],"n":{"a":[[]]} }"#

    @Test(arguments: 0..<sample.utf8.count)
    func `no part of a document is a document`(length: Int) throws {
        let bytes = Array(Self.sample.utf8)
        let error = try #require(failure(of: Array(bytes.prefix(length))))
        #expect(error.offset <= length)
    }

    @Test(arguments: 0...sample.utf8.count)
    func `a control character is refused wherever it stands`(place: Int) throws {
        var bytes = Array(Self.sample.utf8)
        bytes.insert(0x01, at: place)
        #expect(failure(of: bytes) != nil)
    }

    @Test(arguments: ["x", "1", ",", "]", "}", "\"", "null", "{}", "\u{0}"])
    func `what follows the value is refused`(garbage: String) throws {
        for padding in ["", " ", String(repeating: "\n", count: 200)] {
            let error = try #require(failure(of: Array((Self.sample + padding + garbage).utf8)))
            #expect(error.kind == .invalid)
            #expect(error.offset == (Self.sample + padding).utf8.count, "\(error)")
        }
    }

    @Test func `the error tells its place`() {
        #expect(failure(of: Array("[1,]".utf8))?.description.hasSuffix("(byte 3)") == true)
    }
}
