import Foundation
import GarnerPostgres
import PostgresCluster
import TestSupport
import Testing

/// A database whose sources are in several shards.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct ShardSpreadTests {
    private typealias Server = ShardCommandTests.Server

    /// A configuration of three sources.
    static func text(_ hosts: [String], database: String? = nil) -> String {
        """
        version: 1
        \(database.map { "database: \"\($0)\"" } ?? "")
        sources:
          zoo:
            base_url: \(hosts[0])
            streams:
              animals: { path: /animals, primary_key: id, history: true, search: [name] }
          park:
            base_url: \(hosts[1])
            streams:
              keepers: { path: /keepers, primary_key: id, child_tables: true }
              visits: { path: /visits, dedupe: true }
          farm:
            base_url: \(hosts[2])
            streams:
              cows: { path: /cows, primary_key: id, delete_missing: hard }

        """
    }

    static let foreign = ["https://zoo.example/", "https://park.example/", "https://farm.example/"]

    static func reply(_ request: LoopbackRequest, _ round: Int) -> LoopbackReply {
        switch request.target {
        case "/animals":
            .json(#"[{"id":1,"name":"Kea \#(round)"},{"id":2,"name":"Ōtāne","size":{"cm":12345678901234567890}}]"#)
        case "/keepers":
            .json(
                #"[{"id":"a","tags":[{"tag":"x"},{"tag":"y\#(round)"}]},{"id":"b","tags":[]},{"name":"no id \#(round)"}]"#
            )
        case "/visits": .json(#"[{"day":1},{"day":2,"round":\#(round)},{"day":3}]"#)
        default: .json(round == 1 ? #"[{"id":1},{"id":2}]"# : #"[{"id":2},{"id":3}]"#)
        }
    }

    /// What there is to be known of all streams.
    static func readings(_ place: Workplace, _ options: [String] = []) async throws -> [String] {
        let queries = [
            "SELECT * FROM _garner_runs ORDER BY run_id", "SELECT * FROM _garner_streams ORDER BY stream_id",
            "SELECT * FROM _garner_changes ORDER BY 1, 2, 3", "SELECT * FROM _garner_quarantine ORDER BY 1",
            "SELECT * FROM _garner_columns ORDER BY 1, 2", "SELECT * FROM _garner_histories ORDER BY 1",
            "SELECT *, rowid FROM _garner_history_animals ORDER BY rowid", "SELECT *, rowid FROM visits ORDER BY rowid",
            "SELECT stream_id, position, read_id, validator, scope, record_count, fingerprint, has_members, keys_digest FROM _garner_pages ORDER BY 1, 2",
            "SELECT stream_id, position, record_key FROM _garner_members JOIN _garner_pages USING (page_id) ORDER BY 1, 2, 3",
            "SELECT run_id, url, status, bytes FROM _garner_requests ORDER BY 1, sent_at",
            "SELECT * FROM keepers__tags",
            "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY 1, 2", "SELECT * FROM notes, busy ORDER BY 1",
        ]
        let commands =
            ["animals", "keepers", "visits", "cows"].map { ["export", $0, "--format", "csv"] }
            + queries.map { ["query", $0, "--json"] }
            + [["search", "animals", "kea"], ["quarantine", "list"], ["state", "show", "--json"]]
        var texts: [String] = []
        for command in commands {
            let told = try await place.start(command + options).end()
            #expect(told.code == 0, "\(command): \(told)")
            texts.append("\(command) \(told.code) \(told.output)")
        }
        return texts
    }

    /// A file that has been synchronised twice, with a table and a view of a person's own.
    static func file(_ api: String, round: Watched<Int>) async throws -> Workplace {
        let place = try Workplace(text([api, api, api]))
        for number in 1...2 {
            round.value = number
            let sync = try await place.garner("sync")
            #expect(sync.code == 65 || sync.code == 0, "\(sync)")
        }
        let made = try await place.shell(
            "sqlite3 garner.db \"CREATE TABLE notes (note TEXT); INSERT INTO notes VALUES ('mine');"
                + " CREATE VIEW busy AS SELECT count(*) AS n FROM notes;\"")
        #expect(made.code == 0, "\(made)")
        return place
    }

    @Test func `a file is spread over shards, sources are moved, and all of it comes back`() async throws {
        let server = try await Server()
        let round = Watched(1)
        try await LoopbackServer.serve({ request in Self.reply(request, round.value) }) { api in
            let file = try await Self.file(api.url, round: round)
            let expected = try await Self.readings(file)
            try file.write(Self.text(Self.foreign), to: "garner.yaml")
            let migrated = try await file.garner("migrate", "--to", server.url, "--json")
            #expect(migrated.code == 0 && migrated.output.contains(#""shards":["1","2","3"]"#), "\(migrated)")
            #expect(
                try await server.texts("SELECT source FROM _garner.sources ORDER BY shard") == ["zoo", "park", "farm"])
            #expect(try await server.texts("SELECT shard::text FROM _garner.shards WHERE pages > 0").count == 3)
            let again = try await file.garner("migrate", "--to", server.url)
            #expect(again.code == 73, "\(again)")

            let place = try Workplace(Self.text(Self.foreign, database: server.url))
            let back = try await place.garner("migrate", "--to", "back.db")
            #expect(back.code == 0, "\(back)")
            let found = try await Self.readings(place, ["-d", "back.db"])
            for (found, expected) in zip(found, expected) { #expect(found == expected) }

            // To one that has sources, to an empty one, and back.
            for (sources, shard) in [
                (["park"], "1"), (["farm", "zoo"], "7"), (["park"], "2"), (["zoo"], "1"), (["zoo"], "2"),
            ] {
                let moved = try await place.start(["workers", "move"] + sources + [shard]).end()
                #expect(moved.code == 0 && moved.errors.contains("in shard \(shard) now"), "\(moved)")
                let places = try await server.texts(
                    "SELECT DISTINCT shard::text FROM _garner.sources WHERE source IN ('\(sources.joined(separator: "','"))')"
                )
                #expect(places == [shard])
            }
            let joined = try await place.garner("migrate", "--to", "joined.db")
            #expect(joined.code == 0, "\(joined)")
            let moved = try await Self.readings(place, ["-d", "joined.db"])
            for (found, expected) in zip(moved, expected) { #expect(found == expected) }
            let doctor = try await place.garner("doctor", "--full", "-d", "joined.db")
            #expect(doctor.code == 0, "\(doctor)")
        }
    }

    @Test func `a move to a place that is not there changes nothing`() async throws {
        let server = try await Server()
        let round = Watched(1)
        try await LoopbackServer.serve({ request in Self.reply(request, round.value) }) { api in
            let file = try await Self.file(api.url, round: round)
            try file.write(Self.text(Self.foreign), to: "garner.yaml")
            for count in ["0", "11"] {
                let told = try await file.garner("migrate", "--to", server.url + "&shards=\(count)")
                #expect(told.code == 64 && told.errors.contains("from 1 to 10"), "\(told)")
            }
            #expect(try await file.garner("migrate", "--to", server.url + "&shards=3").code == 0)
            let place = try Workplace(Self.text(Self.foreign, database: server.url))
            for (words, code, answer) in [
                (["zoo", "4"], 64, "write shards=4 into the URL"), (["cats", "4"], 64, "these: farm, park, zoo"),
                (["zoo", "11"], 64, "never more than 10"), (["zoo"], 64, "behind them"),
                (["zoo", "0"], 64, "behind them"), (["zoo", "1"], 0, "in shard 1 already"),
            ] as [([String], Int32, String)] {
                let told = try await place.start(["workers", "move"] + words).end()
                #expect(told.code == code && told.errors.contains(answer), "\(words): \(told)")
            }
            let held = try await server.connection.execute(
                "UPDATE _garner.shards SET token = gen_random_uuid(), until = clock_timestamp() + interval '1 hour' WHERE shard = 2"
            )
            #expect(held.count == 1)
            let told = try await place.garner("workers", "move", "zoo", "2", environment: ["GARNER_LEASE": "3s"])
            #expect(told.code == 75, "\(told)")
            #expect(
                try await server.texts("SELECT shard::text FROM _garner.sources ORDER BY source") == ["3", "2", "1"])
        }
    }

    @Test func `a sync that has waited for a shard stores nothing there of what was moved meanwhile`() async throws {
        let server = try await Server()
        let round = Watched(1)
        try await LoopbackServer.serve({ request in Self.reply(request, round.value) }) { api in
            try await Self.migrate(from: api.url, to: server, round)
            let place = try Workplace(Self.text([api.url, api.url, api.url], database: server.url))
            try await server.connection.execute(
                "UPDATE _garner.shards SET token = gen_random_uuid(), until = clock_timestamp() + interval '1 hour' WHERE shard = 3"
            )
            let sync = try place.start(["sync", "cows", "--wait", "60s"])
            try await eventually { sync.errorsSoFar.contains("Waiting") }
            try await server.connection.execute("UPDATE _garner.sources SET shard = 1 WHERE source = 'farm'")
            try await server.connection.execute(
                "UPDATE _garner.shards SET token = NULL, worker = NULL, until = NULL WHERE shard = 3")
            let told = try await sync.end()
            #expect(told.code == 75 && told.errors.contains("farm was moved meanwhile"), "\(told)")
        }
    }

    @Test func `a table that another shard has is refused, before its stream gets a place`() async throws {
        let server = try await Server()
        let round = Watched(1)
        try await LoopbackServer.serve({ request in Self.reply(request, round.value) }) { api in
            let file = try await Self.file(api.url, round: round)
            try file.write(Self.text(Self.foreign), to: "garner.yaml")
            let made = try await file.shell(
                "sqlite3 garner.db 'CREATE VIEW apart AS SELECT count(*) AS n FROM animals, cows'")
            #expect(made.code == 0, "\(made)")
            let migrated = try await file.garner("migrate", "--to", server.url)
            #expect(migrated.code == 0 && migrated.errors.contains("the view 'apart' is left out"), "\(migrated)")
            let place = try Workplace(
                Self.text([api.url, api.url, api.url], database: server.url).replacing("  zoo:", with: "  cats:"))
            for command in ["check", "sync"] {
                let told = try await place.garner(command)
                #expect(
                    told.code == 78 && told.errors.contains("garner rename zoo.animals cats.animals"),
                    "\(command): \(told)")
            }
            let places = "SELECT source FROM _garner.sources ORDER BY shard, source"
            #expect(try await server.texts(places) == ["zoo", "park", "farm"])
            let renamed = try await place.garner("rename", "zoo.animals", "cats.animals")
            #expect(renamed.code == 0, "\(renamed)")
            #expect(try await server.texts(places) == ["cats", "zoo", "park", "farm"])
            let check = try await place.garner("check")
            #expect(check.code == 0, "\(check)")
            // A person has made this one.
            try place.replace("path: /visits,", with: "path: /visits, table: notes,")
            let other = try await place.garner("check")
            #expect(other.code == 78 && other.errors.contains("nobody that Garner knows"), "\(other)")
        }
    }

    @Test func `copies of all shards between which a source was moved are told to be incomplete`() async throws {
        let server = try await Server()
        let round = Watched(1)
        try await LoopbackServer.serve({ request in Self.reply(request, round.value) }) { api in
            try await Self.migrate(from: api.url, to: server, round)
            let place = try Workplace(Self.text(Self.foreign, database: server.url))
            try await server.connection.executeScript("BEGIN; LOCK TABLE _garner.pages IN ACCESS EXCLUSIVE MODE")
            let back = try place.start(["migrate", "--to", "back.db"])
            let waiting = "SELECT 'one' FROM pg_locks WHERE NOT granted AND relation = '_garner.pages'::regclass"
            let end = ContinuousClock.now + .seconds(60)
            while try await server.texts(waiting).isEmpty {
                try #require(ContinuousClock.now < end)
                try await Task.sleep(for: .milliseconds(50))
            }
            try await server.connection.execute("UPDATE _garner.sources SET shard = 1 WHERE source = 'farm'")
            try await server.connection.executeScript("COMMIT")
            let told = try await back.end()
            #expect(told.code == 75 && told.errors.contains("was moved meanwhile"), "\(told)")
            #expect(!place.names.contains("back.db"))
        }
    }

    /// Stores a file with three sources, each of which gets a shard of its own.
    private static func migrate(from api: String, to server: Server, _ round: Watched<Int>) async throws {
        let file = try await file(api, round: round)
        try file.write(text(foreign), to: "garner.yaml")
        let migrated = try await file.garner("migrate", "--to", server.url)
        #expect(migrated.code == 0, "\(migrated)")
    }

    /// The addresses of one server as three hosts.
    private static func hosts(_ port: Int) -> [String] { (1...3).map { "http://127.0.0.\($0):\(port)/" } }

    @Test func `a sync takes what is free and asks who has the rest, and commands are let in by a service`()
        async throws
    {
        let server = try await Server()
        let round = Watched(1)
        try await LoopbackServer.serve(host: "0.0.0.0", { request in Self.reply(request, round.value) }) { api in
            let port = try #require(api.url.split(separator: ":").last.flatMap { Int($0.prefix { $0.isNumber }) })
            let hosts = Self.hosts(port)
            let place = try Workplace(Self.text(hosts, database: server.url))
            let environment = ["GARNER_LEASE": "5s"]
            let first = try await place.garner("sync", "--json", environment: environment)
            #expect(first.code == 0 && first.output.split(separator: "\n").count == 4, "\(first)")
            #expect(
                try await server.texts("SELECT source FROM _garner.sources ORDER BY shard") == ["zoo", "park", "farm"])
            #expect(try await server.texts("SELECT shard::text FROM _garner.shards WHERE pages > 0").count == 3)

            // A service that knows one source has one shard. The others are free.
            let scheduled = Self.text(hosts, database: server.url)
                .replacing("search: [name]", with: "search: [name], schedule: { cron: '0 0 1 1 *' }")
            let park = try #require(scheduled.firstRange(of: "  park:")).lowerBound
            let one = try Workplace(String(scheduled[..<park]))
            let serve = try one.start(["serve"], environment: environment)
            try await eventually { serve.errorsSoFar.contains("Taking over") }
            let second = try await place.garner("sync", "--json", environment: environment)
            #expect(second.code == 0 && second.output.split(separator: "\n").count == 4, "\(second)")
            let workers = try await place.garner("workers", environment: environment)
            #expect(workers.output.contains("shards") && workers.output.contains("zoo"), "\(workers)")
            #expect(workers.errors.contains("Nobody writes shard 2 (park)."), "\(workers)")
            let status = try await place.garner("status", environment: environment)
            #expect(status.errors.contains("The shard 1 (zoo) is written by"), "\(status)")
            #expect(status.errors.contains("The shard 3 (farm) is written by nobody."), "\(status)")
            let reset = try await place.garner("state", "reset", "animals", environment: environment)
            #expect(reset.code == 0 && serve.errorsSoFar.contains("another process asks for it"), "\(reset)")
            serve.send(SIGTERM)
            #expect(try await serve.end().code == 0)

            // One that knows all has all, and gives each back that a command needs.
            let all = try Workplace(scheduled).start(["serve"], environment: environment)
            try await eventually { all.errorsSoFar.split(separator: "Scheduler started").count == 4 }
            for command in [
                ["prune"], ["workers", "move", "park", "1"], ["workers", "move", "zoo", "3"], ["pause", "cows"],
            ] {
                let told = try await place.start(command, environment: environment).end()
                #expect(told.code == 0, "\(command): \(told)")
            }
            let third = try await place.garner("sync", "--json", "--wait", "30s", environment: environment)
            #expect(third.code == 0 && third.output.split(separator: "\n").count == 4, "\(third)")
            all.send(SIGTERM)
            #expect(try await all.end().code == 0)
            let back = try await place.garner("migrate", "--to", "back.db")
            #expect(back.code == 0, "\(back)")
            let rows = try await place.garner(
                "query", "SELECT count(*) FROM _garner_runs WHERE status = 'succeeded'", "-d", "back.db", "--format",
                "csv")
            #expect(rows.output.hasSuffix("\n12\n"), "\(rows)")
            let doctor = try await place.garner("doctor", "--full", "-d", "back.db")
            #expect(doctor.code == 0, "\(doctor)")
        }
    }

    @Test func `check names sources that belong together, with a line that brings them together`() async throws {
        let server = try await Server()
        let round = Watched(1)
        try await LoopbackServer.serve({ request in Self.reply(request, round.value) }) { api in
            let file = try await Self.file(api.url, round: round)
            try file.write(Self.text(Self.foreign), to: "garner.yaml")
            #expect(try await file.garner("migrate", "--to", server.url + "&shards=3").code == 0)
            let place = try Workplace(
                Self.text([Self.foreign[0], Self.foreign[0], Self.foreign[2]], database: server.url + "&shards=2"))
            let check = try await place.garner("check")
            #expect(check.code == 0 && check.errors.contains("zoo.example are apart"), "\(check)")
            #expect(check.errors.contains("asks for 2 shards, and the database has 3"), "\(check)")
            let line = try #require(check.errors.firstMatch(of: /garner (workers move .*)/)).1
            #expect(try await place.start(line.split(separator: " ").map(String.init)).end().code == 0)
            let again = try await place.garner("check")
            #expect(!again.errors.contains("are apart"), "\(again)")
        }
    }
}
