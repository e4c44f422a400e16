import GarnerCatalog
import GarnerModel
import Testing

struct FetchingKeyTests {
    @Test func `responses, files and waits are read`() throws {
        let stream = try Fixture.stream(
            """
            response_actions: [ { status: 404, action: ignore }, { body_contains: busy, status: 503, action: retry } ]
            attachments: [ { field: photo }, { field: file, media_types: [Application/PDF, image/*] } ]
            wait_for_connectivity: 90s
            respect_cache_control: true
            limits: { ratio: 200 }
            """)
        #expect(
            stream.responseActions == [
                ResponseAction(status: 404, action: .ignore),
                ResponseAction(status: 503, bodyContains: "busy", action: .retry),
            ])
        #expect(
            stream.attachments == [
                Attachment(field: "photo", mediaTypes: ["image/*"]),
                Attachment(field: "file", mediaTypes: ["application/pdf", "image/*"]),
            ])
        #expect(stream.waitForConnectivity == .seconds(90))
        #expect(stream.usesCacheLifetime)
        #expect(stream.limits == Limits(ratio: 200))
    }

    @Test func `the form of responses is read, and inherited key by key`() throws {
        let stream = try Fixture.stream("response: { media_types: [Text/Plain, \"*/*\"], charset: iso-8859-1 }")
        #expect(stream.response == ResponseFormat(mediaTypes: ["text/plain", "*/*"], charset: .latin1))
        let inherited = try Fixture.streamOfSource("response: { media_types: text/plain }")
        #expect(inherited.response == ResponseFormat(mediaTypes: ["text/plain"]))
    }

    @Test func `a key may have what is added to records, whatever fields they keep`() throws {
        let byPartition = try Fixture.stream(
            "partitions: { city: [a] }\npath: \"{partition.city}\"\nfields: { keep: [id] }\nprimary_key: [_city, id]")
        #expect(byPartition.primaryKey == ["_city", "id"])
        let text = """
            version: 1
            sources:
              zoo:
                base_url: https://zoo.example/
                streams:
                  animals: { path: animals }
                  feedings:
                    parent: animals
                    path: "{parent.id}"
                    include_from_parent: [id]
                    fields: { keep: [n] }
                    primary_key: [_animals_id, n]
            """
        #expect(try Fixture.parse(text).streams.last?.primaryKey == ["_animals_id", "n"])
    }

    @Test(arguments: [
        ("record_filter: '@.a = 1'", "'record_filter' is no condition: values are compared with '==' (byte 4)"),
        ("deleted_when: '@.a ='", "'deleted_when' is no condition: values are compared with '==' (byte 4)"),
        (
            "deleted_when: '@.a'\nwrite_disposition: append",
            "'deleted_when' cannot work with 'write_disposition: append' of 'zoo.animals'"
        ),
        ("deleted_when: '@.a'\ndedupe: true", "'deleted_when' cannot work with 'dedupe' of 'zoo.animals'"),
        (
            "fields: { rename: { $.a.b: $.a.c } }",
            "'$.a.c' in 'fields.rename' is a path, and a new name is none"
        ),
        (
            "fields: { drop: [a] }\nprimary_key: a",
            "'fields' leaves out 'a', which 'primary_key' of 'zoo.animals' needs"
        ),
        (
            "fields: { rename: { a: b } }\nprimary_key: [b, a]",
            "'fields' leaves out 'a', which 'primary_key' of 'zoo.animals' needs"
        ),
        (
            "fields: { keep: [b] }\nsearch: a", "'fields' leaves out 'a', which 'search' of 'zoo.animals' needs"
        ),
        (
            "fields: { hash: { fields: [at], key: \"a long key of a hash\" } }\nincremental: { cursor_field: at }",
            "'fields' hashes 'at', whose value 'incremental' of 'zoo.animals' needs"
        ),
        (
            "record_shape: { type: entries, key_field: value }",
            "'record_shape.key_field' and 'value_field' are the same field"
        ),
        (
            "fields: { rename: { a: b }, hash: { fields: [a], key: \"a long key of a hash\" } }",
            "'fields' hashes 'a', which it leaves out or renames"
        ),
        ("record_shape: { type: entries }", "'record_shape.key_field' is missing"),
        ("record_shape: { type: rows }", "'record_shape.names' is missing"),
        ("record_shape: columns", "'record_shape' must be a mapping, not text"),
        ("fields: { drop: \"$.a[0]\" }", "'$.a[0]' in 'fields.drop' is no field"),
        ("fields: { keep: [a], drop: [a] }", "'a' stands in both 'fields.keep' and 'drop'"),
        ("fields: { rename: { a: c, b: c } }", "'fields.rename' has a new name twice: c"),
        ("fields: { hash: { fields: [a] } }", "'fields.hash.key' is missing"),
        ("fields: { types: { a: date } }", "'fields.types.a' cannot be 'date'"),
        ("fields: { types: { a: number } }", "'fields.types.a' cannot be 'number'"),
        ("fields: { types: { \"$.a[0]\": text } }", "'$.a[0]' in 'fields.types' is no field"),
        (
            "fields: { drop: [a], types: { a: text } }",
            "'fields' gives a type to 'a', which it leaves out or renames"
        ),
        (
            "fields: { hash: { fields: [a], key: \"a long key of a hash\" }, types: { a: text } }",
            "'fields' hashes 'a' and gives it a type"
        ),
        ("response: { media_types: plain }", "'response.media_types' names no media type"),
        ("response: { charset: ebcdic }", "'response.charset' cannot be 'ebcdic'"),
        ("response_actions: { status: 404, action: ignore }", "'response_actions' must be a list, not a mapping"),
        ("response_actions: [ 404 ]", "'response_actions[0]' must be a mapping, not a number"),
        ("response_actions: [ { action: fail } ]", "'response_actions[0]' says not which responses"),
        ("response_actions: [ { status: 404 } ]", "'response_actions[0].action' is missing"),
        (
            "response_actions: [ { when: $.code, action: fail } ]",
            "'response_actions[0].when' asks only whether there is such a member, whatever its value"
        ),
        (
            "response_actions: [ { when: code = 1, action: fail } ]",
            "'response_actions[0].when' is no condition: 'code' is not a value; write a member as @.code, and a text in quotes (byte 0)"
        ),
        ("response_actions: [ { status: 99, action: fail } ]", "'response_actions[0].status' is out of range: '99'"),
        ("response_actions: [ { status: 600, action: fail } ]", "'response_actions[0].status' is out of range: '600'"),
        ("response_actions: [ { status: 404, action: skip } ]", "'response_actions[0].action' cannot be 'skip'"),
        ("response_actions: [ { body_contains: '', action: fail } ]", "'response_actions[0].body_contains' is empty"),
        ("attachments: photo", "'attachments' must be a list, not text"),
        ("attachments: [ {} ]", "'attachments[0].field' is missing"),
        ("attachments: [ { field: a }, { field: a } ]", "'attachments' names a field twice"),
        ("attachments: [ { field: a, media_types: [] } ]", "'attachments[0].media_types' names no media type"),
        ("attachments: [ { field: a, media_types: image } ]", "'attachments[0].media_types' names no media type"),
        ("attachments: [ { field: a, media_types: image/ } ]", "'attachments[0].media_types' names no media type"),
        ("attachments: [ { field: a, media_types: \"*/png\" } ]", "'attachments[0].media_types' names no media type"),
        ("attachments: [ { field: a, media_types: a/b/c } ]", "'attachments[0].media_types' names no media type"),
        ("wait_for_connectivity: 30", "'wait_for_connectivity' has no unit: '30'"),
        ("respect_cache_control: yes", "'respect_cache_control' must be true or false, not 'yes'"),
        ("limits: { ratio: 0 }", "'limits.ratio' is out of range: '0'"),
        ("paginator: { type: header_cursor }", "'paginator.cursor_header' is missing"),
        ("paginator: { type: header_cursor, cursor_header: a b }", "this name of a header cannot be sent"),
        (
            "paginator: { type: auto, allow_cross_origin: 1 }",
            "'paginator.allow_cross_origin' must be true or false, not '1'"
        ),
    ])
    func `a wrong value of a stream says what is right`(lines: String, message: String) {
        let issues = Fixture.issues(Fixture.streamText(lines))
        #expect(issues.map(\.message) == [message])
        #expect(issues.first?.hint != nil)
    }

    /// An action that is refused, the advice, and each action that follows it.
    private static let actions: [(String, advice: String, mended: [String])] = [
        (
            "when: \"$.error.contains('x')\", action: fail",
            "such as $.code == 40100, or body_contains with a text that the body must hold",
            ["when: $.code == 40100, action: fail", "body_contains: x, action: fail"]
        ),
        ("when: $.code, action: fail", "such as $.code == 40100", ["when: $.code == 40100, action: fail"]),
        (
            "action: fail", "add 'status: 404', 'body_contains: …' or 'when: $.code == 40100'",
            ["status: 404", "body_contains: …", "when: $.code == 40100"].map { "action: fail, \($0)" }
        ),
        (
            "status: 404", "add 'action: ignore', 'retry', 'fail', 'accept' or 'end'",
            ["ignore", "retry", "fail", "accept", "end"].map { "status: 404, action: \($0)" }
        ),
    ]

    @Test(arguments: actions)
    func `what is advised for an action is taken`(action: String, advice: String, mended: [String]) throws {
        func text(_ action: String) -> String { Fixture.streamText("response_actions: [ { \(action) } ]") }
        let issues = Fixture.issues(text(action))
        #expect(issues.map { $0.hint?.hasSuffix(advice) } == [true], "\(issues)")
        for action in mended { #expect(try Fixture.parse(text(action)).warnings.isEmpty, "\(action)") }
    }

    @Test(arguments: [
        ("rate_limit: 10", "'rate_limit' must be a mapping, not a number"),
        ("rate_limit: { requests: 10 }", "'rate_limit.per' is missing"),
        ("rate_limit: { per: 1s }", "'rate_limit.requests' is missing"),
        ("rate_limit: { requests: 0, per: 1s }", "'rate_limit.requests' is out of range: '0'"),
        ("rate_limit: { requests: 1, per: 0.5ms }", "'rate_limit.per' is too short: '0.5ms'"),
        ("max_concurrency: 0", "'max_concurrency' is out of range: '0'"),
        ("max_concurrency: 257", "'max_concurrency' is out of range: '257'"),
        ("ca: ''", "'ca' is empty"), ("ca: ~/x.pem", "'ca' must be the path of a file"),
        ("ca: \"a\\0b\"", "'ca' must be the path of a file"),
    ])
    func `a wrong value of a source says what is right`(lines: String, message: String) {
        let issues = Fixture.issues(Fixture.sourceText(lines))
        #expect(issues.map(\.message) == [message])
        #expect(issues.first?.hint != nil)
    }

    @Test func `a home folder in the path of certificates is told of`() {
        let hints = Fixture.issues(Fixture.sourceText("ca: ~/x.pem")).map(\.hint)
        #expect(hints == ["write the whole path: only a shell knows '~'"])
    }

    @Test func `every key of fetching is shown with its origin, and no secret`() throws {
        let configuration = try Fixture.parse(
            """
            version: 1
            defaults:
              wait_for_connectivity: 1m
              response_actions: [ { status: 404, body_contains: a"b, action: ignore } ]
            sources:
              zoo:
                base_url: https://zoo.example/
                auth:
                  type: oauth2
                  grant_type: refresh_token
                  token_url: https://zoo.example/token
                  client_id: me
                  client_secret: "${T}"
                  refresh_token: "${T}"
                  scopes: a b
                rate_limit: { requests: 10, per: 1s }
                proxy: { url: "http://proxy:3128", username: you, password: "${T}" }
                ca: ca.pem
                streams:
                  animals:
                  feedings:
                    path: /{parent.id}/{partition.kind}
                    json: { since: "{incremental.start_value}", token: "${T}", n: 1 }
                    parent: animals
                    include_from_parent: id
                    partitions: { kind: [seed, meat] }
                    incremental: { cursor_field: at, initial_value: 2024-01-01, step: 7d, lookback_window: 1h }
                    attachments: [ { field: photo } ]
                    limits: { ratio: 100 }
            """, environment: ["T": "hunter2"])
        let entries = try #require(configuration.effective.streams.last).entries
        let shown = entries.map { "\($0.path.joined(separator: ".")): \($0.value) (\($0.origin))" }
        let expected = [
            "method: POST (default)",
            #"json: {"since":"{incremental.start_value}","token":"***","n":1} (stream, line 23)"#,
            "auth.type: oauth2 (source, line 9)", "auth.grant_type: refresh_token (source, line 9)",
            "auth.refresh_token: *** (source, line 9)", "auth.token_url: https://zoo.example/token (source, line 9)",
            "auth.client_id: me (source, line 9)", "auth.client_secret: *** (source, line 9)",
            "auth.scopes: [a, b] (source, line 9)", "auth.auth_style: header (default)",
            "parent: zoo.animals (stream, line 24)", "include_from_parent: [id] (stream, line 25)",
            "partitions.kind: [seed, meat] (stream, line 26)", "sync_mode: incremental (default)",
            "incremental.cursor_field: at (stream, line 27)", "incremental.initial_value: 2024-01-01 (stream, line 27)",
            "incremental.step: 7d (stream, line 27)", "incremental.lookback_window: 1h (stream, line 27)",
            #"response_actions.0: {"status":404,"body_contains":"a\"b","action":"ignore"} (defaults, line 4)"#,
            "attachments.photo: [image/*] (stream, line 28)", "limits.ratio: 100 (stream, line 29)",
            "rate_limit.requests: 10 (source, line 16)", "rate_limit.per: 1s (source, line 16)",
            "proxy.url: http://proxy:3128/ (source, line 17)", "proxy.username: you (source, line 17)",
            "proxy.password: *** (source, line 17)", "ca: folder/ca.pem (source, line 18)",
            "wait_for_connectivity: 1m (defaults, line 3)", "respect_cache_control: false (default)",
        ]
        #expect(shown.filter(expected.contains) == expected)
        #expect(!"\(configuration)".contains("hunter2"))
        var dumped = ""
        dump(configuration, to: &dumped)
        #expect(!dumped.contains("hunter2"))
    }

    private static let dotted: [(String, String?)] = [
        ("home.city", "$.home.city"), ("home[*].city", "$.home.city"), ("a-b.city", "$['a-b'].city"), ("$.city", nil),
        ("$.home.city", nil), ("$['home.city']", nil),
    ]

    @Test(arguments: dotted)
    func `a name with a dot is warned of, and no path`(field: String, path: String?) throws {
        func warnings(_ field: String) throws -> [String] {
            try Fixture.parse(Fixture.streamText("fields: { drop: [\(field)] }")).warnings.compactMap(\.hint)
        }
        let written = try path.map { try #require(FieldPath($0)) }.map { FieldPath.written($0.names.map(\.text)) }
        #expect(
            try warnings("\"\(field)\"") == (written.map { ["write \($0) for a field inside another"] } ?? []))
        if let written { #expect(try warnings(written) == []) }
    }

    @Test(arguments: ["$.tags[*].v", "$.tags[].v"])
    func `a path with the mark of a list is no field, and the advice leads through the list`(path: String) throws {
        let text = Fixture.streamText("fields: { drop: [\"\(path)\"] }")
        let hints = Fixture.issues(text).compactMap(\.hint)
        #expect(hints == ["write $.tags.v, which means all elements of lists on the way"])
        let settled = try Fixture.parse(Fixture.streamText("fields: { drop: [$.tags.v] }"))
        #expect(settled.warnings.isEmpty)
    }
}
