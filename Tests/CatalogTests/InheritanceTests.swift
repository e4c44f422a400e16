import GarnerCatalog
import GarnerModel
import Testing

struct InheritanceTests {
    private let text = """
        version: 1
        defaults:
          headers: { Accept: application/json, X-Level: defaults }
          params: { limit: 10, a: 1 }
          schedule: { every: 15m, jitter: 30s }
          retry: { max_attempts: 9, base_delay: 2s }
          limits: { total: 1m }
          primary_key: id
          delete_missing: soft
          paginator: { type: offset, limit: 7 }
        sources:
          zoo:
            base_url: https://zoo.example/
            headers: { x-level: source }
            auth: { type: bearer, token: "${T}" }
            retry: { base_delay: 3s }
            params: { a: 2, A: 3 }
            delete_missing: hard
            streams:
              plain:
              own:
                headers: { X-LEVEL: stream, X-More: 1 }
                auth: { type: none }
                retry: { max_delay: 4s }
                params: { limit: 20 }
                schedule: { every: 1m }
                primary_key: [a, b]
                delete_missing: ignore
                paginator: { type: single_page }
        """

    private func streams() throws -> (plain: StreamConfiguration, own: StreamConfiguration) {
        let streams = try Fixture.parse(text, environment: ["T": "s3"]).streams
        return (try #require(streams.first), try #require(streams.last))
    }

    @Test func `a stream inherits what it does not say`() throws {
        let plain = try streams().plain
        #expect(plain.schedule == Schedule(every: .seconds(900), jitter: .seconds(30)))
        #expect(plain.primaryKey == ["id"])
        #expect(plain.deleteMissing == .hard)
        #expect(plain.request.authentication == .bearer(token: Secret("s3")))
        #expect(plain.limits == Limits(total: .seconds(60)))
        #expect(plain.paginator == Paginator(.offset(.init(limit: 7))))
    }

    @Test func `what a stream says replaces what it inherits`() throws {
        let own = try streams().own
        #expect(own.schedule == Schedule(every: .seconds(60)))
        #expect(own.primaryKey == ["a", "b"])
        #expect(own.deleteMissing == .ignore)
        #expect(own.request.authentication == .none)
        #expect(own.paginator == Paginator(.singlePage))
    }

    @Test func `retry is inherited key by key`() throws {
        let (plain, own) = try streams()
        #expect(plain.retry == RetryPolicy(maxAttempts: 9, baseDelay: .seconds(3)))
        #expect(own.retry == RetryPolicy(maxAttempts: 9, baseDelay: .seconds(3), maxDelay: .seconds(4)))
    }

    @Test func `headers merge by name without regard to case, parameters with`() throws {
        let (plain, own) = try streams()
        func shown(_ parameters: [RequestTemplate.Parameter]) -> [String] {
            parameters.map { "\($0.name)=\($0.value)" }
        }
        #expect(shown(plain.request.headers) == ["Accept=application/json", "x-level=source"])
        #expect(shown(own.request.headers) == ["Accept=application/json", "X-LEVEL=stream", "X-More=1"])
        #expect(shown(plain.request.params) == ["limit=10", "a=2", "A=3"])
        #expect(shown(own.request.params) == ["limit=20", "a=2", "A=3"])
    }

    @Test func `what is wrong in the defaults is told once`() {
        let issues = Fixture.issues(
            """
            version: 1
            defaults: { flatten_depth: x }
            sources: { a: { base_url: "http://a/", streams: { b: , c: } } }
            """)
        #expect(issues.map(\.place.line) == [2])
    }

    @Test func `every effective value tells where it comes from`() throws {
        let effective = try Fixture.parse(text, environment: ["T": "s3"]).effective
        let own = try #require(effective.streams.last)
        #expect(own.name.description == "zoo.own")
        let shown = own.entries.map { "\($0.path.joined(separator: ".")): \($0.value) (\($0.origin))" }
        #expect(
            shown == [
                "base_url: https://zoo.example/ (source, line 13)", "path:  (default)", "method: GET (default)",
                "headers.Accept: application/json (defaults, line 3)", "headers.X-LEVEL: stream (stream, line 22)",
                "headers.X-More: 1 (stream, line 22)", "params.limit: 20 (stream, line 25)",
                "params.a: 2 (source, line 17)",
                "params.A: 3 (source, line 17)", "auth.type: none (stream, line 23)",
                "paginator.type: single_page (stream, line 29)", "sync_mode: full_refresh (default)",
                "record_shape.type: objects (default)",
                "table: own (default)",
                "record_selector: auto (default)",
                "primary_key: [a, b] (stream, line 27)", "write_disposition: auto (default)",
                "merge_strategy: upsert (default)",
                "delete_missing: ignore (stream, line 28)", "dedupe: false (default)",
                "max_delete_ratio: auto (default)",
                "flatten_depth: 1 (default)",
                "child_tables: false (default)", "schema_contract.tables: evolve (default)",
                "schema_contract.columns: evolve (default)", "schema_contract.data_types: set_aside (default)",
                "history: false (default)", "keep_runs: 1000 (default)",
                "schedule.every: 1m (stream, line 26)", "schedule.anchor: epoch (default)",
                "schedule.jitter: 0s (default)", "schedule.overlap: skip (default)",
                "schedule.misfire_grace: 1m (default)", "schedule.catch_up: latest (default)",
                "retry.max_attempts: 9 (defaults, line 6)", "retry.base_delay: 3s (source, line 16)",
                "retry.max_delay: 4s (stream, line 24)", "retry.respect_retry_after: true (default)",
                "limits.body: 64MiB (default)", "limits.head: 64KiB (default)", "limits.connect: 10s (default)",
                "limits.first_byte: 30s (default)", "limits.idle: 30s (default)", "limits.total: 1m (defaults, line 7)",
                "max_concurrency: 4 (default)", "proxy: environment (default)",
                "allow_private_network: auto (default)", "wait_for_connectivity: 0s (default)",
                "respect_cache_control: false (default)",
            ])
    }

    /// The lines of a stream, and what is shown of the key of the first one.
    private static let partly: [(String, [String])] = [
        (
            "auth: { type: command, run: [a, b], timeout: 5s }",
            [
                "type: command (stream, line 7)", "run: [a, b] (stream, line 7)", "output: token (default)",
                "expires: 1h (default)", "timeout: 5s (stream, line 7)",
            ]
        ),
        (
            "auth: { type: session_token, request: { path: l, json: { a: 1 } }, take: { token: $.t } }",
            [
                "type: session_token (stream, line 7)", "request.path: l (stream, line 7)",
                #"request.json: {"a":1} (stream, line 7)"#, "take.token: $.t (stream, line 7)",
                "send.header: Authorization (default)", "send.value: Bearer {token} (default)",
                "expires: auto (default)",
            ]
        ),
        (
            "auth: { type: session_token, request: { path: l }, take: cookies, expires: 2h }",
            [
                "type: session_token (stream, line 7)", "request.path: l (stream, line 7)",
                "take: cookies (stream, line 7)", "expires: 2h (stream, line 7)",
            ]
        ),
        (
            "auth: { type: oauth2, grant_type: refresh_token, token_url: \"https://a/t\", client_id: me, refresh_token: \"${T}\" }",
            [
                "type: oauth2 (stream, line 7)", "grant_type: refresh_token (stream, line 7)",
                "refresh_token: *** (stream, line 7)", "token_url: https://a/t (stream, line 7)",
                "client_id: me (stream, line 7)", "scopes: [] (default)", "auth_style: body (default)",
                "token_path: $.access_token (default)", "expires_path: $.expires_in (default)",
            ]
        ),
        (
            "incremental: { stop_at_known: true, <<: { cursor_field: at } }",
            [
                "cursor_field: at (stream, line 7)", "timezone: UTC (default)", "stop_at_known: true (stream, line 7)",
            ]
        ),
        (
            "fields: { add: { a: x }, rename: { $.b.c: d } }",
            ["rename.$.b.c: d (stream, line 7)", "add.a: x (stream, line 7)"]
        ),
        (
            "attachments: [ { field: photo } ]", ["photo: [image/*] (stream, line 7)"]
        ),
    ]

    @Test(arguments: partly)
    func `a part that nobody wrote has the origin default`(lines: String, expected: [String]) throws {
        let entries = try Fixture.parse(Fixture.streamText(lines), environment: ["T": "s3"]).effective.streams[0]
            .entries
        let key = String(lines.prefix { $0 != ":" })
        let shown = entries.filter { $0.path.first == key }.map {
            "\($0.path.dropFirst().joined(separator: ".")): \($0.value) (\($0.origin))"
        }
        #expect(shown == expected)
    }

    @Test func `effective values never show a secret`() throws {
        let effective = try Fixture.parse(text, environment: ["T": "s3cret"]).effective
        let token = effective.streams.first?.entries.first { $0.path == ["auth", "token"] }
        #expect(token?.value == .text("***"))
        #expect(!"\(effective)".contains("s3cret"))
        #expect(
            effective.general.map { "\($0.path) \($0.value) \($0.origin)" } == [
                "[\"database\"] folder/garner.db default"
            ])
    }
}
