import GarnerCatalog
import Foundation
import TestSupport
import Testing

@testable import GarnerFetcher

/// A token endpoint that repeats what it was sent, or the tokens that it gives, in each place of an answer.
@Suite(.timeLimit(.minutes(5)))
struct OAuthCanaryTests {
    /// A long secret that is written differently in URLs and in HTML.
    private static let canary = "Canary~7&Q='+x"
    private static let encoded = canary.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    private static let traces = ["canary", "Q2FuYXJ5", "OkNhbmFy", "ary~7", "ary%7E7"]

    /// A secret that the endpoint was sent or gave earlier.
    enum Place: String, CaseIterable {
        case clientSecret, clientSecretInHeader, clientID, param, firstRefreshToken, rotatedRefreshToken,
            earlierAccessToken
    }

    enum Echo: String, CaseIterable {
        case error, description, form, headers, html, htmlWithSuccess, textType, type, location, statusText, tokenType,
            brokenToken, brokenJSON, noHTTP, encoding, serverError
    }

    @Test(arguments: Place.allCases, Echo.allCases)
    func `no error tells a secret that a token endpoint repeats`(place: Place, echo: Echo) async throws {
        try await LoopbackServer.serve({ request in
            guard request.method == "POST" else { return .status(401) }
            return request.number == 0 && place.isGiven ? Self.grant : Self.answer(echo, to: request)
        }) { server in
            try await Self.expectSilence(of: server, Self.client(place, at: "\(server.url)/token"))
        }
    }

    /// New tokens are secret, although nothing known before says so.
    @Test(arguments: [Echo.htmlWithSuccess, .textType, .tokenType, .brokenToken, .brokenJSON])
    func `no error tells a token that is new`(echo: Echo) async throws {
        try await LoopbackServer.serve({ Self.answer(echo, to: $0) }) { server in
            let client = OAuth2.client(.refreshToken(Secret("r0")), at: "\(server.url)/token")
            try await Self.expectSilence(of: server, client)
        }
    }

    @Test func `tokens that follow one another stay secret`() async throws {
        let issuer = ScriptedIssuer { number, _ in
            number < 4
                ? .token("access-\(number)-0123", expiresIn: 0, refresh: "refresh-\(number)-0123")
                : .status(
                    400,
                    #"{"error":"x access-1-0123 access-3-0123","error_description":"refresh-1-0123 refresh-3-0123"}"#)
        }
        let fetcher = try issuer.fetcher(.client(.refreshToken(Secret("refresh-0-0123"))))
        for _ in 0..<3 { _ = try await fetcher.page(at: fetcher.firstPosition) }
        #expect(
            await failureKind(of: { try await fetcher.page(at: fetcher.firstPosition) })
                == .token(
                    endpoint: "https://login.example/token",
                    .refused(status: 400, error: "x *** ***", description: "*** ***")))
    }

    @Test func `no more is remembered than a day's tokens`() {
        let runtimeSecrets = RuntimeSecrets()
        for number in 0..<2000 {
            runtimeSecrets.learn(Secret("always"))
            runtimeSecrets.learn(Secret("\(number)"))
        }
        #expect(runtimeSecrets.all.count == 1_024)
        #expect(runtimeSecrets.all.contains(Secret("always")) && runtimeSecrets.all.contains(Secret("1999")))
    }

    @Test(arguments: [
        ("Bearer s3cret-token", "the token s3cret-token"), ("\"s3cret-token\"", "s3cret-token"),
        ("s%3As3cret-token", "s:s3cret-token"), ("keyId=ab12,sig=s3cret-token", "s3cret-token"),
    ])
    func `a part of a token that the server repeats is a secret, too`(token: String, said: String) throws {
        let runtimeSecrets = RuntimeSecrets()
        runtimeSecrets.learn(Secret(token))
        let redaction = Redaction(
            of: stream(at: "https://zoo.example/v1/", path: "animals"), others: [], runtimeSecrets: runtimeSecrets)
        #expect(!redaction.redacted(said).contains("s3cret-token"))
    }

    private static func client(_ place: Place, at url: String) -> OAuth2 {
        let secret = Secret(canary)
        return switch place {
        case .clientSecret: .client(at: url) { $0.clientSecret = secret }
        case .clientSecretInHeader: .client(at: url) { ($0.clientSecret, $0.style) = (secret, .header) }
        case .clientID: .client(at: url) { $0.clientID = .secret(secret) }
        case .param: .client(at: url) { $0.params = [.init(name: "resource", value: .secret(secret))] }
        case .firstRefreshToken: .client(.refreshToken(secret), at: url)
        case .rotatedRefreshToken, .earlierAccessToken: .client(.refreshToken(Secret("r0")), at: url)
        }
    }

    /// The page, and after a 401 another token, end with an error that tells nothing.
    private static func expectSilence(of server: LoopbackServer, _ client: OAuth2) async throws {
        let stream = stream(at: server.url, path: "animals") { $0.request.authentication = .oauth2(client) }
        try await withFetcher(stream) { fetcher in
            let thrown = await #expect(throws: FetchError.self) { try await fetcher.page(at: fetcher.firstPosition) }
            let error = try #require(thrown)
            guard case .token = error.kind else { Issue.record("\(error)"); return }
            var dumped = ""
            dump(error, to: &dumped)
            dump(fetcher, to: &dumped)
            for text in [error.message, error.hint, "\(error)", String(reflecting: error), dumped, "\(fetcher)"] {
                for trace in traces {
                    #expect(!text.lowercased().contains(trace.lowercased()), "\(text)")
                }
            }
        }
    }

    private static let grant = LoopbackReply.json(
        #"{"access_token":"\#(canary)","token_type":"bearer","refresh_token":"\#(canary)"}"#)

    private static func answer(_ echo: Echo, to request: LoopbackRequest) -> LoopbackReply {
        let headers = request.headers.map { "\($0.name): \($0.value)" }.joined(separator: " ")
        return switch echo {
        case .error: .response(status: 400, body: #"{"error":"\#(canary)"}"#)
        case .description:
            .response(status: 400, body: #"{"error":"invalid_grant","error_description":"\#(canary) \#(encoded)"}"#)
        case .form: .response(status: 400, body: #"{"error":"invalid_request","error_description":"\#(request.body)"}"#)
        case .headers:
            .response(status: 401, body: #"{"error":"invalid_client","error_description":"\#(headers)"}"#)
        case .html: .response(status: 400, headers: [("Content-Type", "text/html")], body: "<p>\(canary)")
        case .htmlWithSuccess: .response(headers: [("Content-Type", "text/html")], body: "<p>\(canary)")
        case .textType: .response(headers: [("Content-Type", "text/plain")], body: "access_token=\(canary)")
        case .type: .response(headers: [("Content-Type", "text/\(canary)")], body: "<p>")
        case .location: .response(status: 302, headers: [("Location", "https://\(canary).example/?t=\(encoded)")])
        case .statusText: .raw("HTTP/1.1 400 \(canary)\r\nContent-Length: 0\r\n\r\n")
        case .tokenType: .json(#"{"access_token":"\#(canary)","token_type":["\#(canary)"]}"#)
        case .brokenToken: .json(#"{"access_token":"\#(canary) ","token_type":"\#(canary)"}"#)
        case .brokenJSON: .json(#"{"access_token":"\#(canary)","\#(canary)"}"#)
        case .noHTTP: .raw("\(canary)\r\n\r\n", then: .close)
        case .encoding:
            .response(headers: [("Content-Type", "application/json"), ("Content-Encoding", canary)], body: "{}")
        case .serverError: .response(status: 500, body: canary)
        }
    }
}

extension OAuthCanaryTests.Place {
    /// True if the endpoint itself gave the secret, with its first answer.
    fileprivate var isGiven: Bool { self == .rotatedRefreshToken || self == .earlierAccessToken }
}
