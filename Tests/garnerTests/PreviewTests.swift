import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(2)))
struct PreviewTests {
    private static func withPage(
        _ body: String = #"{"data":[{"id":1,"w":{"kg":2.50},"n":null},{"id":2,"n":"a,b"}],"next":"?page=2"}"#,
        _ run: @escaping @Sendable (Workplace, LoopbackServer) async throws -> Void
    ) async throws {
        try await LoopbackServer.serve({ _ in .json(body) }) { server in
            try await run(try Workplace(api: server.url), server)
        }
    }

    @Test func `the schema comes first, then the records`() async throws {
        try await Self.withPage { place, server in
            let preview = try await place.garner("preview", "animals")
            #expect(preview.code == 0 && preview.errors == "")
            #expect(
                preview.output == """
                    column  type     key  path
                    id      INTEGER    1  $['id']
                    w__kg   REAL       -  $['w']['kg']
                    n       TEXT       -  $['n']

                    id  w__kg  n
                     1   2.50  -
                     2      -  a,b

                    """)
            #expect(server.requests.count == 1)
            #expect(place.names == ["garner.yaml"])
        }
    }

    @Test func `as JSON it is one object`() async throws {
        try await Self.withPage { place, server in
            let preview = try await place.garner("preview", "zoo.animals", "--json", "--limit", "1")
            let columns =
                #"{"name":"id","type":"INTEGER","path":"$['id']"},"#
                + #"{"name":"w__kg","type":"REAL","path":"$['w']['kg']"},{"name":"n","type":"TEXT","path":"$['n']"}"#
            #expect(
                preview.output == #"{"stream":"zoo.animals","url":"\#(server.url)/animals","#
                    + #""schema":{"primary_key":["id"],"columns":[\#(columns)]},"#
                    + #""records":[{"id":1,"n":null,"w":{"kg":2.50}}],"next":"\#(server.url)/animals?page=2","advice":null}"#
                    + "\n")
        }
    }

    @Test func `the tables of arrays are those that a sync makes`() async throws {
        let body = #"[{"id":1,"visits":[{"at":"mon","kg":2},{"at":"tue"}]},{"id":2,"visits":[],"tags":["a"]}]"#
        try await LoopbackServer.serve({ _ in .json(body) }) { server in
            let place = try Workplace(api: server.url, "primary_key: id, child_tables: true")
            let preview = try await place.garner("preview", "animals")
            #expect(preview.output.contains("\nanimals__visits: 2 rows of this page\n"), "\(preview)")
            let json = try await place.garner("preview", "animals", "--json").output
            #expect(json.contains(#""child_tables":[{"table":"animals__visits","rows":2,"columns":["#), "\(json)")
            #expect(try await place.garner("sync").code == 0)
            let stored = try place.texts(
                "SELECT name || ' ' || type FROM pragma_table_info('animals__visits') WHERE name NOT LIKE '\\_garner%' ESCAPE '\\'"
            )
            #expect(!stored.isEmpty)
            for column in stored {
                let parts = column.split(separator: " ")
                #expect(json.contains(#""name":"\#(parts[0])","type":"\#(parts[1])""#), "\(column): \(json)")
            }
        }
    }

    @Test(arguments: [
        ("ndjson", "{\"id\":1,\"n\":null,\"w\":{\"kg\":2.50}}\n{\"id\":2,\"n\":\"a,b\"}\n"),
        ("csv", "id,w__kg,n\n1,2.50,\n2,,\"a,b\"\n"), ("tsv", "id\tw__kg\tn\n1\t2.50\t\n2\t\ta,b\n"),
    ])
    func `preview writes the records in other formats`(format: String, output: String) async throws {
        try await Self.withPage { place, _ in
            let preview = try await place.garner("preview", "animals", "-f", format)
            #expect(preview.output == output)
        }
    }

    @Test func `a page without records is told`() async throws {
        try await Self.withPage(#"{"data":[]}"#) { place, _ in
            let preview = try await place.garner("preview", "animals")
            #expect((preview.code, preview.output) == (0, ""))
            #expect(preview.errors == "The first page of zoo.animals has no records.\n")
            let json = try await place.garner("preview", "animals", "--json")
            #expect(
                json.output.contains(
                    #""schema":{"primary_key":[],"columns":[]},"records":[],"next":null,"advice":null}"#))
        }
    }

    @Test func `preview shows the whole page with --limit 0, and cuts long values in a table`() async throws {
        let records = (1...20).map { #"{"id":\#($0),"text":"\#(String(repeating: "x", count: 200))"}"# }
        try await Self.withPage("[\(records.joined(separator: ","))]") { place, _ in
            let ten = try await place.garner("preview", "animals", "-f", "ndjson")
            #expect(ten.output.split(separator: "\n").count == 10)
            let all = try await place.garner("preview", "animals", "-f", "ndjson", "--limit", "0")
            #expect(all.output.split(separator: "\n").count == 20)
            let text = String(repeating: "x", count: 200)
            for format in ["table", "markdown"] {
                #expect(try await place.garner("preview", "animals", "-f", format).output.contains(text))
            }
            let shown = try await place.garner("preview", "animals", output: .lines(columns: 80))
            #expect(shown.output.contains("xx…") && !shown.output.contains(text))
        }
    }

    @Test func `a failure says of which stream it is`() async throws {
        try await LoopbackServer.serve({ _ in .status(401) }) { server in
            let place = try Workplace(api: server.url)
            let preview = try await place.garner("preview", "animals")
            #expect((preview.code, preview.output) == (77, ""))
            expectThreeParts(preview.errors, beginning: "Error: zoo.animals: ")
            #expect(preview.errors.contains("garner.yaml:7:"))
        }
    }
}
