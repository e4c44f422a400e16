import Catalog
import Sync
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct LeftAloneTests {
    private static let replies: [(LoopbackReply, Int?)] = [
        (.json("[]", headers: [("X-Poll-Interval", "60")]), 60),
        (.json("[]", headers: [("Cache-Control", "max-age=300")]), 300),
        (.response(status: 503, headers: [("Retry-After", "120")]), 120), (.json("[]"), nil),
    ]

    @Test(arguments: replies)
    func `an outcome says how long the source asks to be left alone`(reply: LoopbackReply, seconds: Int?) async throws {
        try await SyncRig.run({ _ in reply }) { rig in
            let outcome = try await rig.sync(rig.stream { $0.usesCacheLifetime = true })
            #expect(outcome.leftAlone == seconds.map { .seconds($0) })
        }
    }

    @Test func `what is not to be respected is not`() async throws {
        try await SyncRig.run({ _ in .response(status: 503, headers: [("Retry-After", "120")]) }) { rig in
            let outcome = try await rig.sync(
                rig.stream { $0.retry = RetryPolicy(maxAttempts: 1, respectsRetryAfter: false) })
            #expect(outcome.leftAlone == nil)
        }
    }
}
