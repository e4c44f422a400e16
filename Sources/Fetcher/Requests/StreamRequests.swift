import GarnerCatalog
import GarnerModel

/// Creates, sends and reports the requests of one stream.
struct StreamRequests: Sendable {
    let template: RequestTemplate
    let boundary: SecretBoundary
    let report: FetchErrorReport
    private let stream: StreamConfiguration
    private let start: WebAddress
    private let timing: Timing
    private let traffic: SourceTraffic
    private let tokens: StreamTokens?
    private let runtimeSecrets: RuntimeSecrets
    private let timePlaceholders: [TimePlaceholder]
    private let attempt: RequestAttempt

    /// Creates the object. Throws `FetchError` if the stream's URL cannot be parsed.
    init(
        stream: StreamConfiguration, transport: any Transport, timing: Timing, traffic: SourceTraffic?,
        tokens: TokenSource?
    ) throws {
        let tokens = StreamTokens(of: stream, source: tokens, transport: transport, timing: timing)
        let runtimeSecrets = tokens?.source.runtimeSecrets ?? RuntimeSecrets()
        let redaction = Redaction(of: stream, others: transport.secrets, runtimeSecrets: runtimeSecrets)
        let report = FetchErrorReport(
            stream: stream.name, redaction: redaction, hidesRecords: stream.fields.hidesValues,
            credentials: stream.request.credentials.map(redaction.redacted))
        do throws(FetchError.Kind) {
            start = try stream.request.address()
        } catch {
            throw report.error(error)
        }
        template = stream.request
        timePlaceholders = template.placeholders.compactMap { if case .time(let time) = $0 { time } else { nil } }
        boundary = SecretBoundary(template, start: start, redaction: redaction)
        attempt = RequestAttempt(
            transport: transport, limits: stream.limits, clock: timing.clock, redaction: redaction,
            actions: ResponseActionCheck(actions: stream.responseActions), format: stream.response,
            hidesRecords: stream.fields.hidesValues,
            usesCacheLifetime: stream.usesCacheLifetime, now: timing.now)
        self.stream = stream
        self.timing = timing
        self.traffic = traffic ?? SourceTraffic(of: stream, clock: timing.clock)
        self.tokens = tokens
        self.runtimeSecrets = runtimeSecrets
        self.report = report
    }

    /// Returns a chain that ends with a complete and checked reply.
    func chain() -> MiddlewareChain<Reply> { chain { attempt, request in try await attempt.perform(request) } }

    /// Returns a chain that ends with what `perform` makes of an attempt.
    ///
    /// - Parameter credentials: the answer to a challenge; nil to ask the delegate, if there is one.
    func chain<Answer: Sendable>(
        answering credentials: Credentials? = nil, telling delegateSession: DelegateSession? = nil,
        onHead: @escaping @Sendable (ResponseHead) -> Void = { _ in },
        _ perform: @escaping @Sendable (RequestAttempt, Request) async throws -> Answer
    ) -> MiddlewareChain<Answer> {
        var attempt = attempt
        let challenges = challenges(answering: credentials, asking: delegateSession)
        attempt.onHead = { head, request in
            challenges?.note(head, of: request)
            onHead(head)
        }
        return MiddlewareChain(middleware: middleware(challenges, telling: delegateSession)) { [attempt] in
            try await perform(attempt, $0)
        }
    }

    /// Returns the challenges of a fetch; nil if nobody has an answer.
    private func challenges(
        answering credentials: Credentials?, asking delegateSession: DelegateSession?
    ) -> Challenges? {
        // The token endpoint handles a refused access token.
        guard tokens == nil, credentials != nil || delegateSession != nil else { return nil }
        return Challenges(redaction: report.redaction, runtimeSecrets: runtimeSecrets) { challenge in
            if let credentials { return credentials }
            return await delegateSession?.credentials(for: challenge)
        }
    }

    /// The longest delay before the first retry of a request.
    var retryDelay: Duration { RetrySchedule(policy: stream.retry).ceiling(after: 1) }

    /// Keeps secrets out of all that is said of the requests.
    func learn(_ secrets: [Secret]) { secrets.forEach(runtimeSecrets.learn) }

    private func middleware(
        _ challenges: Challenges?, telling delegateSession: DelegateSession?
    ) -> [any Middleware] {
        var middleware: [any Middleware] = [
            RetryMiddleware(
                policy: stream.retry, promiseLimit: stream.limits.total,
                waitForConnectivity: stream.waitForConnectivity, timing: timing,
                traffic: traffic, isReading: true),
            RedirectMiddleware(boundary: boundary, delegateSession: delegateSession),
            AddressGuardMiddleware(stream, start: start),
            AuthorizationMiddleware(template, boundary: boundary, tokens: tokens),
        ]
        if let challenges { middleware.append(ChallengeMiddleware(boundary: boundary, challenges: challenges)) }
        // This is the innermost middleware, so that no turn is held while a delegate decides about credentials.
        middleware.append(
            ThrottleMiddleware(
                gate: traffic.gate, respectsRetryAfter: stream.retry.respectsRetryAfter, boundary: boundary))
        return middleware
    }

    /// Creates the record of a request; secrets in `url` are redacted.
    func trace(of url: String, onPushback: (@Sendable () -> Void)? = nil) -> RequestTrace {
        RequestTrace(RequestEntry(sentAt: timing.now(), url: report.redaction.redacted(url)), onPushback: onPushback)
    }

    /// Returns the values of the placeholders that depend on the time of a read. One of the window's open start has none.
    func times(of window: ReadWindow, beganAt: Timestamp) throws(FetchError.Kind) -> Bindings {
        let incremental = stream.incremental ?? Incremental(cursorField: nil)
        func text(of cursor: String?, as time: TimePlaceholder? = nil) throws(FetchError.Kind) -> String? {
            guard let cursor else { return nil }
            let text = incremental.requestText(
                of: cursor, as: time?.format, offset: time?.offset ?? .zero,
                endingAt: time?.source == .end ? beganAt : nil)
            if let text { return text }
            let name = time?.format.map { "\($0)" } ?? "datetime_format says"
            throw .misconfigured(
                reason: "the cursor '\(cursor.prefix(60))' is no time, and cannot be written as \(name)")
        }
        var bindings: Bindings = [:]
        bindings[.incrementalStart] = try text(of: window.start)
        bindings[.incrementalEnd] = try text(of: window.end)
        for time in timePlaceholders {
            switch time.source {
            case .start: bindings[.time(time)] = try text(of: window.start, as: time)
            case .end: bindings[.time(time)] = try text(of: window.end, as: time)
            case .now:
                bindings[.time(time)] = time.text(
                    ofReadBegunAt: beganAt,
                    usually: incremental.requestFormat ?? incremental.cursorFormats.first ?? .rfc3339,
                    in: incremental.timezone)
            }
        }
        return bindings
    }

    /// Creates the request for a page.
    ///
    /// - Parameter headers: the header fields whose placeholders are filled in.
    func request(
        for locator: PageLocator, headers: [PagePosition.Header] = [], known: ParsedCachedPage? = nil,
        _ trace: RequestTrace
    ) -> Request {
        let filled = headers.map { RequestTemplate.Parameter(name: $0.name, value: .literal($0.value)) }
        // With two conditions, nothing would tell which one a 304 answers.
        let validator = template.headers.contains(where: \.isCondition) ? nil : known?.validator
        var request = Request(
            address: locator.address, headers: template.openHeaders + filled, validator: validator, trace: trace)
        request.fingerprint = known?.fingerprint
        request.method = template.method
        request.body = locator.body.map { body in
            let secrets = boundary.isInside(locator.address) ? template.body : nil
            let format = template.bodyFormat
            return RequestBody(
                mediaType: format.mediaType, content: body.revealed(as: format, withSecretsOf: secrets))
        }
        return request
    }
}

extension RequestTemplate {
    /// Returns the URL and body of a request with its placeholders filled in, without secrets.
    ///
    /// A parameter or member that holds `{incremental.start_value}` is left out of the first read, and one that is
    /// `{page.cursor}` out of a first page without a cursor.
    ///
    /// - Parameter page: the value of the page, which a member of a JSON body takes as it is.
    func locator(filledWith bindings: Bindings, page: BodyValue? = nil) throws(FetchError.Kind) -> PageLocator {
        let path = pathTemplate
        let link = try link(at: path, with: bindings)
        let written = link == nil ? path : Template(parts: Array(path.parts.dropFirst()))
        let pathText = try filled(written, with: bindings, encoding: PercentEncoding.encoded) { value in
            // Such a segment would change the path, however it is encoded.
            ["", ".", ".."].contains(value) ? "it would make \(self.path) another path" : nil
        }
        guard let pathText else {
            let missing = path.placeholders.first { bindings[$0] == nil }
            throw .misconfigured(reason: "'path' needs a value for \(missing ?? .incrementalStart)")
        }
        let start =
            if let link { pathText.isEmpty ? link : link.appending(pathText) } else { try address(at: pathText) }
        var locator = PageLocator(address: start, body: nil)
        for parameter in params {
            guard case .literal(let text) = parameter.value,
                let value = try filled(Template(text), with: bindings)
            else { continue }
            locator.address = locator.address.appending(parameter: parameter.name, value: value)
        }
        locator.body = try body?.withoutSecrets.filled { template throws(FetchError.Kind) -> BodyValue? in
            if bodyFormat == .json, template.isPage { return page }
            return try filled(template, with: bindings).map { .text(.literal($0)) }
        }
        return locator
    }

    /// Returns the header fields that hold placeholders, with these filled in. A field that holds
    /// `{incremental.start_value}` is left out of the first read.
    func headers(filledWith bindings: Bindings) throws(FetchError.Kind) -> [PagePosition.Header] {
        var filled: [PagePosition.Header] = []
        for header in headers {
            guard let template = header.template else { continue }
            let value = try self.filled(
                template, with: bindings,
                problem: { value -> String? in
                    HeaderSyntax.isValue(value) ? nil : "a header cannot hold a line break or another control character"
                })
            if let value { filled.append(PagePosition.Header(name: header.name, value: value)) }
        }
        return filled
    }

    /// Returns the URL from the parent's record that a path begins with; nil if it begins otherwise.
    private func link(at path: Template, with bindings: Bindings) throws(FetchError.Kind) -> WebAddress? {
        guard case .placeholder(.parent(let field)) = path.parts.first, let value = bindings[.parent(field)],
            ["http://", "https://"].contains(where: { value.lowercased().hasPrefix($0) })
        else { return nil }
        guard let address = WebAddress(value) else {
            throw .unusableValue(of: "parent.\(field)", value: value, reason: "it is no URL that can be asked for")
        }
        return address
    }

    /// Returns the text with its placeholders filled in; nil if it needs the start value of an incremental read, or the
    /// cursor of the page, and there is none yet.
    private func filled(
        _ template: Template, with bindings: Bindings, encoding: (String) -> String = { $0 },
        problem: (String) -> String? = { _ in nil }
    ) throws(FetchError.Kind) -> String? {
        for placeholder in template.placeholders {
            guard let value = bindings[placeholder] else {
                if placeholder.isStart || placeholder.isPage { return nil }
                throw .misconfigured(reason: "nothing is known to fill \(placeholder) with")
            }
            if let problem = problem(value) {
                throw .unusableValue(of: placeholder.name, value: value, reason: problem)
            }
        }
        return template.filled({ bindings[$0] }, encoding: encoding)
    }

    /// Returns the base URL with the path, without parameters.
    private func address(at path: String) throws(FetchError.Kind) -> WebAddress {
        guard let base = WebAddress(baseURL) else {
            throw .misconfigured(reason: "base_url is not an http or https URL without user and password")
        }
        return base.appending(path)
    }

    /// Returns the URL that all requests have in common: base URL, path and parameters that hold no secrets.
    func address() throws(FetchError.Kind) -> WebAddress {
        params.filter { !$0.value.isSecret }.reduce(try address(at: path)) {
            $0.appending(parameter: $1.name, value: $1.value.reveal())
        }
    }

    /// The configured header fields without secrets and placeholders, and `Accept`.
    var openHeaders: [Parameter] {
        let hasAccept = headers.contains { $0.name.lowercased() == "accept" }
        return headers.filter { !$0.value.isSecret && $0.template == nil }
            + (hasAccept ? [] : [Parameter(name: "Accept", value: .literal("application/json, */*;q=0.1"))])
    }
}

extension RequestTemplate.Parameter {
    /// True for a header field that asks only for what is new (RFC 9110, 13.1).
    var isCondition: Bool { ["if-modified-since", "if-none-match"].contains(name.lowercased()) }

    /// The value with its placeholders; nil if it holds none.
    fileprivate var template: Template? {
        guard let text = value.literal, text.utf8.contains(UInt8(ascii: "{")) else { return nil }
        let template = Template(text)
        return template.placeholders.isEmpty ? nil : template
    }
}
