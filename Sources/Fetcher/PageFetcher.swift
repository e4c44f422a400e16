package import Catalog
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
            let request = requests.request(for: locator, validator: known?.validator, trace)
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

    /// nil where the server repeats a secret in what would be stored.
    private func memory(of validator: Validator, _ summary: PageSummary) -> PageMemory? {
        if requests.report.redaction.mentionsSecret(validator.text) { return nil }
        return PageMemory(validator: validator.text, summary: summary.text)
    }

    private func page(
        at position: PagePosition, asked locator: PageLocator, _ reply: Reply, _ known: KnownPage?,
        _ request: RequestEntry
    ) throws -> Page {
        switch reply.content {
        case .document(let document):
            if requests.template.isGraphQL { try GraphQLErrors.check(document) }
            let found = try selection.records(in: document, asIn: position.history.place)
            let summary = try paging.summary(
                of: found, in: reply, document: document, at: position, asked: locator)
            // What came from elsewhere, or is followed by what the body does not tell, cannot be asked about here.
            let isOwn = reply.address == locator.address && summary.isToldByBody && requests.template.method == .get
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
