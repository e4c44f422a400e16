package import Catalog
import JSON

/// Brings in the pages of one stream, one at a time.
package struct PageFetcher: Sendable {
    let template: RequestTemplate
    let boundary: SecretBoundary
    let pipeline: Pipeline
    private let selection: RecordSelection
    let paging: Paging
    let report: FetchErrorReport
    let timing: Timing
    /// Tells one credential of the stream from another.
    package let credentialTag: String

    /// Throws `FetchError` where the stream's URL or selectors cannot be read.
    ///
    /// - Parameters:
    ///   - traffic: what the requests of the stream's source share; nil: nothing, since there are no others.
    ///   - tokens: where the stream's access tokens come from, if it needs any; nil: from a source of its own.
    package init(
        stream: Stream, transport: any Transport, timing: Timing, traffic: SourceTraffic? = nil,
        tokens: TokenSource? = nil
    ) throws {
        let tokens = StreamTokens(of: stream, source: tokens, transport: transport, timing: timing)
        let traffic = traffic ?? SourceTraffic(of: stream, clock: timing.clock)
        let template = stream.request
        let redaction = Redaction(template, others: transport.secrets, learned: tokens?.source.learned)
        report = FetchErrorReport(stream: stream.name, redaction: redaction)
        self.template = template
        self.timing = timing
        credentialTag = template.credentialTag
        let start: WebAddress
        do {
            start = try template.address()
            boundary = SecretBoundary(template, start: start, redaction: redaction)
            selection =
                try stream.recordSelector.map { .selector(try Selector(parsing: $0)) }
                ?? .automatic(RecordNames(of: stream))
            paging = try Paging(stream.paginator, boundary: boundary)
        } catch {
            throw report.error((error as? FetchError.Kind) ?? .misconfigured(reason: "\(error)"))
        }
        pipeline = Pipeline(
            layers: [
                Retrying(
                    policy: stream.retry, waitForConnectivity: stream.waitForConnectivity, timing: timing,
                    traffic: traffic),
                Redirecting(boundary: boundary),
                AddressGuard(stream, start: start),
                Authorizing(template, boundary: boundary, tokens: tokens),
                Throttling(gate: traffic.gate, respectsRetryAfter: stream.retry.respectsRetryAfter, boundary: boundary),
            ],
            exchange: Exchange(
                transport: transport, limits: stream.limits, clock: timing.clock, redaction: redaction,
                actions: ResponseActionCheck(actions: stream.responseActions),
                usesCacheLifetime: stream.usesCacheLifetime, now: timing.now)
        )
    }

    /// Where a read begins that needs nothing to be known.
    package var firstPosition: PagePosition { get throws { try firstPosition(filling: [:]) } }

    /// Where a read begins.
    ///
    /// Throws `FetchError` where a placeholder's value is missing or cannot be part of a request.
    package func firstPosition(filling bindings: Bindings, window: ReadWindow = ReadWindow()) throws -> PagePosition {
        do throws(FetchError.Kind) {
            let all = bindings.merging(window.bindings) { $1 }
            return paging.first(from: try template.locator(filledWith: all), window: window)
        } catch {
            throw report.error(error)
        }
    }

    /// The checked page at a position that `firstPosition`, an earlier page or a stored checkpoint gave.
    ///
    /// Throws `FetchError`, `CancellationError` and what the keeper of tokens throws; a page comes in whole or not at all.
    ///
    /// - Parameter memory: what is stored of the page; with it the server may answer that the page is unchanged.
    package func page(at position: PagePosition, remembered memory: PageMemory? = nil) async throws -> Page {
        let trace = RequestTrace(RequestEntry(sentAt: timing.now(), url: report.redaction.redacted(position.url)))
        let stopwatch = Stopwatch(timing.clock)
        do {
            let locator = try paging.locator(of: position)
            let known = memory.flatMap { KnownPage($0, at: position) }
            let request = request(for: locator, validator: known?.validator, trace)
            do {
                let reply = try await pipeline.send(request)
                trace.note { $0.duration = stopwatch.elapsed }
                return try page(at: position, asked: locator, reply, known, trace.entry)
            } catch FetchError.Kind.status(let status, _) where position.mayBeMissing && status.saysBeyondTheEnd {
                trace.note { $0.duration = stopwatch.elapsed }
                // A page that the server refused as it does those beyond the last.
                let omission: Omission? = position.history.hasShrunk ? nil : .refusedPage(status: status)
                return try Page(emptyAt: position, omission, request: trace.entry)
            }
        } catch let kind as FetchError.Kind {
            trace.note { $0.duration = stopwatch.elapsed }
            throw report.error(kind, at: position.url, request: trace.entry)
        }
    }

    private func request(for locator: PageLocator, validator: Validator?, _ trace: RequestTrace) -> Request {
        var request = Request(
            address: locator.address, headers: template.openHeaders, validator: validator, trace: trace)
        request.method = template.method
        request.body = locator.body.map { body in
            let secrets = boundary.isInside(locator.address) ? template.body : nil
            return RequestBody(mediaType: "application/json", content: body.revealedJSON(withSecretsOf: secrets))
        }
        return request
    }

    /// nil where the server repeats a secret in what would be stored.
    private func memory(of validator: Validator, _ summary: PageSummary) -> PageMemory? {
        if report.redaction.mentionsSecret(validator.text) { return nil }
        return PageMemory(validator: validator.text, summary: summary.text)
    }

    private func page(
        at position: PagePosition, asked locator: PageLocator, _ reply: Reply, _ known: KnownPage?,
        _ request: RequestEntry
    ) throws -> Page {
        switch reply.content {
        case .document(let document):
            if template.isGraphQL { try GraphQLErrors.check(document) }
            let found = try selection.records(in: document, asIn: position.history.place)
            let summary = try paging.summary(
                of: found, in: reply, document: document, at: position, asked: locator)
            // What came from elsewhere, or is followed by what the body does not tell, cannot be asked about here.
            let isOwn = reply.address == locator.address && summary.isToldByBody && template.method == .get
            let validator = isOwn ? Validator(reply.head.headers, now: timing.now()) : nil
            return Page(
                position, .records(found.selection), try paging.continuation(after: position, at: locator, summary),
                request, memory: validator.flatMap { memory(of: $0, summary) })
        case .notModified:
            // `StatusCheck` lets it through for a request with a validator only, which has a known page.
            guard let known else { throw FetchError.Kind.status(304, retryAfter: nil) }
            let continuation = try paging.continuation(after: position, at: locator, known.summary)
            return Page(position, .unchanged, continuation, request, memory: known.memory)
        case .file: throw FetchError.Kind.mediaType(reply.head.headers["Content-Type"], excerpt: "")
        case .ignored:
            let status = reply.head.status
            let omission: Omission? =
                position.number == 0 && status.saysThatNothingIsThere ? nil : .ignoredPage(status: status)
            return try Page(emptyAt: position, omission, request: request)
        }
    }
}

extension Page {
    fileprivate init(
        _ position: PagePosition, _ content: Content, _ continuation: Paging.Continuation, _ request: RequestEntry,
        memory: PageMemory?
    ) {
        let next: PagePosition? = if case .next(let next) = continuation { next } else { nil }
        let omission: Omission? = if case .cutShort(let omission) = continuation { omission } else { nil }
        self.init(
            position: position, content: content, next: next, omission: omission, request: request, memory: memory)
    }

    /// The last page, without records.
    fileprivate init(emptyAt position: PagePosition, _ omission: Omission?, request: RequestEntry) throws {
        let nothing = Selection([], in: try Document(parsing: Bytes("[]".utf8)))
        self.init(
            position: position, content: .records(nothing), next: nil, omission: omission, request: request,
            memory: nil)
    }
}

extension Int {
    /// Whether servers answer so to a page number or offset beyond the last.
    fileprivate var saysBeyondTheEnd: Bool { [400, 404, 416, 422].contains(self) }

    /// Whether a response with this status tells that there is nothing, rather than that nothing is told.
    fileprivate var saysThatNothingIsThere: Bool { (200..<300).contains(self) || self == 404 || self == 410 }
}
