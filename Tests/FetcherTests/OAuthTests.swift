import GarnerCatalog
import Foundation
import TestSupport
import Testing

@testable import GarnerFetcher

@Suite(.timeLimit(.minutes(5)))
struct OAuthTests {
    private static let forms: [(OAuth2, String, String?)] = [
        (.client(), "grant_type=client_credentials&client_id=garner&client_secret=hunter2", nil),
        (.client { $0.style = .header }, "grant_type=client_credentials", "Basic Z2FybmVyOmh1bnRlcjI="),
        (
            .client { $0.scopes = ["animals:read", "b"] },
            "grant_type=client_credentials&scope=animals%3Aread%20b&client_id=garner&client_secret=hunter2", nil
        ),
        (
            .client(.refreshToken(Secret("r+1/="))) { $0.clientSecret = nil },
            "grant_type=refresh_token&refresh_token=r%2B1%2F%3D&client_id=garner", nil
        ),
        (
            .client(.refreshToken(Secret("r1"))) { ($0.style, $0.scopes) = (.header, ["a"]) },
            "grant_type=refresh_token&refresh_token=r1&scope=a", "Basic Z2FybmVyOmh1bnRlcjI="
        ),
        (
            .client { ($0.style, $0.clientID, $0.clientSecret) = (.header, .literal("a:b"), Secret("ä&%")) },
            "grant_type=client_credentials", "Basic " + Data("a%3Ab:%C3%A4%26%25".utf8).base64EncodedString()
        ),
    ]

    @Test(arguments: forms)
    func `a token is asked for as RFC 6749 says, and sent as RFC 6750 does`(
        client: OAuth2, form: String, authorization: String?
    ) async throws {
        try await LoopbackServer.serve({ request in
            request.method == "POST" ? .json(#"{"access_token":"t0ken","token_type":"Bearer"}"#) : .json("[1]")
        }) { server in
            var client = client
            client.tokenURL = try #require(WebAddress("\(server.url)/token?tenant=7"))
            let stream = stream(at: server.url, path: "animals") {
                $0.request.authentication = .oauth2(client)
                // The URLs of the configuration name this machine.
                $0.allowsPrivateNetwork = nil
            }
            let texts = try await withFetcher(stream) { try await $0.page(at: $0.firstPosition).texts }
            #expect(texts == ["1"])
            #expect(server.requests.map { "\($0.method) \($0.target)" } == ["POST /token?tenant=7", "GET /animals"])
            let asked = try #require(server.requests.first)
            #expect(asked.body == form)
            #expect(asked["Content-Type"] == "application/x-www-form-urlencoded")
            #expect(asked["Authorization"] == authorization)
            #expect(asked["Accept"] == "application/json")
            #expect(server.requests.last?["Authorization"] == "Bearer t0ken")
        }
    }

    @Test func `a token URL in a private network is refused where that is not allowed`() async throws {
        let fetcher = try ScriptedIssuer().fetcher(.client(at: "http://10.0.0.1/token")) {
            $0.allowsPrivateNetwork = false
        }
        let kind = await failureKind(of: { try await fetcher.page(at: fetcher.firstPosition) })
        #expect(kind == .token(endpoint: "http://10.0.0.1/token", .failed(.privateNetwork(host: "10.0.0.1"))))
        #expect(kind?.category == .misconfigured)
    }

    @Test func `a token serves all requests until shortly before its end`() async throws {
        let (clock, issuer) = (ManualClock(), ScriptedIssuer())
        let fetcher = try issuer.fetcher(clock: clock)
        for seconds in [0, 3539, 1, 3000, 540] {
            clock.advance(by: .seconds(seconds))
            _ = try await fetcher.page(at: fetcher.firstPosition)
        }
        #expect(issuer.sent == [1, 1, 2, 2, 3].map { "Bearer token-\($0)" })
    }

    @Test func `a token without any life serves those who waited for it`() async throws {
        let issuer = ScriptedIssuer { number, _ in .token("token-\(number)", expiresIn: 0) }
        let fetcher = try issuer.fetcher()
        for _ in 0..<2 { _ = try await fetcher.page(at: fetcher.firstPosition) }
        #expect(issuer.sent == ["Bearer token-1", "Bearer token-2"])
    }

    @Test func `streams with the same credentials share their tokens`() async throws {
        let (clock, issuer) = (ManualClock(), ScriptedIssuer())
        let transports = Transports(userAgent: "garner/test")
        for (client, path) in [(OAuth2.client(), "a"), (.client(), "b"), (.client { $0.scopes = ["c"] }, "c")] {
            let stream = stream(at: "https://zoo.example/", path: path) { $0.request.authentication = .oauth2(client) }
            let tokens = transports.tokens(of: stream, clock: clock)
            let fetcher = try issuer.fetcher(client, tokens: tokens, clock: clock)
            _ = try await fetcher.page(at: fetcher.firstPosition)
        }
        #expect(issuer.sent == [1, 1, 2].map { "Bearer token-\($0)" })
        #expect(transports.tokens(of: stream(at: "https://zoo.example/"), clock: clock) == nil)
        try await transports.shutdown()
    }

    @Test func `a request whose token is refused is sent once more with another one`() async throws {
        let issuer = ScriptedIssuer(accepts: { $0 != "Bearer token-1" })
        let fetcher = try issuer.fetcher()
        let page = try await fetcher.page(at: fetcher.firstPosition)
        #expect(page.texts == ["1"])
        #expect(page.requests == 2)
        #expect(issuer.sent == ["Bearer token-1", "Bearer token-2"])
    }

    @Test func `the tag of a credential is of what is configured`() throws {
        let clients: [OAuth2] = [
            .client(), .client { $0.clientID = .literal("other") }, .client { $0.scopes = ["a"] },
            .client(.refreshToken(Secret("r1"))), .client(.refreshToken(Secret("r2"))),
            .client(at: "https://login.example/token2"),
        ]
        let tags = try clients.map { try ScriptedIssuer().fetcher($0).credentialTag }
        #expect(Set(tags).count == clients.count)
        let renewed = OAuth2.client { $0.clientSecret = Secret("hunter3") }
        #expect(try ScriptedIssuer().fetcher(renewed).credentialTag == tags[0])
    }
}
