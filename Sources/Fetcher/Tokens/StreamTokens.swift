import GarnerCatalog
import Synchronization

/// The access tokens for the requests of one stream.
struct StreamTokens: Sendable {
    let source: TokenSource
    private let provider: any TokenProvider
    /// The notes of one run about its sessions; nil for tokens that may be asked for at any time.
    private let session: SessionNotes?

    /// Creates the object; fails if the stream needs no token.
    ///
    /// - Parameter source: the source shared with other streams; nil creates a separate one.
    init?(of stream: StreamConfiguration, source: TokenSource?, transport: any Transport, timing: Timing) {
        let authentication = stream.request.authentication
        if let endpoint = TokenEndpoint(of: stream, transport: transport, timing: timing) {
            provider = endpoint
        } else if let login = SessionLogin(of: stream, transport: transport, timing: timing) {
            provider = login
        } else if case .command(let command) = authentication {
            provider = CommandTokens(command: command, clock: timing.clock)
        } else {
            return nil
        }
        session = provider is SessionLogin ? SessionNotes() : nil
        self.source = source ?? TokenSources(storage: nil).source(of: stream.request, clock: timing.clock)
    }

    func token(insteadOf refused: AccessToken? = nil) async throws -> AccessToken {
        if refused != nil, session?.isHopeless == true { throw FetchError.Kind.unauthorized(status: 401) }
        return try await source.token(insteadOf: refused, from: provider)
    }

    /// Notes that a server has accepted a token.
    func noteAccepted(_ token: AccessToken) async {
        if session?.isNew(token.serial) == true { await source.noteAccepted(token) }
    }

    /// Notes that a server has refused the token that replaced a refused one. No other is asked for: the server means
    /// the request and not the session, or it forgets sessions.
    func noteRefusalOfNewToken() { session?.giveUp() }
}

/// The knowledge of one run about the sessions that its logins have opened.
private final class SessionNotes: Sendable {
    private let state = Mutex<(accepted: UInt64, isHopeless: Bool)>((0, false))

    /// True if no other login would help.
    var isHopeless: Bool { state.withLock(\.isHopeless) }

    func giveUp() { state.withLock { $0.isHopeless = true } }

    /// Notes an accepted token. Returns true if it is another one than before.
    func isNew(_ serial: UInt64) -> Bool {
        state.withLock { state in
            defer { state.accepted = serial }
            return state.accepted != serial
        }
    }
}
