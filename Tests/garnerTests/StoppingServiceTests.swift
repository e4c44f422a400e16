import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2)))
struct StoppingServiceTests {
    private static let rarely = "primary_key: id, schedule: { every: 1h }"

    @Test func `a configuration that no longer fits the table fails each run, and counts for the circuit`()
        async throws
    {
        try await LoopbackServer.serve({ .page($0.page, of: 1) }) { server in
            let place = try Workplace(api: server.url, Self.rarely)
            #expect(try await place.garner("sync", "animals").code == 0)
            try place.write(
                try place.text(of: "garner.yaml")
                    .replacing(Self.rarely, with: "primary_key: name, schedule: { every: 1s }"), to: "garner.yaml")
            let serve = try place.start(["serve"])
            try await eventually {
                try place.integers("SELECT permanent_failures FROM _garner_schedules").first ?? 0 >= 2
            }
            serve.send(SIGTERM)
            #expect(try await serve.end().code == 0)
            let kinds = try place.texts("SELECT error_kind FROM _garner_runs WHERE times_not_begun >= 2")
            #expect(kinds == ["configuration"])
            let status = try await place.garner("status", "--json")
            #expect(status.output.contains(#""state":"failed""#))
        }
    }
}
