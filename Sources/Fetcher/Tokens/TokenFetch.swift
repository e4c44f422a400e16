import Catalog

/// One access token, had with as many requests as the stream's retries allow.
struct TokenFetch: Sendable {
    let endpoint: TokenEndpoint
    let refreshTokens: RefreshTokens?
    let learned: LearnedSecrets

    /// Throws `FetchError.Kind`, what the keeper throws, and `CancellationError`.
    func grant() async throws -> TokenGrant {
        guard let gate = refreshTokens?.gate else { return try await grantInTurn() }
        let ticket = try await gate.enter()
        do {
            let grant = try await grantInTurn()
            await gate.leave(ticket)
            return grant
        } catch {
            await gate.leave(ticket)
            throw error
        }
    }

    private func grantInTurn() async throws -> TokenGrant {
        let schedule = RetrySchedule(policy: endpoint.policy)
        var attempts = 0
        while true {
            attempts += 1
            do {
                return try await attemptToTheEnd()
            } catch let problem as TokenProblem {
                throw endpoint.error(problem)
            } catch let kind as FetchError.Kind {
                try Task.checkCancellation()
                let random = endpoint.timing.random()
                guard let delay = schedule.delay(after: kind, attempts: attempts, random: random) else {
                    throw endpoint.error(.failed(kind))
                }
                try await endpoint.timing.clock.sleep(for: delay)
            }
        }
    }

    /// An attempt with a refresh token is not ended by cancellation: the server may have replaced the token already, and
    /// the answer is the only place where the new one stands. The attempt's deadlines hold all the same.
    private func attemptToTheEnd() async throws -> TokenGrant {
        guard refreshTokens != nil else { return try await attempt() }
        try Task.checkCancellation()
        return try await Task { try await attempt() }.value
    }

    private func attempt() async throws -> TokenGrant {
        let token = try newestToken()
        do {
            return try await grant(with: token)
        } catch let problem as TokenProblem where problem.isInvalidGrant {
            // Another process may have replaced the token since it was read.
            let newest = try newestToken()
            guard newest != token else { throw problem }
            return try await grant(with: newest)
        }
    }

    private func newestToken() throws -> Secret? {
        let token = try refreshTokens?.newest()
        if let token { learned.learn(token) }
        return token
    }

    private func grant(with refreshToken: Secret?) async throws -> TokenGrant {
        let answer = try await endpoint.answer(to: refreshToken, learned: learned)
        // Before anything else: from now on it is the only one, whatever the rest of the answer is good for.
        if let refreshTokens, let new = answer.refreshToken, new != refreshToken { try refreshTokens.commit(new) }
        return try answer.grant.get()
    }
}
