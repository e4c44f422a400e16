import Foundation
import TestSupport
import Testing

/// Names of sources, streams and tables that change in the file.
@Suite(.serialized, .timeLimit(.minutes(4)))
struct RenameTests {
    static func file(_ url: String, _ sources: [(name: String, streams: [String])]) -> String {
        "version: 1\nsources:\n"
            + sources.map { source in
                "  \(source.name):\n    base_url: \(url)\n    streams:\n"
                    + source.streams.map { "      \($0)\n" }.joined()
            }.joined()
    }

    static func withSynced(
        _ sources: [(name: String, streams: [String])],
        _ body: @escaping @Sendable (Workplace, String) async throws -> Void
    ) async throws {
        try await LoopbackServer.serve({ _ in .json(#"[{"id":1},{"id":2}]"#) }) { server in
            let place = try Workplace(file(server.url, sources))
            #expect(try await place.garner("sync").code == 0)
            try await body(place, server.url)
        }
    }

    static let items = "items: { path: items, primary_key: id }"
    static let orders = "orders: { path: orders, primary_key: id }"

    @Test func `a renamed source goes on with its rows and runs after the line that check tells`() async throws {
        try await Self.withSynced([("shop", [Self.items, Self.orders])]) { place, url in
            try place.write(Self.file(url, [("crm", [Self.items, Self.orders])]), to: "garner.yaml")
            let check = try await place.garner("check")
            #expect(check.code == 78)
            #expect(
                check.errors.contains(
                    "crm.items has no table yet, and shop.items, which is gone from the file, has one like it"))
            let advice = try #require(check.errors.firstMatch(of: /Try: run '(garner rename [^']+)' to go on/)?.1)
            #expect(advice == "garner rename shop crm")
            #expect(
                check.errors.split(separator: "Try: run 'garner rename shop crm' to go on with its rows; if").count == 2
            )
            // Without the line, nothing is read into the tables of others.
            let early = try await place.garner("sync")
            #expect(early.code == 78)
            #expect(early.errors.contains("run 'garner rename shop crm' to go on with its rows"), "\(early)")
            let dry = try await place.shell("\(advice) --dry-run")
            #expect(dry.errors.contains("shop.items: would be crm.items now, with 2 rows of items and 1 run\n"))
            #expect(try place.texts("SELECT name FROM _garner_streams ORDER BY 1").contains("shop.items"))
            #expect(try await place.shell(String(advice)).code == 0)
            #expect(try place.texts("SELECT name FROM _garner_streams ORDER BY 1") == ["crm.items", "crm.orders"])
            #expect(try await place.garner("check").errors == "")
            #expect(
                try await place.garner("sync", "--json").output.contains(#""inserted":0,"updated":0,"unchanged":2"#))
            #expect(try place.integers("SELECT count(*) FROM _garner_runs") == [4])
        }
    }

    @Test func `a stream is renamed with the tables of its arrays`() async throws {
        try await LoopbackServer.serve({ _ in .json(#"[{"id":1,"lines":[{"n":1},{"n":2}]}]"#) }) { server in
            let settings = "{ path: items, primary_key: id, child_tables: true }"
            let place = try Workplace(Self.file(server.url, [("shop", ["items: \(settings)"])]))
            try await place.garner("sync")
            try place.write(Self.file(server.url, [("shop", ["things: \(settings)"])]), to: "garner.yaml")
            let rename = try await place.garner("rename", "shop.items", "shop.things")
            #expect(rename.code == 0)
            #expect(
                rename.errors.contains("the table 'items' has the name 'things' now, as the file says"), "\(rename)")
            // All is right, and nothing is to be warned of.
            for command in [["check"], ["sync", "--quiet"], ["sync", "--full-refresh", "--quiet"], ["status"]] {
                #expect(try await place.start(command).end().errors == "", "\(command)")
            }
            #expect(try place.integers("SELECT count(*) FROM things__lines") == [2])
            #expect(
                try place.texts("SELECT name FROM _garner_streams ORDER BY 1") == [
                    "shop.things", "shop.things$['lines']",
                ])
        }
    }

    @Test func `children that store fields of a renamed parent keep their rows and keys`() async throws {
        try await LoopbackServer.serve({ request in
            request.target.hasPrefix("/subs") ? .json(#"[{"n":1},{"n":2}]"#) : .json(#"[{"id":7},{"id":8}]"#)
        }) { server in
            func file(_ parent: String, _ key: String) -> String {
                Self.file(
                    server.url,
                    [
                        (
                            "shop",
                            [
                                "\(parent): { path: items, primary_key: id }",
                                "subs: { path: 'subs/{parent.id}', parent: \(parent), include_from_parent: [id], primary_key: [\(key), n], history: true }",
                            ]
                        )
                    ])
            }
            let place = try Workplace(file("items", "_items_id"))
            #expect(try await place.garner("sync").code == 0)
            try place.alter("CREATE VIEW of_items AS SELECT _items_id FROM subs")
            try place.write(file("things", "_things_id"), to: "garner.yaml")
            let renamed = try await place.garner("rename", "shop.items", "shop.things")
            #expect(renamed.code == 0, "\(renamed)")
            let sync = try await place.garner("sync", "--json")
            #expect(sync.code == 0, "\(sync)")
            #expect(sync.output.contains(#""stream":"shop.subs","run_id":4,"status":"succeeded""#), "\(sync.output)")
            #expect(
                try place.texts("SELECT _things_id || ' ' || n FROM subs ORDER BY 1") == ["7 1", "7 2", "8 1", "8 2"])
            #expect(try place.integers("SELECT * FROM of_items ORDER BY 1") == [7, 7, 8, 8])
            #expect(
                try place.integers("SELECT count(*) FROM _garner_history_subs WHERE _garner_valid_to IS NOT NULL") == [
                    0
                ])
            #expect(try place.integers("SELECT count(*) FROM _garner_quarantine") == [0])
        }
    }

    @Test func `a stream without a table is renamed, and its old name is free`() async throws {
        try await Self.withSynced([("shop", [Self.orders])]) { place, url in
            let broken = "{ path: items, headers: { X-A: \"${NOPE}\" } }"
            try place.write(Self.file(url, [("shop", ["items: \(broken)", Self.orders])]), to: "garner.yaml")
            #expect(try await place.garner("sync").code == 2)
            try place.write(Self.file(url, [("shop", ["ware: \(broken)", Self.orders])]), to: "garner.yaml")
            #expect(try await place.garner("rename", "shop.items", "shop.ware").code == 0)
            try place.write(Self.file(url, [("shop", ["items: \(broken)", Self.orders])]), to: "garner.yaml")
            let sync = try await place.garner("sync")
            #expect(sync.code == 2 && !sync.errors.contains("bug in Garner"), "\(sync)")
        }
    }

    @Test func `rename refuses what would lose rows, and names that the file still has`() async throws {
        try await Self.withSynced([("shop", [Self.items, Self.orders])]) { place, url in
            let configured = try await place.garner("rename", "shop.items", "shop.orders")
            #expect(configured.code == 64)
            #expect(configured.errors.contains("shop.items is still in the file\n  at: garner.yaml:6"))
            #expect(configured.errors.contains("Try: shop.orders is a stream of its own there; "))
            try place.write(Self.file(url, [("shop", [Self.orders])]), to: "garner.yaml")
            let taken = try await place.garner("rename", "shop.items", "shop.orders")
            #expect(taken.errors.contains("shop.orders has a table of its own: orders"))
            #expect(taken.errors.contains("run 'garner drop shop.orders' first"))
            #expect(
                try await place.garner("rename", "shop.nothing", "shop.more").errors.contains(
                    "knows no stream shop.nothing"))
            #expect(try await place.garner("rename", "toys", "shop").errors.contains("no stream of a source 'toys'"))
            #expect(try await place.garner("rename", "shop.items", "toys").code == 64)
            #expect(try place.integers("SELECT count(*) FROM items UNION ALL SELECT count(*) FROM orders") == [2, 2])
        }
    }

    /// The names as they are typed, and the line that is told.
    @Test(arguments: [
        ("shop.things shop.items", "garner rename shop.items shop.things"),
        ("things items", "garner rename shop.items shop.things"), ("toys shop", "garner rename shop toys"),
    ])
    func `names the other way round lead to the line that renames`(typed: String, line: String) async throws {
        try await Self.withSynced([("shop", [Self.items])]) { place, url in
            let name = typed.hasPrefix("toys") ? "toys" : "shop"
            let items = name == "shop" ? Self.items.replacing("items: {", with: "things: {") : Self.items
            let early = try await place.shell("garner rename \(typed)")
            #expect(early.code == 64)
            try place.write(Self.file(url, [(name, [items])]), to: "garner.yaml")
            let told = try await place.shell("garner rename \(typed)")
            #expect(told.code == 64 && told.errors.contains("Try: write the old name first: \(line)\n"), "\(told)")
            #expect(try await place.shell(line).code == 0)
            #expect(try await place.garner("check").errors == "")
        }
    }

    @Test func `a table stays where it is if another stream of that name comes, and the newer one is told a name`()
        async throws
    {
        try await Self.withSynced([("shop", [Self.items])]) { place, url in
            try place.write(Self.file(url, [("shop", [Self.items]), ("crm", [Self.items])]), to: "garner.yaml")
            for command in ["check", "sync", "sync"] {
                let ending = try await place.garner(command)
                #expect(ending.code == 2, "\(command)")
                #expect(
                    ending.errors.contains(
                        "the stream shop.items has the table 'items', whose name crm.items would have"))
                #expect(ending.errors.contains("Try: write 'table: crm_items' in crm.items\n"))
            }
            #expect(try place.integers("SELECT count(*) FROM items") == [2])
            #expect(
                try place.integers("SELECT count(*) FROM sqlite_schema WHERE name IN ('shop_items', 'crm_items')") == [
                    0
                ])
            let named = Self.items.replacing("}", with: ", table: crm_items }")
            try place.write(Self.file(url, [("shop", [Self.items]), ("crm", [named])]), to: "garner.yaml")
            #expect(try await place.garner("sync").code == 0)
            #expect(
                try place.integers("SELECT count(*) FROM items UNION ALL SELECT count(*) FROM crm_items") == [2, 2])
        }
    }

    @Test func `two streams of one name from the start have long names, and keep them if one goes`() async throws {
        try await Self.withSynced([("shop", [Self.items]), ("crm", [Self.items])]) { place, url in
            try place.write(Self.file(url, [("shop", [Self.items])]), to: "garner.yaml")
            #expect(try await place.garner("sync").code == 0)
            #expect(
                try place.texts("SELECT table_name FROM _garner_streams ORDER BY 1") == ["crm_items", "shop_items"])
            for command in ["check", "status"] {
                let told = try await place.garner(command)
                #expect(told.code == 0)
                #expect(
                    told.errors.contains("Warning: crm.items is not in the file any more; its table 'crm_items' stays"))
                let remedy = "Try: if its rows are to stay, or another file reads it, do nothing; "
                #expect(told.errors.contains("\(remedy)if they may go, run 'garner drop crm.items'\n"), "\(told)")
            }
        }
    }

    @Test func `a table gets its new name at the end of a good run, and the views that named it are told`() async throws
    {
        let isDown = Watched(false)
        try await LoopbackServer.serve({ _ in isDown.value ? .status(500) : .json(#"[{"id":1}]"#) }) { server in
            let place = try Workplace(api: server.url)
            try await place.garner("sync")
            try place.alter("CREATE VIEW v AS SELECT id FROM animals")
            try place.replace("primary_key: id", with: "primary_key: id, table: beasts")
            isDown.value = true
            #expect(try await place.garner("sync").code != 0)
            #expect(try place.integers("SELECT count(*) FROM animals") == [1])
            isDown.value = false
            let sync = try await place.garner("sync", "--quiet")
            #expect(
                sync.errors.contains(
                    "the table 'animals' has the name 'beasts' now, as the file says; so do the views that named it: v")
            )
            #expect(try place.integers("SELECT count(*) FROM v UNION ALL SELECT count(*) FROM beasts") == [1, 1])
        }
    }

    @Test func `a run that cannot begin is one failed run, as long as its reason stays`() async throws {
        try await Self.withSynced([("shop", [Self.items])]) { place, url in
            try place.write(Self.file(url, [("crm", [Self.items])]), to: "garner.yaml")
            for _ in 0..<3 { #expect(try await place.garner("sync").code == 78) }
            #expect(
                try place.texts("SELECT status || ' ' || times_not_begun FROM _garner_runs WHERE times_not_begun > 0")
                    == ["failed 3"])
            let runs = try await place.garner("runs", "--json")
            #expect(runs.output.contains(#""times_not_begun":3"#))
            #expect(try await place.garner("status", "--check").code == 3)
            // Neither a skipped run between two, nor a long time, makes them two.
            let change = """
                INSERT INTO _garner_runs (stream_id, read_id, status, started_at, ended_at)
                SELECT stream_id, read_id, 'skipped', started_at, ended_at FROM _garner_runs WHERE times_not_begun > 0;
                UPDATE _garner_runs SET started_at = '2020-01-01T00:00:00.000Z', due_at = '2020-01-02T00:00:00.000Z'
                WHERE times_not_begun > 0
                """
            try place.alter(change)
            #expect(try await place.garner("sync").code == 78)
            let late = try await place.garner("runs", "--json", "--since", "1 hour", "--status", "failed")
            #expect(late.output.contains(#""times_not_begun":4"#), "\(late)")
            #expect(late.output.contains(#""lateness_ms":null"#), "\(late)")
            try await place.garner("rename", "shop.items", "crm.items")
            #expect(try await place.garner("sync").code == 0)
            #expect(try await place.garner("status", "--check").code == 0)
        }
    }

    @Test func `names of streams without their source, and names that no file can have, are refused`() async throws {
        try await Self.withSynced([("shop", [Self.items])]) { place, url in
            try place.write(Self.file(url, [("shop", ["people: { path: items, primary_key: id }"])]), to: "garner.yaml")
            let told = try await place.garner("rename", "items", "people")
            #expect(told.errors.hasSuffix(": garner rename shop.items shop.people\n"), "\(told)")
            #expect(try await place.garner("rename", "shop.items", "people").code == 64)
            for name in ["shop.it ems", "shop.it.ems", "shop.", ".items", "crm.ítems"] {
                let rename = try await place.garner("rename", "shop.items", name)
                #expect(rename.code == 64 && rename.errors.contains("'\(name)' can be no name"), "\(rename)")
            }
            #expect(try await place.shell("garner rename shop.items shop.people").code == 0)
        }
    }

    @Test func `a stream that is gone from the file is marked until it is dropped or renamed`() async throws {
        try await Self.withSynced([("shop", [Self.items, "wares: { path: items, primary_key: id }"])]) { place, url in
            try place.write(Self.file(url, [("shop", [Self.items])]), to: "garner.yaml")
            let all = try await place.garner("status", "--all", "--json")
            #expect(all.output.contains(#""stream":"shop.wares","state":"unconfigured""#), "\(all)")
            #expect(all.output.contains("garner drop shop.wares"), "\(all)")
            #expect(try await place.garner("status", "--all", "--check").code == 0)
            #expect(try await !place.garner("status", "--json").output.contains("shop.wares"))
            #expect(try await place.garner("tables").output.contains("shop.wares (not in the file)"))
            let tables = try await place.garner("tables", "--json").output
            #expect(tables.contains(#""configured":true"#) && tables.contains(#""configured":false"#), "\(tables)")
            for page in ["/", "/tables"] {
                #expect(try await place.garner("browse", "--get", page).output.contains("not in the file"), "\(page)")
            }
            // Without a file, nothing is known.
            let bare = try await place.garner("tables", "--json", "-d", "garner.db", "-c", "none.yaml")
            #expect(bare.output.contains(#""configured":null"#), "\(bare)")
            try await place.garner("drop", "shop.wares", "--yes")
            #expect(try await !place.garner("status", "--all", "--json").output.contains("shop.wares"))
            #expect(try await place.garner("status", "--all", "shop.items").code == 64)
        }
    }

    @Test func `streams that wait for a service that is gone are told of`() async throws {
        try await Self.withSynced([("shop", ["items: { path: items, primary_key: id, schedule: { every: 30d } }"])]) {
            place, _ in
            #expect(try await place.garner("status", "--check").code == 0)
            let due = """
                INSERT OR REPLACE INTO _garner_schedules (stream_id, settled_at, ended_at, next_due_at) SELECT stream_id,
                strftime('%Y-%m-%dT%H:%M:%fZ'), strftime('%Y-%m-%dT%H:%M:%fZ'), '2020-01-01T00:00:00.000Z' FROM _garner_streams
                """
            try place.alter(due)
            let status = try await place.garner("status", "--check")
            #expect(status.code == 3)
            #expect(
                status.errors.contains("no service is running, and 1 stream is due\nTry: garner serve\n"), "\(status)")
            try place.alter("UPDATE _garner_schedules SET paused_at = ended_at")
            #expect(try await place.garner("status", "--check").errors == "")
        }
    }
}
