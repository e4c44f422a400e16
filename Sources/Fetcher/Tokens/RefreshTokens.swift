import Catalog
import Digest
import JSON
import Synchronization

/// The refresh tokens that followed from one that was configured, of which only the last is good.
final class RefreshTokens: Sendable {
    /// Names the configured token and its client, so that a newly configured one has none of the old one's followers.
    let key: String
    /// The name that the token had before it was made with SHA-256.
    private let formerKey: String
    /// Two must not use the same token at once: a server may take the second use for a theft.
    let gate: ThrottleGate
    private let keeper: (any TokenKeeper)?
    private let state: Mutex<State>

    private struct State: Sendable {
        var current: Secret
        /// What could not be saved, and may not be used before it is.
        var unsaved: Secret?
    }

    /// nil where the client's grant needs no refresh token.
    init?(of client: OAuth2, keeper: (any TokenKeeper)?, clock: any Clock<Duration>) {
        guard case .refreshToken(let first) = client.grant else { return nil }
        let parts = ["\(client.tokenURL)", client.clientID.reveal(), first.reveal()]
        key = SHA256.hexDigest(of: parts.map(JSONString.quoted).joined(separator: ",").utf8)
        var hash = StableHash()
        for part in parts { hash.add(Array(part.utf8) + [0]) }
        formerKey = String(UInt64(bitPattern: hash.value), radix: 16)
        gate = ThrottleGate(rateLimit: nil, maximumConcurrency: 1, maximumWait: .zero, clock: clock)
        self.keeper = keeper
        state = Mutex(State(current: first))
    }

    /// The token to use now. Throws what the keeper throws.
    func newest() throws -> Secret {
        if let unsaved = state.withLock({ $0.unsaved }) { try commit(unsaved) }
        let kept = try keeper?.load(key) ?? keeper?.load(formerKey)
        return state.withLock { state in
            state.current = kept ?? state.current
            return state.current
        }
    }

    /// Saves a token that replaces the one before; it is used only if that succeeds. Throws what the keeper throws.
    func commit(_ token: Secret) throws {
        state.withLock { $0.unsaved = token }
        try keeper?.save(token, for: key)
        state.withLock { $0 = State(current: token) }
    }
}
