import Foundation
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(2)))
struct ServeTests {
    private static let everySecond = "primary_key: id, schedule: { every: 1s }"

    @Test func `four beats, and every answer that was served is stored`() async throws {
        try await LoopbackServer.serve({ request in
            // Each answer has a record of its own.
            .json(#"[{"id":\#(request.number)}]"#)
        }) { server in
            let place = try Workplace(api: server.url, Self.everySecond)
            let serve = try place.start(["serve"])
            try await eventually { server.requests.count >= 4 }
            serve.send(SIGTERM)
            let ending = try await serve.end()
            #expect(ending.code == 0)
            #expect(ending.output == "")
            #expect(ending.errors.contains("Scheduler stopped"))

            #expect(try place.integers("SELECT id FROM animals ORDER BY id") == Array(0..<Int64(server.requests.count)))
            // Every beat is there once: as a run, or among those that were skipped while the one before went on.
            let beats = try place.instantRows()
            expectEachSecondOnce(beats)
            #expect(beats.count { $0.status == "succeeded" } == server.requests.count)
            // One that had only just begun may be what the end of the program has ended.
            #expect(beats.allSatisfy { $0.wasStopped || ["succeeded", "skipped"].contains($0.status) }, "\(beats)")
        }
    }

    @Test func `stopped in the middle of a read, it stores what was served, and a second service goes on`() async throws
    {
        let waits = Watched(true)
        try await LoopbackServer.serve({ request in
            while request.page == 3, waits.value, !Task.isCancelled { try? await Task.sleep(for: .milliseconds(5)) }
            return .page(request.page, of: 5)
        }) { server in
            let place = try Workplace(api: server.url, Self.everySecond)
            let serve = try place.start(["serve"])
            try await eventually { server.requests.contains { $0.page == 3 } }
            serve.send(SIGTERM)
            try await eventually { serve.errorsSoFar.contains("active runs may finish") }
            waits.value = false
            #expect(try await serve.end().code == 0)
            #expect(server.requests.map(\.page) == [1, 2, 3])
            #expect(try place.integers("SELECT count(*) FROM animals") == [6])
            #expect(
                try place.texts("SELECT status FROM _garner_runs WHERE nominal_at IS NOT NULL").first == "cancelled")

            let again = try place.start(["serve"])
            try await eventually { server.requests.count >= 5 }
            again.send(SIGINT)
            #expect(try await again.end().code == 0)
            #expect(server.requests.map(\.page).prefix(5) == [1, 2, 3, 4, 5])
            // A stopped run leaves its instant free, and a quick restart takes it again; no other is there twice.
            let nominals = try place.texts(
                "SELECT nominal_at FROM _garner_runs WHERE nominal_at IS NOT NULL AND status <> 'cancelled'")
            #expect(Set(nominals).count == nominals.count)
        }
    }

    @Test func `a second signal ends it at once`() async throws {
        try await LoopbackServer.serve({ _ in LoopbackReply(.stall) }) { server in
            let place = try Workplace(api: server.url, Self.everySecond)
            let serve = try place.start(["serve"])
            try await eventually { !server.requests.isEmpty }
            serve.send(SIGTERM)
            try await eventually { serve.errorsSoFar.contains("active runs may finish") }
            #expect(serve.isRunning)
            let sent = ContinuousClock.now
            serve.send(SIGTERM)
            #expect(try await serve.end().code == 143)
            #expect(ContinuousClock.now - sent < .seconds(5))
            #expect(try place.texts("SELECT status FROM _garner_runs WHERE status <> 'skipped'") == ["running"])
        }
    }

    @Test func `without a schedule there is nothing to serve`() async throws {
        let serve = try await Workplace(api: "http://127.0.0.1:9").garner("serve")
        #expect(serve.code == 78)
        expectThreeParts(serve.errors, beginning: "Error: no stream has a schedule")
    }
}
