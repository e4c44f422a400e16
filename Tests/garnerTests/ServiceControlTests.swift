import Foundation
import TestSupport
import Testing

/// Commands beside a real `garner serve`.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct ServiceControlTests {
    private static let rarely = "primary_key: id, schedule: { every: 1000d }"

    /// Serves while the body goes on; the stream is run by hand only.
    private static func serve(
        answering handler: @escaping LoopbackServer.Handler = { .page($0.page, of: 2) },
        while body: @escaping @Sendable (Workplace, LoopbackServer, GarnerProcess) async throws -> Void
    ) async throws {
        try await LoopbackServer.serve(handler) { server in
            let place = try Workplace(api: server.url, rarely)
            try await place.garner("pause", "animals")
            let serve = try place.start(["serve"])
            try await eventually { place.names.contains("garner.db.sock") }
            try await body(place, server, serve)
            serve.send(SIGTERM)
            #expect(try await serve.end().code == 0)
            #expect(!place.names.contains("garner.db.sock"))
        }
    }

    private static let statuses = "SELECT status FROM _garner_runs"

    @Test func `trigger runs a stream that is not due, once for each request`() async throws {
        try await Self.serve { place, server, _ in
            let first = try await place.garner(
                "trigger", "animals", "--wait", "--json", "--request-id", "x")
            #expect(first.code == 0)
            #expect(first.errors.hasPrefix("The running service (process "))
            #expect(first.output.contains(#""request_id":"x","state":"ended","run_id":"#))
            #expect(first.output.contains(#""status":"succeeded","#))
            let again = try await place.garner(
                "trigger", "animals", "--wait", "--json", "--request-id", "x")
            #expect(again.output == first.output)
            #expect(try await place.garner("trigger", "animals", "--request-id", "x").code == 0)
            #expect(try place.texts("SELECT trigger FROM _garner_runs") == ["manual"])
            #expect(try place.integers("SELECT count(*) FROM animals") == [4])
        }
    }

    @Test func `a command that has read another file than the service tells so`() async throws {
        try await Self.serve { place, _, _ in
            try place.write(try place.text(of: "garner.yaml"), to: "other.yaml")
            for command in [["sync"], ["trigger", "animals", "--wait"]] {
                let other = try await place.start(command + ["-c", "other.yaml"]).end()
                #expect(other.code == 0 && other.errors.contains("Warning: the service has read "), "\(other)")
                let line = try #require(other.errors.firstMatch(of: /name its file with (--config \S+);/)?.1)
                let own = try await place.shell("garner \(command.joined(separator: " ")) \(line)")
                #expect(own.code == 0 && !own.errors.contains("Warning"), "\(own)")
            }
        }
    }

    @Test func `a secret that only the service has is not needed to ask it for a run`() async throws {
        try await Self.serve { place, _, _ in
            let other = "  other:\n    base_url: http://127.0.0.1:9/\n    auth: { type: bearer, token: \"${TOK}\" }\n"
            try place.write(
                place.text(of: "garner.yaml") + "\n" + other + "    streams: { x: { path: x } }\n", to: "garner.yaml")
            for command in ["trigger", "sync"] {
                let asked = try await place.garner(command, "animals", "--json")
                #expect(asked.code == 0, "\(asked.errors)")
            }
            let without = try await place.garner("sync", "--database", "other.db")
            #expect(without.code == 2 && without.errors.contains("TOK"), "\(without.errors)")
            let stored = try await place.garner("query", "SELECT count(*) FROM animals", "-d", "other.db", "-f", "csv")
            #expect(stored.output.hasSuffix("4\n"), "\(stored.output)\(stored.errors)")
        }
    }

    @Test func `Ctrl-C at a sync leaves the run alone`() async throws {
        let waits = Watched(true)
        try await Self.serve(answering: { request in
            while waits.value, !Task.isCancelled { try? await Task.sleep(for: .milliseconds(5)) }
            return .page(request.page, of: 1)
        }) { place, server, serve in
            let sync = try place.start(["sync"])
            await server.requestsArrived(1)
            #expect(try place.texts(Self.statuses) == ["running"])
            sync.send(SIGINT)
            let ending = try await sync.end()
            #expect(ending.code == 130)
            #expect(
                ending.errors == "What was begun goes on in the running service (process \(serve.id)).\n")
            waits.value = false
            try await eventually { try place.texts(Self.statuses) == ["succeeded"] }
            #expect(try place.integers("SELECT count(*) FROM animals") == [2])
        }
    }

    @Test func `a service that is stopped tells who waits what became of the run`() async throws {
        let waits = Watched(true)
        try await Self.serve(answering: { request in
            while request.page == 2, waits.value, !Task.isCancelled {
                try? await Task.sleep(for: .milliseconds(5))
            }
            return .page(request.page, of: 3)
        }) { place, server, serve in
            let trigger = try place.start(["trigger", "animals", "--wait"])
            try await eventually { server.requests.contains { $0.page == 2 } }
            serve.send(SIGTERM)
            try await eventually { serve.errorsSoFar.contains("active runs may finish") }
            waits.value = false
            let ending = try await trigger.end()
            #expect(ending.code == 1)
            #expect(ending.errors.hasPrefix("zoo.animals: cancelled, "))
            // A second signal would end it at once.
            #expect(try await serve.end().code == 0)
        }
    }

    @Test func `a request that waits outlives a service that is killed, with what it asked for`() async throws {
        let waits = Watched(true)
        try await LoopbackServer.serve({ request in
            while waits.value, !Task.isCancelled { try? await Task.sleep(for: .milliseconds(5)) }
            return .page(request.page, of: 5)
        }) { server in
            let place = try Workplace(api: server.url, Self.rarely)
            try await place.garner("pause", "animals")
            let serve = try place.start(["serve"])
            try await eventually { place.names.contains("garner.db.sock") }
            #expect(try await place.garner("trigger", "animals").code == 0)
            await server.requestsArrived(1)
            let sync = try place.start(["sync", "animals", "--max-pages", "2"])
            try await eventually { try place.integers("SELECT count(*) FROM _garner_triggers") == [2] }
            serve.send(SIGKILL)
            _ = try await serve.end()
            #expect(try await sync.end().code == 75)

            waits.value = false
            let next = try place.start(["serve"])
            try await eventually { try place.texts("SELECT status FROM _garner_runs").last == "succeeded" }
            next.send(SIGTERM)
            #expect(try await next.end().code == 0)
            #expect(try place.texts("SELECT status FROM _garner_runs ORDER BY run_id") == ["interrupted", "succeeded"])
            #expect(try place.integers("SELECT pages FROM _garner_runs ORDER BY run_id") == [0, 2])
        }
    }

    @Test
    func `what the service does not know yet is refused, until it has read the configuration again`()
        async throws
    {
        try await Self.serve { place, server, serve in
            try place.write(
                try place.text(of: "garner.yaml") + "\n      plants: { path: plants, \(Self.rarely) }\n",
                to: "garner.yaml")
            let refused = try await place.garner("trigger", "plants", "--wait")
            #expect(refused.code == 78)
            expectThreeParts(
                refused.errors, beginning: "Error: zoo.plants: the running service does not know")
            serve.send(SIGHUP)
            while try await place.garner("trigger", "plants", "--wait").code == 78 {}
            #expect(try place.integers("SELECT count(*) FROM plants") == [4])
        }
    }

    @Test(arguments: [false, true])
    func `a stream of another file on the same database runs in both ways that are told`(isWritten: Bool) async throws {
        try await LoopbackServer.serve({ .page($0.page, of: 2) }) { server in
            let place = try Workplace(api: server.url, Self.rarely)
            try await place.garner("pause", "animals")
            try place.write(
                """
                version: 1
                database: garner.db
                sources:
                  garden:
                    base_url: \(server.url)
                    streams:
                      plants: { path: plants, \(Self.rarely) }

                """, to: "other.yaml")
            let serve = try place.start(["serve"])
            try await eventually { place.names.contains("garner.db.sock") }
            for command in ["sync", "trigger"] {
                let refused = try await place.garner(command, "-c", "other.yaml", "plants")
                #expect(refused.code == 78)
                let advice = "; if it is in another file, write it into the service's file too, or run it when"
                #expect(refused.errors.contains(advice), "\(refused)")
            }
            if isWritten {
                let garden = try place.text(of: "other.yaml").split(separator: "sources:\n").last.map(String.init) ?? ""
                try place.write(try place.text(of: "garner.yaml") + garden, to: "garner.yaml")
                serve.send(SIGHUP)
                while try await place.garner("sync", "-c", "other.yaml", "plants").code == 78 {}
                #expect(try place.integers("SELECT count(*) FROM plants") == [4])
            }
            serve.send(SIGTERM)
            #expect(try await serve.end().code == 0)
            let sync = try await place.garner("sync", "-c", "other.yaml", "plants")
            #expect(sync.code == 0, "\(sync)")
        }
    }
}
