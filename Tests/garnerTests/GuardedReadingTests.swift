import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(2)))
struct GuardedReadingTests {
    /// A table whose owner has added a column that takes hours for each row.
    private static func withSlowColumn(_ body: @escaping @Sendable (Workplace) async throws -> Void) async throws {
        try await LoopbackServer.serve({ _ in .json(#"[{"id":1,"name":"wolf"}]"#) }) { server in
            let place = try Workplace(api: server.url, "primary_key: id, search: [name]")
            try await place.garner("sync")
            try place.alter(
                """
                ALTER TABLE animals ADD COLUMN slow TEXT
                AS (instr(hex(zeroblob(30000000)), hex(zeroblob(15000000)) || '1')) VIRTUAL
                """)
            try await body(place)
        }
    }

    @Test(arguments: [["search", "animals", "wolf"], ["get", "animals", "1"], ["rows", "animals"]])
    func `a column that takes hours ends with the time that its reader has`(arguments: [String]) async throws {
        try await Self.withSlowColumn { place in
            for format in ["table", "json", "csv"] {
                let ending = try await place.start(arguments + ["--timeout", "300ms", "-f", format]).end()
                #expect(ending.code == 1, "\(ending.errors)")
                #expect(ending.errors.contains("the query ran for longer than 300ms"), "\(ending.errors)")
            }
        }
    }
}
