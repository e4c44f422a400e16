import GarnerCatalog
import GarnerJSON
import GarnerModel
import GarnerTasks

/// A client's token endpoint as one stream reaches it, with the stream's connections, limits and retries.
struct TokenEndpoint: TokenProvider {
    /// The largest response accepted, in bytes. No token response is longer.
    private static let maximumBody = 1 << 20

    let client: OAuth2
    let transport: any Transport
    let limits: Limits
    let policy: RetryPolicy
    let timing: Timing
    private let guardian: AddressGuardMiddleware

    /// Creates the endpoint; fails if the stream uses no OAuth 2.
    init?(of stream: StreamConfiguration, transport: any Transport, timing: Timing) {
        guard case .oauth2(let client) = stream.request.authentication else { return nil }
        self.client = client
        self.transport = transport
        limits = stream.limits
        policy = stream.retry
        self.timing = timing
        guardian = AddressGuardMiddleware(stream, start: client.tokenURL)
    }

    func grant(for source: TokenSource) async throws -> TokenGrant {
        try await TokenFetch(
            endpoint: self, refreshTokens: source.refreshTokens, runtimeSecrets: source.runtimeSecrets
        ).grant()
    }

    /// Returns the error for a problem at this endpoint.
    func error(_ problem: TokenError) -> FetchError.Kind {
        // The query is left out, since it may hold a key.
        .token(endpoint: "\(client.tokenURL.origin)\(client.tokenURL.path)", problem)
    }

    /// Sends one request. Throws `TokenError`, and `FetchError.Kind` for failures that a retry may resolve.
    ///
    /// - Parameter runtimeSecrets: the redaction's list, which gets the tokens before anything can quote them.
    func answer(to refreshToken: Secret?, runtimeSecrets: RuntimeSecrets) async throws -> TokenAnswer {
        let request = try guardian.admitted(client.tokenRequest(with: refreshToken, at: timing.now()))
        let stopwatch = Stopwatch(timing.clock)
        return try await Timeouts(limits: limits, clock: timing.clock).sending(request, over: transport) {
            let answer = try await receive($0, $1)
            for token in answer.tokens { runtimeSecrets.learn(token) }
            return answer.aged(by: stopwatch.elapsed)
        }
    }

    private func receive(_ response: Response, _ activity: ActivityTracker) async throws -> TokenAnswer {
        let head = response.head
        guard head.headers.byteCount <= limits.head else { throw FetchError.Kind.headTooLarge(limit: limits.head) }
        let wait = RetryAfter(head.headers, now: timing.now)?.delay
        switch head.status {
        case 200..<300:
            let body = try BodyReader(head: head, limit: min(limits.body, Self.maximumBody))
            var incoming = IncomingBody(response.body, activity: activity)
            let bytes = try await body.read(&incoming)
            guard let document = try? Document(parsing: bytes) else { throw TokenError.noJSON(type(of: head)) }
            return try document.withRoot { root throws(TokenError) in
                try TokenAnswer(root, of: client, status: head.status)
            }
        case _ where RedirectResponseError.statuses.contains(head.status):
            throw TokenError.redirect(status: head.status)
        case 408, 425, 429, 500...,
            403 where wait != nil:
            throw FetchError.Kind.status(head.status, retryAfter: wait)
        default: throw try await refusal(response, activity)
        }
    }

    /// Returns the reason for a refusal, as far as the body can be parsed.
    private func refusal(_ response: Response, _ activity: ActivityTracker) async throws -> TokenError {
        let status = response.head.status
        do {
            let body = try BodyReader(head: response.head, limit: min(limits.body, Self.maximumBody))
            var incoming = IncomingBody(response.body, activity: activity)
            let document = try Document(parsing: try await body.read(&incoming))
            return document.withRoot { TokenError(refusal: $0, status: status) }
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            return .refused(status: status, error: nil, description: nil)
        }
    }

    /// Returns the media type if it is a known one. The header field, like the body, may hold a token that nothing recognises.
    private func type(of head: ResponseHead) -> String? {
        let type = head.headers["Content-Type"].flatMap(MediaType.init)?.name
        return ["text/html", "text/plain", "application/x-www-form-urlencoded"].first { $0 == type }
    }
}

/// Fetches one access token, with as many requests as the stream's retry policy allows.
struct TokenFetch: Sendable {
    let endpoint: TokenEndpoint
    let refreshTokens: RefreshTokens?
    let runtimeSecrets: RuntimeSecrets

    /// Fetches a token. Throws `FetchError.Kind`, the storage's errors, and `CancellationError`.
    func grant() async throws -> TokenGrant {
        guard let gate = refreshTokens?.gate else { return try await grantInTurn() }
        let ticket = try await gate.enter()
        do {
            let grant = try await grantInTurn()
            gate.leave(ticket)
            return grant
        } catch {
            gate.leave(ticket)
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
            } catch let problem as TokenError {
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

    /// Makes one attempt, which cancellation does not end if it uses a refresh token: the server may have replaced the
    /// token already, and the new one exists only in the response. The attempt's timeouts still apply.
    private func attemptToTheEnd() async throws -> TokenGrant {
        guard refreshTokens != nil else { return try await attempt() }
        try Task.checkCancellation()
        return try await Task { try await attempt() }.value
    }

    private func attempt() async throws -> TokenGrant {
        let turn = try await turn()
        defer { withExtendedLifetime(turn) {} }
        let token = try newestToken()
        do {
            return try await grant(with: token)
        } catch let problem as TokenError where problem.isInvalidGrant {
            // Another process may have replaced the token in the meantime.
            let newest = try newestToken()
            guard newest != token else { throw problem }
            return try await grant(with: newest)
        }
    }

    /// Waits until no other process renews this token. What it gets may be the token to send now.
    private func turn() async throws -> RenewalTurn {
        guard let refreshTokens, let storage = refreshTokens.storage else { return .unknown }
        let stopwatch = Stopwatch(endpoint.timing.clock)
        while true {
            let turn = storage.turn(for: refreshTokens.key)
            guard case .taken = turn else { return turn }
            let limit = endpoint.limits.total
            guard stopwatch.elapsed < limit else { throw FetchError.Kind.deadline(.total, limit: limit) }
            try await endpoint.timing.clock.sleep(for: .milliseconds(50))
        }
    }

    private func newestToken() throws -> Secret? {
        let token = try refreshTokens?.newest()
        if let token { runtimeSecrets.learn(token) }
        return token
    }

    private func grant(with refreshToken: Secret?) async throws -> TokenGrant {
        let answer = try await endpoint.answer(to: refreshToken, runtimeSecrets: runtimeSecrets)
        // Save first: the new token is the only valid one, even if the rest of the answer is unusable.
        if let refreshTokens, let new = answer.refreshToken, new != refreshToken { try refreshTokens.commit(new) }
        return try answer.grant.get()
    }
}

extension OAuth2 {
    /// Returns the request for a token (RFC 6749, 4.4.2 and 6).
    func tokenRequest(with refreshToken: Secret?, at time: Timestamp) -> Request {
        var headers = [RequestTemplate.Parameter(name: "Accept", value: .literal("application/json"))]
        if style == .header, let basicCredentials {
            headers.append(.init(name: "Authorization", value: .secret(Secret("Basic \(basicCredentials.reveal())"))))
        }
        let trace = RequestTrace(RequestEntry(sentAt: time, url: "\(tokenURL)"))
        var request = Request(address: tokenURL, headers: headers, trace: trace)
        request.method = .post
        request.urlSecrets = urlSecrets
        request.body = RequestBody(
            mediaType: "application/x-www-form-urlencoded", content: Secret(form(refreshToken)))
        return request
    }

    /// The client's ID and secret for HTTP Basic; nil without a secret.
    ///
    /// "The client identifier is encoded using the "application/x-www-form-urlencoded" encoding algorithm […], and the
    /// encoded value is used as the username" (RFC 6749, 2.3.1). The secret is encoded in the same way.
    var basicCredentials: Secret? {
        guard let clientSecret else { return nil }
        let username = PercentEncoding.encoded(clientID.reveal())
        let password = Secret(PercentEncoding.encoded(clientSecret.reveal()))
        return BasicCredentials(username: .secret(Secret(username)), password: password).encoded
    }

    private func form(_ refreshToken: Secret?) -> String {
        var fields = [("grant_type", refreshToken == nil ? "client_credentials" : "refresh_token")]
        if let refreshToken { fields.append(("refresh_token", refreshToken.reveal())) }
        if !scopes.isEmpty { fields.append(("scope", scopes.joined(separator: " "))) }
        if style == .body || clientSecret == nil {
            fields.append(("client_id", clientID.reveal()))
            if let clientSecret { fields.append(("client_secret", clientSecret.reveal())) }
        }
        fields += params.map { ($0.name, $0.value.reveal()) }
        return fields.map { "\(PercentEncoding.encoded($0))=\(PercentEncoding.encoded($1))" }.joined(separator: "&")
    }
}
