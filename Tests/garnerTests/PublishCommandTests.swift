import Foundation
import GarnerPostgres
import PostgresCluster
import TestSupport
import Testing

/// `garner` with `publish:`, against a PostgreSQL server of the tests' own.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct PublishCommandTests {
    /// A database of a test's own.
    private struct Warehouse {
        let name = "w" + PostgresUUID.random().description.filter { $0 != "-" }
        let cluster: PostgresCluster
        let connection: PostgresConnection

        init() async throws {
            cluster = try await PostgresCluster.shared()
            let first = try await PostgresConnection.open(PostgresURL(cluster.socketURL()))
            try await first.execute("CREATE DATABASE \(name) TEMPLATE template0")
            await first.close()
            connection = try await PostgresConnection.open(PostgresURL(cluster.socketURL(database: name)))
        }

        var url: String { cluster.socketURL(database: name) }
        /// It holds no password.
        var shownURL: String { url }

        /// Returns the first column of a query as texts.
        func texts(_ sql: String) async throws -> [String] {
            try await connection.execute(sql).rows.compactMap { $0.first?.text }
        }

        func names() async throws -> [String] { try await texts("SELECT name FROM animals ORDER BY id") }

        /// Returns as soon as the table has these names; throws what it has after a minute.
        func wait(for names: [String]) async throws {
            let (clock, limit) = (ContinuousClock(), Duration.seconds(60))
            let start = clock.now
            // There is no table at first.
            while (try? await self.names()) != names {
                try #require(clock.now - start < limit, "not \(names)")
                try await clock.sleep(for: .milliseconds(50))
            }
        }
    }

    private static func page(_ names: [String]) -> LoopbackReply {
        .json("[" + names.enumerated().map { #"{"id":\#($0 + 1),"name":"\#($1)"}"# }.joined(separator: ",") + "]")
    }

    /// Gives the service of an API with these animals, and a file that publishes them.
    private static func withAnimals(
        publishing url: String, _ settings: String = "primary_key: id", _ animals: [String] = ["Kea", "Quokka"],
        _ body: @escaping @Sendable (Workplace, Watched<[String]>) async throws -> Void
    ) async throws {
        let list = Watched(animals)
        try await LoopbackServer.serve({ _ in page(list.value) }) { server in
            let place = try Workplace(api: server.url, settings)
            try place.replace("version: 1", with: "version: 1\npublish: \"\(url)\"")
            try await body(place, list)
        }
    }

    @Test func `a sync publishes what it has stored, and nothing twice`() async throws {
        let warehouse = try await Warehouse()
        try await Self.withAnimals(publishing: warehouse.url) { place, list in
            let first = try await place.garner("sync")
            #expect(
                first.code == 0 && first.errors.contains("Published 2 rows to \(warehouse.shownURL).\n"), "\(first)")
            #expect(try await warehouse.names() == ["Kea", "Quokka"])

            let again = try await place.garner("sync")
            #expect(again.code == 0 && !again.errors.contains("Published"), "\(again)")

            list.value = ["Kea", "Fennec", "Ōtāne"]
            let changed = try await place.garner("sync")
            #expect(changed.errors.contains("Published 2 rows"), "\(changed)")
            #expect(try await warehouse.names() == ["Kea", "Fennec", "Ōtāne"])

            let status = try await place.garner("status")
            #expect(status.errors.contains("Published to \(warehouse.shownURL)"), "\(status)")
            #expect(status.errors.contains(": nothing waits\n"), "\(status)")
            let json = try await place.garner("status", "--json", "--check")
            #expect(json.code == 0 && json.output.contains(#""published_to":"\#(warehouse.shownURL)"#), "\(json)")
            let metrics = try await place.garner("status", "--prometheus")
            #expect(metrics.output.contains("garner_publication_waiting_seconds 0\n"), "\(metrics)")
            let nothing = try await place.garner("publish")
            #expect(nothing.code == 0 && nothing.errors.contains("Nothing waits"), "\(nothing)")
        }
    }

    @Test func `a dry run publishes nothing`() async throws {
        let warehouse = try await Warehouse()
        try await Self.withAnimals(publishing: warehouse.url) { place, _ in
            let dry = try await place.garner("sync", "--dry-run")
            #expect(dry.code == 0, "\(dry)")
            #expect(
                try await warehouse.texts("SELECT nspname::text FROM pg_namespace WHERE nspname = '_garner'").isEmpty)
        }
    }

    @Test func `a sync ends as its streams do while PostgreSQL is away, and warns`() async throws {
        let port = try RefusingPort()
        let url = "postgresql://garner:s3cret-password@127.0.0.1:\(port.number)/w"
        try await Self.withAnimals(publishing: url) { place, _ in
            let sync = try await place.garner("sync")
            #expect(sync.code == 0, "\(sync)")
            #expect(
                sync.errors.contains("Warning: not published to postgresql://garner@127.0.0.1:\(port.number)/w: "),
                "\(sync)")
            #expect(try place.texts("SELECT name FROM animals ORDER BY id") == ["Kea", "Quokka"])
            let publish = try await place.garner("publish")
            #expect(publish.code == 69, "\(publish)")
            let json = try await place.garner("publish", "--json")
            #expect(json.code == 69 && json.errors.contains(#""code":69"#), "\(json)")
            let doctor = try await place.garner("doctor")
            #expect(doctor.code == 0 && doctor.output.contains("publication"), "\(doctor)")
            let check = try await place.garner("check", "--connect")
            #expect(check.code == 2, "\(check)")
            for told in [sync, publish, json, doctor, check] {
                #expect(!(told.output + told.errors).contains("s3cret"), "\(told)")
            }
        }
    }

    @Test func `what waits is sent when PostgreSQL is back`() async throws {
        let warehouse = try await Warehouse()
        let port = try RefusingPort()
        try await Self.withAnimals(publishing: "postgresql://127.0.0.1:\(port.number)/w") { place, list in
            #expect(try await place.garner("sync").code == 0)
            list.value = ["Kea", "Fennec"]
            #expect(try await place.garner("sync").code == 0)
            try place.replace("postgresql://127.0.0.1:\(port.number)/w", with: warehouse.url)
            let publish = try await place.garner("publish")
            #expect(publish.code == 0 && publish.output.contains("animals"), "\(publish)")
            #expect(try await warehouse.names() == ["Kea", "Fennec"])
        }
    }

    #if os(Linux)
        @Test func `without libpq the words say what to install`() async throws {
            try await Self.withAnimals(publishing: "postgresql:///w") { place, _ in
                // The loader finds this one first, and it is none.
                try place.write("nothing", to: "libpq.so.5")
                let environment = ["LD_LIBRARY_PATH": place.path]
                let sync = try await place.garner("sync", environment: environment)
                #expect(sync.code == 0 && sync.errors.contains("PostgreSQL needs libpq: apt install libpq5"), "\(sync)")
                let publish = try await place.garner("publish", environment: environment)
                #expect(publish.code == 69 && publish.errors.contains("apt install libpq5"), "\(publish)")
                let doctor = try await place.garner("doctor", "--json", environment: environment)
                #expect(doctor.output.contains("Install it, and start"), "\(doctor)")
            }
        }
    #endif

    @Test func `a login that is refused ends with 78, and no command shows the password`() async throws {
        let warehouse = try await Warehouse()
        try await warehouse.connection.execute("CREATE ROLE r_\(warehouse.name) LOGIN PASSWORD 'another'")
        let url = warehouse.cluster.loopbackURL(
            user: "r_\(warehouse.name)", password: "${WAREHOUSE_PASSWORD}", database: warehouse.name)
        try await Self.withAnimals(publishing: url) { place, _ in
            let environment = ["WAREHOUSE_PASSWORD": Canary.encoded]
            let commands: [([String], Int32)] = [
                (["sync"], 0), (["publish"], 78), (["publish", "--json"], 78), (["status"], 0),
                (["config", "show"], 0),
                (["config", "show", "--json"], 0), (["check", "--connect"], 2), (["doctor"], 1),
                (["doctor", "--json"], 1), (["query", "SELECT * FROM _garner_publication"], 0),
            ]
            for (arguments, code) in commands {
                let told = try await place.start(arguments, environment: environment).end()
                #expect(told.code == code, "\(arguments): \(told)")
                #expect(Canary.trace(in: told.output + told.errors) == nil, "\(arguments): \(told)")
            }
            let missing = try await place.garner("sync")
            #expect(missing.code == 0 && missing.errors.contains("'WAREHOUSE_PASSWORD' is not set"), "\(missing)")
        }
    }

    @Test(arguments: [
        ("postgresql://u:a/s3cret@db.example/w", 78, "has an unescaped / ? or @"),
        ("postgresql://u:s3cret/w", 78, "has a port that is no number, or no @ before its host"),
        ("postgresql://db.example/w?sslmod=require", 78, "sslmod"), ("postgresql://[bad/w", 78, "IPv6"),
        ("postgresql://u:s3cret@db.example/w?sslmod=require", 78, "libpq cannot read the PostgreSQL URL"),
    ])
    func `a URL that would be read in another way than it is meant is refused at once`(
        url: String, code: Int, words: String
    ) async throws {
        try await Self.withAnimals(publishing: url) { place, _ in
            for command in ["sync", "serve", "publish", "check"] {
                let told = try await place.garner(command)
                #expect(told.code == Int32(code) && told.errors.contains(words), "\(command): \(told)")
                #expect(!(told.output + told.errors).contains("s3cret"), "\(command): \(told)")
            }
            #expect(place.names == ["garner.yaml"])
        }
    }

    @Test func `a service publishes, and does the work of the command`() async throws {
        let warehouse = try await Warehouse()
        try await Self.withAnimals(publishing: warehouse.url, "primary_key: id, schedule: { every: 1s }") {
            place, list in
            let serve = try place.start(["serve"])
            try await warehouse.wait(for: ["Kea", "Quokka"])
            list.value = ["Kea", "Fennec"]
            try await warehouse.wait(for: ["Kea", "Fennec"])
            try await warehouse.connection.execute("DELETE FROM animals")
            let publish = try await place.garner("publish", "animals", "--yes")
            #expect(publish.code == 0 && publish.output.contains("animals"), "\(publish)")
            #expect(try await warehouse.names() == ["Kea", "Fennec"])
            let unknown = try await place.garner("publish", "animls", "--yes")
            #expect(unknown.code == 64, "\(unknown)")
            serve.send(SIGTERM)
            let ending = try await serve.end()
            #expect(ending.code == 0, "\(ending)")
            let released = try await warehouse.texts("SELECT released_at::text FROM _garner.files")
            #expect(released.count == 1)
        }
    }

    @Test func `a table is made again after a question if a type changes, or with --yes`() async throws {
        let warehouse = try await Warehouse()
        try await Self.withAnimals(publishing: warehouse.url) { place, list in
            try await place.garner("sync")
            try await warehouse.connection.execute("UPDATE animals SET name = 'changed'")
            let made = try await place.garner("publish", "animals", "--json")
            #expect(made.code == 0 && made.output.contains(#""table":"animals""#), "\(made)")
            #expect(try await warehouse.names() == ["Kea", "Quokka"])

            list.value = ["2026-01-31T08:00:00Z", "2026-01-31T09:00:00Z"]
            try await place.garner("sync")
            let unknown = try await place.garner("publish", "animls")
            #expect(unknown.code == 64 && unknown.errors.contains("no published table has the name animls"))
            let asked = try await place.garner("publish", "animals")
            #expect(asked.code == 64)
            expectThreeParts(asked.errors, beginning: "Error: nothing was made again, since nobody can be asked here: ")
            #expect(asked.errors.contains("the type of animals.name from text to timestamptz"), "\(asked)")
            try await Self.paste(asked.errors, in: place)
            #expect(
                try await warehouse.texts("SELECT pg_typeof(name)::text FROM animals LIMIT 1").first?.hasPrefix(
                    "timestamp") == true)
        }
    }

    @Test func `a column of a user's is emptied after a question only`() async throws {
        let warehouse = try await Warehouse()
        try await Self.withAnimals(publishing: warehouse.url) { place, _ in
            try await place.garner("sync")
            try await warehouse.connection.execute("ALTER TABLE animals ADD COLUMN remark text")
            try await warehouse.connection.execute("UPDATE animals SET remark = 'mine'")
            let asked = try await place.garner("publish", "animals")
            #expect(asked.code == 64 && asked.errors.contains("deletes the values of animals.remark"), "\(asked)")
            #expect(try await warehouse.texts("SELECT remark FROM animals") == ["mine", "mine"])
            let told = try await place.garner("publish", "animals", "--yes")
            #expect(told.code == 0 && told.errors.contains(#""remark", which you have added to it"#), "\(told)")
            #expect(try await warehouse.texts("SELECT remark FROM animals").isEmpty)
        }
    }

    @Test func `a table that is dropped while a service has nothing to send is found by doctor and the command`()
        async throws
    {
        let warehouse = try await Warehouse()
        try await Self.withAnimals(publishing: warehouse.url, "primary_key: id, schedule: { every: 1s }") { place, _ in
            let serve = try place.start(["serve"])
            try await warehouse.wait(for: ["Kea", "Quokka"])
            try await warehouse.connection.execute("DROP TABLE animals")
            let doctor = try await place.garner("doctor")
            #expect(doctor.output.contains(#""public"."animals": it is not in PostgreSQL any more"#), "\(doctor)")
            let publish = try await place.garner("publish")
            #expect(publish.code == 0 && publish.errors.contains("was dropped; it is made again"), "\(publish)")
            #expect(try await warehouse.names() == ["Kea", "Quokka"])
            serve.send(SIGTERM)
            _ = try await serve.end()
        }
    }

    @Test func `rows that somebody deletes while a service has nothing to send are missed, and doctor says so`()
        async throws
    {
        let warehouse = try await Warehouse()
        try await Self.withAnimals(publishing: warehouse.url, "primary_key: id, schedule: { every: 1h }") { place, _ in
            let serve = try place.start(["serve"])
            try await warehouse.wait(for: ["Kea", "Quokka"])
            try await warehouse.connection.execute("DELETE FROM animals WHERE id = 1")
            // The service tells its file what was published a moment later.
            while true {
                let doctor = try await place.garner("doctor", "--json")
                try #require(doctor.output.contains("has 1 row, and animals here 2"), "\(doctor)")
                if doctor.output.contains("if it stays so, garner publish animals") { break }
            }
            serve.send(SIGTERM)
            _ = try await serve.end()
        }
    }

    /// Runs the line of an advice as it stands there.
    private static func paste(_ errors: String, in place: Workplace) async throws {
        let line = try #require(errors.firstMatch(of: /Try: .*?(garner publish [^;\n]*)/)?.1, "\(errors)")
        let told = try await place.shell(String(line))
        #expect(told.code == 0, "\(line): \(told)")
    }

    @Test func `a restored file is refused until it takes over, and each place says so`() async throws {
        let warehouse = try await Warehouse()
        try await Self.withAnimals(publishing: warehouse.url) { place, list in
            try await place.garner("sync")
            try await place.garner("backup", "before.db")
            list.value = ["Kea", "Fennec", "Tui"]
            try await place.garner("sync")
            _ = try await place.shell("rm garner.db*; mv before.db garner.db")
            let refused = try await place.garner("publish")
            #expect(refused.code == 78, "\(refused)")
            #expect(try await warehouse.names() == ["Kea", "Fennec", "Tui"])
            let words = "a copy or a later state of this file was published, on "
            let status = try await place.garner("status")
            #expect(status.errors.contains("\nPublishing is refused since 20"), "\(status)")
            #expect(status.errors.contains(": \(words)"), "\(status)")
            let json = try await place.garner("status", "--json")
            #expect(json.output.contains(#""published_refusal":"\#(words)"#), "\(json)")
            let metrics = try await place.garner("status", "--prometheus")
            #expect(metrics.output.contains("garner_publication_refused 1\n"), "\(metrics)")
            let doctor = try await place.garner("doctor", "--json")
            #expect(doctor.output.contains("Publishing is refused since") && !doctor.output.contains("nothing waits"))
            try await Self.paste(refused.errors, in: place)
            #expect(try await warehouse.names() == ["Kea", "Quokka"])
            let again = try await place.garner("status", "--prometheus")
            #expect(again.output.contains("garner_publication_refused 0\n"), "\(again)")
        }
    }

    @Test func `whoever takes over beside a copy that is published is told so before`() async throws {
        let warehouse = try await Warehouse()
        try await Self.withAnimals(publishing: warehouse.url, "primary_key: id, schedule: { every: 1s }") { place, _ in
            let serve = try place.start(["serve"])
            try await warehouse.wait(for: ["Kea", "Quokka"])
            _ = try await place.shell("mkdir copy && cp garner.yaml copy && garner backup copy/garner.db")
            let asked = try await place.shell("cd copy && garner publish --take-over")
            #expect(asked.code == 64, "\(asked)")
            #expect(asked.errors.contains("although a copy of this file is published on "), "\(asked)")
            serve.send(SIGTERM)
            _ = try await serve.end()
        }
    }

    @Test func `tables that are behind are named at once, with the reason`() async throws {
        let warehouse = try await Warehouse()
        try await Self.withAnimals(publishing: warehouse.url) { place, list in
            try await place.garner("sync")
            try await warehouse.connection.execute("ALTER TABLE animals DROP COLUMN name")
            list.value = ["Kea", "Fennec"]
            try await place.garner("sync")
            let status = try await place.garner("status")
            #expect(status.errors.contains(": 1 row waits since 20"), "\(status)")
            let line = try #require(status.errors.firstMatch(of: /The published table animals is behind since .*\n/)?.0)
            #expect(line.contains(#"column "name""#), "\(status)")
            let doctor = try await place.garner("doctor", "--json")
            #expect(doctor.code == 0 && doctor.output.contains("The published table animals is behind"), "\(doctor)")
            #expect(!doctor.output.contains("Published to"), "\(doctor)")
            // Beyond three, their number is enough.
            try place.alter(
                """
                INSERT INTO _garner_published (stream_id, behind_since, behind_reason)
                SELECT stream_id + column1, '2026-01-31T08:00:00.000Z', 'it is locked' FROM _garner_streams, (VALUES (1), (2), (3))
                """)
            let more = try await place.garner("status")
            #expect(more.errors.contains("\nAnd 1 other table: garner status --json\n"), "\(more)")
        }
    }

    @Test func `another target of the configuration is told beside the one of the file`() async throws {
        let warehouse = try await Warehouse()
        try await Self.withAnimals(publishing: warehouse.url) { place, _ in
            try await place.garner("sync")
            try place.replace(warehouse.url, with: "postgresql://db.example/w")
            let status = try await place.garner("status")
            #expect(
                status.errors.contains(
                    "Was published to \(warehouse.shownURL); the configuration names postgresql://db.example/w\n"),
                "\(status)")
            let json = try await place.garner("status", "--json")
            #expect(json.output.contains(#""published_to":"postgresql://db.example/w""#), "\(json)")
        }
    }

    @Test func `a service logs each end and beginning of publishing once`() async throws {
        let warehouse = try await Warehouse()
        try await Self.withAnimals(publishing: warehouse.url, "primary_key: id, schedule: { every: 1s }") {
            place, list in
            let serve = try place.start(["serve"])
            // Rows are there before the service knows that they are.
            try await eventually { serve.errorsSoFar.contains("Publishing begins") }
            try await warehouse.connection.execute(
                """
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE datname = current_database() AND pid <> pg_backend_pid()
                """)
            list.value = ["Kea", "Fennec"]
            try await warehouse.wait(for: ["Kea", "Fennec"])
            try await eventually { serve.errorsSoFar.contains("Publishing goes on") }
            serve.send(SIGTERM)
            let ending = try await serve.end()
            for line in ["Publishing begins target=", "Publishing waits error=", "Publishing goes on"] {
                #expect(ending.errors.ranges(of: line).count == 1, "\(line): \(ending)")
            }
            #expect(!ending.errors.contains("try=-"), "\(ending)")
        }
    }

    @Test func `a dropped stream leaves its table, with the line that drops it`() async throws {
        let warehouse = try await Warehouse()
        try await Self.withAnimals(publishing: warehouse.url) { place, _ in
            try await place.garner("sync")
            let dropped = try await place.garner("drop", "animals", "--yes")
            let line = try #require(dropped.errors.firstMatch(of: /Try: (DROP TABLE .*)\n/)?.1, "\(dropped)")
            #expect(try await warehouse.names() == ["Kea", "Quokka"])
            try await warehouse.connection.execute(String(line))
            #expect(try await warehouse.texts("SELECT to_regclass('animals')::text").isEmpty)
        }
    }

    @Test func `nothing is published without the key, and the advice is a line of the file`() async throws {
        let place = try Workplace("version: 1\nsources: {}\n")
        let told = try await place.garner("publish")
        #expect(told.code == 78)
        expectThreeParts(told.errors, beginning: "Error: garner.yaml has no 'publish'")
        let line = try #require(told.errors.firstMatch(of: /Try: add (publish: .*)\n/)?.1)
        try place.write("version: 1\n\(line)\nsources: {}\n", to: "garner.yaml")
        #expect(try await place.garner("check").code == 0)
    }

    @Test func `a table of somebody else in the place of one that would be made is told before that`() async throws {
        let warehouse = try await Warehouse()
        try await Self.withAnimals(publishing: warehouse.url) { place, _ in
            try await warehouse.connection.execute("CREATE TABLE animals (a int)")
            let check = try await place.garner("check", "--connect")
            #expect(check.code != 0, "\(check)")
            #expect(
                check.errors.contains("the table \"public\".\"animals\" is there already, and Garner has not made it."),
                "\(check)")
            try await warehouse.connection.execute("DROP TABLE animals")
            #expect(try await place.garner("check", "--connect").code == 0)
        }
    }

    @Test func `rights and tables are told before anything is made`() async throws {
        let warehouse = try await Warehouse()
        try await Self.withAnimals(publishing: warehouse.url) { place, _ in
            let check = try await place.garner("check", "--connect")
            #expect(check.code == 0 && check.errors.contains("\(warehouse.shownURL): PostgreSQL "), "\(check)")
            #expect(
                try await warehouse.texts("SELECT nspname::text FROM pg_namespace WHERE nspname = '_garner'").isEmpty)
            try await place.garner("sync")
            let there = try await place.garner("check", "--connect")
            #expect(there.errors.contains("animals") && there.errors.contains("id bigint"), "\(there)")
            let doctor = try await place.garner("doctor")
            #expect(doctor.code == 0 && doctor.output.contains("has 2 rows, and animals here 2"), "\(doctor)")
        }
    }
}
