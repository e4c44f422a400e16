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
}
