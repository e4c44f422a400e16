import Catalog
import Fetcher
import TestSupport
import Testing

/// What URLSession cannot do that the other transport can: docs/decisions/0014-transports.md has the list.
@Suite(.timeLimit(.minutes(1)))
struct URLSessionLimitTests {
    @Test(arguments: [nil, false] as [Bool?])
    func `a host name is not asked unless private networks are allowed`(isAllowed: Bool?) async throws {
        let delegate = try await TransportKind.urlSession.events(
            of: stream(at: "http://zoo.invalid/") {
                $0.allowsPrivateNetwork = isAllowed
                $0.retry.maxAttempts = 3
            })
        guard case .failed(.misconfigured(let reason)) = delegate.events.value.first else {
            Issue.record("\(delegate.events.value)")
            return
        }
        #expect(reason.contains("zoo.invalid"))
        #expect(delegate.events.value.count == 1)
    }

    @Test(arguments: ["Basic realm=\"zoo\"", "Bearer realm=\"zoo\"", "Digest realm=\"zoo\", nonce=\"x\""])
    func `a challenge is told as the 401 that it is`(field: String) async throws {
        try await LoopbackServer.serve({ _ in
            .response(status: 401, headers: [("WWW-Authenticate", field)], body: "who is it?")
        }) { server in
            let stream = stream(at: server.url) { $0.limits.total = .seconds(20) }
            let delegate = try await TransportKind.urlSession.events(of: stream)
            #expect(delegate.events.value.last == .failed(.unauthorized(status: 401)))
            #expect(delegate.milestones.count == 2)
        }
    }
}
