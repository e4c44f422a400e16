import Foundation
import TestSupport
import Testing

/// The commands for earlier states, `changes`, `get --history` and `--as-of`, and `search`.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct HistoryCommandTests {
    /// Two runs, between which one animal changes, one goes and one comes.
    private static func withData(
        _ settings: String = "history: true, search: [name]", adding added: String = "",
        _ body: @escaping @Sendable (Workplace, _ between: String) async throws -> Void
    ) async throws {
        let first = #"[{"id":1,"name":"Kea","wings":true},{"id":2,"name":"Grey Wolf","wings":false}]"#
        let second = #"[{"id":1,"name":"Kākā","wings":true},{"id":3,"name":"Moa","wings":false}\#(added)]"#
        let script = ScriptedServer()
        try await LoopbackServer.serve({ script.answer($0) }) { server in
            let place = try Workplace(
                """
                version: 1
                sources:
                  zoo:
                    base_url: http://zoo.example/
                    streams:
                      animals: { path: animals, delete_missing: hard, max_delete_ratio: 0.5,
                        paginator: { type: single_page }, \(settings) }
                      plants: { path: plants }
                """)
            for page in [first, second] {
                script.expect([
                    .get("zoo.example/animals", gives: .json(page)),
                    .get("zoo.example/plants", gives: .json(#"[{"id":1}]"#)),
                ])
                let sync = try await place.garner("sync", environment: ["http_proxy": server.url])
                #expect(sync.code == 0, "\(sync.errors)")
            }
            // The first sync has a run of each stream, at the same time.
            let between = try place.texts("SELECT max(ended_at) FROM _garner_runs WHERE run_id <= 2")
            try await body(place, try #require(between.first))
        }
    }

    @Test func `changes are a line of JSON each`() async throws {
        try await Self.withData { place, _ in
            let all = try await place.garner("changes", "--json")
            #expect(all.code == 0)
            let lines = all.output.replacing(/"at":"[^"]*"/, with: "\"at\":0").split(separator: "\n")
            let run = try place.integers("SELECT run_id FROM _garner_changes LIMIT 1").first ?? 0
            let head = { (key: Int, op: String) in
                #"{"stream":"zoo.animals","key":\#(key),"op":"\#(op)","run_id":\#(run),"at":0,"fields":"#
            }
            #expect(
                lines.map(String.init) == [
                    head(1, "update") + #"{"name":["Kea","Kākā"]}}"#,
                    head(2, "delete") + #"{"id":[2,null],"name":["Grey Wolf",null],"wings":[0,null]}}"#,
                    head(3, "insert") + #"{"id":[null,3],"name":[null,"Moa"],"wings":[null,0]}}"#,
                ])
            #expect(try await place.garner("changes", "animals", "--since", "\(run)", "--json").output == all.output)
            #expect(try await place.garner("changes", "--since", "24h", "-f", "ndjson").output == all.output)
            #expect(try await place.garner("changes", "plants", "--json").output == "")
            #expect(try await place.garner("changes", "--limit", "1", "--json").output.contains(#""op":"insert""#))
        }
    }

    @Test func `changes for people, and as CSV`() async throws {
        try await Self.withData { place, _ in
            let table = try await place.garner("changes").output
            #expect(table.contains("op      key  field  change\n"))
            #expect(
                table.contains("update    1  name   Kea → Kākā\n") || table.contains("update  1    name   Kea → Kākā\n")
            )
            #expect(table.split(separator: "\n").count == 4)
            let csv = try await place.garner("changes", "-f", "csv").output
            #expect(csv.hasPrefix("stream,key,op,run_id,at,field,old,new\nzoo.animals,1,update,"))
            #expect(csv.split(separator: "\n").count == 8)
        }
    }

    @Test func `changes tell that there are earlier ones unless a limit was asked for`() async throws {
        let many = (10...110).map { #",{"id":\#($0)}"# }.joined()
        try await Self.withData("search: [name]", adding: many) { place, _ in
            let short = try await place.garner("changes", "--json")
            #expect(short.code == 0)
            #expect(short.output.split(separator: "\n").count == 100)
            #expect(short.errors.contains("--limit 0 shows all"))
            for options in [["--quiet"], ["--limit", "0"], ["--limit", "10"], ["plants"]] {
                let shown = try await place.start(["changes", "--json"] + options).end()
                #expect(shown.errors == "", "\(options)")
            }
        }
    }

    @Test func `get shows all versions of a record`() async throws {
        try await Self.withData { place, _ in
            let versions = try await place.garner("get", "animals", "1", "--history", "--json").output
            let shape = ["_garner_valid_from", "_garner_valid_to", "_garner_run", "id", "name", "wings"]
            #expect(members(of: versions) == shape + shape)
            #expect(versions.contains(#""name":"Kea""#) && versions.contains(#""_garner_valid_to":null"#))
            let gone = try await place.garner("get", "animals", "2", "--history")
            #expect(gone.code == 0)
            #expect(gone.output.contains("Grey Wolf"))
            #expect(try await place.garner("get", "animals", "9", "--history").code == 64)
            let plants = try await place.garner("get", "plants", "1", "--history")
            #expect(plants.code == 64)
            #expect(plants.errors.contains("'history: true' for the stream zoo.plants"))
        }
    }

    @Test func `query and rows show what was`() async throws {
        try await Self.withData { place, between in
            let sql = "SELECT name, wings FROM animals ORDER BY id"
            let then = try await place.garner("query", sql, "--as-of", between, "--json")
            #expect(then.errors == "")
            #expect(
                then.output == "[\n{\"name\":\"Kea\",\"wings\":true},\n{\"name\":\"Grey Wolf\",\"wings\":false}\n]\n")
            let now = try await place.garner("query", sql, "--json")
            #expect(now.output == "[\n{\"name\":\"Kākā\",\"wings\":true},\n{\"name\":\"Moa\",\"wings\":false}\n]\n")
            let rows = try await place.garner(
                "rows", "animals", "--as-of", between, "--columns", "name", "--where", "id > 1", "-f", "csv")
            #expect(rows.output == "name\nGrey Wolf\n")
            let early = try await place.garner("query", sql, "--as-of", "2000-01-01")
            #expect(early.code == 64)
            #expect(early.errors.contains("Try: their versions were kept from 20"))
            let plants = try await place.garner("query", "SELECT * FROM plants", "--as-of", between)
            #expect(plants.code == 64)
            #expect(plants.errors.contains("no versions of the rows of plants are kept"))
            #expect(try await place.garner("query", sql, "--as-of", "yesterday").code == 64)
            #expect(try await place.garner("rows", "animals", "--as-of", "1h", "--changed-since", "1h").code == 64)
        }
    }

    @Test func `search finds words, and FTS5's syntax with --raw`() async throws {
        try await Self.withData { place, _ in
            let found = try await place.garner("search", "animals", "kaka", "--json")
            #expect(found.output == "[\n{\"id\":1,\"name\":\"Kākā\",\"wings\":true}\n]\n")
            #expect(try await place.garner("search", "animals", "wolf", "--json").output == "[]\n")
            #expect(
                try await place.garner("search", "animals", "moa OR kaka", "--raw", "-f", "csv").output.contains("Moa"))
            #expect(try await place.garner("search", "animals", "\" OR (", "--json").output == "[]\n")
            let wrong = try await place.garner("search", "animals", "moa OR", "--raw")
            #expect(wrong.code == 64)
            #expect(wrong.errors.contains("Try: leave --raw out"))
            let plants = try await place.garner("search", "plants", "rose")
            #expect(plants.code == 64)
            #expect(plants.errors.contains("'search: [FIELD, …]' for the stream zoo.plants"))
        }
    }
}
