package import Catalog
import Digest
import JSON

/// Brings in the pages of one stream, one at a time.
package struct PageFetcher: Sendable {
    let requests: StreamRequests
    let pipeline: Pipeline<Reply>
    private let selection: RecordSelection
    let paging: Paging
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
        requests = try StreamRequests(
            stream: stream, transport: transport, timing: timing, traffic: traffic, tokens: tokens)
        self.timing = timing
        credentialTag = stream.request.credentialTag
        do {
            selection =
                try stream.recordSelector.map { .selector(try Selector(parsing: $0)) }
                ?? .automatic(RecordNames(of: stream))
            paging = try Paging(stream.paginator, boundary: requests.boundary)
        } catch {
            throw requests.report.error((error as? FetchError.Kind) ?? .misconfigured(reason: "\(error)"))
        }
        pipeline = requests.pipeline()
    }

    /// Where a read begins that needs nothing to be known.
    package var firstPosition: PagePosition { get throws { try firstPosition(filling: [:]) } }

    /// Where a read begins.
    ///
    /// Throws `FetchError` where a placeholder's value is missing or cannot be part of a request.
    package func firstPosition(filling bindings: Bindings, window: ReadWindow = ReadWindow()) throws -> PagePosition {
        do throws(FetchError.Kind) {
            let all = bindings.merging(window.bindings) { $1 }
            return paging.first(from: try requests.template.locator(filledWith: all), window: window)
        } catch {
            throw requests.report.error(error)
        }
    }

    /// The checked page at a position that `firstPosition`, an earlier page or a stored checkpoint gave.
    ///
    /// Throws `FetchError`, `CancellationError` and what the keeper of tokens throws; a page comes in whole or not at all.
    ///
    /// - Parameter memory: what is stored of the page; with it the server may answer that the page is unchanged.
    package func page(at position: PagePosition, remembered memory: PageMemory? = nil) async throws -> Page {
        let trace = requests.trace(of: position.url)
        let stopwatch = Stopwatch(timing.clock)
        do {
            let locator = try paging.locator(of: position)
            let known = memory.flatMap { KnownPage($0, at: position) }
            let request = requests.request(for: locator, known: known, trace)
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
            throw requests.report.error(kind, at: position.url, request: trace.entry)
        }
    }

    /// nil where what follows the page may change while the page does not, or came from elsewhere.
    private func memory(
        of reply: Reply, asked locator: PageLocator, _ fingerprint: Fingerprint, _ summary: PageSummary
    ) -> PageMemory? {
        guard reply.address == locator.address, summary.isToldByBody else { return nil }
        return PageMemory(
            validator: validator(of: reply), fingerprint: fingerprint.text, summary: summary.text)
    }

    /// nil where there is none, or where the server repeats a secret in what would be stored.
    private func validator(of reply: Reply) -> String? {
        guard requests.template.method == .get, let validator = Validator(reply.head.headers, now: timing.now())
        else { return nil }
        return requests.report.redaction.mentionsSecret(validator.text) ? nil : validator.text
    }

    private func page(
        at position: PagePosition, asked locator: PageLocator, _ reply: Reply, _ known: KnownPage?,
        _ request: RequestEntry
    ) throws -> Page {
        switch reply.content {
        case .document(let document, let fingerprint):
            if requests.template.isGraphQL { try GraphQLErrors.check(document) }
            let found = try selection.records(in: document, asIn: position.history.place)
            let summary = try paging.summary(
                of: found, in: reply, document: document, at: position, asked: locator)
            return Page(
                position, .records(found.selection), try paging.continuation(after: position, at: locator, summary),
                request, memory: memory(of: reply, asked: locator, fingerprint, summary))
        case .notModified:
            return try unchanged(position, at: locator, known, validator: known?.memory.validator, request)
        case .repeated:
            return try unchanged(position, at: locator, known, validator: validator(of: reply), request)
        case .file: throw FetchError.Kind.mediaType(reply.head.headers["Content-Type"], excerpt: "")
        case .ignored:
            let status = reply.head.status
            let omission: Omission? =
                position.number == 0 && status.saysThatNothingIsThere ? nil : .ignoredPage(status: status)
            return try Page(emptyAt: position, omission, request: request)
        }
    }

    private func unchanged(
        _ position: PagePosition, at locator: PageLocator, _ known: KnownPage?, validator: String?,
        _ request: RequestEntry
    ) throws -> Page {
        // Either is answered only to a request with something of a known page.
        guard let known else { throw FetchError.Kind.status(304, retryAfter: nil) }
        let continuation = try paging.continuation(after: position, at: locator, known.summary)
        let memory = PageMemory(
            validator: validator, fingerprint: known.memory.fingerprint, summary: known.memory.summary)
        return Page(position, .unchanged, continuation, request, memory: memory)
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
