import GarnerCatalog
import Foundation
import GarnerModel
import TestSupport
import Testing

/// The instants that pass while a stream is paused, with and without a service.
@Suite(.timeLimit(.minutes(5)))
struct PauseTests {
    private static let everySecond = "primary_key: id, schedule: { every: 1s }"
    private static let reason = "the stream was paused"

    private static var now: Timestamp {
        Timestamp(millisecondsSince1970: Int64(Date().timeIntervalSince1970 * 1000))
    }

    /// Returns when at least two instants have passed.
    private static func someInstants(after instant: Timestamp) async throws {
        let later = instant.advanced(by: .seconds(2))
        try await eventually { now > later }
    }

    @Test func `instants during a pause become one skip, with a running service`() async throws {
        try await LoopbackServer.serve({ .page($0.page, of: 1) }) { server in
            let place = try Workplace(api: server.url, Self.everySecond)
            let serve = try place.start(["serve"])
            await server.requestsArrived(1)
            try await eventually { place.names.contains("garner.db.sock") }
            #expect(try await place.garner("pause", "animals").code == 0)
            let pausedAt = try #require(try place.scheduled("paused_at"))
            try await Self.someInstants(after: pausedAt)
            #expect(try await place.garner("resume", "animals").code == 0)
            try await eventually {
                let rows = try place.instantRows()
                guard let skip = rows.first(where: { $0.reason == Self.reason }) else { return false }
                return rows.contains { $0.run > skip.run && $0.status == "succeeded" }
            }
            serve.send(SIGTERM)
            #expect(try await serve.end().code == 0)

            let rows = try place.instantRows()
            expectEachSecondOnce(rows)
            let skips = rows.filter { $0.reason == Self.reason }
            #expect(skips.count == 1, "\(rows)")
            #expect(skips.allSatisfy { $0.status == "skipped" && $0.count >= 2 && $0.last > pausedAt }, "\(rows)")
            let listed = try await place.garner("runs", "--status", "skipped", "--json")
            #expect(listed.output.matches(of: /"reason":"the stream was paused","skipped":\d+,/).count == 1)
        }
    }

    @Test func `instants during a pause become one skip, without a service`() async throws {
        try await Self.served { place in
            #expect(try await place.garner("pause", "animals").code == 0)
            let pausedAt = try #require(try place.scheduled("paused_at"))
            try await Self.someInstants(after: pausedAt)
            let resumedAt = Self.now
            #expect(try await place.garner("resume", "animals").code == 0)
            #expect(try place.scheduled("paused_at") == nil)

            let rows = try place.instantRows()
            expectEachSecondOnce(rows)
            let skips = rows.filter { $0.reason == Self.reason }
            #expect(skips == Array(rows.suffix(1)), "\(rows)")
            let skip = try #require(skips.first)
            #expect(skip.status == "skipped" && skip.count >= 2)
            #expect(skip.last.advanced(by: .seconds(1)) > resumedAt)
            #expect(try #require(try place.scheduled("settled_at")) >= skip.last)

            // The schedule goes on behind it.
            let serve = try place.start(["serve"])
            try await eventually {
                try place.instantRows().contains { $0.run > skip.run && $0.status == "succeeded" }
            }
            serve.send(SIGTERM)
            #expect(try await serve.end().code == 0)
            let all = try place.instantRows()
            expectEachSecondOnce(all)
            #expect(all.count { $0.reason == Self.reason } == 1)
        }
    }

    @Test func `resuming a stream that is not paused changes nothing`() async throws {
        try await Self.served { place in
            let (rows, settled) = (try place.instantRows(), try #require(try place.scheduled("settled_at")))
            try await Self.someInstants(after: settled)
            #expect(try await place.garner("resume", "animals").code == 0)
            #expect(try place.instantRows() == rows)
            #expect(try place.scheduled("settled_at") == settled)
        }
    }

    /// A service has run the stream, and is gone.
    private static func served(_ body: @escaping @Sendable (Workplace) async throws -> Void) async throws {
        try await LoopbackServer.serve({ .page($0.page, of: 1) }) { server in
            let place = try Workplace(api: server.url, everySecond)
            let serve = try place.start(["serve"])
            await server.requestsArrived(1)
            try await eventually { try place.scheduled("settled_at") != nil }
            serve.send(SIGTERM)
            #expect(try await serve.end().code == 0)
            try await body(place)
        }
    }
}
