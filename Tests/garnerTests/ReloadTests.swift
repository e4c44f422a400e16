import Foundation
import TestSupport
import Testing

/// SIGHUP at a running `garner serve`.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct ReloadTests {
    private static let everySecond = "primary_key: id, schedule: { every: 1s }"

    /// Serves each second; the log and the requests tell what became of a reload.
    private static func serve(
        _ body: @escaping @Sendable (Workplace, LoopbackServer, GarnerProcess) async throws -> Void
    ) async throws {
        try await LoopbackServer.serve({ .page($0.page, of: 1) }) { server in
            let place = try Workplace(api: server.url, everySecond)
            let serve = try place.start(["serve"])
            try await eventually { server.requests.count >= 1 }
            try await body(place, server, serve)
            serve.send(SIGTERM)
            #expect(try await serve.end().code == 0)
        }
    }

    @Test func `a file that is not valid changes nothing, and the log says where and why`() async throws {
        try await Self.serve { place, server, serve in
            let good = try place.text(of: "garner.yaml")
            try place.write(good.replacing("every: 1s", with: "evry: 1s"), to: "garner.yaml")
            serve.send(SIGHUP)
            try await eventually { serve.errorsSoFar.contains("Configuration not reloaded") }
            #expect(serve.errorsSoFar.contains("evry"))
            let count = server.requests.count
            try await eventually { server.requests.count > count + 1 }
        }
    }

    @Test func `a stream that comes is served, and one that goes is not any more`() async throws {
        try await Self.serve { place, server, serve in
            let text = try place.text(of: "garner.yaml")
            try place.write(
                text.replacing("animals: { path: animals", with: "plants: { path: plants"), to: "garner.yaml")
            serve.send(SIGHUP)
            try await eventually { serve.errorsSoFar.contains("Configuration reloaded") }
            try await eventually { server.requests.count { $0.target == "/plants" } >= 2 }
            let animals = server.requests.count { $0.target == "/animals" }
            let plants = server.requests.count { $0.target == "/plants" }
            try await eventually { server.requests.count { $0.target == "/plants" } > plants + 1 }
            #expect(server.requests.count { $0.target == "/animals" } == animals)
        }
    }

    @Test func `a reload with another database is refused until a restart`() async throws {
        try await Self.serve { place, _, serve in
            let text = try place.text(of: "garner.yaml")
            try place.write(text.replacing("version: 1", with: "version: 1\ndatabase: other.db"), to: "garner.yaml")
            serve.send(SIGHUP)
            try await eventually { serve.errorsSoFar.contains("the database is another one") }
            #expect(!place.names.contains("other.db"))
        }
    }

    @Test func `a second service on a database ends with the process that has it`() async throws {
        try await Self.serve { place, _, serve in
            let second = try await place.garner("serve")
            #expect(second.code == 75)
            #expect(second.errors.contains("process \(serve.id)"))
        }
    }
}
