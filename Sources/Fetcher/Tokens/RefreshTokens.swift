package import GarnerCatalog
import GarnerDigest
import GarnerJSON
package import GarnerModel
import Synchronization

/// The chain of refresh tokens that began with a configured one. Only the last is valid.
final class RefreshTokens: Sendable {
    /// Identifies the configured token and its client: a newly configured token does not inherit an old one's successors.
    let key: String
    /// The key as computed before SHA-256 was used, for tokens stored under it.
    private let formerKey: String
    /// Admits one request at a time. A server may treat the second use of a token as theft.
    let gate: ThrottleGate
    let storage: (any TokenStorage)?
    private let state: Mutex<State>

    private struct State: Sendable {
        var current: Secret
        /// The token that could not be saved. It must not be used before it is.
        var unsaved: Secret?
    }

    /// Creates the chain; fails if the client's grant needs no refresh token.
    init?(of client: OAuth2, storage: (any TokenStorage)?, clock: any Clock<Duration>) {
        guard case .refreshToken(let first) = client.grant else { return nil }
        let parts = ["\(client.tokenURL)", client.clientID.reveal(), first.reveal()]
        key = SHA256.hexDigest(of: parts.map(JSONText.quoted).joined(separator: ",").utf8)
        var hash = StableHash()
        for part in parts { hash.add(Array(part.utf8) + [0]) }
        formerKey = String(hash.value, radix: 16)
        gate = ThrottleGate(rateLimit: nil, maximumConcurrency: 1, maximumWait: .zero, clock: clock)
        self.storage = storage
        state = Mutex(State(current: first))
    }

    /// Returns the token to use now. Throws the storage's errors.
    func newest() throws -> Secret {
        let found = try storage?.load(key) ?? storage?.load(formerKey)
        let (unsaved, current) = state.withLock { ($0.unsaved, $0.current) }
        // Another process may have renewed the token since.
        if let unsaved, found ?? current == current {
            try commit(unsaved)
            return unsaved
        }
        return state.withLock { state in
            state = State(current: found ?? state.current)
            return state.current
        }
    }

    /// Saves a token that replaces the current one, and is used only if that succeeds. Throws the storage's errors.
    func commit(_ token: Secret) throws {
        state.withLock { $0.unsaved = token }
        try storage?.save(token, for: key)
        state.withLock { $0 = State(current: token) }
    }
}

/// Stores refresh tokens across processes, since a new one ends the old one, and refused logins, which are not repeated.
package protocol TokenStorage: Sendable {
    /// Returns the token saved last under the key, by any process; nil if there is none.
    func load(_ key: String) throws -> Secret?
    /// Saves the token, which survives a power loss once this returns. If it throws, the old or the new one is stored.
    func save(_ token: Secret, for key: String) throws
    /// Returns the sole right of a process to renew the key's token, which a server may take for stolen if two send it.
    func turn(for key: String) -> RenewalTurn
    /// Returns the refused logins that any process has noted.
    func refusedLogins() throws -> [RefusedLogin]
    /// Changes the refused logins. No other process changes them meanwhile.
    func changeRefusedLogins(_ change: (inout [RefusedLogin]) -> Void) throws
}

/// The right of a process to renew a token.
package enum RenewalTurn {
    /// This process has it until the object is released.
    case held(AnyObject)
    /// Another process has it.
    case taken
    /// The storage cannot tell.
    case unknown
}
