import GarnerCatalog
import GarnerModel
import GarnerPersistence
import GarnerSync
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct RetryAfterOutcomeTests {
    private static let replies: [(LoopbackReply, Int?)] = [
        (.json("[]", headers: [("X-Poll-Interval", "60")]), 60),
        (.json("[]", headers: [("Cache-Control", "max-age=300")]), 300),
        (.response(status: 503, headers: [("Retry-After", "120")]), 120), (.json("[]"), nil),
        (.json("[]", headers: [("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "3600")]), 3600),
        (.json("[]", headers: [("X-RateLimit-Remaining", "1"), ("X-RateLimit-Reset", "3600")]), nil),
        (
            .response(status: 403, headers: [("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "90")]), 90
        ),
    ]

    @Test(arguments: replies)
    func `an outcome says how long the source asks to be left alone`(reply: LoopbackReply, seconds: Int?) async throws {
        try await SyncRig.run({ _ in reply }) { rig in
            let outcome = try await rig.sync(rig.stream { $0.usesCacheLifetime = true })
            #expect(outcome.retryAfter == seconds.map { .seconds($0) })
        }
    }

    @Test func `a limit that was used up meanwhile and is not at the end holds nothing back`() async throws {
        try await SyncRig.run({ request in
            .page(
                request.page, of: 2,
                headers: [("X-RateLimit-Remaining", request.page == 1 ? "0" : "9"), ("X-RateLimit-Reset", "0")])
        }) { rig in
            let outcome = try await rig.sync()
            #expect(rig.pagesAsked == [1, 2])
            #expect(outcome.retryAfter == nil)
        }
    }

    @Test func `respect_retry_after false ignores Retry-After`() async throws {
        try await SyncRig.run({ _ in .response(status: 503, headers: [("Retry-After", "120")]) }) { rig in
            let outcome = try await rig.sync(
                rig.stream { $0.retry = RetryPolicy(maxAttempts: 1, respectsRetryAfter: false) })
            #expect(outcome.retryAfter == nil)
        }
    }

    private static let files: [(LoopbackReply, Int?)] = [
        (.response(status: 429, headers: [("Retry-After", "120")]), 120),
        (.response(status: 503, headers: [("Retry-After", "7")]), 7), (.status(503), nil),
        // How long a file stays as it is says nothing of the pages.
        (.response(headers: [("Content-Type", "image/png"), ("Cache-Control", "max-age=300")], body: "a"), nil),
    ]

    @Test(arguments: files)
    func `an outcome includes the wait that the source asks for with its attachments`(
        reply: LoopbackReply, seconds: Int?
    ) async throws {
        try await SyncRig.run({ $0.target == "/animals" ? .json(#"[{"id":1,"photo":"/a.png"}]"#) : reply }) { rig in
            let outcome = try await rig.sync(
                rig.stream {
                    $0.attachments = [Attachment(field: "photo")]
                    $0.usesCacheLifetime = true
                })
            #expect(outcome.status == .succeeded)
            #expect(outcome.retryAfter == seconds.map { .seconds($0) })
        }
    }

    @Test func `what another server's files ask for does not hold for the source`() async throws {
        try await LoopbackServer.serve({ _ in .response(status: 503, headers: [("Retry-After", "120")]) }) { other in
            try await SyncRig.run({ _ in .json(#"[{"id":1,"photo":"\#(other.url)/a.png"}]"#) }) { rig in
                let outcome = try await rig.sync(rig.stream { $0.attachments = [Attachment(field: "photo")] })
                #expect(other.requests.count == 1)
                #expect(outcome.retryAfter == nil)
            }
        }
    }
}
