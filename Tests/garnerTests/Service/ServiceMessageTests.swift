#if os(Linux)
    import Foundation
    import TestSupport
    import Testing

    /// The messages that the service manager receives from a real `garner serve`.
    @Suite(.timeLimit(.minutes(3)))
    struct ServiceMessageTests {
        /// All but the signs of life and the lines for `systemctl status`, which may come at any time.
        private static func steps(heardBy manager: NotifySocket) -> [String] {
            manager.steps().filter { $0 != "WATCHDOG=1" && !$0.hasPrefix("STATUS=") }
        }

        @Test func `the service manager is told of readiness, liveness, reloads and the stop`() async throws {
            try await LoopbackServer.serve({ .page($0.page, of: 1) }) { server in
                let place = try Workplace(api: server.url, "primary_key: id, schedule: { every: 1000d }")
                let manager = try NotifySocket(place.folder.path("s"))
                let serve = try place.start(
                    ["serve"],
                    environment: ["NOTIFY_SOCKET": place.folder.path("s"), "WATCHDOG_USEC": "2000000"])
                var steps = ["READY=1"]
                try await eventually { [steps] in Self.steps(heardBy: manager) == steps }
                // One that only says so once is not alive.
                try await eventually { manager.steps().count { $0 == "WATCHDOG=1" } >= 2 }

                for text in [try place.text(of: "garner.yaml"), "version: 1\nsources: { zoo: { base_ulr: x } }\n"] {
                    try place.write(text, to: "garner.yaml")
                    serve.send(SIGHUP)
                    steps += ["RELOADING=1", "READY=1"]
                    try await eventually { [steps] in Self.steps(heardBy: manager) == steps }
                }
                try await eventually { serve.errorsSoFar.contains("Configuration not reloaded") }

                serve.send(SIGTERM)
                #expect(try await serve.end().code == 0)
                #expect(Self.steps(heardBy: manager) == steps + ["STOPPING=1"])
            }
        }

        @Test func `a service without a schedule never reports readiness`() async throws {
            let place = try Workplace(api: "http://127.0.0.1:9")
            let manager = try NotifySocket(place.folder.path("s"))
            let serve = try await place.garner("serve", environment: ["NOTIFY_SOCKET": place.folder.path("s")])
            #expect(serve.code == 78)
            #expect(manager.steps() == [])
        }
    }
#endif
