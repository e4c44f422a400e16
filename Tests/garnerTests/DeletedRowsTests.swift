import Foundation
import TestSupport
import Testing

/// What the commands say of rows that `delete_missing: soft` keeps although the source lacks their records.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct DeletedRowsTests {
    /// A table of which two of four records have gone.
    private static func withData(_ body: @escaping @Sendable (Workplace) async throws -> Void) async throws {
        let records = (1...4).map { #"{"id":\#($0),"name":"animal \#($0)"}"# }
        let script = ScriptedServer()
        try await LoopbackServer.serve({ script.answer($0) }) { server in
            let place = try Workplace(
                api: "http://zoo.example/",
                "primary_key: id, delete_missing: soft, max_delete_ratio: 1, paginator: { type: single_page }, search: [name]"
            )
            for count in [4, 2] {
                let page = "[\(records.prefix(count).joined(separator: ","))]"
                script.expect([.get("zoo.example/animals", gives: .json(page))])
                let sync = try await place.garner("sync", environment: ["http_proxy": server.url])
                #expect(sync.code == 0, "\(sync.errors)")
            }
            try await body(place)
        }
    }

    private static let leftOut = "2 deleted rows are left out; --deleted shows them\n"

    @Test func `rows, export and search leave deleted rows out and say so, however quiet`() async throws {
        try await Self.withData { place in
            for command in [
                ["rows", "animals", "-f", "csv"], ["export", "animals"], ["search", "animals", "animal", "-f", "csv"],
            ] {
                let some = try await place.start(command + ["-q"]).end()
                #expect(some.code == 0 && some.errors == Self.leftOut, "\(command): \(some.errors)")
                // The column of the mark stays, so that the file has its shape.
                #expect(some.output == "id,name,_garner_deleted_at\n1,animal 1,\n2,animal 2,\n", "\(command)")
                let all = try await place.start(command + ["--deleted"]).end()
                #expect(all.errors == "", "\(command)")
                #expect(all.output.split(separator: "\n").count == 5)
                #expect(all.output.contains(/\n3,animal 3,2\d{3}-/), "\(all.output)")
            }
            let one = try await place.garner("rows", "animals", "--where", "id IN (1, 3)", "--json")
            #expect(one.errors == "1 deleted row is left out; --deleted shows it\n")
            #expect(try await place.garner("rows", "animals", "--where", "id = 1").errors == "")
            let sql = try await place.garner("export", "--sql", "SELECT id FROM animals")
            #expect(sql.output == "id\n1\n2\n3\n4\n" && sql.errors == "")
        }
    }

    @Test func `tables and status count both`() async throws {
        try await Self.withData { place in
            #expect(try await place.garner("tables").output.contains("  2, and 2 deleted  "))
            let json = try await place.garner("tables", "--json").output
            #expect(json.contains(#""rows":4,"#) && json.contains(#""deleted":2,"kind":"table""#), "\(json)")
            #expect(try await place.garner("status").output.contains("2, and 2 deleted"))
            #expect(try await place.garner("status", "--json").output.contains(#""deleted":2}"#))
        }
    }

    @Test func `get shows a deleted record and says that it is one`() async throws {
        try await Self.withData { place in
            let gone = try await place.garner("get", "animals", "3", "--json")
            #expect(gone.code == 0 && gone.output.contains(#""id":3,"name":"animal 3","_garner_deleted_at":"2"#))
            #expect(gone.errors.hasPrefix("This record was deleted at the source; its row is marked since 2"))
            #expect(try await place.garner("get", "animals", "1").errors == "")
        }
    }
}
