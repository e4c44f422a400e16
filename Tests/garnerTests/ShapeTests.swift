import Foundation
import TestSupport
import Testing

/// The JSON that scripts rely on: members and their order.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct ShapeTests {
    private static let counts = [
        "pages", "requests", "not_modified", "inserted", "updated", "unchanged", "deleted", "quarantined", "discarded",
        "bytes",
    ]

    private static func withData(_ body: @escaping @Sendable (Workplace) async throws -> Void) async throws {
        try await LoopbackServer.serve({ .page($0.page, of: 2) }) { server in
            let place = try Workplace(api: server.url, "primary_key: id, schedule: { every: 15m }")
            try await place.garner("sync")
            try await body(place)
        }
    }

    @Test func `sync --json is one object per stream`() async throws {
        try await LoopbackServer.serve({ $0.target == "/plants" ? .json("{") : .page($0.page, of: 2) }) { server in
            let place = try Workplace(api: server.url, streams: ["animals", "plants"])
            let sync = try await place.garner("sync", "--json")
            let lines = sync.output.split(separator: "\n").sorted()
            let shape = ["stream", "run_id", "status"] + Self.counts + ["duration_ms", "error"]
            try #require(lines.count == 2)
            let completeness = ["completeness", "completeness_reason"]
            #expect(members(of: lines[0]) == shape + ["warning"] + completeness + ["schema_changes"])
            let error = ["error.code", "error.kind", "error.message", "error.url", "error.hint"]
            #expect(members(of: lines[1]) == shape + error + ["warning"] + completeness + ["schema_changes"])
            #expect(lines[0].contains(#""stream":"zoo.animals","run_id":"#))
            #expect(lines[0].contains(#""status":"succeeded","pages":2,"requests":2,"not_modified":0,"inserted":4,"#))
            #expect(lines[1].contains(#""status":"failed","pages":0,"requests":1,"#))
        }
    }

    @Test func `status --json has the documented shape`() async throws {
        try await Self.withData { place in
            let status = try await place.garner("status", "--json")
            let shape = [
                "stream", "state", "last_run", "last_success_at", "age_seconds", "rows", "changes", "next_due_at",
                "consecutive_failures", "reason", "error", "completeness", "completeness_reason",
                "incomplete_since", "odd_columns", "deleted",
            ]
            #expect(members(of: status.output) == shape)
            #expect(status.output.contains(#""state":"succeeded","last_run":1,"#))
            #expect(status.output.contains(#""rows":4,"changes":4,"#))
            #expect(status.output.firstMatch(of: /"last_success_at":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"/) != nil)
        }
    }

    @Test func `runs --json has the documented shape, newest first`() async throws {
        try await Self.withData { place in
            try await place.garner("sync")
            let runs = try await place.garner("runs", "--json", "--limit", "2")
            let shape =
                ["run_id", "stream", "status", "nominal_at", "started_at", "ended_at"] + Self.counts + [
                    "completeness", "completeness_reason", "error", "warning", "trigger", "due_at", "lateness_ms",
                    "reason", "skipped", "times_not_begun",
                ]
            #expect(members(of: runs.output) == shape + shape)
            #expect(runs.output.matches(of: /"run_id":(\d+)/).map(\.1) == ["2", "1"])
            #expect(try await place.garner("runs", "--json", "--limit", "1").output.contains(#""run_id":2,"#))
            let one = try await place.garner("runs", "show", "1", "--json")
            let request = [
                "sent_at", "url", "status", "attempts", "bytes", "duration_ms", "not_modified", "rate_limit_remaining",
                "error",
            ]
            let ledger = ["request_log"] + request.map { "request_log.\($0)" }
            #expect(members(of: one.output).filter { !ledger.contains($0) } == shape + ["schema_changes"])
            #expect(members(of: one.output).contains(ledger))
            #expect(
                one.output.hasPrefix(#"{"run_id":1,"stream":"zoo.animals","status":"succeeded","nominal_at":null,"#))
        }
    }

    @Test func `tables --json has the documented shape`() async throws {
        try await Self.withData { place in
            let tables = try await place.garner("tables", "--json")
            #expect(
                members(of: tables.output) == [
                    "table", "stream", "rows", "last_changed_at", "deleted", "kind", "configured",
                ])
            #expect(tables.output.contains(#"{"table":"animals","stream":"zoo.animals","rows":4,"#))
        }
    }

    @Test func `schema of one table and of all`() async throws {
        try await Self.withData { place in
            let one = try await place.garner("schema", "animals", "--json")
            let column = ["columns.name", "columns.type", "columns.path", "columns.first_seen_run"]
            #expect(members(of: one.output) == ["table", "primary_key", "columns"] + column + column)
            #expect(
                one.output.hasPrefix(
                    #"{"table":"animals","primary_key":["id"],"columns":[{"name":"id","type":"INTEGER","path":"$['id']","first_seen_run":1}"#
                ))
            let all = try await place.garner("schema", "--json")
            #expect(all.output == "[\(one.output.dropLast())]\n")
        }
    }

    @Test func `the history of schemas`() async throws {
        try await Self.withData { place in
            let diff = try await place.garner("schema", "animals", "--diff", "--since", "1", "--json")
            let change = ["table", "column", "change", "old_type", "new_type", "run_id", "at"]
            #expect(members(of: diff.output) == change + change)
            #expect(
                diff.output.contains(
                    #"{"table":"animals","column":"id","change":"added","old_type":null,"new_type":"INTEGER","run_id":1,"#
                ))
            #expect(try await place.garner("schema", "--diff", "--since", "2", "-f", "csv").output == "")
            #expect(try await place.garner("schema", "--diff", "--since", "1h", "--json").output == diff.output)
            #expect(try await place.garner("schema", "--since", "1").code == 64)
        }
    }

    @Test func `schedule --json has the documented shape`() async throws {
        try await Self.withData { place in
            let schedule = try await place.garner("schedule", "--json", "--next", "2", "--from", "2026-01-31T08:00:00Z")
            let shape = ["stream", "due_at", "nominal_at", "local", "reason"]
            #expect(members(of: schedule.output) == shape + shape)
            let instants = schedule.output.matches(of: /"due_at":"([^"]*)"/).map(\.1)
            #expect(instants.count == 2)
            #expect(instants.allSatisfy { $0.hasPrefix("2026-01-31T08:") })
            let every = try await place.garner("schedule", "--every", "90s", "--next", "3", "--json")
            #expect(every.output.matches(of: /"due_at"/).count == 3)
            let cron = try await place.garner(
                "schedule", "--cron", "30 2 * * *", "--timezone", "Europe/Berlin", "--from", "2026-03-28T12:00:00Z",
                "--next", "2", "-f", "csv")
            #expect(
                cron.output == """
                    stream,due_at,nominal_at,local,reason
                    -,2026-03-29T01:00:00.000Z,2026-03-29T01:00:00.000Z,2026-03-29T03:00:00.000+02:00,
                    -,2026-03-30T00:30:00.000Z,2026-03-30T00:30:00.000Z,2026-03-30T02:30:00.000+02:00,

                    """)
            let never = try await place.garner(
                "schedule", "--cron", "0 0 29 2 *", "--from", "9996-03-01", "--json")
            #expect(never.output == "[]\n")
        }
    }

    @Test func `query and rows are arrays of objects, columns in order`() async throws {
        try await Self.withData { place in
            let rows = try await place.garner("rows", "animals", "--json", "--limit", "1", "--order", "id DESC")
            #expect(rows.output == "[\n{\"id\":4,\"name\":\"animal 4\"}\n]\n")
            let query = try await place.garner(
                "query", "SELECT name, id FROM animals WHERE id = :id", "-p", "id=2", "--json")
            #expect(query.output == "[\n{\"name\":\"animal 2\",\"id\":2}\n]\n")
            let none = try await place.garner("query", "SELECT id FROM animals WHERE id = 99", "--json")
            #expect(none.output == "[]\n")
            let blob = try await place.garner("query", "SELECT x'6869' AS b, NULL AS n, 1.5 AS r", "--json")
            #expect(blob.output == "[\n{\"b\":{\"$base64\":\"aGk=\"},\"n\":null,\"r\":1.5}\n]\n")
        }
    }

    @Test(arguments: ["tables", "schema"])
    func `what is empty is an empty array, and in CSV no line`(command: String) async throws {
        let place = try Workplace(api: "http://127.0.0.1:1")
        try await place.garner("sync")
        let json = try await place.garner(command, "--json")
        #expect(json.output.filter { !$0.isWhitespace } == "[]")
        #expect(try await place.garner(command, "-f", "csv").output == "")
        let table = try await place.garner(command)
        #expect(table.output == "")
        #expect(table.errors == "Nothing is stored yet; run 'garner sync'.\n")
    }

    @Test func `check and config show`() async throws {
        try await Self.withData { place in
            let check = try await place.garner("check", "--json")
            #expect(members(of: check.output) == ["stream", "table", "schedule", "result", "error"])
            let show = try await place.garner("config", "show", "--json")
            #expect(members(of: show.output).prefix(4) == ["stream", "key", "value", "origin"])
            let path = try await place.garner("config", "path")
            #expect(path.output == "garner.yaml\n")
        }
    }
}
