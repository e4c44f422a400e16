import GarnerJSON
import Testing

struct ValidDocumentTests {
    /// A source and what it says, without white space, its members sorted.
    @Test(
        arguments: [
            // Containers
            ("[]", "[]"), ("{}", "{}"), ("[[]]", "[[]]"), ("[{}]", "[{}]"), ("{\"a\":{}}", "{\"a\":{}}"),
            ("[[],[[]]]", "[[],[[]]]"),
            ("[1,2]", "[1,2]"), ("[null,null,null]", "[null,null,null]"),
            ("[[1],{\"a\":[2]},3]", "[[1],{\"a\":[2]},3]"),
            ("{\"b\":1,\"a\":2}", "{\"a\":2,\"b\":1}"), ("{\"a\":{\"b\":{\"c\":[]}}}", "{\"a\":{\"b\":{\"c\":[]}}}"),
            // Scalars on their own
            ("null", "null"), ("true", "true"), ("false", "false"), ("0", "0"), ("-1", "-1"), ("1.5", "1.5"),
            ("\"\"", "\"\""),
            ("\"a\"", "\"a\""), (" 1 ", "1"), ("\n\"a\"\t", "\"a\""), ("\r\nnull\r\n", "null"), ("1e5", "1e5"),
            // White space
            (" [ ] ", "[]"), ("[ 1 , 2 ]", "[1,2]"), ("{ \"a\" : 1 }", "{\"a\":1}"),
            ("\t\n\r [\t\n\r 1\t\n\r ]\t\n\r ", "[1]"),
            ("[\n\n1\n\n,\n\n2]", "[1,2]"), ("{\"a\"\n:\n[\n]\n}", "{\"a\":[]}"),
            // Numbers as they are spelled
            ("[0]", "[0]"), ("[-0]", "[-0]"), ("[0.0]", "[0.0]"), ("[1E2]", "[1E2]"), ("[1e+2]", "[1e+2]"),
            ("[1e-2]", "[1e-2]"),
            ("[1.50]", "[1.50]"), ("[123456789012345678901234567890]", "[123456789012345678901234567890]"),
            ("[0e1]", "[0e1]"),
            ("[-0.0e-0]", "[-0.0e-0]"), ("[1e400]", "[1e400]"), ("[1e-400]", "[1e-400]"), ("[0e+01]", "[0e+01]"),
            // Names
            ("{\"\":1}", "{\"\":1}"), ("{\"a\":1,\"a\":2}", "{\"a\":2}"),
            ("{\"a\":1,\"b\":2,\"a\":3}", "{\"a\":3,\"b\":2}"),
            ("{\"a\":[1],\"a\":{}}", "{\"a\":{}}"), ("{\"a\\u0062\":1}", "{\"ab\":1}"),
            ("{\"a\\u0062\":1,\"ab\":2}", "{\"ab\":2}"),
            ("{\"a\\\"b\":1}", "{\"a\\\"b\":1}"), ("{\"\\\\\":1}", "{\"\\\\\":1}"), ("{\"é\":1}", "{\"é\":1}"),
            ("{\"a\":1,\"A\":2}", "{\"A\":2,\"a\":1}"), ("{\"\\u0000\":1}", "{\"\\u0000\":1}"),
            // Strings
            ("[\"a b\"]", "[\"a b\"]"), ("[\"\\\"\"]", "[\"\\\"\"]"), ("[\"/\\/\"]", "[\"//\"]"),
            ("[\"é日本😀\"]", "[\"é日本😀\"]"),
            ("[\"\u{7F}\"]", "[\"\u{7F}\"]"), ("[\"\u{2028}\u{2029}\"]", "[\"\u{2028}\u{2029}\"]"),
            ("[\"\u{FFFF}\"]", "[\"\u{FFFF}\"]"),
            ("[\"\u{FEFF}\"]", "[\"\u{FEFF}\"]"), ("[\"[,]{:}\"]", "[\"[,]{:}\"]"),
            ("[\"\\\\\\\"\"]", "[\"\\\\\\\"\"]"),
            ("[\"// not a comment\"]", "[\"// not a comment\"]"), ("[\"\u{10FFFF}\"]", "[\"\u{10FFFF}\"]"),
            // A byte order mark
            ("\u{FEFF}[1]", "[1]"), ("\u{FEFF} {} ", "{}"), ("\u{FEFF}5", "5"),
        ] as [(String, String)])
    func `a valid document is read`(source: String, says: String) throws {
        #expect(try Document(source).canonical == says)
    }

    @Test(arguments: ["[1]", "{\"a\":[true]}", " \"a\" ", "\u{FEFF}null"])
    func `a document keeps the bytes of its source`(source: String) throws {
        let document = try Document(source)
        #expect(document.byteCount == source.utf8.count)
        #expect(document.withSource { Array($0) } == Array(source.utf8))
    }

    @Test(arguments: [
        (" [ 1 , [ 2 ] ] ", ["[ 1 , [ 2 ] ]", "1", "[ 2 ]"]),
        ("[{ } , 1 ]x".replacing("x", with: " "), ["[{ } , 1 ]", "{ }", "1"]),
        ("[[[]],{\"a\":1} ]", ["[[[]],{\"a\":1} ]", "[[]]", "{\"a\":1}"]),
        ("[1.50 , true\n]", ["[1.50 , true\n]", "1.50", "true"]),
    ])
    func `a value keeps its spelling`(source: String, spellings: [String]) throws {
        let found = try Document(source).withRoot { root in [root.text] + root.elements.map(\.text) }
        #expect(found == spellings)
    }

    @Test func `512 levels are read, at the root and below`() throws {
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            let text =
                String(repeating: open, count: 511) + (open == "[" ? "[]" : "{}") + String(repeating: close, count: 511)
            #expect(try Document(text).canonical == text)
        }
    }

    @Test func `a long document is read to its end`() throws {
        let text = "[" + (0..<100_000).map { "{\"id\":\($0),\"name\":\"a\\u00e9\"}" }.joined(separator: ",") + "]"
        let document = try Document(text)
        let (count, last) = document.withRoot { root in
            var (count, last) = (0, Int64(0))
            for element in root.elements {
                count += 1
                last = element["id"]?.integer ?? -1
                if element["name"]?.text != "aé" { last = -1 }
            }
            return (count, last)
        }
        #expect(count == 100_000)
        #expect(last == 99_999)
    }

    /// There are eight times as many values as are expected of the size of the source, and their memory grows beyond what is kept for others.
    @Test func `a large document of small values is read`() throws {
        let digits = 1_500_000
        var source = [UInt8](repeating: UInt8(ascii: ","), count: 2 * digits + 1)
        for index in 0..<digits { source[2 * index + 1] = UInt8(ascii: "0") + UInt8(index % 10) }
        (source[0], source[2 * digits]) = (UInt8(ascii: "["), UInt8(ascii: "]"))
        let (count, wrong) = try Document(source).withRoot { root in
            var (count, wrong) = (0, 0)
            for element in root.elements {
                if element.integer != Int64(count % 10) { wrong += 1 }
                count += 1
            }
            return (count, wrong)
        }
        #expect(count == digits)
        #expect(wrong == 0)
    }

    @Test func `members come in the order of the source, duplicates included`() throws {
        let names = try Document(#"{"b":1,"a":2,"b":3}"#).withRoot {
            $0.members.map { "\($0.key.text)=\($0.value.integer)" }
        }
        #expect(names == ["b=1", "a=2", "b=3"])
    }

    @Test func `the last of duplicate members wins, and an absent one is not null`() throws {
        try Document(#"{"a":1,"a":null}"#).withRoot { root in
            #expect(root["a"]?.isNull == true)
            #expect(root["b"] == nil)
            #expect(root["a"]?["b"] == nil)
        }
    }

    @Test func `names that differ by Unicode form only stay apart`() throws {
        try Document("{\"caf\u{E9}\":1,\"cafe\u{301}\":2}").withRoot { root in
            #expect(root["caf\u{E9}"]?.integer == 1)
            #expect(root["cafe\u{301}"]?.integer == 2)
        }
    }
}
