import Catalog
import JSON

/// Where a client's tokens are had, as one stream reaches it: with its connections, limits and retries.
struct TokenEndpoint: Sendable {
    /// No answer with a token is longer. In bytes.
    private static let maximumBody = 1 << 20

    let client: OAuth2
    let transport: any Transport
    let limits: Limits
    let policy: RetryPolicy
    let timing: Timing
    private let guardian: AddressGuard

    /// nil where the stream needs no tokens.
    init?(of stream: Stream, transport: any Transport, timing: Timing) {
        guard case .oauth2(let client) = stream.request.authentication else { return nil }
        self.client = client
        self.transport = transport
        limits = stream.limits
        policy = stream.retry
        self.timing = timing
        guardian = AddressGuard(stream, start: client.tokenURL)
    }

    /// The problem with the place where it arose.
    func error(_ problem: TokenProblem) -> FetchError.Kind {
        // A query may hold a key.
        .token(endpoint: "\(client.tokenURL.origin)\(client.tokenURL.path)", problem)
    }

    /// Asks once. Throws `TokenProblem`, and `FetchError.Kind` for what another attempt may mend.
    ///
    /// - Parameter learned: gets the tokens of the answer before anything can quote it.
    func answer(to refreshToken: Secret?, learned: LearnedSecrets) async throws -> TokenAnswer {
        let request = try guardian.admitted(client.tokenRequest(with: refreshToken, at: timing.now()))
        let stopwatch = Stopwatch(timing.clock)
        do {
            return try await Watchdog(limits: limits, clock: timing.clock).guarding { arrivals in
                let response = try await transport.send(request)
                arrivals.note()
                let answer = try await receive(response, arrivals)
                for token in answer.tokens { learned.learn(token) }
                return answer.aged(by: stopwatch.elapsed)
            }
        } catch let failure as TransportFailure {
            throw FetchError.Kind(failure, limits: limits)
        }
    }

    private func receive(_ response: Response, _ arrivals: Arrivals) async throws -> TokenAnswer {
        let head = response.head
        guard head.headers.byteCount <= limits.head else { throw FetchError.Kind.headTooLarge(limit: limits.head) }
        switch head.status {
        case 200..<300:
            let body = try BodyReader(head: head, limit: min(limits.body, Self.maximumBody))
            var incoming = IncomingBody(response.body, arrivals: arrivals)
            let bytes = try await body.read(&incoming)
            guard let document = try? Document(parsing: bytes) else { throw TokenProblem.noJSON(type(of: head)) }
            return try document.withRoot { root throws(TokenProblem) in try TokenAnswer(root, status: head.status) }
        case _ where Redirection.statuses.contains(head.status): throw TokenProblem.redirect(status: head.status)
        case 408, 425, 429, 500...:
            throw FetchError.Kind.status(head.status, retryAfter: RetryAfter(head.headers, now: timing.now)?.delay)
        default: throw try await refusal(response, arrivals)
        }
    }

    /// What the body tells, where it can be read.
    private func refusal(_ response: Response, _ arrivals: Arrivals) async throws -> TokenProblem {
        let status = response.head.status
        do {
            let body = try BodyReader(head: response.head, limit: min(limits.body, Self.maximumBody))
            var incoming = IncomingBody(response.body, arrivals: arrivals)
            let document = try Document(parsing: try await body.read(&incoming))
            return document.withRoot { TokenProblem(refusal: $0, status: status) }
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            return .refused(status: status, error: nil, description: nil)
        }
    }

    /// Such a body may hold a token that nothing recognises, and so may the field: only types that tell something are
    /// named.
    private func type(of head: ResponseHead) -> String? {
        let type = head.headers["Content-Type"].flatMap(MediaType.init)?.name
        return ["text/html", "text/plain", "application/x-www-form-urlencoded"].first { $0 == type }
    }
}
