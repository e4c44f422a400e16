import Foundation
import GarnerMaintenance
import GarnerPostgres
import GarnerReports
import GarnerShards
import PostgresCluster
import TestSupport
import Testing

@testable import garner

/// `garner` with a database in PostgreSQL, on a server of the tests' own.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct ShardCommandTests {
    /// A database of a test's own.
    struct Server {
        let name = "s" + PostgresUUID.random().description.filter { $0 != "-" }
        let cluster: PostgresCluster
        let connection: PostgresConnection

        init() async throws {
            cluster = try await PostgresCluster.shared()
            let first = try await PostgresConnection.open(PostgresURL(cluster.socketURL()))
            try await first.execute("CREATE DATABASE \(name) TEMPLATE template0")
            await first.close()
            connection = try await PostgresConnection.open(PostgresURL(cluster.socketURL(database: name)))
        }

        /// It holds no password.
        var url: String { cluster.socketURL(database: name) }

        func texts(_ sql: String) async throws -> [String] {
            try await connection.execute(sql).rows.compactMap { $0.first?.text }
        }

        func isHeld() async throws -> Bool {
            try await connection.execute(
                "SELECT count(*) FROM _garner.shards WHERE token IS NOT NULL AND until > clock_timestamp()"
            ).value == .integer(1)
        }
    }

    private static let list =
        #"[{"id":1,"name":"Kea","born":"2020-02-29","tags":["bird",null],"size":{"cm":48.5}},"#
        + #"{"id":2,"name":"Ōtāne \u0000","born":null,"tags":[],"size":{"cm":12345678901234567890}},"#
        + #"{"id":3,"name":"Quokka, \"happy\"","born":"x","tags":"none","size":{}}]"#

    /// A workplace whose database is in PostgreSQL.
    static func place(_ api: String, _ url: String, _ settings: String = "primary_key: id") throws -> Workplace {
        let place = try Workplace(api: api, settings)
        try place.replace("version: 1", with: "version: 1\ndatabase: \"\(url)\"")
        return place
    }

    /// What the commands print that read.
    private static func readings(_ place: Workplace) async throws -> [String] {
        let commands = [
            ["export", "animals", "--format", "csv"], ["rows", "animals", "--json"], ["get", "animals", "2"],
            ["query", "SELECT name, born, size__cm FROM animals ORDER BY id DESC", "--format", "ndjson"],
            ["query", "SELECT count(*), sum(id) FROM animals"], ["schema", "animals"],
            ["query", "SELECT name, sql FROM sqlite_schema ORDER BY 1", "--json"], ["state", "show"], ["quarantine"],
            ["rows", "animals", "--as-of", "1", "--json"],
            ["query", "SELECT run_id, status, inserted, pages FROM _garner_runs", "--json"],
            ["browse", "--get", "/tables/animals.json"],
        ]
        var texts: [String] = []
        for command in commands {
            let told = try await place.start(command).end()
            #expect(told.code == 0, "\(command): \(told)")
            texts.append("\(command) \(told.code) \(told.output) \(told.errors)")
        }
        return texts
    }

    @Test func `what a sync stores in PostgreSQL is what it stores in a file`() async throws {
        let server = try await Server()
        try await LoopbackServer.serve({ _ in .json(Self.list) }) { api in
            let settings = "primary_key: id, history: true"
            let places = [try Self.place(api.url, server.url, settings), try Workplace(api: api.url, settings)]
            let missing = try await places[0].garner("status")
            #expect(missing.code == 66 && missing.errors.contains("yet"), "\(missing)")

            for place in places {
                let sync = try await place.garner("sync")
                #expect(sync.code == 0, "\(sync)")
            }
            let expected = try await Self.readings(places[1])
            let found = try await Self.readings(places[0])
            for (expected, found) in zip(expected, found) { #expect(expected == found) }

            let again = try await places[0].garner("sync", "--json")
            #expect(again.code == 0 && again.output.contains(#""unchanged":3"#), "\(again)")
            let dry = try await places[0].garner("sync", "--dry-run")
            #expect(dry.code == 0, "\(dry)")
            let status = try await places[0].garner("status", "--json")
            #expect(status.code == 0 && status.output.contains(#""rows":3"#), "\(status)")
            expectSound(try await places[0].garner("doctor", "--full"))
            // Nothing of it is left on this machine.
            let copies = places[0].folder.path(".local/state/garner/copies")
            #expect(try FileManager.default.contentsOfDirectory(atPath: copies) == [])
            #expect(places[0].names.filter { $0.hasPrefix("garner") } == ["garner.yaml"])
            #expect(try await !server.isHeld())
        }
    }

    @Test func `the copy of a killed process is removed by the next one`() async throws {
        let server = try await Server()
        let waits = Watched(true)
        try await LoopbackServer.serve({ _ in
            while waits.value, !Task.isCancelled { try? await Task.sleep(for: .milliseconds(5)) }
            return .json(Self.list)
        }) { api in
            let place = try Self.place(api.url, server.url)
            let environment = ["GARNER_CACHE": place.folder.path("cache"), "GARNER_LEASE": "3s"]
            func copies() -> [String] {
                (try? FileManager.default.contentsOfDirectory(atPath: place.folder.path("cache"))) ?? []
            }
            let sync = try place.start(["sync"], environment: environment)
            try await eventually { !api.requests.isEmpty }
            let held = try await place.garner("sync", environment: environment)
            #expect(held.code == 75, "\(held)")
            expectThreeParts(held.errors, beginning: "Error: the database \(server.url) is written by ")
            #expect(held.errors.contains("process \(sync.id)"), "\(held)")
            let reset = try await place.garner("prune", environment: environment)
            #expect(reset.code == 66 || reset.code == 75, "\(reset)")
            sync.send(SIGKILL)
            _ = try await sync.end()
            #expect(copies() == ["\(sync.id)"])
            waits.value = false
            let next = try await place.garner("sync", "--wait", "1m", environment: environment)
            #expect(next.code == 0, "\(next)")
            #expect(copies() == [])
            let runs = try await place.garner(
                "query", "SELECT status FROM _garner_runs ORDER BY run_id", "--format", "csv", environment: environment)
            #expect(runs.output == "status\ninterrupted\nsucceeded\n", "\(runs)")
        }
    }

    @Test func `the password is shown nowhere`() async throws {
        let server = try await Server()
        try await server.connection.execute("CREATE ROLE \(server.name) LOGIN SUPERUSER PASSWORD 's3cret pass'")
        let url = server.cluster.loopbackURL(user: server.name, password: "${SECRET}", database: server.name)
        try await LoopbackServer.serve({ _ in .json(Self.list) }) { api in
            let place = try Self.place(api.url, url, "primary_key: id, schedule: { every: 1s }")
            let shown = "postgresql://\(server.name)@127.0.0.1:\(server.cluster.port)/\(server.name)"
            for secret in ["s3cret%20pass", "wrong%20s3cret"] {
                let environment = ["SECRET": secret]
                for command in [
                    ["config", "show"], ["check"], ["sync"], ["sync", "--verbose"], ["status"], ["status", "--json"],
                    ["doctor"], ["workers"], ["tables"], ["query", "SELECT 1 FROM nowhere"], ["plan"], ["pause"],
                    ["browse", "--get", "/query.json?sql=SELECT+count(*)+FROM+animals"], ["trigger", "animals"],
                ] {
                    let told = try await place.start(command, environment: environment).end()
                    #expect(!(told.output + told.errors).contains("s3cret"), "\(command): \(told)")
                    if command == ["config", "show"] { #expect(told.output.contains(shown), "\(told)") }
                    if command.first == "sync" { #expect(told.code == (secret.hasPrefix("w") ? 78 : 0), "\(told)") }
                    if command.first == "browse", !secret.hasPrefix("w") {
                        #expect(told.output.contains("3"), "\(told)")
                    }
                }
            }
            let missing = try await place.garner("status")
            #expect(missing.code == 78 && missing.errors.contains("'SECRET' is not set"), "\(missing)")
            let serve = try place.start(["serve"], environment: ["SECRET": "s3cret%20pass"])
            try await eventually { serve.errorsSoFar.contains("Run ended") }
            serve.send(SIGTERM)
            let ending = try await serve.end()
            #expect(ending.code == 0 && !ending.errors.contains("s3cret"), "\(ending)")
        }
    }

    @Test func `a file is stored in PostgreSQL, and comes back`() async throws {
        let server = try await Server()
        try await LoopbackServer.serve({ _ in .json(Self.list) }) { api in
            let settings = "primary_key: id, history: true"
            let file = try Workplace(api: api.url, settings)
            #expect(try await file.garner("sync").code == 0)
            let expected = try await Self.readings(file)
            let migrated = try await file.garner("migrate", "--to", server.url)
            #expect(migrated.code == 0, "\(migrated)")
            let again = try await file.garner("migrate", "--to", server.url)
            #expect(again.code == 73, "\(again)")

            let place = try Self.place(api.url, server.url, settings)
            #expect(try await Self.readings(place) == expected)
            let sync = try await place.garner("sync", "--json")
            #expect(sync.code == 0 && sync.output.contains(#""unchanged":3"#), "\(sync)")

            let backup = try await place.garner("backup", "back.db", "--verify")
            #expect(backup.code == 0, "\(backup)")
            for format in ["csv", "ndjson"] {
                let kept = try await place.garner("export", "animals", "--format", format)
                let back = try await place.garner("export", "animals", "--format", format, "-d", "back.db")
                #expect(kept.code == 0 && kept.output == back.output, "\(kept) \(back)")
            }

            try await server.connection.execute(
                "UPDATE _garner.shards SET token = gen_random_uuid(), until = clock_timestamp() + interval '1 hour' WHERE shard = 1"
            )
            let held = try await place.garner("migrate", "--to", "late.db")
            #expect(held.code == 75 && !place.names.contains("late.db"), "\(held)")
            expectThreeParts(
                held.errors, beginning: "Error: the database \(server.url) is written by an unknown worker")
            // Whoever drops the schema reads how to store a file there again.
            try await server.connection.executeScript("DROP SCHEMA _garner CASCADE")
            let gone = try await place.garner("workers")
            let line = try #require(gone.errors.firstMatch(of: /garner migrate --database FILE --to '[^']+'/)).0
            #expect(gone.code == 66, "\(gone)")
            let stored = try await place.shell(String(line).replacing("FILE", with: "back.db"))
            #expect(stored.code == 0, "\(stored)")
        }
    }

    @Test func `a session that looks at an old state for long is named`() async throws {
        let server = try await Server()
        try await LoopbackServer.serve({ _ in .json(Self.list) }) { api in
            let place = try Self.place(api.url, server.url)
            #expect(try await place.garner("sync").code == 0)
        }
        var findings = ShardFindings(place: ShardPlace(url: try PostgresURL(server.url)))
        try await server.connection.executeScript("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1")
        let early = await findings.all()
        #expect(!early.contains { $0.check == "snapshots" })
        findings.longestSnapshot = .zero
        let found = await findings.all().first { $0.check == "snapshots" }
        #expect(found?.message.contains("the session \(server.connection.processID) (garner") == true)
        try await server.connection.executeScript("COMMIT")
    }

    @Test func `a role that sees no other sessions says so where the pages take too much room`() async throws {
        let server = try await Server()
        let role = "\(server.name)_plain"
        try await server.connection.execute("CREATE ROLE \(role) LOGIN")
        try await server.connection.execute("GRANT CREATE ON DATABASE \(server.name) TO \(role)")
        let url = server.cluster.socketURL(user: role, database: server.name)
        try await LoopbackServer.serve({ _ in .json(Self.list) }) { api in
            let sync = try await Self.place(api.url, url).garner("sync")
            #expect(sync.code == 0, "\(sync)")
        }
        var findings = ShardFindings(place: ShardPlace(url: try PostgresURL(url)))
        findings.mostUnneeded = -1 << 40
        let found = await findings.all().first { $0.check == "snapshots" }
        #expect(found?.message.contains("are not to be seen") == true, "\(String(describing: found))")
        let line = try #require(found?.hint?.words.split(separator: "with: ").last)
        try await server.connection.execute(String(line))
        let after = await findings.all()
        #expect(!after.contains { $0.check == "snapshots" })
    }

    @Test func `the configuration that the documents show is valid`() async throws {
        let server = try await Server()
        for text in DocumentationPage("docs/postgres.md").blocks(in: "yaml").map(\.text) {
            let shown = "postgresql://garner:${DATABASE_PASSWORD}@db.example/app"
            #expect(text.contains(shown))
            let check = try await Workplace(text.replacing(shown, with: server.url)).garner("check")
            #expect(check.code == 0, "\(check)")
        }
    }

    @Test func `a lease has bounds`() async throws {
        for (lease, code) in [("1s", 64), ("1h", 64), ("soon", 64), ("3s", 66), ("", 66)] as [(String, Int32)] {
            let told = try await Workplace().garner("tables", "-d", "none.db", environment: ["GARNER_LEASE": lease])
            #expect(told.code == code, "\(lease): \(told)")
        }
    }

    @Test func `commands change what PostgreSQL keeps`() async throws {
        let server = try await Server()
        try await LoopbackServer.serve({ _ in .json(Self.list) }) { api in
            let place = try Self.place(api.url, server.url, "primary_key: id, schedule: { every: 1h }")
            #expect(try await place.garner("sync").code == 0)
            for command in [
                ["pause", "animals"], ["resume", "animals"], ["state", "reset", "animals"],
                ["prune", "--runs-older-than", "0s"], ["prune", "--vacuum"], ["migrate"], ["check"], ["plan"],
            ] {
                let told = try await place.start(command).end()
                #expect(told.code == 0, "\(command): \(told)")
            }
            expectSound(try await place.garner("doctor", "--full"))
            try place.replace("animals:", with: "creatures:")
            let rename = try await place.garner("rename", "zoo.animals", "zoo.creatures")
            #expect(rename.code == 0, "\(rename)")
            let rows = try await place.garner("rows", "creatures", "--format", "csv")
            #expect(rows.code == 0 && rows.output.contains("Kea"), "\(rows)")
            let drop = try await place.garner("drop", "zoo.creatures", "--yes")
            #expect(drop.code == 0, "\(drop)")
            #expect(try await place.garner("tables", "--format", "csv").output.contains("creatures") == false)
        }
    }
}

/// Expects that `doctor` finds nothing wrong but the server of the tests, which does not wait for its disk.
func expectSound(_ doctor: GarnerProcess.Ending, sourceLocation: SourceLocation = #_sourceLocation) {
    let problems = doctor.output.split(separator: "\n").filter { $0.hasPrefix("problem") }
    #expect(problems.count == 1 && problems[0].contains("fsync = off"), "\(doctor)", sourceLocation: sourceLocation)
    #expect(doctor.output.contains("have the checksum"), "\(doctor)", sourceLocation: sourceLocation)
}
