package import Catalog
import Digest
import JSON
package import Model

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
    /// - Parameters:
    ///   - memory: what is stored of the page; with it the server may answer that the page is unchanged.
    ///   - context: what earlier reads of the stream have shown.
    package func page(
        at position: PagePosition, remembered memory: PageMemory? = nil, _ context: ReadContext = ReadContext()
    ) async throws -> Page {
        let trace = requests.trace(of: position.url)
        let stopwatch = Stopwatch(timing.clock)
        do {
            let locator = try paging.locator(of: position)
            let known = memory.flatMap { KnownPage($0, at: position) }
            let request = requests.request(for: locator, known: known, trace)
            do {
                let reply = try await pipeline.send(request)
                trace.note { $0.duration = stopwatch.elapsed }
                return try page(at: position, asked: locator, reply, known, trace.entry, context)
            } catch FetchError.Kind.status(let status, _) where position.mayBeMissing && status.saysBeyondTheEnd {
                trace.note { $0.duration = stopwatch.elapsed }
                // A page that the server refused as it does those beyond the last.
                return try Page(emptyAt: position, paging.refused(position, status: status), request: trace.entry)
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
        guard reply.address == locator.address, summary.memory != .none else { return nil }
        return PageMemory(
            validator: summary.memory == .full ? validator(of: reply) : nil, fingerprint: fingerprint.text,
            summary: summary.text)
    }

    /// nil where there is none, or where the server repeats a secret in what would be stored.
    private func validator(of reply: Reply) -> String? {
        guard requests.template.method == .get, let validator = Validator(reply.head.headers, now: timing.now())
        else { return nil }
        return requests.report.redaction.mentionsSecret(validator.text) ? nil : validator.text
    }

    private func page(
        at position: PagePosition, asked locator: PageLocator, _ reply: Reply, _ known: KnownPage?,
        _ request: RequestEntry, _ context: ReadContext
    ) throws -> Page {
        switch reply.content {
        case .document(let document, let fingerprint):
            if requests.template.isGraphQL { try GraphQLErrors.check(document) }
            let found = try records(in: document, of: reply, at: position, asked: locator, context)
            let summary = try paging.summary(
                of: found, in: reply, document: document, at: position, asked: locator, context,
                mayBeList: selection.isAutomatic)
            let continuation = try paging.continuation(after: position, at: locator, summary, context)
            var page = Page(
                position, .records(found.selection), summary, continuation, request,
                memory: memory(of: reply, asked: locator, fingerprint, summary))
            page.layout = paging.layout(of: found, summary, isAutomatic: selection.isAutomatic)
            return page
        case .notModified, .repeated:
            return try unchanged(position, at: locator, known, reply, request, context)
        case .file: throw FetchError.Kind.mediaType(reply.head.headers["Content-Type"], excerpt: "")
        case .ignored:
            let status = reply.head.status
            let isEmpty = position.number == 0 && status.saysThatNothingIsThere
            return try Page(
                emptyAt: position, isEmpty ? .complete : .ignoredPage(status: status), request: request)
        }
    }

    /// A body in which the records' place is missing is a page without records only where it says that it is the last one.
    private func records(
        in document: Document, of reply: Reply, at position: PagePosition, asked locator: PageLocator,
        _ context: ReadContext
    ) throws(FetchError.Kind) -> FoundRecords {
        do {
            return try selection.records(in: document, asIn: position.history.place, context)
        } catch {
            guard case .missingPath = error, position.number > 0,
                try paging.saysEnd(document, reply.head, at: position, asked: locator)
            else { throw error }
            return FoundRecords(
                selection: Selection([], in: document), place: FoundRecords.Place(position.history.place))
        }
    }

    private func unchanged(
        _ position: PagePosition, at locator: PageLocator, _ known: KnownPage?, _ reply: Reply,
        _ request: RequestEntry, _ context: ReadContext
    ) throws -> Page {
        // Either is answered only to a request with something of a known page.
        guard let known else { throw FetchError.Kind.status(304, retryAfter: nil) }
        var summary = try paging.renewed(known.summary, by: reply, asked: locator)
        // A body that has come again has said its total in this read.
        if case .repeated = reply.content { summary.markers = summary.markers.received }
        let continuation = try paging.continuation(after: position, at: locator, summary, context)
        let validator: String? =
            switch reply.content {
            case .notModified: known.memory.validator
            default: summary.memory == .full ? self.validator(of: reply) : nil
            }
        let memory = PageMemory(
            validator: validator, fingerprint: known.memory.fingerprint, summary: summary.text)
        return Page(position, .unchanged, summary, continuation, request, memory: memory)
    }
}

extension Page {
    fileprivate init(
        _ position: PagePosition, _ content: Content, _ summary: PageSummary, _ continuation: Paging.Continuation,
        _ request: RequestEntry, memory: PageMemory?
    ) {
        let next: PagePosition? = if case .next(let next) = continuation { next } else { nil }
        let verdict: Verdict? = if case .end(let verdict) = continuation { verdict } else { nil }
        self.init(
            position: position, content: content, next: next, verdict: verdict,
            sawPagingPlace: summary.markers.sawPlace,
            isNumbered: position.history.isNumbered || summary.following?.isNumbered == true, request: request,
            memory: memory)
    }

    /// The last page, without records.
    fileprivate init(emptyAt position: PagePosition, _ verdict: Verdict, request: RequestEntry) throws {
        let nothing = Selection([], in: try Document(parsing: Bytes("[]".utf8)))
        self.init(
            position: position, content: .records(nothing), next: nil, verdict: verdict, sawPagingPlace: false,
            isNumbered: position.history.isNumbered, request: request, memory: nil)
    }
}

extension Int {
    /// Whether servers answer so to a page number or offset beyond the last.
    fileprivate var saysBeyondTheEnd: Bool { [400, 404, 416, 422].contains(self) }

    /// Whether a response with this status tells that there is nothing, rather than that nothing is told.
    fileprivate var saysThatNothingIsThere: Bool { (200..<300).contains(self) || self == 404 || self == 410 }
}
