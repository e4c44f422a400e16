import Foundation
import TestSupport
import Testing

/// The fate of a run that is active when `garner serve` ends, and of its instant.
@Suite(.timeLimit(.minutes(5)))
struct GraceTests {
    @Test func `a run that outlasts its grace is cancelled, and the next start runs its instant`() async throws {
        let stalls = Watched(true)
        try await LoopbackServer.serve({ stalls.value ? LoopbackReply(.stall) : .page($0.page, of: 1) }) { server in
            let place = try Workplace(
                api: server.url, "primary_key: id, limits: { first_byte: 4m }, schedule: { every: 1000d }")
            // The grace alone takes ten seconds.
            let serve = try GarnerProcess(
                ["serve"], in: place.folder, environment: ["HOME": place.path, "PATH": "/usr/bin:/bin"], deadline: 150)
            await server.requestsArrived(1)
            serve.send(SIGTERM)
            let ending = try await serve.end()
            #expect(ending.code == 128 + SIGTERM)
            #expect(ending.errors.contains("did not end within the grace period"))
            #expect(ending.errors.contains("Scheduler stopped"))
            let stopped = try place.instantRows()
            #expect(stopped.map(\.status) == ["cancelled"])
            #expect(stopped.allSatisfy { $0.wasStopped })
            #expect(try place.scheduled("settled_at") == nil)

            stalls.value = false
            let again = try place.start(["serve"])
            try await eventually { try place.instantRows().last?.status == "succeeded" }
            again.send(SIGTERM)
            #expect(try await again.end().code == 0)
            let rows = try place.instantRows()
            #expect(rows.map(\.status) == ["cancelled", "succeeded"])
            #expect(rows.last?.first == stopped.first?.first)
        }
    }

    @Test func `the instant of a run that was stopped is the first of the next start`() async throws {
        let holds = Watched(false)
        let isHeld = Watched(false)
        try await LoopbackServer.serve({ request in
            if request.page == 2, holds.value { isHeld.value = true }
            while request.page == 2, holds.value, !Task.isCancelled { try? await Task.sleep(for: .milliseconds(5)) }
            return .page(request.page, of: 3)
        }) { server in
            let place = try Workplace(api: server.url, "primary_key: id, schedule: { every: 1s }")
            let serve = try place.start(["serve"])
            await server.requestsArrived(1)
            try await eventually { try place.instantRows().contains { $0.status == "succeeded" } }
            holds.value = true
            await isHeld.until { $0 }
            serve.send(SIGTERM)
            try await eventually { serve.errorsSoFar.contains("active runs may finish") }
            holds.value = false
            #expect(try await serve.end().code == 0)
            let stopped = try #require(try place.instantRows().last)
            #expect(stopped.status == "cancelled" && stopped.wasStopped)
            #expect(try #require(try place.scheduled("settled_at")) < stopped.first)

            let again = try place.start(["serve"])
            try await eventually {
                try place.instantRows().contains { $0.run > stopped.run && $0.status == "succeeded" }
            }
            again.send(SIGTERM)
            #expect(try await again.end().code == 0)
            let rows = try place.instantRows()
            let next = try #require(rows.filter { $0.run > stopped.run }.min { $0.first < $1.first })
            // A slow machine misses more than one: then a skip stands for it, and the latest runs.
            #expect(next.first == stopped.first && ["succeeded", "skipped"].contains(next.status), "\(rows)")
            expectEachSecondOnce(rows)
        }
    }
}
