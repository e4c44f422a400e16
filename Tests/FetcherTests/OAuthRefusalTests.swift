import GarnerCatalog
import TestSupport
import Testing

@testable import GarnerFetcher

@Suite(.timeLimit(.minutes(5)))
struct OAuthRefusalTests {
    private static let invalidGrant = #"{"error":"invalid_grant","error_description":"it\n is over"}"#

    typealias Category = FetchError.Kind.Category
    private static let answers: [(Int, String, TokenError, Category, String)] = [
        (
            400, invalidGrant, .refused(status: 400, error: "invalid_grant", description: "it is over"), .unauthorized,
            "sign in again, and replace auth: refresh_token"
        ),
        (
            401, #"{"error":"invalid_client"}"#, .refused(status: 401, error: "invalid_client", description: nil),
            .unauthorized, "check auth: client_id, client_secret and auth_style"
        ),
        (
            400, #"{"error":"invalid_client"}"#, .refused(status: 400, error: "invalid_client", description: nil),
            .unauthorized, "check auth: client_id, client_secret and auth_style"
        ),
        (
            401, #"{"error":"invalid_client","error_description":"client_secret is missing in the body"}"#,
            .refused(
                status: 401, error: "invalid_client", description: "client_secret is missing in the body"),
            .unauthorized, "write auth_style: body in auth, beside client_id and client_secret"
        ),
        (
            400, #"{"error":"invalid_request","error_description":"Missing required parameter client_id"}"#,
            .refused(
                status: 400, error: "invalid_request", description: "Missing required parameter client_id"),
            .misconfigured, "write auth_style: body in auth, beside client_id and client_secret"
        ),
        (
            403, "<p>no", .refused(status: 403, error: nil, description: nil), .unauthorized,
            "check auth: client_id, client_secret and auth_style"
        ),
        (
            400, #"{"error":"invalid_scope"}"#, .refused(status: 400, error: "invalid_scope", description: nil),
            .misconfigured, "check auth: scopes"
        ),
        (
            400, #"{"error":"unsupported_grant_type"}"#,
            .refused(status: 400, error: "unsupported_grant_type", description: nil), .misconfigured,
            "check auth: grant_type, auth_style and token_url"
        ),
        (
            400, #"{"error":"invalid_request"}"#, .refused(status: 400, error: "invalid_request", description: nil),
            .misconfigured,
            "check auth: grant_type, auth_style and token_url; what else the server asks for, such as audience, goes into "
                + "auth: params"
        ),
        (
            400, #"{"error":7}"#, .refused(status: 400, error: nil, description: nil), .unavailable,
            "check auth: token_url; HTTP 400 came without a reason"
        ),
        (
            404, "", .refused(status: 404, error: nil, description: nil), .unavailable,
            "nothing gives tokens at this address: check the path in auth: token_url"
        ),
        (307, "", .redirect(status: 307), .unavailable, "set auth: token_url to the address that is meant"),
        (
            503, "", .failed(.status(503, retryAfter: nil)), .unavailable,
            "try again later; if it stays, the server is at fault: ask the people who run it"
        ),
        (
            429, "", .failed(.status(429, retryAfter: nil)), .unavailable,
            "wait, ask less often, or set rate_limit: { requests: 1, per: 1s } in the source"
        ),
        (
            200, "<html>", .noJSON(nil), .badContent,
            "check auth: token_url, which has to answer with a token in JSON (RFC 6749, 5.1)"
        ),
        (
            200, "", .noJSON(nil), .badContent,
            "check auth: token_url, which has to answer with a token in JSON (RFC 6749, 5.1)"
        ),
        (
            200, "[]", .noToken(reason: "it is no object"), .badContent,
            "check auth: token_url, which has to answer with a token in JSON (RFC 6749, 5.1)"
        ),
        (
            200, #"{"access_token":"t0ken123","token_type":"mac"}"#, .tokenType("mac"), .badContent,
            "ask the server's operator for bearer tokens (RFC 6750)"
        ),
    ]

    @Test(arguments: answers)
    func `an endpoint that gives no token is named, and what to do`(
        status: Int, body: String, problem: TokenError, category: Category, hint: String
    ) async throws {
        let issuer = ScriptedIssuer { _, _ in .status(status, body) }
        let fetcher = try issuer.fetcher(.client(at: "https://login.example/token?key=k3y"))
        let thrown = await #expect(throws: FetchError.self) { try await fetcher.page(at: fetcher.firstPosition) }
        let error = try #require(thrown)
        #expect(error.kind == .token(endpoint: "https://login.example/token", problem))
        #expect(error.kind.category == category)
        #expect(error.hint == hint)
        #expect(error.message.hasPrefix("no access token from https://login.example/token: "))
        #expect(issuer.sent.isEmpty && issuer.forms.count == 1)
        // Nothing of it reached the server of the pages.
        #expect(error.request?.attempts == 0)
    }

    private static let passing: [(Int, Bool)] = [
        (408, true), (429, true), (500, true), (502, true), (503, true), (501, false), (400, false), (401, false),
        (302, false),
    ]

    @Test(arguments: passing)
    func `what may pass is tried again as the stream's retries say`(status: Int, isRetried: Bool) async throws {
        let clock = ManualClock()
        let issuer = ScriptedIssuer { number, _ in number < 3 ? .status(status) : .token("token") }
        let fetcher = try issuer.fetcher(clock: clock) {
            $0.retry = RetryPolicy(maxAttempts: 3, baseDelay: .seconds(2), maxDelay: .seconds(60))
        }
        let page = Task { try await fetcher.page(at: fetcher.firstPosition).texts }
        if isRetried {
            // `random` is a half.
            for delay in [1, 2] {
                await clock.sleeper(for: .seconds(delay))
                clock.advance(by: .seconds(delay))
            }
            #expect(try await page.value == ["1"])
        } else {
            await #expect(throws: FetchError.self) { try await page.value }
        }
        #expect(issuer.forms.count == (isRetried ? 3 : 1))
    }

    @Test func `attempts are limited, and the page's own retries add none`() async throws {
        let issuer = ScriptedIssuer { _, _ in throw TransportError.refused }
        let fetcher = try issuer.fetcher(clock: ContinuousClock()) { $0.retry.maxAttempts = 3 }
        let kind = await failureKind(of: { try await fetcher.page(at: fetcher.firstPosition) })
        #expect(kind == .token(endpoint: "https://login.example/token", .failed(.refused)))
        #expect(kind?.category == .unavailable)
        #expect(issuer.forms.count == 3)
    }

    @Test func `an endpoint that says nothing is given up at the deadline`() async throws {
        let clock = ManualClock()
        let issuer = ScriptedIssuer { _, _ in
            await Watched(false).until { $0 }
            throw CancellationError()
        }
        let fetcher = try issuer.fetcher(clock: clock) {
            $0.limits = Limits(connect: .seconds(1), firstByte: .seconds(2))
        }
        async let kind = failureKind(of: { try await fetcher.page(at: fetcher.firstPosition) })
        await issuer.wasAsked(1)
        await clock.sleepers { !$0.isEmpty }
        clock.advance(by: .seconds(3))
        #expect(
            await kind
                == .token(endpoint: "https://login.example/token", .failed(.deadline(.firstByte, limit: .seconds(3)))))
    }

    @Test func `an answer without end is too large`() async throws {
        let issuer = ScriptedIssuer { _, _ in .status(200, String(repeating: " ", count: 1 << 20 + 1)) }
        let fetcher = try issuer.fetcher()
        #expect(
            await failureKind(of: { try await fetcher.page(at: fetcher.firstPosition) })
                == .token(endpoint: "https://login.example/token", .failed(.bodyTooLarge(limit: 1 << 20))))
    }

    @Test func `after an error the next request asks again`() async throws {
        let issuer = ScriptedIssuer { number, _ in number == 1 ? .status(400) : .token("token") }
        let fetcher = try issuer.fetcher()
        #expect(await failureKind(of: { try await fetcher.page(at: fetcher.firstPosition) }) != nil)
        #expect(try await fetcher.page(at: fetcher.firstPosition).texts == ["1"])
    }
}
