import GarnerCatalog
import GarnerModel
import GarnerSync
import TestSupport
import Testing

/// HTTP 401 and 403, and the advice that names what was sent.
@Suite(.timeLimit(.minutes(2)))
struct RefusedCredentialsTests {
    private static let cases: [(change: @Sendable (inout RequestTemplate) -> Void, hint: String)] = [
        (
            { _ in },
            "set the stream's auth, such as auth: { type: bearer, token: \"${API_TOKEN}\" }: nothing was sent that says who asks"
        ),
        (
            { $0.authentication = .bearer(token: Secret("s3cret-token")) },
            "check the token of 'auth' (Authorization: Bearer …), which was sent"
        ),
        (
            { $0.authentication = .apiKey(name: "X-Key", location: .header, value: Secret("s3cret-token")) },
            "check the key of 'auth' (the header 'X-Key'), which was sent"
        ),
        (
            { $0.authentication = .apiKey(name: "key", location: .query, value: Secret("s3cret-token")) },
            "check the key of 'auth' (the parameter 'key'), which was sent"
        ),
        (
            { $0.headers = [.init(name: "X-Token", value: .secret(Secret("s3cret-token")))] },
            "check the header 'X-Token', which was sent"
        ),
    ]

    @Test(arguments: cases.indices)
    func `a refusal with 401 says what was sent`(index: Int) async throws {
        try await SyncRig.run({ _ in .status(401) }) { rig in
            let outcome = try await rig.sync(rig.stream { Self.cases[index].change(&$0.request) })
            let failure = try #require(outcome.failure)
            #expect(failure.hint == .text(Self.cases[index].hint))
            #expect(!"\(failure)".contains("s3cret-token"))
        }
    }

    @Test(arguments: cases.indices)
    func `a refusal with 403 tells of an account only where one is named`(index: Int) async throws {
        try await SyncRig.run({ _ in .status(403) }) { rig in
            let outcome = try await rig.sync(rig.stream { Self.cases[index].change(&$0.request) })
            let hint = index == 0 ? Self.cases[0].hint : "check that the account of the stream's auth may read this"
            #expect(outcome.failure?.hint == .text(hint))
        }
    }
}
