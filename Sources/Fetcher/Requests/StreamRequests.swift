import Catalog

/// How the requests of one stream are made, sent and reported.
struct StreamRequests: Sendable {
    let template: RequestTemplate
    let boundary: SecretBoundary
    let report: FetchErrorReport
    private let stream: Stream
    private let start: WebAddress
    private let timing: Timing
    private let traffic: SourceTraffic
    private let tokens: StreamTokens?
    private let learned: LearnedSecrets
    private let exchange: Exchange

    /// Throws `FetchError` where the stream's URL cannot be read.
    init(
        stream: Stream, transport: any Transport, timing: Timing, traffic: SourceTraffic?, tokens: TokenSource?
    ) throws {
        let tokens = StreamTokens(of: stream, source: tokens, transport: transport, timing: timing)
        let learned = tokens?.source.learned ?? LearnedSecrets()
        let redaction = Redaction(of: stream, others: transport.secrets, learned: learned)
        let report = FetchErrorReport(stream: stream.name, redaction: redaction)
        do throws(FetchError.Kind) {
            start = try stream.request.address()
        } catch {
            throw report.error(error)
        }
        template = stream.request
        boundary = SecretBoundary(template, start: start, redaction: redaction)
        exchange = Exchange(
            transport: transport, limits: stream.limits, clock: timing.clock, redaction: redaction,
            actions: ResponseActionCheck(actions: stream.responseActions),
            usesCacheLifetime: stream.usesCacheLifetime, now: timing.now)
        self.stream = stream
        self.timing = timing
        self.traffic = traffic ?? SourceTraffic(of: stream, clock: timing.clock)
        self.tokens = tokens
        self.learned = learned
        self.report = report
    }

    /// To a reply that is read and checked as a whole.
    func pipeline() -> Pipeline<Reply> {
        Pipeline(layers: layers()) { [exchange] in try await exchange.perform($0) }
    }

    /// To a delegate that has had the whole body.
    func pipeline(telling conversation: Conversation) -> Pipeline<Void> {
        let delivery = Delivery(exchange: exchange, conversation: conversation)
        return Pipeline(layers: layers(asking: conversation)) { try await delivery.perform($0) }
    }

    private func layers(asking conversation: Conversation? = nil) -> [any Layer] {
        var layers: [any Layer] = [
            Retrying(
                policy: stream.retry, waitForConnectivity: stream.waitForConnectivity, timing: timing,
                traffic: traffic),
            Redirecting(boundary: boundary, conversation: conversation),
            AddressGuard(stream, start: start),
            Authorizing(template, boundary: boundary, tokens: tokens),
        ]
        // A refused access token is the token endpoint's business.
        if let conversation, tokens == nil {
            layers.append(Challenging(boundary: boundary, conversation: conversation, learned: learned))
        }
        // Innermost, so that no turn is taken while a delegate thinks about an answer.
        layers.append(
            Throttling(gate: traffic.gate, respectsRetryAfter: stream.retry.respectsRetryAfter, boundary: boundary))
        return layers
    }

    func trace(of url: String) -> RequestTrace {
        RequestTrace(RequestEntry(sentAt: timing.now(), url: report.redaction.redacted(url)))
    }

    /// - Parameter known: what is stored of the page.
    func request(for locator: PageLocator, known: KnownPage? = nil, _ trace: RequestTrace) -> Request {
        var request = Request(
            address: locator.address, headers: template.openHeaders, validator: known?.validator, trace: trace)
        request.fingerprint = known?.fingerprint
        request.method = template.method
        request.body = locator.body.map { body in
            let secrets = boundary.isInside(locator.address) ? template.body : nil
            return RequestBody(mediaType: "application/json", content: body.revealedJSON(withSecretsOf: secrets))
        }
        return request
    }
}
