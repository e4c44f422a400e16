import Catalog
import Synchronization

/// The token sources of a process: one for all streams with the same credentials.
final class TokenSources: Sendable {
    private let keeper: (any TokenKeeper)?
    private let known = Mutex<Known>(Known())

    private struct Known: Sendable {
        var sources: [(client: OAuth2, source: TokenSource)] = []
        /// By their key: access tokens of several scopes come from the same refresh token.
        var refreshTokens: [String: RefreshTokens] = [:]
    }

    /// Without a keeper, refresh tokens live as long as the process.
    init(keeper: (any TokenKeeper)?) { self.keeper = keeper }

    func source(for client: OAuth2, clock: any Clock<Duration>) -> TokenSource {
        known.withLock { known in
            if let source = known.sources.first(where: { $0.client == client })?.source { return source }
            var refreshTokens: RefreshTokens?
            if let new = RefreshTokens(of: client, keeper: keeper, clock: clock) {
                refreshTokens = known.refreshTokens[new.key] ?? new
                known.refreshTokens[new.key] = refreshTokens
            }
            let source = TokenSource(refreshTokens: refreshTokens, clock: clock)
            known.sources.append((client, source))
            return source
        }
    }

    /// Returns when no token is being fetched.
    func settled() async {
        for source in known.withLock({ $0.sources.map(\.source) }) { await source.settled() }
    }
}
