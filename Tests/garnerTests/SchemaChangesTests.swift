import Foundation
import TestSupport
import Testing

/// The messages of runs about the columns that they have changed.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct SchemaChangesTests {
    private let body = Watched(#"[{"id":1,"a":1},{"id":2,"a":0.5}]"#)

    /// Every stream gets the records of `body`.
    private func withServer(_ test: @escaping @Sendable (Workplace) async throws -> Void) async throws {
        try await LoopbackServer.serve({ [body] _ in .json(body.value) }) { server in
            try await test(
                Workplace(
                    api: server.url, "primary_key: id, schedule: { every: 1000d }, paginator: { type: single_page }"))
        }
    }

    @Test func `sync tells of columns that came or were widened, and runs show tells it again`() async throws {
        try await withServer { [body] place in
            let first = try await place.garner("sync")
            #expect(first.code == 0 && first.errors.split(separator: "\n").count == 3, "\(first.errors)")

            body.value = #"[{"id":1,"a":"x1","b":true}]"#
            let second = try await place.garner("sync")
            #expect(second.output == "")
            #expect(
                second.errors.hasSuffix(
                    """
                    , or fields: { types: { a: text } }
                    zoo.animals: column animals.a is TEXT now, it was REAL
                    zoo.animals: new column animals.b (BOOLEAN)

                    """), "\(second.errors)")

            let show = try await place.garner("runs", "show", "2", "--json")
            let widened = #""column":"a","change":"widened","old_type":"REAL","new_type":"TEXT","run_id":2,"at":""#
            #expect(show.output.contains(#""schema_changes":[{"table":"animals",\#(widened)"#), "\(show.output)")
            #expect(show.output.matches(of: /"change":/).count == 2)
            let table = try await place.garner("runs", "show", "2")
            #expect(table.output.contains("\n\ntable "))
            #expect(table.output.contains(/\nanimals +b +added +- +BOOLEAN/))
            let others = try await place.garner("runs", "show", "1", "--json")
            #expect(others.output.contains(#""schema_changes":[],"request_log":[{"#))
        }
    }

    @Test func `sync --json includes schema changes, and --quiet omits them`() async throws {
        try await withServer { [body] place in
            let first = try await place.garner("sync", "--json")
            #expect(first.output.hasSuffix(#""schema_changes":[]}"# + "\n"), "\(first.output)")
            body.value = #"[{"id":1,"b":1}]"#
            let json = try await place.garner("sync", "--json")
            #expect(json.errors == "")
            let added = #""column":"b","change":"added","old_type":null,"new_type":"INTEGER","run_id":2,"at":""#
            #expect(json.output.contains(#""schema_changes":[{"table":"animals",\#(added)"#), "\(json.output)")
            body.value = #"[{"id":1,"c":1}]"#
            #expect(try await place.garner("sync", "--quiet").errors == "")
        }
    }

    @Test func `sync --dry-run lists the columns that would be added`() async throws {
        try await withServer { [body] place in
            try await place.garner("sync")
            body.value = #"[{"id":1,"b":1}]"#
            let change = "zoo.animals: new column animals.b (INTEGER)\n"
            let dry = try await place.garner("sync", "--dry-run").errors
            #expect(dry.hasSuffix(change + "This was a dry run: nothing was stored.\n"), "\(dry)")
            let json = try await place.garner("sync", "--dry-run", "--json").output
            #expect(json.contains(#""run_id":null,"#) && json.contains(#""dry_run":true}"#), "\(json)")
            let errors = try await place.garner("sync").errors
            #expect(errors.hasSuffix(change), "\(errors)")
        }
    }

    @Test func `sync lists at most ten schema changes, with escaped names`() async throws {
        try await withServer { [body] place in
            try await place.garner("sync")
            let members = (1...11).map { #""m\#($0)":1"# }.joined(separator: ",")
            body.value = #"[{"id":1,"\u001b[31mred":null,\#(members)}]"#
            let sync = try await place.garner("sync")
            let lines = sync.errors.split(separator: "\n")
            #expect(lines.count == 11, "\(sync.errors)")
            #expect(lines.dropFirst().first == #"zoo.animals: new column animals.\u001b[31mred (nulls only)"#)
            #expect(lines.last == "zoo.animals: 3 more changes of columns; --json tells them all")
        }
    }

    @Test func `sync beside a service lists schema changes`() async throws {
        try await withServer { [body] place in
            try await place.garner("sync")
            try await place.garner("pause", "animals")
            let serve = try place.start(["serve"])
            try await eventually { place.names.contains("garner.db.sock") }
            body.value = #"[{"id":1,"b":1}]"#
            let sync = try await place.garner("sync")
            #expect(sync.errors.contains("\nzoo.animals: new column animals.b (INTEGER)\n"), "\(sync.errors)")
            serve.send(SIGTERM)
            #expect(try await serve.end().code == 0)
        }
    }
}
