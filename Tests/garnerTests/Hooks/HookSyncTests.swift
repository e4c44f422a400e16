import Foundation
import TestSupport
import Testing

/// Hooks as `garner sync` calls them.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct HookSyncTests {
    /// One stream `zoo.animals`; `HOOKS` in its hooks stands for the server.
    private static func sync(
        _ hooks: String, _ options: String..., environment: [String: String] = [:],
        answer: @escaping LoopbackServer.Handler = { .page($0.page, of: 1) },
        _ body: @escaping @Sendable (Workplace, LoopbackServer, GarnerProcess.Ending) async throws -> Void
    ) async throws {
        try await LoopbackServer.serve({ $0.target.hasPrefix("/hook/") ? .status(204) : await answer($0) }) { server in
            let hooks = hooks.replacing("HOOKS", with: "\(server.url)/hook").split(separator: "\n").map { "  \($0)" }
            let place = try Workplace(
                api: server.url, source: ["auth: { type: bearer, token: \"${TOKEN}\" }", "hooks:"] + hooks)
            let secrets = ["TOKEN": "s3cret-token", "KEY": "s3cret-key"]
            let ending = try await place.start(["sync"] + options, environment: secrets.merging(environment) { $1 })
                .end()
            #expect(!(ending.output + ending.errors).contains("s3cret"), "\(ending.errors)")
            try await body(place, server, ending)
        }
    }

    private static func hookRequests(_ server: LoopbackServer) -> [String] {
        server.requests.filter { $0.target.hasPrefix("/hook") }.map { "\($0.method) \($0.target)" }
    }

    private static func object(_ text: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    @Test func `a program gets the run`() async throws {
        let hook =
            "on_success: [ { run: [sh, -c, 'cat > run.json; env | grep ^GARNER_ | sort > env.txt; echo heard'] } ]"
        try await Self.sync(hook, "--json") { place, _, ending in
            #expect(ending.code == 0)
            #expect(ending.errors == "")
            let run = try Self.object(try place.text(of: "run.json"))
            let printed = try Self.object(ending.output)
            #expect(Set(run.keys) == Set(printed.keys).union(["nominal_at", "started_at", "ended_at", "hook"]))
            for key in printed.keys where key != "duration_ms" {
                #expect("\(String(describing: run[key]))" == "\(String(describing: printed[key]))", "\(key)")
            }
            #expect(run["hook"] as? String == "on_success")
            #expect(run["nominal_at"] is NSNull)
            let times = try place.texts("SELECT started_at || ' ' || ended_at FROM _garner_runs")
            #expect(times == ["\(run["started_at"] as? String ?? "") \(run["ended_at"] as? String ?? "")"])
            #expect(
                try place.text(of: "env.txt")
                    == "GARNER_HOOK=on_success\nGARNER_RUN_ID=1\nGARNER_STATUS=succeeded\nGARNER_STREAM=zoo.animals\n")
        }
    }

    @Test func `a server gets the run, with headers, after each list's kind of run`() async throws {
        let hooks = """
            on_success: [ { post: "HOOKS/success" } ]
            on_failure: [ { post: "HOOKS/failure" } ]
            on_change: [ { post: "HOOKS/${KEY}/change", headers: { Authorization: "Bearer ${TOKEN}", X-Zoo: berlin } } ]
            ping: "HOOKS/ping?a=b"
            """
        try await Self.sync(hooks) { place, server, ending in
            #expect(ending.code == 0)
            let first = [
                "GET /hook/ping/start?a=b", "GET /hook/ping?a=b", "POST /hook/success", "POST /hook/s3cret-key/change",
            ]
            #expect(Self.hookRequests(server) == first)
            let change = try #require(server.requests.last)
            #expect(change["Content-Type"] == "application/json")
            #expect(change["Authorization"] == "Bearer s3cret-token")
            #expect(change["X-Zoo"] == "berlin")
            #expect(try Self.object(change.body)["hook"] as? String == "on_change")
            #expect(try Self.object(change.body)["inserted"] as? Int == 2)
            // The stream's own secrets are for the stream's own server.
            #expect(server.requests.filter { $0.target == "/hook/success" }.allSatisfy { $0["Authorization"] == nil })

            // Nothing has changed since.
            _ = try await place.garner("sync", environment: ["TOKEN": "s3cret-token", "KEY": "s3cret-key"])
            #expect(Self.hookRequests(server) == first + first.prefix(3))
            for options in [["--no-hooks"], ["--dry-run"]] {
                let more = try await place.start(
                    ["sync"] + options, environment: ["TOKEN": "s3cret-token", "KEY": "s3cret-key"]
                ).end()
                #expect(more.code == 0)
            }
            #expect(Self.hookRequests(server).count == 7)
        }
    }

    @Test func `a failure is told, with its error`() async throws {
        let hooks = """
            on_success: [ { post: "HOOKS/success" } ]
            on_failure: [ { post: "HOOKS/failure" }, { run: [sh, -c, 'cat > failed.json'] } ]
            on_change: [ { post: "HOOKS/change" } ]
            ping: "HOOKS/${KEY}"
            """
        try await Self.sync(hooks, answer: { _ in .response(status: 500, body: "{}") }) { place, server, ending in
            #expect(ending.code == 69)
            #expect(
                Self.hookRequests(server) == [
                    "GET /hook/s3cret-key/start", "POST /hook/s3cret-key/fail", "POST /hook/failure",
                ])
            for text in [server.requests.last?.body ?? "", try place.text(of: "failed.json")] {
                let run = try Self.object(text)
                #expect(run["status"] as? String == "failed")
                #expect((run["error"] as? [String: Any])?["code"] as? Int == 69)
                #expect(run["hook"] as? String == "on_failure")
            }
        }
    }

    @Test func `an alarm is called once an outage, whatever processes see it, and once after it`() async throws {
        let hooks = """
            on_failure: [ { post: "HOOKS/first", after: 1 }, { post: "HOOKS/third", after: 3 }, { post: "HOOKS/each" } ]
            on_recovery: [ { post: "HOOKS/up" }, { post: "HOOKS/up3", after: 3 }, { post: "HOOKS/up5", after: 5 } ]
            """
        let isDown = Watched(true)
        try await Self.sync(
            hooks, answer: { isDown.value ? .response(status: 500, body: "{}") : .page($0.page, of: 1) }
        ) { place, server, _ in
            let secrets = ["TOKEN": "s3cret-token"]
            func calls() -> [String] {
                Self.hookRequests(server).map { $0.replacing("POST /hook/", with: "") }
            }
            for _ in 2...4 { _ = try await place.start(["sync"], environment: secrets).end() }
            #expect(calls() == ["first", "each", "each", "third", "each", "each"])
            isDown.value = false
            for _ in 1...2 { _ = try await place.start(["sync"], environment: secrets).end() }
            #expect(calls().dropFirst(6) == ["up", "up3"])
            isDown.value = true
            _ = try await place.start(["sync"], environment: secrets).end()
            #expect(calls().dropFirst(8) == ["first", "each"])
        }
    }

    @Test func `a hook that fails is a warning, and the next one is called`() async throws {
        let refusing = try RefusingPort()
        defer { withExtendedLifetime(refusing) {} }
        let hooks = """
            on_success:
              - { run: [sh, -c, 'echo I know $TOKEN; exit 3'] }
              - { run: [garner-no-such-program] }
              - { post: "HOOKS-no/${KEY}" }
              - { post: "http://127.0.0.1:PORT/${KEY}" }
              - { run: [touch, last] }
            """.replacing("PORT", with: "\(refusing.number)")
        try await Self.sync(
            hooks,
            answer: {
                $0.target.hasPrefix("/hook-no") ? .status(500) : .page($0.page, of: 1)
            }
        ) { place, server, ending in
            #expect(ending.code == 0)
            #expect(place.names.contains("last"))
            let warnings = ending.errors.split(separator: "\n").filter { $0.contains(" warning Hook failed ") }
            #expect(warnings.count == 4, "\(ending.errors)")
            #expect(warnings.first?.contains(#"error="sh exited with 3""#) == true)
            #expect(warnings.first?.contains(#"output="I know ***""#) == true)
            #expect(warnings.dropFirst().first?.contains("No such file or directory") == true)
            #expect(warnings.dropFirst(2).first?.contains("HTTP 500") == true)
            #expect(warnings.last?.contains("the connection was refused") == true)
            #expect(warnings.last?.contains("is running and that 'post' of hooks names its port") == true)
            #expect(warnings.allSatisfy { $0.contains("stream=zoo.animals") && $0.contains(" try=") })
        }
    }

    @Test func `a hook that takes too long is ended with all that it has started`() async throws {
        let hooks = """
            timeout: 300ms
            on_success: [ { run: [sh, -c, 'exec 3> fifo; sleep 600 & wait'] }, { run: [touch, last] } ]
            """
        try await LoopbackServer.serve({ .page($0.page, of: 1) }) { server in
            let place = try Workplace(api: server.url, "hooks: { \(hooks.replacing("\n", with: ", ")) }")
            #expect(mkfifo(place.folder.path("fifo"), 0o600) == 0)
            let reading = try place.shellReader(of: "fifo")
            let ending = try await place.garner("sync")
            #expect(ending.code == 0)
            #expect(ending.errors.contains(#"error="not done within 300ms""#), "\(ending.errors)")
            #expect(place.names.contains("last"))
            // It ends with the last one that holds the fifo open.
            #expect(try await reading.end().code == 0)
        }
    }

    @Test func `what was interrupted tells nobody that it failed`() async throws {
        try await LoopbackServer.serve({ request in
            request.target == "/animals" ? LoopbackReply(.stall) : .status(200)
        }) { server in
            let place = try Workplace(
                api: server.url,
                "hooks: { on_failure: [ { post: \"\(server.url)/hook\" } ], ping: \"\(server.url)/ping\" }")
            let sync = try place.start(["sync"])
            await server.requestsArrived(2)
            sync.send(SIGINT)
            #expect(try await sync.end().code == 130)
            #expect(server.requests.map(\.target).sorted() == ["/animals", "/ping/start"])
        }
    }

    @Test func `a service calls them too, and those of its last run`() async throws {
        try await LoopbackServer.serve({
            $0.target == "/animals" ? .json(#"[{"id":\#($0.number)}]"#) : .status(200)
        }) { server in
            let place = try Workplace(
                api: server.url,
                """
                schedule: { every: 1s }, hooks: { ping: "\(server.url)/ping", on_change: [ { post: "\(server.url)/hook" } ] }
                """)
            let serve = try place.start(["serve"])
            try await eventually { server.requests.filter { $0.target == "/hook" }.count >= 2 }
            serve.send(SIGTERM)
            let ending = try await serve.end()
            #expect(ending.code == 0, "\(ending.errors)")
            let runs = try place.integers("SELECT count(*) FROM _garner_runs WHERE status = 'succeeded'")
            let posted = try server.requests.filter { $0.target == "/hook" }.map { try Self.object($0.body) }
            #expect(runs == [Int64(posted.count)])
            #expect(posted.allSatisfy { $0["nominal_at"] is String && $0["run_id"] is Int })
            #expect(server.requests.filter { $0.target == "/ping/start" }.count >= posted.count)
        }
    }
}

extension Workplace {
    /// Reads a file until nobody is left who may write into it.
    fileprivate func shellReader(of name: String) throws -> GarnerProcess {
        try GarnerProcess(["-c", "cat \(name)"], of: "/bin/sh", in: folder, environment: ["PATH": "/usr/bin:/bin"])
    }
}
