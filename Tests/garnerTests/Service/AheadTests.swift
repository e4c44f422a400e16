import GarnerCatalog
import Foundation
import GarnerModel
import TestSupport
import Testing

/// A real service with a database from a time when the clock was 400 days ahead.
@Suite(.timeLimit(.minutes(3)))
struct AheadTests {
    private static let ahead = Timestamp(
        millisecondsSince1970: Int64(Date().timeIntervalSince1970 + 400 * 86_400) * 1000)

    /// A stream whose only run was there.
    private static func place(_ url: String) async throws -> Workplace {
        let place = try Workplace(api: url, "primary_key: id, schedule: { every: 1s }")
        #expect(try await place.garner("sync").code == 0)
        try place.alter(
            """
            UPDATE _garner_runs SET trigger = 'schedule', nominal_at = '\(ahead)', due_at = '\(ahead)',
            started_at = '\(ahead)', ended_at = '\(ahead)';
            INSERT INTO _garner_schedules (stream_id, settled_at, ended_at, next_due_at)
            VALUES (1, '\(ahead)', '\(ahead)', '\(ahead)')
            """)
        return place
    }

    @Test func `after a clock that was ahead, status exits with 3 and a service resumes the schedule`()
        async throws
    {
        try await LoopbackServer.serve({ .page($0.page, of: 1) }) { server in
            let place = try await Self.place(server.url)
            let before = try await place.garner("status", "--check", "--json")
            #expect(before.code == 3)
            #expect(before.output.contains(#""state":"overdue","#))
            #expect(before.output.contains(#""reason":"the clock was ahead, or was set back: "#))
            #expect(!before.output.contains(#""next_due_at":"\#(Self.ahead)""#))

            let serve = try place.start(["serve"])
            try await eventually { try place.instantRows().count { $0.status == "succeeded" } >= 2 }
            serve.send(SIGTERM)
            let ending = try await serve.end()
            #expect(ending.code == 0)
            #expect(ending.errors.contains("The clock was ahead, or was set back; the schedule goes on from now"))
            #expect(ending.errors.contains("\(Self.ahead)"))
            #expect(!ending.errors.contains("Run failed"))
            // The one that was run there is still there, once.
            #expect(try place.instantRows().filter { $0.first == Self.ahead }.map(\.status) == ["succeeded"])
            #expect(try #require(try place.scheduled("settled_at")) < Self.ahead)
            let after = try await place.garner("status", "--json")
            #expect(after.output.contains(#""reason":null,"#))
        }
    }
}
