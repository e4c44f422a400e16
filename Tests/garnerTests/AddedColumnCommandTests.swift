import GarnerSQLite
import TestSupport
import Testing

/// `fields.add` as a person sees it.
@Suite(.timeLimit(.minutes(2)))
struct AddedColumnCommandTests {
    private static let settings =
        "primary_key: id, paginator: { type: single_page }, "
        + #"fields: { add: { fetched_at: "{now, epoch_ms}", origin: zoo } }"#

    private static func serve(
        _ body: @escaping @Sendable (Workplace, Watched<String>) async throws -> Void
    ) async throws {
        let page = Watched(#"[{"id":1,"name":"Otter"},{"id":2,"name":"Kea"}]"#)
        try await LoopbackServer.serve({ _ in .json(page.value) }) { server in
            try await body(try Workplace(api: server.url, settings), page)
        }
    }

    @Test func `a second sync writes nothing, and a third one gives a changed row the new time`() async throws {
        try await Self.serve { place, page in
            try await place.garner("sync")
            let times = try place.integers("SELECT fetched_at FROM animals ORDER BY id")
            try #require(times.count == 2)
            #expect(times[0] == times[1] && times[0] > 1_700_000_000_000)
            let again = try await place.garner("sync", "--json").output
            #expect(again.contains(#""inserted":0,"updated":0,"unchanged":2"#), "\(again)")
            try #expect(place.integers("SELECT fetched_at FROM animals ORDER BY id") == times)

            page.value = #"[{"id":1,"name":"Otter"},{"id":2,"name":"Kaka"}]"#
            let changed = try await place.garner("sync", "--json").output
            #expect(changed.contains(#""inserted":0,"updated":1,"unchanged":1"#), "\(changed)")
            let last = try place.integers("SELECT fetched_at FROM animals ORDER BY id")
            #expect(last[0] == times[0] && last[1] > times[1])

            let export = try await place.garner("export", "animals", "--format", "csv").output
            #expect(export == "id,name,fetched_at,origin\n1,Otter,\(last[0]),zoo\n2,Kaka,\(last[1]),zoo\n")
        }
    }

    @Test func `a preview shows the columns that are added`() async throws {
        try await Self.serve { place, _ in
            let json = try await place.garner("preview", "animals", "--json").output
            #expect(json.contains(#"{"name":"fetched_at","type":"INTEGER","path":null}"#), "\(json)")
            #expect(json.contains(#"{"name":"origin","type":"TEXT","path":null}"#), "\(json)")
            let rows = try await place.garner("preview", "animals", "--format", "csv").output
            #expect(rows.hasPrefix("id,name,fetched_at,origin\n1,Otter,1"), "\(rows)")
            #expect(rows.hasSuffix(",zoo\n"))
        }
    }

    @Test func `the schema shows the columns that are added, and those of others`() async throws {
        try await Self.serve { place, _ in
            try await place.garner("sync")
            try Connection(path: place.database, mode: .readWrite).execute(
                "ALTER TABLE animals ADD COLUMN mine VARCHAR(9)")
            let json = try await place.garner("schema", "animals", "--json").output
            let added = [("fetched_at", "INTEGER"), ("origin", "TEXT"), ("mine", "VARCHAR(9)")].map {
                #"{"name":"\#($0)","type":"\#($1)","path":null,"first_seen_run":null}"#
            }
            #expect(json.hasSuffix("\(added.joined(separator: ","))]}\n"), "\(json)")
            let csv = try await place.garner("schema", "--format", "csv").output
            #expect(csv.contains("animals,fetched_at,INTEGER,,,\n"), "\(csv)")
        }
    }

    @Test func `values of the parent and the record make two columns, which SQL joins`() async throws {
        try await LoopbackServer.serve({ request in
            .json(request.target.hasSuffix("/animals") ? #"[{"id":7}]"# : #"[{"id":1},{"id":2}]"#)
        }) { server in
            func configuration(_ columns: String, key: String) -> String {
                """
                version: 1
                sources:
                  zoo:
                    base_url: \(server.url)
                    streams:
                      zoos: { path: zoos, primary_key: id }
                      animals:
                        parent: zoos
                        path: "zoos/{parent.id}/animals"
                        primary_key: \(key)
                        fields: { add: { \(columns) } }
                """
            }
            let place = try Workplace(configuration("a: \"{parent.id}-{record.id}\"", key: "a"))
            let told = try await place.garner("check")
            let words = /make two columns of it; SQL joins them, as in (a \|\| '-' \|\| b)/
            let join = try #require(told.errors.firstMatch(of: words), "\(told)").1
            try place.write(configuration("a: \"{parent.id}\", b: \"{record.id}\"", key: "[a, b]"), to: "garner.yaml")
            let sync = try await place.garner("sync")
            #expect(sync.code == 0, "\(sync)")
            #expect(try place.texts("SELECT \(join) FROM animals ORDER BY 1") == ["1-7", "2-7"])
        }
    }
}
