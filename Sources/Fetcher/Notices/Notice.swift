package import Catalog

/// One request that tells a server something; of the answer only the status counts.
///
/// It goes through the same layers as the requests of a stream: a few redirects, private addresses only where the URL names
/// one or the stream allows them, and secrets to the origin of its URL alone.
package struct Notice: Sendable {
    /// How often it is sent, the first time included: GET while the failure may pass, POST where it never arrived.
    private static let maximumAttempts = 3

    private let url: ConfiguredText
    private let headers: [RequestTemplate.Parameter]
    private let json: String?

    /// - Parameters:
    ///   - url: absolute, `http` or `https`.
    ///   - json: what is posted; nil: the URL is only asked for.
    package init(to url: ConfiguredText, headers: [RequestTemplate.Parameter] = [], json: String? = nil) {
        self.url = url
        self.headers = headers
        self.json = json
    }

    /// Returns when a server has taken it with a status of 200 to 299.
    ///
    /// Throws `FetchError`, without secrets, and `CancellationError`.
    ///
    /// - Parameters:
    ///   - stream: which it is about; its proxy counts, and whether it may reach private addresses.
    ///   - limit: the longest time for one attempt.
    package func send(
        about stream: Stream, over transports: Transports, timing: Timing, limit: Duration
    ) async throws {
        let known = stream.request.secrets
        let stream = self.stream(like: stream, limit)
        let transport = try transports.transport(for: stream)
        let redaction = Redaction(of: stream, others: transport.secrets + known + Self.secrets(of: url))
        let report = FetchErrorReport(stream: stream.name, redaction: redaction)
        // The path may be the secret: only where the URL is none is it told.
        let shown: String? = if case .literal = url { WebAddress(url.reveal())?.origin.description } else { nil }
        let trace = RequestTrace(RequestEntry(sentAt: timing.now(), url: shown ?? ""))
        do {
            guard let address = WebAddress(url.reveal()) else {
                throw FetchError.Kind.misconfigured(reason: "the URL of a hook cannot be read")
            }
            var request = Request(address: address, headers: stream.request.openHeaders, trace: trace)
            request.method = stream.request.method
            request.body = json.map { RequestBody(mediaType: "application/json", content: Secret($0)) }
            let exchange = Exchange(
                transport: transport, limits: stream.limits, clock: timing.clock, redaction: redaction, now: timing.now)
            let layers = layers(of: stream, to: address, redaction, timing)
            try await Pipeline(layers: layers) { request in
                try await exchange.perform(request) { response, _ in
                    try Self.check(response.head, timing, limit: exchange.limits.head)
                }
            }.send(request)
        } catch let kind as FetchError.Kind {
            throw report.error(kind, at: shown, request: trace.entry)
        }
    }

    private func layers(
        of stream: Stream, to address: WebAddress, _ redaction: Redaction, _ timing: Timing
    ) -> [any Layer] {
        // What the path holds may be a secret too, so that nothing of it counts as written in the open.
        let root = WebAddress(scheme: address.scheme, authority: address.authority, path: "/", query: nil)
        let boundary = SecretBoundary(stream.request, start: root, redaction: redaction)
        return [
            Retrying(
                policy: stream.retry, timing: timing, traffic: SourceTraffic(of: stream, clock: timing.clock)),
            Redirecting(boundary: boundary), AddressGuard(stream, start: address),
            Authorizing(stream.request, boundary: boundary),
        ]
    }

    /// What is asked for is not the stream's own: nothing of its requests goes with it.
    private func stream(like other: Stream, _ limit: Duration) -> Stream {
        var stream = Stream(
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

    /// Of a URL that is secret as a whole, a server may repeat any part behind the origin.
    private static func secrets(of url: ConfiguredText) -> [Secret] {
        guard case .secret(let secret) = url else { return [] }
        let variables = secret.revealVariables()
        let parts = (variables.isEmpty ? [secret.reveal()] : variables).flatMap { text in
            let rest = WebAddress(text).map { "\($0.path)?\($0.query ?? "")" } ?? text
            return rest.split { "/?&=".contains($0) }.filter { $0.utf8.count >= Redaction.unmistakableLength }
        }
        return [secret] + parts.map { Secret(String($0)) }
    }

    /// Unlike a page's answer, this one may be empty.
    private static func check(_ head: ResponseHead, _ timing: Timing, limit: Int) throws {
        guard head.headers.byteCount <= limit else { throw FetchError.Kind.headTooLarge(limit: limit) }
        switch head.status {
        case 200..<300: return
        case _ where Redirection.statuses.contains(head.status):
            throw Redirection(status: head.status, location: head.headers["Location"])
        case 401, 403: throw FetchError.Kind.unauthorized(status: head.status)
        default:
            throw FetchError.Kind.status(head.status, retryAfter: RetryAfter(head.headers, now: timing.now)?.delay)
        }
    }
}
