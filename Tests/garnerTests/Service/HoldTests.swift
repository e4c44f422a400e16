import GarnerCatalog
import Foundation
import GarnerModel
import TestSupport
import Testing

/// Streams that `garner serve` leaves alone, and how `garner status` tells of them.
@Suite(.timeLimit(.minutes(3)))
struct HoldTests {
    @Test(arguments: [(3, "failed"), (4, "suspended")] as [(Int64, String)])
    func `the fifth refusal in a row suspends a stream, until one run succeeds`(earlier: Int64, state: String)
        async throws
    {
        let isRefused = Watched(true)
        try await LoopbackServer.serve({
            isRefused.value ? .response(status: 401, body: "{}") : .page($0.page, of: 1)
        }) { server in
            let place = try Workplace(api: server.url, "primary_key: id, schedule: { every: 1000d }")
            try await place.garner("pause", "animals")
            let due = try await place.garner("schedule", "--json", "--next", "1").output
            #expect(due.contains(#""reason":"paused since "#))
            // With back-off between them, the earlier ones would take their time.
            try place.alter(
                """
                UPDATE _garner_schedules SET paused_at = NULL, failures = \(earlier), permanent_failures = \(earlier)
                """)
            let serve = try place.start(["serve"])
            try await eventually {
                try place.integers("SELECT failures FROM _garner_schedules") == [earlier + 1]
            }
            serve.send(SIGTERM)
            #expect(try await serve.end().code == 0)
            #expect(try place.integers("SELECT error_is_permanent FROM _garner_runs") == [1])
            #expect(try place.integers("SELECT permanent_failures FROM _garner_schedules") == [earlier + 1])

            let isSuspended = state == "suspended"
            let openedAt = try place.scheduled("circuit_opened_at")
            #expect((openedAt != nil) == isSuspended)
            let refused = try await place.garner("status", "--json")
            #expect(refused.output.contains(#""state":"\#(state)","#))
            #expect(refused.output.contains("HTTP 401"))
            #expect(
                refused.output.contains(#""reason":"suspended after 5 permanent failures in a row"#)
                    == isSuspended)
            #expect(try await place.garner("status", "--check").code == 3)

            isRefused.value = false
            #expect(try await place.garner("sync").code == 0)
            #expect(try place.integers("SELECT permanent_failures FROM _garner_schedules") == [0])
            #expect(try place.scheduled("circuit_opened_at") == nil)
            #expect(try place.scheduled("held_until") == nil)
            let accepted = try await place.garner("status", "--json")
            #expect(accepted.output.contains(#""state":"succeeded","#))
            #expect(accepted.output.contains(#""reason":null,"#))
        }
    }

    @Test func `a source that asks to be left alone is, across a restart, and status says until when`() async throws {
        try await LoopbackServer.serve({ _ in
            .response(
                status: 503, headers: [("Content-Type", "application/json"), ("Retry-After", "7200")], body: "{}")
        }) { server in
            let place = try Workplace(api: server.url, "primary_key: id, schedule: { every: 1s }")
            let serve = try place.start(["serve"])
            await server.requestsArrived(1)
            try await eventually { try place.scheduled("held_until") != nil }
            let held = try #require(try place.scheduled("held_until"))
            let ended = try #require(try place.scheduled("ended_at"))
            #expect(ended.duration(to: held) == .seconds(7200))
            let status = try await place.garner("status", "--json")
            #expect(status.output.contains(#""state":"failed","#))
            #expect(status.output.contains(#""reason":"the source asks to be left alone"#))
            #expect(status.output.contains("until \(held)"))
            #expect(server.requests.count == 1)
            serve.send(SIGTERM)
            #expect(try await serve.end().code == 0)

            let again = try place.start(["serve"])
            try await eventually { place.names.contains("garner.db.sock") }
            // What people ask for is done all the same, and nothing before it.
            try await place.garner("trigger", "animals", "--wait")
            #expect(server.requests.count == 2)
            again.send(SIGTERM)
            #expect(try await again.end().code == 0)
            // On a slow machine an instant comes due while the first run goes on, and is left out.
            let triggers = try place.texts("SELECT trigger FROM _garner_runs WHERE status <> 'skipped' ORDER BY run_id")
            #expect(triggers == ["schedule", "manual"])
        }
    }
}
