import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2)))
struct BackfillCommandTests {
    private static func place(_ url: String) throws -> Workplace {
        try Workplace(
            api: url,
            """
            params: { since: "{incremental.start_value}", until: "{incremental.end_value}" }, primary_key: id, \
            incremental: { cursor_field: at, cursor_datetime_format: epoch }
            """)
    }

    @Test func `a range is requested in the format of the stream, and its records are updated`() async throws {
        try await LoopbackServer.serve({
            .json($0.target.contains("since=1767225600") ? #"[{"id":1,"at":5,"n":2}]"# : #"[{"id":1,"at":5,"n":1}]"#)
        }) { server in
            let place = try Self.place(server.url)
            try await place.garner("sync")
            let sync = try await place.garner("sync", "animals", "--from", "2026-01-01", "--to", "1769904000")
            #expect(sync.code == 0)
            #expect(sync.errors.contains("1 updated"), "\(sync)")
            #expect(server.requests.last?.target == "/animals?since=1767225600&until=1769904000")
            #expect(try place.integers("SELECT n FROM animals") == [2])
        }
    }
}
