import GarnerCatalog
import Testing

struct HooksTests {
    private static let environment = ["KEY": "s3cret-key", "HOST": "hooks.example"]

    private func hooks(_ text: String) throws -> Hooks {
        try Fixture.stream("hooks: \(text)", environment: Self.environment).hooks
    }

    @Test func `a stream without hooks tells nobody`() throws {
        #expect(try Fixture.stream("path: /").hooks.isEmpty)
        #expect(try hooks("{}").isEmpty)
        #expect(try hooks("").isEmpty)
    }

    @Test func `each list holds programs and requests, in their order`() throws {
        let hooks = try hooks(
            """
            { on_success: [ { run: [notify, -v, "a b"] }, { post: "https://a.example/x?y=1" } ],
                    on_failure: [ { post: "https://${HOST}/${KEY}", headers: { X-Zoo: berlin, X-Key: "${KEY}" } } ],
                    on_change: [ { run: [/bin/true] } ], ping: "https://ping.example/${KEY}", timeout: 5s }
            """)
        #expect(
            hooks
                == Hooks(
                    onSuccess: [
                        .run(["notify", "-v", "a b"]), .post(.literal("https://a.example/x?y=1"), headers: []),
                    ],
                    onFailure: [
                        .post(
                            .secret(Secret("https://hooks.example/s3cret-key")),
                            headers: [
                                .init(name: "X-Zoo", value: .literal("berlin")),
                                .init(name: "X-Key", value: .secret(Secret("s3cret-key"))),
                            ])
                    ], onChange: [.run(["/bin/true"])], ping: .secret(Secret("https://ping.example/s3cret-key")),
                    timeout: .seconds(5)))
        #expect(hooks.secrets.count == 3)
    }

    @Test func `an alarm may wait for several failures, and only alarms may`() throws {
        let hooks = try hooks(
            "{ on_failure: [ { run: [a], after: 3 }, { run: [b] } ], on_recovery: [ { run: [c], after: 2 } ] }")
        #expect(hooks.onFailure == [Hooks.Alarm(.run(["a"]), after: 3), .run(["b"])])
        #expect(hooks.onRecovery == [Hooks.Alarm(.run(["c"]), after: 2)])
        #expect(hooks.countsFailures)
        for (text, message) in [
            ("on_failure: [ { run: [a], after: 0 } ]", ".after' is out of range: '0'"),
            ("on_success: [ { run: [a], after: 3 } ]", ".after' does not belong here"),
            ("on_stale: [ { post: \"https://a.example/\", after: 3 } ]", ".after' does not belong here"),
        ] {
            let issues = Fixture.issues(Fixture.streamText("hooks: { \(text) }"))
            #expect(issues.first?.message.contains(message) == true, "\(issues)")
        }
    }

    @Test func `a program beside the file is named by a path, one of PATH by its name`() throws {
        #expect(
            try hooks("{ on_change: [ { run: [./notify.sh, ./x] } ] }").onChange == [
                .run(["folder/./notify.sh", "./x"])
            ])
        #expect(try hooks("{ on_change: [ { run: [notify.sh] } ] }").onChange == [.run(["notify.sh"])])
    }

    @Test func `the nearest hooks replace all that are farther away`() throws {
        let text = """
            version: 1
            defaults: { hooks: { on_failure: [ { run: [a] } ], timeout: 1m } }
            sources:
              zoo:
                base_url: https://api.example.com/
                hooks: { on_change: [ { run: [b] } ] }
                streams:
                  animals: { path: a }
                  keepers: { path: b, hooks: { ping: "https://ping.example/" } }
                  plants: { path: c, hooks: {} }
              shop:
                base_url: https://shop.example/
                streams: { orders: { path: d } }
            """
        let hooks = try Fixture.parse(text).streams.map(\.hooks)
        #expect(
            hooks == [
                Hooks(onChange: [.run(["b"])]), Hooks(ping: .literal("https://ping.example/")), Hooks(),
                Hooks(onFailure: [.run(["a"])], timeout: .seconds(60)),
            ])
    }

    @Test(arguments: [
        ("https://ping.example/key", "https://ping.example/key/start", "https://ping.example/key/fail"),
        ("https://ping.example/key/", "https://ping.example/key/start", "https://ping.example/key/fail"),
        ("https://ping.example", "https://ping.example/start", "https://ping.example/fail"),
        (
            "https://ping.example/key?\u{301}", "https://ping.example/key/start?\u{301}",
            "https://ping.example/key/fail?\u{301}"
        ),
        (
            "https://ping.example/key?a=b/c", "https://ping.example/key/start?a=b/c",
            "https://ping.example/key/fail?a=b/c"
        ),
    ])
    func `a ping tells of start and failure behind its path`(url: String, start: String, failure: String) {
        let open = Hooks(ping: .literal(url))
        #expect(open.pingURL(.start) == .literal(start))
        #expect(open.pingURL(.success) == .literal(url))
        #expect(open.pingURL(.failure) == .literal(failure))
        #expect(Hooks(ping: .secret(Secret(url))).pingURL(.failure) == .secret(Secret(failure)))
        #expect(Hooks().pingURL(.start) == nil)
    }

    @Test(arguments: [
        ("[]", "'hooks' must be a mapping, not a list"), ("{ on_succes: [] }", "unknown key 'on_succes'"),
        ("{ on_success: notify }", "'hooks.on_success' must be a list, not text"),
        ("{ on_success: [ notify ] }", "'hooks.on_success[0]' must be a mapping, not text"),
        ("{ on_success: [ {} ] }", "'hooks.on_success[0].post' is missing"),
        ("{ on_success: [ { rum: [a] } ] }", "unknown key 'rum'"),
        ("{ on_success: [ { run: notify } ] }", "'hooks.on_success[0].run' must be a list, not text"),
        ("{ on_success: [ { run: [] } ] }", "'hooks.on_success[0].run' names no program"),
        ("{ on_success: [ { run: [\"\"] } ] }", "'hooks.on_success[0].run' names no program"),
        ("{ on_success: [ { run: [a, [b]] } ] }", "'hooks.on_success[0].run[1]' must be text, not a list"),
        (
            "{ on_success: [ { run: [a, \"b\\0\"] } ] }",
            "'hooks.on_success[0].run[1]' holds a NUL character, which ends a text"
        ),
        (
            "{ on_success: [ { run: [a, \"${KEY}\"] } ] }",
            "'hooks.on_success[0].run[1]' holds '${…}', but other programs see what arguments hold"
        ),
        ("{ on_change: [ { run: [a], post: \"https://a\" } ] }", "'hooks.on_change[0].post' stands beside 'run'"),
        ("{ on_change: [ { post: notify } ] }", "'hooks.on_change[0].post' is not an absolute URL"),
        ("{ on_change: [ { post: \"ftp://a\" } ] }", "'hooks.on_change[0].post' is neither http nor https"),
        (
            "{ on_change: [ { post: \"https://me:${KEY}@a\" } ] }",
            "'hooks.on_change[0].post' holds a user or a password"
        ),
        ("{ ping: \"https://${NONE}/\" }", "environment variable 'NONE' is not set"),
        ("{ ping: \"${KEY}\" }", "'hooks.ping' is not an absolute URL"),
        ("{ timeout: 5 }", "'hooks.timeout' has no unit: '5'"),
        ("{ timeout: 0s }", "'hooks.timeout' is too short: '0s'"),
    ])
    func `a wrong hook is an error that shows no secret`(text: String, message: String) {
        let issues = Fixture.issues(Fixture.streamText("hooks: \(text)"), environment: Self.environment)
        #expect(issues.map(\.message) == [message])
        #expect(issues.first?.hint != nil)
        #expect(!"\(issues)".contains("s3cret"))
    }

    @Test func `what is in force is shown, secrets as stars`() throws {
        let text = Fixture.streamText(
            """
            hooks: { on_success: [ { run: [a, b] } ], on_change: [ { post: "https://a/${KEY}", headers: { X: "${KEY}" } } ], ping: "https://${HOST}" }
            """)
        let entries = try Fixture.parse(text, environment: Self.environment).effective.streams[0].entries
        let shown = entries.filter { $0.path.first == "hooks" }.map { "\($0.path.joined(separator: "."))=\($0.value)" }
        #expect(
            shown == [
                #"hooks.on_success=[{"run":["a","b"]}]"#, #"hooks.on_change=[{"post":"***","headers":{"X":"***"}}]"#,
                "hooks.ping=***", "hooks.timeout=30s",
            ])
    }

    @Test(arguments: [
        ("{ ping: \"http://ping.example/${KEY}\" }", 1), ("{ ping: \"http://127.0.0.1:9/${KEY}\" }", 0),
        ("{ ping: \"http://ping.example/\" }", 0), ("{ ping: \"https://ping.example/${KEY}\" }", 0),
        ("{ on_change: [ { post: \"http://a.example/\", headers: { X-A: \"${KEY}\" } } ] }", 1),
        ("{ on_change: [ { post: \"https://a.example/\", headers: { Authorization: s3cret } } ] }", 1),
    ])
    func `a secret that is sent or written in the open is a warning`(text: String, count: Int) throws {
        let configuration = try Fixture.parse(
            Fixture.streamText("hooks: \(text)"), environment: Self.environment)
        #expect(configuration.warnings.count == count, "\(configuration.warnings)")
    }
}
