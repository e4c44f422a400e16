package import GarnerCatalog

/// A single request that notifies a server. Only the status of the response counts.
///
/// It passes through the middlewares of a stream's request, except the rate limit. It follows a few redirects, reaches
/// private addresses only if the URL names one or the stream allows them, and sends secrets to the origin of its URL
/// alone.
package struct Notice: Sendable {
    /// The maximum number of attempts. GET is repeated for any temporary failure, POST only if it never arrived.
    private static let maximumAttempts = 3
    private static let inspectedBytes = 4 << 10

    private let url: ConfiguredText
    private let headers: [RequestTemplate.Parameter]
    private let json: String?

    /// Creates a notice.
    ///
    /// - Parameter json: the body to post; nil sends a GET request.
    package init(to url: ConfiguredText, headers: [RequestTemplate.Parameter] = [], json: String? = nil) {
        self.url = url
        self.headers = headers
        self.json = json
    }

    /// Sends the notice and returns when a server answers with a status of 200 to 299.
    ///
    /// Throws `FetchError`, without secrets, and `CancellationError`.
    ///
    /// - Parameters:
    ///   - stream: the stream that the notice is about. Its proxy and its private-network setting apply.
    ///   - limit: the timeout of one attempt.
    package func send(
        about stream: StreamConfiguration, over transports: Transports, timing: Timing, limit: Duration
    ) async throws {
        let known = stream.request.secrets
        let stream = self.stream(like: stream, limit)
        let transport = try transports.transport(for: stream)
        let redaction = Redaction(of: stream, others: transport.secrets + known + Self.secrets(of: url))
        let report = FetchErrorReport(stream: stream.name, redaction: redaction)
        // The path may be a secret, so the URL is shown only if it is a literal.
        let shown: String? = if case .literal = url { WebAddress(url.reveal())?.origin.description } else { nil }
        let trace = RequestTrace(RequestEntry(sentAt: timing.now(), url: shown ?? ""))
        do {
            guard let address = WebAddress(url.reveal()) else {
                throw FetchError.Kind.misconfigured(reason: "the URL of a hook cannot be read")
            }
            var request = Request(address: address, headers: stream.request.openHeaders, trace: trace)
            request.method = stream.request.method
            request.body = json.map { RequestBody(mediaType: "application/json", content: Secret($0)) }
            let attempt = RequestAttempt(
                transport: transport, limits: stream.limits, clock: timing.clock, redaction: redaction, now: timing.now)
            let middleware = middleware(of: stream, to: address, redaction, timing)
            try await MiddlewareChain(middleware: middleware) { request in
                try await attempt.perform(request) { response, activity -> Void in
                    do {
                        try Self.check(response.head, timing, limit: attempt.limits.head)
                    } catch let kind as FetchError.Kind {
                        let body = IncomingBody(response.body, activity: activity)
                        let bytes = try await body.excerpt(atMost: Self.inspectedBytes, clock: timing.clock)
                        let words = ServerErrorMessage(bytes).map {
                            redaction.quoted($0.text, limit: ServerErrorMessage.maximumLength)
                        }
                        request.trace.note { $0.words = words }
                        throw kind
                    }
                }
            }.send(request)
        } catch let kind as FetchError.Kind {
            throw report.error(kind, at: shown, request: trace.entry)
        }
    }

    private func middleware(
        of stream: StreamConfiguration, to address: WebAddress, _ redaction: Redaction, _ timing: Timing
    ) -> [any Middleware] {
        // The path may hold a secret too, so no part of it counts as public.
        let root = WebAddress(scheme: address.scheme, authority: address.authority, path: "/", query: nil)
        let boundary = SecretBoundary(stream.request, start: root, redaction: redaction)
        return [
            RetryMiddleware(
                policy: stream.retry, timing: timing, traffic: SourceTraffic(of: stream, clock: timing.clock)),
            RedirectMiddleware(boundary: boundary), AddressGuardMiddleware(stream, start: address),
            AuthorizationMiddleware(stream.request, boundary: boundary),
        ]
    }

    /// Returns a stream with the notice's request in place of the stream's own, so that nothing of that is sent along.
    private func stream(like other: StreamConfiguration, _ limit: Duration) -> StreamConfiguration {
        var stream = StreamConfiguration(
            name: other.name, table: "", place: other.place,
            request: RequestTemplate(
                baseURL: "", path: "", headers: headers, method: json == nil ? .get : .post))
        stream.hooks = other.hooks
        stream.proxy = other.proxy
        stream.allowsPrivateNetwork = other.allowsPrivateNetwork
        stream.retry.maxAttempts = Self.maximumAttempts
        stream.retry.maxDelay = limit
        stream.limits.firstByte = limit
        stream.limits.idle = limit
        stream.limits.total = limit
        return stream
    }

    /// Returns all parts of a secret URL after the origin, since a server may repeat any of them.
    private static func secrets(of url: ConfiguredText) -> [Secret] {
        guard case .secret(let secret) = url else { return [] }
        let variables = secret.revealVariables()
        let parts = (variables.isEmpty ? [secret.reveal()] : variables).flatMap { text in
            let rest = WebAddress(text).map { "\($0.path)?\($0.query ?? "")" } ?? text
            return rest.split { "/?&=".contains($0) }.filter { $0.utf8.count >= Redaction.unmistakableLength }
        }
        return [secret] + parts.map { Secret(String($0)) }
    }

    /// Checks the status. Unlike the response of a page, this one may be empty.
    private static func check(_ head: ResponseHead, _ timing: Timing, limit: Int) throws {
        guard head.headers.byteCount <= limit else { throw FetchError.Kind.headTooLarge(limit: limit) }
        switch head.status {
        case 200..<300: return
        case _ where RedirectResponseError.statuses.contains(head.status):
            throw RedirectResponseError(status: head.status, location: head.headers["Location"])
        case 401, 403: throw FetchError.Kind.unauthorized(status: head.status)
        default:
            throw FetchError.Kind.status(head.status, retryAfter: RetryAfter(head.headers, now: timing.now)?.delay)
        }
    }
}

extension FetchError {
    /// The advice on a notice that failed. Its URL and headers stand in 'hooks', and not in the stream's request.
    ///
    /// - Parameter key: The key of the URL: `post` or `ping`.
    package func hint(ofHook key: String) -> String {
        switch kind {
        case .unknownHost: "check the host name in '\(key)' of hooks, and the network"
        case .refused, .unreachable, .closed, .connection:
            "check that the server is running and that '\(key)' of hooks names its port"
        case .tls:
            "check the server's certificate, and whether '\(key)' of hooks should begin with http:// or https://"
        case .deadline: "try again later, or raise 'timeout' of hooks"
        case .unauthorized where key == "post": "check 'headers' beside 'post' of hooks, and the secrets in its URL"
        case .status(429, _), .rateLimited: "try again later"
        case .status(let status, _) where status >= 500: kind.hint
        case .status(400, _) where key == "post":
            "check the URL in 'post' of hooks; if its server wants other JSON, as Slack does, make that in a program, in place of post: "
                + "run: [sh, -c, 'jq {text:.stream} | curl -sS --json @- $SLACK_URL']"
        case .misconfigured, .redirect, .unauthorized, .status: "check the URL in '\(key)' of hooks"
        default: kind.hint
        }
    }
}
