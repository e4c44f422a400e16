import Testing

@testable import GarnerImport

struct ManifestReaderTests {
    /// The node in one line: texts have quotes, and no line.
    private func outline(_ node: ManifestNode?) -> String {
        guard let node else { return "nothing" }
        switch node.content {
        case .null: return "null"
        case .bool(let bool): return "\(bool)"
        case .integer(let integer): return "\(integer)"
        case .number(let number): return "number \(number)"
        case .text(let text): return "'\(text)'"
        case .list(let list): return "[" + list.map { outline($0) }.joined(separator: ", ") + "]"
        case .mapping(let members):
            return "{" + members.map { "\($0.name): \(outline($0.value))" }.joined(separator: ", ") + "}"
        }
    }

    private func message(_ read: () throws -> Void) -> String {
        do {
            try read()
            return "no error"
        } catch let error as ManifestError {
            return error.message
        } catch {
            return "another error"
        }
    }

    private func manifest(_ streams: String, _ definitions: String = "") throws -> Manifest {
        try Manifest(
            ManifestReader.node(of: "version: 0.50.0\ntype: DeclarativeSource\n\(definitions)\nstreams:\n\(streams)"))
    }

    @Test(arguments: [
        ("yes", "true"), ("Off", "false"), ("'yes'", "'yes'"), ("y", "'y'"), ("~", "null"), ("", "null"),
        ("0x1F", "31"), ("1_000", "1000"), ("010", "8"), ("0b101", "5"), ("-7", "-7"), ("08", "'08'"),
        ("99999999999999999999", "number 99999999999999999999"), ("1.50", "number 1.50"), (".5", "number .5"),
        ("1e3", "number 1e3"), ("1e", "'1e'"), ("+5", "5"), ("--5", "'--5'"), (".", "'.'"), ("1.e-3", "number 1.e-3"),
        ("0x", "'0x'"), (".inf", "'.inf'"), ("0.29.0", "'0.29.0'"), ("2024-01-01", "'2024-01-01'"),
        ("2024-01-01T00:00:00Z", "'2024-01-01T00:00:00Z'"), ("!!str 5", "'5'"), ("|\n    a\n", "'a\n'"), ("<<", "'<<'"),
    ])
    func `a scalar is what YAML 1.1 takes it for`(text: String, expected: String) throws {
        #expect(try outline(ManifestReader.node(of: "a: \(text)")["a"]) == expected)
    }

    @Test(arguments: [
        ("a: 1\nb: 2\na: 3", "{a: 3, b: 2}"),
        ("x: &x { a: 1, b: 2 }\ny: { b: 3, <<: *x }", "{x: {a: 1, b: 2}, y: {b: 3, a: 1}}"),
        ("x: &x { a: 1 }\nz: { <<: [*x, { a: 2, c: 3 }] }", "{x: {a: 1}, z: {a: 1, c: 3}}"),
        ("200: a\non: b", "{200: 'a', on: 'b'}"),
        ("{\n\t\"a\": \"x\\/y\",\n\t\"b\": [\"\\ud83e\\udd92\", \"\\\\ud83e\"]\n}", "{a: 'x/y', b: ['🦒', '\\ud83e']}"),
    ])
    func `a mapping has its members as Python's programs read them`(text: String, expected: String) throws {
        #expect(try outline(ManifestReader.node(of: text)) == expected)
    }

    @Test func `a big file on one line is read`() throws {
        let text =
            "{" + (0..<50_000).map { "\"name\($0)\":\"\(String(repeating: "v", count: 50))\"" }.joined(separator: ",")
            + "}"
        #expect(try ManifestReader.node(of: text).members.count == 50_000)
    }

    @Test func `nodes know their lines`() throws {
        let node = try ManifestReader.node(of: "a:\n  b: 1\n\nc:\n  - x\n  - y\n")
        #expect(node["a"]?["b"]?.line == 2)
        #expect(node["c"]?.list.map(\.line) == [5, 6])
    }

    @Test(arguments: [
        (
            "a: [1",
            "line 2: not valid YAML or JSON: did not find expected ',' or ']' (while parsing a flow sequence from line 1); look at the indentation, quotes and colons near this line"
        ),
        ("# nothing", "the file is empty; name a connector's file, such as manifest.yaml"),
        (
            "a:\n  \"*ref(definitions.b)\"",
            "line 2: the file is written for Airbyte's programs before 2023, which is too old to be read; take the connector's newer manifest.yaml"
        ),
        (
            "$options: {}",
            "line 1: the file is written for Airbyte's programs before 2023, which is too old to be read; take the connector's newer manifest.yaml"
        ),
        ("? [a]\n: b", "line 1: a key is no text; write a name before the colon"),
    ])
    func `a file that cannot be read says where, why and what to do`(text: String, expected: String) {
        #expect(message { _ = try ManifestReader.node(of: text) } == expected)
    }

    private func pets(_ count: Int, _ members: String = "") -> String {
        (0..<count).map { "  - { name: s\($0)\(members) }" }.joined(separator: "\n")
    }

    @Test func `an alias is read once, however often it stands for something`() {
        let text = (1...9).reduce("a0: &a0 {k: 1}\n") { text, number in
            text + "a\(number): &a\(number) {\((0..<10).map { "k\($0): *a\(number - 1)" }.joined(separator: ","))}\n"
        }
        var reader = ManifestReader()
        #expect(message { _ = try reader.read(text) }.contains("aliases make too many values"))
        #expect(reader.built < 20)
    }

    @Test func `members of merge keys are counted, also those that change nothing`() {
        let members = (0..<1000).map { "k\($0): 1" }.joined(separator: ",")
        let merged = (0..<300).map { "m\($0): {<<: *a}" }.joined(separator: "\n")
        #expect(
            message { _ = try ManifestReader.node(of: "a: &a {\(members)}\n\(merged)") }
                .contains("aliases make too many values"))
    }

    @Test func `aliases of aliases do not nest deeper than what is written`() {
        let text = (1...200).reduce("a0: &a0 [x]\n") { $0 + "a\($1): &a\($1) [*a\($1 - 1)]\n" }
        #expect(message { _ = try ManifestReader.node(of: text) }.contains("nested too deeply"))
    }

    @Test func `streams and what parameters copy have a limit`() {
        #expect(message { _ = try manifest(pets(2000)) } == "no error")
        #expect(message { _ = try manifest(pets(2001)) }.contains("more than 2000 streams"))
        let parameters = (0..<2000).map { "p\($0): {}" }.joined(separator: ",")
        #expect(
            message { _ = try manifest(pets(1, ", type: DeclarativeStream, $parameters: {\(parameters)}")) }
                .contains("references and parameters make too much"))
    }

    @Test func `aliases of aliases are counted`() {
        let text = (1...30).reduce("a0: &a0 [x, x]\n") { $0 + "a\($1): &a\($1) [*a\($1 - 1), *a\($1 - 1)]\n" }
        #expect(message { _ = try ManifestReader.node(of: text) }.contains("aliases make too many values"))
        #expect(
            message { _ = try ManifestReader.node(of: "a: " + String(repeating: "x", count: 4 << 20)) }
                .contains("more than 4 MiB"))
    }

    @Test(arguments: [
        ("{ $ref: '#/d/s', name: mine }", "{type: 'S', name: 'mine', path: '/a', $parameters: {}}"),
        ("'#/d/s'", "{type: 'S', name: 's', path: '/a', $parameters: {}}"),
        ("{ type: S, x: '#/d/list/1/deep' }", "{type: 'S', x: 5, $parameters: {}}"),
        ("{ type: S, x: '#/d/a/b/c' }", "{type: 'S', x: 1, $parameters: {}}"),
        ("{ type: S, x: '#/d/a~1b/c' }", "{type: 'S', x: 1, $parameters: {}}"),
        ("{ type: S, x: '#/d/1/2/3/4/5/6/7/8' }", "{type: 'S', x: 1, $parameters: {}}"),
        ("{ type: S, x: '#/d/over/name' }", "{type: 'S', x: 's', $parameters: {}}"),
        ("{ type: S, x: '#fragment' }", "{type: 'S', x: '#fragment', $parameters: {}}"),
        (
            "{ $ref: '#/d/p', $parameters: { b: 3 } }",
            "{type: 'S', a: 1, b: 3, $parameters: {a: 1, b: 3}}"
        ),
    ])
    func `a reference is replaced, and what stands beside it wins`(stream: String, expected: String) throws {
        let definitions = """
            d:
              s: { type: S, name: s, path: /a }
              p: { type: S, $parameters: { a: 1, b: 2 } }
              a/b: { c: 1 }
              1/2/3/4/5/6/7/8: 1
              list: [{}, { deep: 5 }]
              over: { $ref: '#/d/s' }
            """
        #expect(try outline(manifest("  - \(stream)", definitions).streams.first) == expected)
    }

    @Test func `parameters reach all parts, which keep fields of their own`() throws {
        let stream = try #require(
            try manifest(
                """
                  - $parameters: { name: pets, path: /pets, requester: no }
                    primary_key: ''
                    retriever:
                      requester: { path: /own, headers: { a: b } }
                      paginator: { page_token_option: { field_name: p } }
                      record_selector: { extractor: { class_name: x.Y } }
                    schema_loader: { $ref: '#/nowhere' }
                """
            ).streams.first)
        #expect(stream["name"]?.text == "pets")
        #expect(stream["schema_loader"] == nil)
        #expect(stream.parameters["path"]?.text == "/pets")
        let requester = try #require(stream["retriever"]?["requester"])
        #expect((requester.type, requester["path"]?.text) == ("HttpRequester", "/own"))
        #expect(requester.parameters["path"]?.text == "/pets")
        #expect(requester.parameters["requester"] == nil)
        #expect(outline(requester["headers"]) == "{a: 'b'}")
        #expect(stream["retriever"]?["paginator"]?["page_token_option"]?.type == "RequestOption")
        let extractor = try #require(stream["retriever"]?["record_selector"]?["extractor"])
        #expect((extractor.type, extractor.isCustom) == ("CustomExtractor", true))
    }

    @Test(arguments: [
        ("  - '#/d/nowhere'", "there is nothing at '#/d/nowhere'"),
        ("  - '#/d/1/2/3/4/5/6/7/8/9'", "there is nothing at"),
        ("  - '#/d/self'", "the reference '#/d/self' leads back to itself"),
        ("  - '#/d/one'", "leads back to itself"),
        ("  - '#/d/hop/x'", "there is nothing at"),
        ("  - '#/d/e40'", "references and parameters make too much of the file here"),
        ("  - '#/d/e0'\n  - '#/d/e10'\n  - '#/d/e70'", "references and parameters make too much"),
        ("  - 5", "a stream is no mapping"),
        ("  []", "the manifest has no streams"),
    ])
    func `circles and long expansions end with an error`(streams: String, expected: String) {
        let long = (1...70).map { "  e\($0): { type: S, a: '#/d/e\($0 - 1)', b: '#/d/e\($0 - 1)' }\n" }.joined()
        let definitions = """
            d:
              self: { $ref: '#/d/self' }
              one: { type: S, x: '#/d/two' }
              two: { type: S, x: '#/d/one' }
              hop: { $ref: '#/d/hop' }
              1/2/3/4/5/6/7/8/9: { type: S }
              e0: { type: S }

            """
        #expect(message { _ = try manifest(streams, definitions + long) }.contains(expected))
    }

    @Test(arguments: [
        ("type: DeclarativeSource", ForeignFormat.airbyte), ("version: 1\nstreams: []", .airbyte),
        ("openapi: 3.0.0", .openapi), ("{\"swagger\": \"2.0\"}", .openapi), ("version: 1\nsources: {}", nil),
    ])
    func `the format is known from the content`(text: String, expected: ForeignFormat?) throws {
        #expect(try ForeignFormat(of: ManifestReader.node(of: text)) == expected)
    }
}
