import Foundation
import TestSupport
import Testing

/// `backup`, `doctor`, `prune`, `drop`, `migrate` and `state`.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct OperationTests {
    private static func withData(_ body: @Sendable (Workplace) async throws -> Void) async throws {
        let place = try Workplace(api: "http://127.0.0.1:9")
        try await place.store("[\((1...6).map { #"{"id":\#($0)}"# }.joined(separator: ","))]")
        try await body(place)
    }

    @Test func `backup makes a database that every command reads`() async throws {
        try await Self.withData { place in
            let backup = try await place.garner("backup", "copy.db", "--verify")
            #expect(backup.code == 0 && backup.output == "", "\(backup.errors)")
            #expect(
                backup.errors.wholeMatch(of: /copy.db: [0-9.]+ KiB in [0-9.a-z]+, verified: \d+ tables with \d+ rows\n/)
                    != nil, "\(backup.errors)")
            #expect(
                try await place.garner("query", "SELECT count(*) AS n FROM animals", "-d", "copy.db", "-f", "csv")
                    .output == "n\n6\n")
            #expect(try await place.garner("doctor", "--full", "-d", "copy.db").code == 0)
            #expect(!place.names.contains { $0.hasSuffix(".part") || $0.hasPrefix("copy.db-") })
        }
    }

    @Test func `backup tells programs what it has made`() async throws {
        try await Self.withData { place in
            let json = try await place.garner("backup", "copy.db", "--json")
            #expect(json.code == 0 && json.errors == "")
            #expect(members(of: json.output) == ["file", "bytes", "duration_ms", "verified", "tables", "rows"])
            #expect(json.output.contains(#""verified":false,"tables":null"#))
            let again = try await place.garner("backup", "copy.db", "-q")
            #expect(again.code == 73)
            expectThreeParts(again.errors, beginning: "Error: copy.db exists already")
            let forced = try await place.garner("backup", "copy.db", "-q", "--force")
            #expect(forced.code == 0 && forced.errors == "")
            try place.write("{}", to: "garner.db.tokens")
            #expect(
                try await place.garner("backup", "copy.db", "--force").errors.contains(
                    "garner.db.tokens holds refresh tokens"))
        }
    }

    static let refusals: [([String], Int32)] = [
        (["none/copy.db"], 73), (["garner.db"], 73), (["garner.db", "--force"], 73), (["."], 73), (["-"], 64), ([], 64),
        (["copy.db", "-d", "none.db"], 66), (["copy.db", "-d", "garner.yaml"], 74),
    ]

    @Test(arguments: refusals) func `backup says why it cannot`(arguments: [String], code: Int32) async throws {
        try await Self.withData { place in
            let before = place.names
            let backup = try await place.start(["backup"] + arguments).end()
            #expect(backup.code == code, "\(backup.errors)")
            expectThreeParts(backup.errors, beginning: "Error: ")
            #expect(place.names == before)
        }
    }

    @Test func `a disk without room for the copy is an error of input and output`() async throws {
        try await Self.withData { place in
            // Files of 64 KiB at most, which the copy is not.
            let backup = try await place.shell("trap '' XFSZ; ulimit -f 128; garner backup copy.db")
            #expect(backup.code == 74, "\(backup.errors)")
            expectThreeParts(backup.errors, beginning: "Error: ")
            #expect(!place.names.contains { $0.hasPrefix("copy.db") })
        }
    }

    @Test func `backup goes on beside a sync`() async throws {
        let holds = Watched(true)
        try await LoopbackServer.serve({ request in
            while request.page == 3, holds.value, !Task.isCancelled { try? await Task.sleep(for: .milliseconds(5)) }
            return .page(request.page, of: 3)
        }) { server in
            let place = try Workplace(api: server.url)
            let sync = try place.start(["sync"])
            try await eventually { server.requests.contains { $0.page == 3 } }
            let backup = try await place.garner("backup", "copy.db", "--verify")
            #expect(backup.code == 0, "\(backup.errors)")
            let doctor = try await place.garner("doctor")
            #expect(doctor.code == 0)
            #expect(doctor.output.contains("process \(sync.id) is running"))
            for arguments in [
                ["prune"], ["prune", "--dropped"], ["migrate"], ["state", "reset", "animals"],
                ["drop", "animals", "--yes"],
            ] {
                let ending = try await place.start(arguments).end()
                #expect(ending.code == 75, "\(arguments)")
                #expect(ending.errors.contains("process \(sync.id)"))
            }
            holds.value = false
            #expect(try await sync.end().code == 0)
        }
    }

    @Test func `doctor finds nothing wrong with a database in use, and tells programs so`() async throws {
        try await Self.withData { place in
            let doctor = try await place.garner("doctor")
            #expect(doctor.code == 0 && doctor.errors == "")
            #expect(doctor.output.contains("ok      integrity: every page is intact; --full checks the indexes"))
            #expect(doctor.output.contains("garner.yaml is valid"))
            let json = try await place.garner("doctor", "--json")
            #expect(json.code == 0)
            #expect(Set(members(of: json.output)) == ["check", "level", "message", "hint"])
            let named = try await place.garner("doctor", "-d", place.database, "-c", "none.yaml")
            #expect(named.code == 1)
        }
    }

    @Test func `doctor needs no configuration for a database that is named`() async throws {
        try await Self.withData { place in
            try FileManager.default.removeItem(atPath: place.folder.path("garner.yaml"))
            let doctor = try await place.garner(
                "doctor", "-d", "garner.db", environment: ["XDG_CONFIG_HOME": place.path])
            #expect(doctor.code == 0, "\(doctor.output)")
            let without = try await place.garner("doctor", environment: ["XDG_CONFIG_HOME": place.path])
            #expect(without.code == 1)
            #expect(without.output.contains("problem configuration: no configuration was found"))
            #expect(without.output.contains("Try: "))
        }
    }

    @Test func `doctor ends with 1 when there is a problem`() async throws {
        try await Self.withData { place in
            try place.alter("PRAGMA foreign_keys = OFF; DELETE FROM _garner_streams")
            let doctor = try await place.garner("doctor", "-q")
            #expect(doctor.code == 1)
            #expect(doctor.output.contains("problem foreign_keys: "))
            #expect(!doctor.output.contains("ok "))
            try place.write("version: 1\nsources: { zoo: { base_ulr: x } }\n", to: "garner.yaml")
            let invalid = try await place.garner("doctor", "--json")
            #expect(invalid.code == 1)
            #expect(invalid.output.contains(#""check":"configuration","level":"problem""#))
        }
    }

    @Test func `prune says what it would remove, and removes it`() async throws {
        try await LoopbackServer.serve({ .page($0.page, of: 3) }) { server in
            let place = try Workplace(api: server.url)
            for _ in 1...4 { try await place.garner("sync") }
            let none = try await place.garner("prune", "--dry-run")
            #expect(none.code == 0 && none.errors == "would remove nothing\n")
            let dry = try await place.garner("prune", "--runs-older-than", "0s", "--dry-run")
            #expect(dry.errors == "would remove 2 runs, 6 requests\n", "\(dry.errors)")
            #expect(try place.integers("SELECT count(*) FROM _garner_runs") == [4])
            let json = try await place.garner("prune", "--runs-older-than", "0s", "--attachments", "--vacuum", "--json")
            #expect(json.code == 0, "\(json.errors)")
            #expect(
                json.output.contains(#"{"dry_run":false,"runs":2,"requests":6,"changes":0,"versions":0,"files":0,"#))
            #expect(try place.integers("SELECT run_id FROM _garner_runs") == [1, 4])
            #expect(try place.integers("SELECT count(*) FROM animals") == [6])
            let unknown = try await place.garner("prune", "--runs-older-than", "soon")
            #expect(unknown.code == 64)
            expectThreeParts(unknown.errors, beginning: "Error: 'soon' is not an age")
        }
    }

    @Test func `drop says what it would remove, removes it only with --yes, and the next sync begins anew`()
        async throws
    {
        try await LoopbackServer.serve({ .page($0.page, of: 3) }) { server in
            let place = try Workplace(api: server.url)
            for _ in 1...2 { try await place.garner("sync") }
            let dry = try await place.garner("drop", "animals", "--dry-run")
            #expect(
                dry.code == 0 && dry.errors == "zoo.animals: would remove 6 rows of animals, 2 runs\n", "\(dry.errors)")
            let unasked = try await place.garner("drop", "animals")
            #expect(unasked.code == 64)
            expectThreeParts(unasked.errors, beginning: "Error: zoo.animals was not dropped: nobody can be asked here")
            #expect(try place.integers("SELECT count(*) FROM animals") == [6])
            let json = try await place.garner("drop", "zoo.animals", "--yes", "--json")
            #expect(json.code == 0, "\(json.errors)")
            #expect(
                json.output.contains(
                    #"{"stream":"zoo.animals","dry_run":false,"tables":["animals"],"rows":6,"versions":0,"files":0,"#
                        + #""quarantined":0,"runs":2}"#), "\(json.output)")
            #expect(try place.integers("SELECT count(*) FROM _garner_streams") == [0])
            let unknown = try await place.garner("drop", "animals", "--yes")
            #expect(unknown.code == 64 && unknown.errors.hasPrefix("Error: no stream is called 'animals'"))
            let sync = try await place.garner("sync")
            #expect(sync.code == 0)
            #expect(try place.integers("SELECT count(*) FROM animals") == [6])
        }
    }

    @Test func `migrate tells of the migrations, and has nothing to do after a sync`() async throws {
        try await Self.withData { place in
            let status = try await place.garner("migrate", "--status", "--json")
            #expect(status.code == 0 && status.errors == "")
            #expect(status.output.contains(#"{"version":1,"name":"0001_initial","state":"applied","applied_at":"2"#))
            for arguments in [["migrate"], ["migrate", "--dry-run"]] {
                let migrate = try await place.start(arguments).end()
                #expect(migrate.code == 0)
                #expect(migrate.errors.hasSuffix("is the newest\n"))
            }
            try place.alter("UPDATE _garner_migrations SET checksum = 'c' WHERE version = 2")
            let differs = try await place.garner("migrate", "--status")
            #expect(differs.code == 0)
            #expect(differs.output.contains("differs"))
            #expect(differs.errors.hasPrefix("Warning: the database was made with another 0002_requests"))
            try place.alter("PRAGMA user_version = 3")
            let refused = try await place.garner("migrate")
            #expect(refused.code == 78)
            expectThreeParts(refused.errors, beginning: "Error: ")
            #expect(try await place.garner("migrate", "-d", "none.db").code == 66)
            #expect(try await place.garner("migrate", "--status", "--dry-run").code == 64)
        }
    }

    @Test func `state tells where a read goes on, and forgets it`() async throws {
        let fails = Watched(true)
        try await LoopbackServer.serve({
            $0.page == 2 && fails.value ? .response(status: 500, body: "{}") : .page($0.page, of: 3)
        }) { server in
            let place = try Workplace(api: server.url)
            #expect(try await place.garner("sync").code == 69)
            let state = try await place.garner("state", "show", "animals", "--json")
            #expect(state.code == 0)
            #expect(
                state.output.hasPrefix(#"{"stream":"zoo.animals","table":"animals","unfinished_read":{"run_id":1,"#))
            #expect(state.output.contains("page=2"))
            #expect(try await place.garner("state", "show").output.contains("since run 1"))
            let reset = try await place.garner("state", "reset", "zoo.animals")
            #expect(reset.code == 0 && reset.output == "")
            #expect(reset.errors == "zoo.animals: forgot an unfinished read, a page\n")
            let again = try await place.garner("state", "reset", "animals", "--json")
            #expect(again.output.contains(#"{"stream":"zoo.animals","unfinished_read":false,"cursors":0,"pages":0}"#))
            fails.value = false
            #expect(try await place.garner("sync").code == 0)
            #expect(server.requests.suffix(3).map(\.page) == [1, 2, 3])
            let unknown = try await place.garner("state", "reset", "animls")
            #expect(unknown.code == 64)
            #expect(unknown.errors.contains("did you mean 'animals'?"))
        }
    }

    @Test func `how commits wait for the disk is said by the environment`() async throws {
        try await LoopbackServer.serve({ .page($0.page, of: 1) }) { server in
            let place = try Workplace(api: server.url)
            for choice in ["normal", "full", ""] {
                #expect(try await place.garner("sync", environment: ["GARNER_SYNCHRONOUS": choice]).code == 0)
            }
            let wrong = try await place.garner("sync", environment: ["GARNER_SYNCHRONOUS": "off"])
            #expect(wrong.code == 64)
            expectThreeParts(wrong.errors, beginning: "Error: GARNER_SYNCHRONOUS is 'off'")
        }
    }
}
