import Foundation
import TestSupport
import Testing

/// The ways in which people ask for data and runs.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct AskingTests {
    /// A time zone two hours ahead of UTC, without a file of the system's.
    private static let zone = ["TZ": "<+02>-2"]

    private static func withData(
        _ settings: String = "primary_key: id", _ body: @escaping @Sendable (Workplace) async throws -> Void
    ) async throws {
        let pages: [String: String] = [
            "animals": #"[{"id":1,"name":"Kea","wings":true},{"id":2,"name":"Wolf","wings":false}]"#, "plants": "[]",
        ]
        try await LoopbackServer.serve({ request in
            .json(pages[request.target.split(separator: "/").last.map(String.init) ?? ""] ?? "[]")
        }) { server in
            let place = try Workplace(
                api: server.url, streams: ["animals", "plants"], "paginator: { type: single_page }, \(settings)")
            #expect(try await place.garner("sync").code == 0)
            try await body(place)
        }
    }

    @Test func `a query needs no quotes`() async throws {
        try await Self.withData { place in
            let words = try await place.garner("query", "select", "name", "from", "animals", "-f", "csv")
            #expect(words.output == "name\nKea\nWolf\n")
            let first = try await place.garner("query", "-f", "csv", "select", "count(*)", "AS", "n", "from", "animals")
            #expect(first.output == "n\n2\n")
        }
    }

    @Test func `an empty table says that it is empty`() async throws {
        try await Self.withData { place in
            try place.alter("DELETE FROM animals")
            let none = try await place.garner("rows", "animals", "-f", "csv")
            #expect(none.output == "id,name,wings\n" && none.errors == "animals is empty.\n")
            #expect(try await place.garner("rows", "animals", "-q").errors == "")
            #expect(try await place.garner("rows", "animals", "--where", "id = 7").errors == "")
        }
    }

    @Test func `the past can be exported, and its booleans are booleans`() async throws {
        try await Self.withData("primary_key: id, history: true") { place in
            let rows = #"{"id":1,"name":"Kea","wings":true}\#n{"id":2,"name":"Wolf","wings":false}\#n"#
            let run = try #require(
                place.integers(
                    "SELECT run_id FROM _garner_runs JOIN _garner_streams USING (stream_id) WHERE name = 'zoo.animals'"
                ).first)
            for command in [
                ["export", "animals"], ["rows", "animals"], ["query", "SELECT * FROM animals"],
                ["export", "--sql", "SELECT id, name, wings FROM animals WHERE id > 0"],
            ] {
                let past = try await place.start(command + ["--as-of", "\(run)", "-f", "ndjson"]).end()
                #expect(past.output == rows, "\(command): \(past.errors)")
            }
            let count = try await place.garner(
                "query", "SELECT count(*) AS wings FROM animals WHERE wings", "--as-of", "\(run)", "--json")
            #expect(count.output == "[\n{\"wings\":1}\n]\n")
            let early = try await place.garner("export", "animals", "--as-of", "yesterday")
            #expect(early.code == 64 && early.errors.contains("what the rows of animals were at"))
        }
    }

    @Test func `tables for people have local times, data has UTC`() async throws {
        try await Self.withData { place in
            let local = try await place.garner("runs", environment: Self.zone)
            #expect(
                local.output.matches(of: /\s2\d{3}-\d\d-\d\d \d\d:\d\d:\d\d\+02:00\s/).count == 2, "\(local.output)")
            let utc = try await place.garner("runs", "--utc", environment: Self.zone)
            #expect(utc.output.matches(of: /\s2\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\s/).count == 2)
            for format in ["json", "csv"] {
                let data = try await place.garner("runs", "-f", format, environment: Self.zone)
                #expect(!data.output.contains("+02:00") && data.output.contains("Z"), "\(format)")
            }
            #expect(try await place.garner("runs", "show", "1", environment: Self.zone).output.contains("+02:00"))
            #expect(try await place.garner("status", "--vertical", environment: Self.zone).output.contains("+02:00"))
            #expect(
                try await !place.garner("status", "--vertical", "--utc", environment: Self.zone).output.contains(
                    "+02:00"))
        }
    }

    @Test func `runs and changes have a beginning and an end`() async throws {
        try await Self.withData { place in
            try place.alter(
                """
                UPDATE _garner_runs SET started_at = '2026-02-0' || run_id || 'T23:00:00.000Z',
                    ended_at = '2026-02-0' || run_id || 'T23:00:01.000Z';
                INSERT INTO _garner_changes (stream_id, run_id, record_key, operation)
                SELECT s.stream_id, run_id, 7, 'insert' FROM _garner_runs, _garner_streams AS s WHERE name = 'zoo.animals';
                """)
            func runs(_ options: String..., environment: [String: String] = ["TZ": "UTC"]) async throws -> [String] {
                var counts: [String] = []
                for command in ["runs", "changes"] {
                    let found = try await place.start([command, "-f", "csv"] + options, environment: environment).end()
                    #expect(found.code == 0, "\(found.errors)")
                    counts.append("\(max(found.output.split(separator: "\n").count - 1, 0))")
                }
                return counts
            }
            #expect(try await runs() == ["2", "2"])
            #expect(try await runs("--since", "2026-02-02") == ["1", "1"])
            #expect(try await runs("--until", "2026-02-02") == ["1", "1"])
            #expect(try await runs("--since", "2026-02-01", "--until", "2026-02-03") == ["2", "2"])
            // There it is 2026-02-02 already when the first run begins.
            #expect(try await runs("--until", "2026-02-02", environment: Self.zone) == ["0", "0"])
            let changes = try await place.garner("changes", "--until", "1", "--json")
            #expect(changes.output.split(separator: "\n").count == 1)
        }
    }

    @Test func `the status of some streams`() async throws {
        try await Self.withData { place in
            let one = try await place.garner("status", "animals", "-f", "csv")
            #expect(one.output.split(separator: "\n").count == 2 && one.output.contains("\nzoo.animals,"))
            #expect(try await place.garner("status", "zoo.*", "-f", "csv").output.split(separator: "\n").count == 3)
        }
    }
}
