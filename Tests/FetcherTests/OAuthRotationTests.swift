import GarnerCatalog
import TestSupport
import Testing

@testable import GarnerFetcher

/// A server that gives a new refresh token with each access token, and takes none twice.
@Suite(.timeLimit(.minutes(5)))
struct OAuthRotationTests {
    private let clock = ManualClock()
    private let storage = ScriptedTokenStorage()
    private let client = OAuth2.client(.refreshToken(Secret("r0")))

    /// The next token is `r` with the next number.
    private static func rotating() -> ScriptedIssuer {
        let used = Watched<Set<String>>([])
        return ScriptedIssuer { number, form in
            guard used.change({ $0.insert(form.refreshToken).inserted }), form.refreshToken == "r\(number - 1)" else {
                return .status(400, #"{"error":"invalid_grant"}"#)
            }
            return .token("token-\(number)", refresh: "r\(number)")
        }
    }

    /// A new token source over the same storage, as a new process would have it.
    private func source(_ client: OAuth2? = nil) -> TokenSource {
        TokenSources(storage: storage).source(for: .oauth2(client ?? self.client), clock: clock)
    }

    @Test func `each new refresh token is saved and used next`() async throws {
        let issuer = Self.rotating()
        let fetcher = try issuer.fetcher(client, tokens: source(), clock: clock)
        for _ in 0..<3 {
            _ = try await fetcher.page(at: fetcher.firstPosition)
            clock.advance(by: .seconds(3600))
        }
        #expect(issuer.forms.map(\.refreshToken) == ["r0", "r1", "r2"])
        #expect(storage.saved == ["r1", "r2", "r3"])
        #expect(issuer.sent == [1, 2, 3].map { "Bearer token-\($0)" })
    }

    @Test func `the next process goes on with what was saved`() async throws {
        let issuer = Self.rotating()
        for _ in 0..<3 {
            let fetcher = try issuer.fetcher(client, tokens: source(), clock: clock)
            _ = try await fetcher.page(at: fetcher.firstPosition)
        }
        #expect(issuer.forms.map(\.refreshToken) == ["r0", "r1", "r2"])
    }

    /// Version 0.1.0 saved the token under another name.
    @Test func `a refresh token that version 0.1.0 saved is used, and its follower is saved anew`() async throws {
        let issuer = ScriptedIssuer { number, _ in .token("token-\(number)", refresh: "r\(number + 5)") }
        try storage.save(Secret("r5"), for: "8e502017aedf5562")
        for _ in 0..<2 {
            let fetcher = try issuer.fetcher(client, tokens: source(), clock: clock)
            _ = try await fetcher.page(at: fetcher.firstPosition)
        }
        #expect(issuer.forms.map(\.refreshToken) == ["r5", "r6"])
    }

    @Test func `a refresh token that was saved and not used before a crash is used by the next process`() async throws {
        let issuer = Self.rotating()
        let keys = RefreshTokens(of: client, storage: storage, clock: clock)
        let first = TokenFetch(
            endpoint: try #require(endpoint(client, issuer)), refreshTokens: keys, runtimeSecrets: RuntimeSecrets())
        // The access token is lost with this process.
        _ = try await first.grant()
        let fetcher = try issuer.fetcher(client, tokens: source(), clock: clock)
        _ = try await fetcher.page(at: fetcher.firstPosition)
        #expect(issuer.forms.map(\.refreshToken) == ["r0", "r1"])
    }

    @Test func `a newly configured refresh token wins over what was saved for another one`() async throws {
        let issuer = ScriptedIssuer { number, _ in .token("token", refresh: "r\(number)") }
        for first in ["old", "new", "new"] {
            let client = OAuth2.client(.refreshToken(Secret(first)))
            let fetcher = try issuer.fetcher(client, tokens: source(client), clock: clock)
            _ = try await fetcher.page(at: fetcher.firstPosition)
        }
        #expect(issuer.forms.map(\.refreshToken) == ["old", "new", "r2"])
    }

    @Test func `a refresh token that stays is not saved`() async throws {
        for refresh in [nil, "r0"] as [String?] {
            let issuer = ScriptedIssuer { _, _ in .token("token", refresh: refresh) }
            let fetcher = try issuer.fetcher(client, tokens: source(), clock: clock)
            _ = try await fetcher.page(at: fetcher.firstPosition)
        }
        #expect(storage.saved == [])
    }

    @Test func `what cannot be saved is not used, and saved before the next use`() async throws {
        let issuer = Self.rotating()
        let fetcher = try issuer.fetcher(client, tokens: source(), clock: clock)
        storage.refusesToSave = true
        for _ in 0..<2 {
            await #expect(throws: ScriptedTokenStorage.Refusal.self) {
                try await fetcher.page(at: fetcher.firstPosition)
            }
        }
        // Neither the access token that came with it, nor the refresh token.
        #expect(issuer.sent == [])
        #expect(issuer.forms.map(\.refreshToken) == ["r0"])
        storage.refusesToSave = false
        _ = try await fetcher.page(at: fetcher.firstPosition)
        #expect(issuer.forms.map(\.refreshToken) == ["r0", "r1"])
        #expect(storage.saved == ["r1", "r2"])
    }

    @Test func `an answer without a usable access token still replaces the refresh token`() async throws {
        let issuer = ScriptedIssuer { number, _ in
            number == 1 ? scripted(#"{"access_token":"","refresh_token":"r1"}"#) : .token("token")
        }
        let fetcher = try issuer.fetcher(client, tokens: source(), clock: clock)
        #expect(await failureKind(of: { try await fetcher.page(at: fetcher.firstPosition) })?.category == .badContent)
        _ = try await fetcher.page(at: fetcher.firstPosition)
        #expect(issuer.forms.map(\.refreshToken) == ["r0", "r1"])
    }

    @Test func `a token that another process replaced meanwhile is read again`() async throws {
        let storage = storage
        let issuer = ScriptedIssuer { number, form in
            if number == 1 { return .token("token-1", refresh: "r1") }
            // The other process is faster by a moment.
            if form.refreshToken == "r1" { storage.replaceAll(with: "other") }
            return form.refreshToken == "other"
                ? .token("token-3") : .status(400, #"{"error":"invalid_grant"}"#)
        }
        let fetcher = try issuer.fetcher(client, tokens: source(), clock: clock)
        _ = try await fetcher.page(at: fetcher.firstPosition)
        clock.advance(by: .seconds(3600))
        _ = try await fetcher.page(at: fetcher.firstPosition)
        #expect(issuer.forms.map(\.refreshToken) == ["r0", "r1", "other"])
        #expect(issuer.sent.last == "Bearer token-3")
    }

    @Test func `a token that is refused for good is not tried again`() async throws {
        let issuer = ScriptedIssuer { _, _ in .status(400, #"{"error":"invalid_grant"}"#) }
        let fetcher = try issuer.fetcher(client, tokens: source(), clock: clock)
        #expect(await failureKind(of: { try await fetcher.page(at: fetcher.firstPosition) })?.category == .unauthorized)
        #expect(issuer.forms.count == 1)
    }

    @Test func `several scopes of one sign-in never use a refresh token at the same time`() async throws {
        let issuer = Self.rotating()
        let sources = TokenSources(storage: storage)
        let texts = try await withThrowingTaskGroup(of: [String].self) { group in
            for scope in 0..<10 {
                let client = OAuth2.client(.refreshToken(Secret("r0"))) { $0.scopes = ["s\(scope)"] }
                let tokens = sources.source(for: .oauth2(client), clock: clock)
                let fetcher = try issuer.fetcher(client, tokens: tokens, clock: clock)
                group.addTask { try await fetcher.page(at: fetcher.firstPosition).texts }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(texts.count == 10)
        #expect(issuer.forms.map(\.refreshToken) == (0..<10).map { "r\($0)" })
    }

    @Test func `a refresh token that arrives after every waiter has left is saved`() async throws {
        let isOpen = Watched(false)
        let issuer = ScriptedIssuer { number, _ in
            await isOpen.until { $0 }
            try Task.checkCancellation()
            return .token("token-\(number)", refresh: "r\(number)")
        }
        let source = source()
        let fetcher = try issuer.fetcher(client, tokens: source, clock: clock)
        let page = Task { try await fetcher.page(at: fetcher.firstPosition).texts }
        await issuer.wasAsked(1)
        page.cancel()
        await #expect(throws: CancellationError.self) { try await page.value }
        let end = Task { await source.settled() }
        isOpen.value = true
        await end.value
        #expect(storage.saved == ["r1"])
        _ = try await fetcher.page(at: fetcher.firstPosition)
        #expect(issuer.sent == ["Bearer token-1"])
    }

    private func endpoint(_ client: OAuth2, _ issuer: ScriptedIssuer) -> TokenEndpoint? {
        let stream = stream(at: "https://zoo.example/") { $0.request.authentication = .oauth2(client) }
        return TokenEndpoint(of: stream, transport: issuer.transport, timing: timing(clock: clock))
    }
}

extension String {
    /// The value of `refresh_token` in a form.
    fileprivate var refreshToken: String {
        split(separator: "refresh_token=").last?.split(separator: "&").first.map(String.init) ?? ""
    }
}
