import Testing

@testable import GarnerYAML

struct YAMLComposerTests {
    /// The nodes with their places and tags, in one line: `1:1{1:1=a 1:4=b}`. Texts in quotes and blocks have `"` for `=`.
    private func outline(_ text: String) throws -> String? {
        func outline(_ node: YAMLNode) -> String {
            let start = "\(node.mark.line):\(node.mark.column)" + (node.tag.map { "<\($0)>" } ?? "")
            switch node.content {
            case .scalar(let scalar): return start + (scalar.isPlain ? "=" : "\"") + scalar.string
            case .sequence(let nodes): return start + "[" + nodes.map(outline).joined(separator: " ") + "]"
            case .mapping(let pairs):
                return start + "{" + pairs.map { outline($0) + " " + outline($1) }.joined(separator: " ") + "}"
            }
        }
        return try YAMLComposer.root(of: text).map(outline)
    }

    private func error(_ text: String) -> String? {
        do throws(YAMLError) {
            _ = try YAMLComposer.root(of: text)
            return nil
        } catch {
            switch error {
            case .malformed(let problem, let mark, let context):
                return "\(mark.line):\(mark.column) \(problem)" + (context.map { "; \($0.text)" } ?? "")
            case .forbiddenCharacter(let problem, let mark): return "\(mark.line):\(mark.column) \(problem)"
            case .duplicateKey(let key, let mark, let firstLine):
                return "\(mark.line):\(mark.column) '\(key)' again, first on line \(firstLine)"
            case .nestedTooDeeply(let mark): return "\(mark.line):\(mark.column) too deep"
            case .outOfMemory: return "memory"
            }
        }
    }

    @Test(arguments: [
        ("a: 1\nb:\n  - x\n  - { c: d, e: [] }\n", "1:1{1:1=a 1:4=1 2:1=b 3:3[3:5=x 4:5{4:7=c 4:10=d 4:13=e 4:16[]}]}"),
        ("a:\nb: ''\n", "1:1{1:1=a 1:3= 2:1=b 2:4\"}"),
        ("a: 1\r\nb: 2\rc: 3\u{85}d: 4", "1:1{1:1=a 1:4=1 2:1=b 2:4=2 3:1=c 3:4=3 4:1=d 4:4=4}"),
        ("é🦒e\u{301}: { \"ü\": x }", "1:1{1:1=é🦒e\u{301} 1:7{1:9\"ü 1:14=x}}"),
        ("- |\n  a\n   b\n\n- >-\n  a\n  b\n- \"a\\\n  b\\0\"", "1:1[1:3\"a\n b\n 5:3\"a b 8:3\"ab\0]"),
        ("? [a, b]\n: c\n? d\n", "1:1{1:3[1:4=a 1:7=b] 2:3=c 3:3=d 4:1=}"),
        ("--- # comment\na\n...\n", "2:1=a"),
    ])
    func `each node has the place where it begins`(text: String, expected: String) throws {
        #expect(try outline(text) == expected)
    }

    @Test(arguments: ["", " \n", "# comment", "\u{FEFF}"])
    func `a text without a document has no root`(text: String) throws {
        #expect(try outline(text) == nil)
    }

    @Test(arguments: [
        ("!env a", "1:1<!env>=a"), ("!!str 1", "1:1<tag:yaml.org,2002:str>=1"), ("'1'", "1:1\"1"),
        ("!!map { a: !x [] }", "1:1<tag:yaml.org,2002:map>{1:9=a 1:12<!x>[]}"),
        ("%TAG !e! tag:example.org,2000:\n---\n!e!a b", "3:1<tag:example.org,2000:a>=b"), ("!<x:y> a", "1:1<x:y>=a"),
    ])
    func `a tag is resolved by the document's directives`(text: String, expected: String) throws {
        #expect(try outline(text) == expected)
    }

    @Test(arguments: [
        ("- &a { x: &b [1] }\n- *a\n- *b", "1:1[1:3{1:8=x 1:11[1:15=1]} 1:3{1:8=x 1:11[1:15=1]} 1:11[1:15=1]]"),
        ("- &a 1\n- *a\n- &a 2\n- *a\n- &a [ *a ]", "1:1[1:3=1 1:3=1 3:3=2 3:3=2 5:3[3:3=2]]"),
        ("- &k key\n- { *k : value }", "1:1[1:3=key 2:3{1:3=key 2:10=value}]"),
        ("- &empty\n- *empty", "1:1[1:3= 1:3=]"),
    ])
    func `an alias is the node of the last anchor of its name`(text: String, expected: String) throws {
        #expect(try outline(text) == expected)
    }

    @Test(arguments: [
        ("a: *b", "1:4 found undefined alias"), ("&a [ 1, *a ]", "1:9 found undefined alias"),
        ("&a { *a : 1 }", "1:6 found undefined alias"), ("a: *b\nb: &b 1", "1:4 found undefined alias"),
        ("a\n---\nb", "2:1 but found another document; expected a single document in the stream"),
        ("a: [1, 2\nb: 3", "2:2 did not find expected ',' or ']'; while parsing a flow sequence"),
        ("a: 'b", "1:6 found unexpected end of stream; while scanning a quoted scalar"),
        ("a: b: c", "1:5 mapping values are not allowed in this context"),
        ("a: @b", "1:4 found character that cannot start any token; while scanning for the next token"),
        ("!x!y z", "1:1 found undefined tag handle; while parsing a node"),
        ("é: 1\r\nü🦒: \u{1}", "2:5 control characters are not allowed"),
        ("a\0b", "1:2 control characters are not allowed"),
        ("a: \"\\ud800\"", "1:7 found invalid Unicode character escape code; while parsing a quoted scalar"),
    ])
    func `what is no YAML is refused where it stands`(text: String, expected: String) {
        #expect(error(text) == expected)
    }

    @Test(arguments: [
        ("a: 1\nb: 2\n\"a\": 3", "3:1 'a' again, first on line 1"),
        ("{ a: 1, b: { a: 1, 'a': 2 } }", "1:20 'a' again, first on line 1"),
        ("- { 1: x, \"1\": y }", "1:11 '1' again, first on line 1"),
        ("- { !!int 1: x, 1: y }", "1:17 '1' again, first on line 1"),
        ("- &k a\n- b: 1\n  a: 2\n  *k : 3", "4:3 'a' again, first on line 3"),
        ("- &k a\n- *k : 1\n  a: 2", "3:3 'a' again, first on line 2"),
        ("{ e\u{301}: 1, é: 2 }", "1:10 'é' again, first on line 1"),
        ("{ ? : 1, '': 2 }", "1:10 '' again, first on line 1"),
        ("- &a {}\n- <<: *a\n  <<: *a", "3:3 '<<' again, first on line 2"),
        ("{ '<<': 1, \"<<\": 2 }", "1:12 '<<' again, first on line 1"),
    ])
    func `a key that a mapping has already is refused`(text: String, expected: String) {
        #expect(error(text) == expected)
    }

    @Test(arguments: [
        "- { a: 1 }\n- { a: 1 }", "a: { a: { a: a } }", "{ <<: {}, '<<': 1 }", "{ [a]: 1, [a]: 2 }", "{ a: a, b: a }",
    ])
    func `a key may stand in other mappings, and collections are no keys to compare`(text: String) throws {
        #expect(error(text) == nil)
    }

    @Test func `collections nest as deep as the limit, and no deeper`() throws {
        let deepest = YAMLComposer.maximumDepth
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(try outline(nested(deepest)) != nil)
        #expect(error(nested(deepest + 1)) == "1:129 too deep")
        #expect(error(String(repeating: "- ", count: deepest + 1) + "x") == "1:257 too deep")
        #expect(error("a: [" + nested(deepest - 1) + "]") == "1:131 too deep")
        #expect(error("- " + nested(deepest) + "\n- x") == "1:130 too deep")
        #expect(error((0..<3).map { _ in "- " + nested(deepest - 1) + "\n" }.joined()) == nil)
    }

    @Test(
        .timeLimit(.minutes(5)),
        arguments: ["[", "{", "{a: ", "- ", "? ", "[{", "!!x [", "&a [", "[ ? "])
    func `endless nesting ends at the limit`(opening: String) {
        #expect(error(String(repeating: opening, count: 100_000))?.hasSuffix(" too deep") == true)
    }

    @Test func `deeper and deeper indentation ends at the limit`() {
        let lines = (0..<1000).map { String(repeating: " ", count: $0) + "a:\n" }
        #expect(error(lines.joined()) == "129:129 too deep")
    }

    @Test(.timeLimit(.minutes(5))) func `a billion laughs are as many nodes as are written`() throws {
        var text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
        for level in 1...64 {
            text +=
                "a\(level): &a\(level) [" + Array(repeating: "*a\(level - 1)", count: 9).joined(separator: ", ") + "]\n"
        }
        var node = try #require(try YAMLComposer.root(of: text)?.mapping?.last?.value)
        for _ in 0..<64 {
            #expect(node.sequence?.count == 9)
            node = try #require(node.sequence?.last)
        }
        #expect(node.sequence?.map { $0.scalar?.string } == Array(repeating: "x", count: 9))
    }

    @Test(.timeLimit(.minutes(5))) func `a long chain of aliases needs no stack`() throws {
        var text = "- &a0 []\n"
        for level in 1...50_000 { text += "- &a\(level) [*a\(level - 1)]\n" }
        let root = try #require(try YAMLComposer.root(of: text)?.sequence)
        #expect(root.count == 50_001)
        #expect(root[50_000].sequence?.first?.sequence?.count == 1)
    }

    private static let sample = """
        %YAML 1.1
        %TAG !e! tag:example.org,2000:
        --- # comment
        version: !e!x &v 1
        "quoted \\u00e4": 'it''s'
        continued: "\\x41\\
          end"
        list: [ a, { b: c, ? d : e }, *v , ]
        ? - complex
        : - - nested
          - !!str 1
        literal: |2+
            kept

        folded: >-
          a
          b
        häuser 🦒: &m { <<: {} }
        alias: *m
        ...
        """

    @Test func `a text cut off at any byte is composed or refused`() throws {
        #expect(error(Self.sample) == nil)
        let bytes = Array(Self.sample.utf8)
        var refused = 0
        for count in 0...bytes.count {
            // A character that is cut becomes U+FFFD.
            let text = String(decoding: bytes[..<count], as: UTF8.self)
            if error(text) != nil { refused += 1 }
        }
        #expect((1..<bytes.count).contains(refused))
    }

    @Test func `a text of any size is read to its end and no further`() throws {
        // Swift keeps short texts in place and long ones elsewhere; libyaml reads them in pieces.
        for count in [1, 15, 16, 1023, 16_384, 70_000] {
            let text = String(repeating: "x", count: count)
            #expect(try YAMLComposer.root(of: text)?.scalar?.string == text)
        }
    }
}
