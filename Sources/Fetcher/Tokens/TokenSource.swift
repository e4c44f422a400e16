import GarnerCatalog
import Synchronization
import GarnerTasks

/// Gets access tokens, from a token endpoint or from a program.
protocol TokenProvider: Sendable {
    /// Gets a token. Throws `FetchError.Kind`, the storage's errors, and `CancellationError`.
    func grant(for source: TokenSource) async throws -> TokenGrant
}

/// The access tokens of one client, shared by all streams with the same credentials.
package actor TokenSource {
    /// All tokens seen so far, for the redaction.
    nonisolated let runtimeSecrets = RuntimeSecrets()
    nonisolated let refreshTokens: RefreshTokens?
    nonisolated let programs: (any ProgramRunner)?
    nonisolated let refusedLogins: RefusedLogins?
    private let stopwatch: Stopwatch
    private var sharedToken: SharedToken
    /// The error of the login that was refused last.
    private var refusal: any Error = CancellationError()
    private var lastSerial: UInt64 = 0
    private let waiters = Waiters<AccessToken>()
    /// The providers as the waiting streams reach them.
    private var providers: [UInt64: any TokenProvider] = [:]
    private var fetching: Task<Void, Never>?

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - refreshTokens: nil if the client's grant needs none.
    ///   - refusedLogins: nil if no logins are remembered.
    ///   - rest: the time after a refused login in which no other one is made; nil where nothing can be locked.
    init(
        refreshTokens: RefreshTokens?, programs: (any ProgramRunner)? = nil, refusedLogins: RefusedLogins? = nil,
        rest: Duration? = nil, clock: any Clock<Duration>
    ) {
        self.refreshTokens = refreshTokens
        sharedToken = SharedToken(rest: rest)
        self.programs = programs
        self.refusedLogins = refusedLogins
        stopwatch = Stopwatch(clock)
    }

    /// The number of callers waiting in `token`.
    var waiterCount: Int { waiters.count }

    /// Returns the current token. Fetches another one if it has expired or a server has `refused` it.
    ///
    /// Throws `FetchError.Kind`, the storage's errors, and `CancellationError`.
    ///
    /// - Parameter provider: the token endpoint, as the calling stream reaches it, or the program.
    func token(
        insteadOf refused: AccessToken? = nil, from provider: any TokenProvider
    ) async throws -> AccessToken {
        try Task.checkCancellation()
        let id = waiters.add()
        providers[id] = provider
        perform(sharedToken.asked(by: id, insteadOf: refused?.serial, at: stopwatch.elapsed))
        return try await waiters.value(for: id) { await self.cancelled($0) }
    }

    /// Waits until no token is being fetched. The pending response may hold the only valid token.
    func settled() async {
        while let current = fetching {
            await current.value
            if fetching == current { fetching = nil }
        }
    }

    /// Notes that a server has accepted a token.
    func noteAccepted(_ token: AccessToken) { sharedToken.accepted(token.serial) }

    private func cancelled(_ id: UInt64) {
        guard resume(id, with: .failure(CancellationError())) else { return }
        perform(sharedToken.left(id))
    }

    @discardableResult
    private func resume(_ id: UInt64, with result: Result<AccessToken, any Error>) -> Bool {
        providers[id] = nil
        return waiters.resume(id, with: result)
    }

    private func perform(_ actions: [SharedToken.Action], error: (any Error)? = nil) {
        for action in actions {
            switch action {
            case .fetch(let id):
                guard let provider = providers[id] else { continue }
                // Callers come and go, so none of their tasks can fetch for the others.
                fetching = Task { await fetch(from: provider) }
            case .callOff: fetching?.cancel()
            case .give(let token, let ids):
                for id in ids { resume(id, with: .success(token)) }
            case .refuse(let ids):
                for id in ids { resume(id, with: .failure(error ?? refusal)) }
            case .deny(let id): resume(id, with: .failure(FetchError.Kind.unauthorized(status: 401)))
            }
        }
    }

    private func fetch(from provider: any TokenProvider) async {
        do {
            let grant = try await provider.grant(for: self)
            lastSerial += 1
            let token = AccessToken(
                headers: grant.headers, cookies: grant.cookies, parameters: grant.parameters, serial: lastSerial,
                usableUntil: stopwatch.elapsed + grant.usableFor)
            perform(sharedToken.fetched(token, at: stopwatch.elapsed))
        } catch {
            var isRefusal = false
            if case FetchError.Kind.token(_, let problem) = error { isRefusal = problem.isRefusedLogin }
            if isRefusal { refusal = error }
            let ending: SharedToken.Failure =
                isRefusal ? .refused : error is CancellationError ? .endedEarly : .other
            perform(sharedToken.failed(ending, at: stopwatch.elapsed), error: error)
        }
    }
}

/// Decides when a token is fetched and who gets it. Callers share one fetch at a time.
///
/// It uses neither a clock nor the network. Times are on the clock of `AccessToken.usableUntil`.
struct SharedToken: Sendable, Equatable {
    enum Action: Sendable, Equatable {
        /// Start fetching a token for the waiter with this ID. A call of `fetched` or `failed` must follow.
        case fetch(for: UInt64)
        /// The last waiter has left, so the fetch may be cancelled.
        case callOff
        /// Give the token to these waiters.
        case give(AccessToken, to: [UInt64])
        /// Give these waiters the error that ended the fetch.
        case refuse([UInt64])
        /// Tell this waiter that the server refuses even new tokens.
        case deny(UInt64)
    }

    enum Failure: Sendable, Equatable {
        /// The fetch was cancelled.
        case endedEarly
        /// The server refused the login.
        case refused
        case other
    }

    private enum Fetching: Sendable { case no, yes, calledOff }

    /// The time without another login after a refused one, which might lock the account; nil where nothing can be locked.
    let rest: Duration?
    private var restsUntil = Duration.zero
    private var token: AccessToken?
    /// The time up to which the token, if a server refuses it, is not replaced, since none has accepted it yet.
    private var isUnprovenUntil = Duration.zero
    private var fetching = Fetching.no
    /// The waiters in the order of arrival.
    private var waiters: [UInt64] = []

    init(rest: Duration? = nil) { self.rest = rest }

    /// Requests a token. `refused` is the serial of one that the server does not accept; if it is current, it is discarded.
    mutating func asked(by id: UInt64, insteadOf refused: UInt64? = nil, at time: Duration) -> [Action] {
        if let token, token.serial == refused, time < isUnprovenUntil { return [.deny(id)] }
        if let token, token.serial == refused || token.usableUntil <= time { self.token = nil }
        if let token { return [.give(token, to: [id])] }
        if time < restsUntil { return [.refuse([id])] }
        waiters.append(id)
        guard fetching == .no else { return [] }
        fetching = .yes
        return [.fetch(for: id)]
    }

    /// Removes a waiter.
    mutating func left(_ id: UInt64) -> [Action] {
        guard let place = waiters.firstIndex(of: id) else { return [] }
        waiters.remove(at: place)
        guard waiters.isEmpty, fetching == .yes else { return [] }
        fetching = .calledOff
        return [.callOff]
    }

    /// Ends a fetch. The waiters get the token even if it has already expired, since no other would be better.
    mutating func fetched(_ token: AccessToken, at time: Duration = .zero) -> [Action] {
        self.token = token
        isUnprovenUntil = rest.map { time + $0 } ?? .zero
        return [.give(token, to: takeWaiters())]
    }

    /// Notes that a server has accepted the token with this serial.
    mutating func accepted(_ serial: UInt64) {
        if token?.serial == serial { isUnprovenUntil = .zero }
    }

    /// Ends a fetch with an error.
    mutating func failed(_ failure: Failure, at time: Duration = .zero) -> [Action] {
        if failure == .refused, let rest { restsUntil = time + rest }
        guard failure == .endedEarly, fetching == .calledOff, let first = waiters.first else {
            return [.refuse(takeWaiters())]
        }
        // Callers that arrived after the cancellation need a new fetch.
        fetching = .yes
        return [.fetch(for: first)]
    }

    private mutating func takeWaiters() -> [UInt64] {
        defer { waiters = [] }
        fetching = .no
        return waiters
    }
}

/// The header fields that authorize requests for a time, such as `Authorization: Bearer …`.
package struct AccessToken: Sendable, Equatable {
    let headers: [RequestTemplate.Parameter]
    /// The cookies of a session, of which each request gets those of its path.
    var cookies: SessionCookies?
    /// The query parameters that carry the token.
    var parameters: [RequestTemplate.Parameter] = []
    /// Distinguishes tokens, even if the server issues the same text again.
    let serial: UInt64
    /// The time from which requests need another token, on the clock of its `TokenSource`.
    let usableUntil: Duration
}

/// The result of a successful token request.
struct TokenGrant: Sendable, Equatable {
    let headers: [RequestTemplate.Parameter]
    var cookies: SessionCookies?
    var parameters: [RequestTemplate.Parameter] = []
    /// The token's lifetime from the response on; nil if the server states none.
    let lifetime: Duration?

    /// The time for which the token is used. It ends shortly before the token does, since a request takes time.
    ///
    /// Without a stated lifetime, it is an hour. A token that ends earlier is answered with 401, which has its own remedy.
    var usableFor: Duration {
        guard let lifetime else { return .seconds(3600) }
        return max(.zero, lifetime - min(.seconds(60), lifetime / 10))
    }
}

extension TokenGrant {
    init(accessToken: Secret, lifetime: Duration?) {
        self.init(headers: [.authorization("Bearer \(accessToken.reveal())")], lifetime: lifetime)
    }
}

/// The token sources of a process, one for all streams with the same credentials.
final class TokenSources: Sendable {
    private let storage: (any TokenStorage)?
    private let programs: (any ProgramRunner)?
    private let heedsRefusedLogins: Bool
    private let known = Mutex<Known>(Known())

    private struct Known: Sendable {
        var sources: [KnownSource] = []
        /// The refresh tokens by key. Clients that differ only in their scopes share one refresh token.
        var refreshTokens: [String: RefreshTokens] = [:]
    }

    private struct KnownSource: Sendable {
        let authentication: Authentication
        /// The URL of the login, which the authentication tells only in part; nil if it needs none.
        let login: WebAddress?
        let source: TokenSource
    }

    /// Creates the sources. Without a storage, refresh tokens live as long as the process.
    ///
    /// - Parameter heedsRefusedLogins: False if logins are made although the storage has them as refused.
    init(
        storage: (any TokenStorage)?, programs: (any ProgramRunner)? = nil, heedsRefusedLogins: Bool = true
    ) {
        self.storage = storage
        self.programs = programs
        self.heedsRefusedLogins = heedsRefusedLogins
    }

    var refusedLogins: RefusedLogins? {
        storage.map { RefusedLogins(storage: $0, areHeeded: heedsRefusedLogins) }
    }

    func source(of template: RequestTemplate, clock: any Clock<Duration>) -> TokenSource {
        source(
            for: template.authentication, login: template.loginAddress?.revealing(template.loginSecrets), clock: clock)
    }

    func source(
        for authentication: Authentication, login: WebAddress? = nil, clock: any Clock<Duration>
    ) -> TokenSource {
        known.withLock { known in
            let same = known.sources.first { $0.authentication == authentication && $0.login == login }
            if let same { return same.source }
            var refreshTokens: RefreshTokens?
            if case .oauth2(let client) = authentication,
                let new = RefreshTokens(of: client, storage: storage, clock: clock)
            {
                refreshTokens = known.refreshTokens[new.key] ?? new
                known.refreshTokens[new.key] = refreshTokens
            }
            let source = TokenSource(
                refreshTokens: refreshTokens, programs: programs, refusedLogins: refusedLogins,
                rest: login.map { _ in SessionLogin.rest }, clock: clock)
            known.sources.append(KnownSource(authentication: authentication, login: login, source: source))
            return source
        }
    }

    /// Waits until no token is being fetched.
    func settled() async {
        for source in known.withLock({ $0.sources.map(\.source) }) { await source.settled() }
    }
}
