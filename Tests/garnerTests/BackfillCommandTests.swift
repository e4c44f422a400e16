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

    @Test func `without a format a bound is spelled like the cursors that were stored`() async throws {
        try await LoopbackServer.serve({ _ in .json(#"[{"id":1,"at":"2026-01-31T08:00:00Z"}]"#) }) { server in
            let place = try Workplace(
                api: server.url,
                "params: { since: \"{incremental.start_value}\" }, primary_key: id, incremental: { cursor_field: at }")
            try await place.garner("sync")
            try await place.garner("sync", "animals", "--from", "2026-01-05")
            #expect(server.requests.last?.target == "/animals?since=2026-01-05T00%3A00%3A00Z")
            let requests = server.requests.count
            let refused = try await place.garner("sync", "animals", "--to", "2026-01-05")
            #expect(refused.code == 64)
            #expect(
                refused.errors == """
                    Error: zoo.animals: no request of the stream holds {incremental.end_value}, so that --to would change nothing
                    Try: add it where the API takes this bound, as in params: { until: "{incremental.end_value}" }, or leave the option out

                    """)
            #expect(server.requests.count == requests)
        }
    }

    @Test func `a range that the stream cannot have is refused before anything is requested`() async throws {
        let place = try Self.place("http://127.0.0.1:9")
        let sync = try await place.garner("sync", "animals", "--from", "soon")
        #expect(sync.code == 64)
        #expect(
            sync.errors == """
                Error: zoo.animals: 'soon' is no time
                Try: write a time such as 2026-01-31 or 2026-01-31T08:00:00Z, or one in the format epoch

                """)
    }
}
