/// The access tokens of one client, for all streams that ask with the same credentials.
package actor TokenSource {
    /// Every token that was seen: none may be shown.
    nonisolated let learned = LearnedSecrets()
    private nonisolated let refreshTokens: RefreshTokens?
    private let stopwatch: Stopwatch
    private var desk = TokenDesk()
    private var lastID: UInt64 = 0
    private var lastSerial: UInt64 = 0
    private var waiters: [UInt64: Waiter] = [:]
    private var flight: Task<Void, Never>?

    private struct Waiter {
        let continuation: CheckedContinuation<AccessToken, any Error>
        let endpoint: TokenEndpoint
    }

    /// `refreshTokens` are those of the client's grant; nil where it needs none.
    init(refreshTokens: RefreshTokens?, clock: any Clock<Duration>) {
        self.refreshTokens = refreshTokens
        stopwatch = Stopwatch(clock)
    }

    /// How many wait in `token`.
    var waiterCount: Int { waiters.count }

    /// The token in use, or another one where it has expired or is the one that a server `refused`.
    ///
    /// Throws `FetchError.Kind`, what the keeper throws, and `CancellationError`.
    ///
    /// - Parameter endpoint: where a token is had, as the stream that asks reaches it.
    func token(insteadOf refused: AccessToken? = nil, from endpoint: TokenEndpoint) async throws -> AccessToken {
        try Task.checkCancellation()
        lastID += 1
        let id = lastID
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                waiters[id] = Waiter(continuation: continuation, endpoint: endpoint)
                perform(desk.asked(by: id, insteadOf: refused?.serial, at: stopwatch.elapsed))
            }
        } onCancel: {
            // As in `ThrottleGate.enter`: it runs after the lines above.
            Task { await self.cancelled(id) }
        }
    }

    /// Returns when nothing is being fetched: an answer that is under way may hold the only token that is still good.
    func settled() async {
        while let current = flight {
            await current.value
            if flight == current { flight = nil }
        }
    }

    private func cancelled(_ id: UInt64) {
        guard let waiter = waiters.removeValue(forKey: id) else { return }
        perform(desk.left(id))
        waiter.continuation.resume(throwing: CancellationError())
    }

    /// Whoever is taken out of `waiters` is resumed, here or in `cancelled`, and nowhere else.
    private func perform(_ actions: [TokenDesk.Action], error: any Error = CancellationError()) {
        for action in actions {
            switch action {
            case .fetch(let id):
                guard let endpoint = waiters[id]?.endpoint else { continue }
                // It is shared by tasks that come and go, so that none of them could be the one that fetches.
                flight = Task { await fetch(from: endpoint) }
            case .callOff: flight?.cancel()
            case .give(let token, let ids):
                for id in ids { waiters.removeValue(forKey: id)?.continuation.resume(returning: token) }
            case .refuse(let ids):
                for id in ids { waiters.removeValue(forKey: id)?.continuation.resume(throwing: error) }
            }
        }
    }

    private func fetch(from endpoint: TokenEndpoint) async {
        let request = TokenFetch(endpoint: endpoint, refreshTokens: refreshTokens, learned: learned)
        do {
            let grant = try await request.grant()
            lastSerial += 1
            let token = AccessToken(
                secret: grant.accessToken, serial: lastSerial, usableUntil: stopwatch.elapsed + grant.usableFor)
            perform(desk.fetched(token))
        } catch {
            perform(desk.failed(endedEarly: error is CancellationError), error: error)
        }
    }
}
