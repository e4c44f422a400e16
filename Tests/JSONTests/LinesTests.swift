import GarnerJSON
import Testing

struct LinesTests {
    /// Lines, and the array that they are.
    @Test(
        arguments: [
            // Ends of lines
            ("1", "[1]"), ("1\n", "[1]"), ("1\n2", "[1,2]"), ("1\n2\n", "[1,2]"), ("1\r\n2\r\n", "[1,2]"),
            ("1\r\n2", "[1,2]"), ("1\n2\r", "[1,2]"), ("{}\r\n[]\n\"\"\r\n", "[{},[],\"\"]"),
            // No lines, and blank ones
            ("", "[]"), ("\n", "[]"), ("\r\n", "[]"), ("\r", "[]"), (" \t ", "[]"), ("\n\n\n", "[]"),
            ("\n1\n\n2\n\n", "[1,2]"), ("1\n \t\n2\n \r\n", "[1,2]"), ("\r\n\r\n1", "[1]"), ("1\n\r\r\n2", "[1,2]"),
            // White space in a line
            (" 1 \n\t2\t\n", "[1,2]"), ("{ \"a\" : [ ] }\n", "[{\"a\":[]}]"), ("[1,\r2]\n3", "[[1,2],3]"),
            // A byte order mark
            ("\u{FEFF}1\n2", "[1,2]"), ("\u{FEFF}", "[]"), ("\u{FEFF}\n{}", "[{}]"),
            // What is no end of a line
            ("\"\u{2028}\u{2029}\u{85}\"\n", "[\"\u{2028}\u{2029}\u{85}\"]"), ("\"a\\nb\"\n1", "[\"a\\nb\",1]"),
            ("\"\\u000A\\r\\n\"\n", "[\"\\n\\r\\n\"]"), ("{\"a\\n\":\"\\\\n\"}\n", "[{\"a\\n\":\"\\\\n\"}]"),
            // Scalars and numbers
            ("null\ntrue\nfalse", "[null,true,false]"), ("-0\n1.50\n1e400", "[-0,1.50,1e400]"),
            ("9223372036854775807\n9223372036854775808", "[9223372036854775807,9223372036854775808]"),
            (
                "[12345678901234567890123]\n{\"n\":0.1000000000000000055511151231257827}",
                "[[12345678901234567890123],{\"n\":0.1000000000000000055511151231257827}]"
            ),
            // Objects that are alike, and not
            ("{\"a\":1,\"b\":2}\n{\"a\":3,\"b\":4}", "[{\"a\":1,\"b\":2},{\"a\":3,\"b\":4}]"),
            (
                "{\"a\":1}\n{\"b\":2,\"a\":3}\n{\"aa\":4}\n{\"a\":5}",
                "[{\"a\":1},{\"a\":3,\"b\":2},{\"aa\":4},{\"a\":5}]"
            ),
            (
                "{\"a\\u0062\":1}\n{\"ab\":2}\n{\"a\\\\\":3}\n{\"a\\\"\":4}",
                "[{\"ab\":1},{\"ab\":2},{\"a\\\\\":3},{\"a\\\"\":4}]"
            ),
            ("{\"a\\\\\":\"\\\"x\"}\n{\"a\\\"b\":1}", "[{\"a\\\\\":\"\\\"x\"},{\"a\\\"b\":1}]"),
        ] as [(String, String)])
    func `JSON lines are read as one array`(lines: String, says: String) throws {
        let document = try Document(lines: lines)
        #expect(document.canonical == says)
        #expect(document.withSource { Array($0) } == Array(lines.utf8))
    }

    @Test func `values selected from JSON lines keep their spelling and place`() throws {
        let text = "\u{FEFF}{\"id\" : 1, \"x\":[ 1.0 ]}\r\n\n {\"id\":\"\\u0041\"} \n{ }\n"
        let document = try Document(lines: text)
        let selector = try Selector(parsing: "$[*]")
        #expect(selector.select(in: document).count == 3)
        document.withRoot { root in
            #expect(root.kind == .array)
            #expect(root.text == String(text.dropFirst()))
            #expect(root.elements.map(\.text) == ["{\"id\" : 1, \"x\":[ 1.0 ]}", "{\"id\":\"\\u0041\"}", "{ }"])
            #expect(root.elements.map { document.offset(of: $0) } == [3, 30, 47])
        }
        let ids = document.withRoot { try? Selector(parsing: "$[*].id").elements(in: $0).map(\.source) }
        #expect(ids == ["1", "\"A\""])
    }

    @Test(.timeLimit(.minutes(5))) func `a hundred thousand JSON lines are read to the end`() throws {
        let names = ["a", "é\\n", "😀"]
        let lines = (0..<100_000).map { "{\"id\":\($0),\"name\":\"\(names[$0 % 3])\"}\n" }.joined()
        let document = try Document(lines: lines)
        var next: Int64 = 0
        try Selector(parsing: "$[*]").select(in: document).forEach { record in
            if record["id"]?.integer == next, record["name"]?.text == ["a", "é\n", "😀"][Int(next % 3)] { next += 1 }
        }
        #expect(next == 100_000)
        #expect(document.notes == [])
    }

    @Test func `JSON lines may grow from line to line`() throws {
        let lines = (0..<600).map { "[\"" + String(repeating: "x", count: $0 * 3) + "\"]" }
        #expect(try Document(lines: lines.joined(separator: "\n")).withRoot { $0.elements.map(\.text) } == lines)
    }

    @Test(arguments: [("[", "]"), ("{\"a\":", "}")])
    func `each JSON line may be 512 levels deep`(open: String, close: String) throws {
        let inner = open == "[" ? "[]" : "{}"
        let deep = String(repeating: open, count: 511) + inner + String(repeating: close, count: 511)
        #expect(try Document(lines: "\(deep)\n\(deep)\n").withRoot { $0.elements.map(\.text) } == [deep, deep])
        let deeper = open + deep + close
        let error = try #require(failure(ofLines: Array("1\n\(deeper)\n".utf8)))
        #expect(error.kind == .tooDeep)
        #expect(error.offset == 2 + 512 * open.utf8.count)
        #expect(error.reason.hasPrefix("line 2: "))
    }
}
