package import Catalog
import JSON

/// Brings in the pages of one stream, one at a time.
package struct PageFetcher: Sendable {
    private let headers: [RequestTemplate.Parameter]
    private let pipeline: Pipeline
    private let selection: RecordSelection
    private let paging: Paging
    private let report: FetchErrorReport

    /// Throws `FetchError` where the stream's URL or selectors cannot be read.
    package init(stream: Stream, transport: any Transport, timing: Timing) throws {
        let template = stream.request
        let redaction = Redaction(template)
        report = FetchErrorReport(stream: stream.name, redaction: redaction)
        headers = template.openHeaders
        let start: WebAddress
        let boundary: SecretBoundary
        do {
            start = try template.address()
            boundary = SecretBoundary(template, start: start, redaction: redaction)
            selection =
                try stream.recordSelector.map { .selector(try Selector(parsing: $0)) }
                ?? .automatic(RecordNames(of: stream))
            paging = try Paging(stream.paginator, start: start, boundary: boundary)
        } catch {
            throw report.error((error as? FetchError.Kind) ?? .misconfigured(reason: "\(error)"), at: nil, requests: 0)
        }
        pipeline = Pipeline(
            layers: [
                Retrying(policy: stream.retry, timing: timing, report: report),
                Redirecting(boundary: boundary),
                AddressGuard(stream, start: start),
                Authorizing(template, boundary: boundary),
            ],
            exchange: Exchange(
                transport: transport, limits: stream.limits, clock: timing.clock, redaction: redaction, now: timing.now)
        )
    }

    /// What servers answer to a page number or offset beyond the last.
    private static let statusesBeyondTheEnd: Set<Int> = [400, 404, 416, 422]

    /// Where a read begins.
    package var firstPosition: PagePosition { paging.first }

    /// The checked page at a position that `firstPosition`, an earlier page or a stored checkpoint gave.
    ///
    /// Throws `FetchError` and `CancellationError`; a page comes in whole or not at all.
    package func page(at position: PagePosition) async throws -> Page {
        let address = try reporting(position, requests: 0) { () throws(FetchError.Kind) in
            try paging.address(of: position)
        }
        let reply: Reply
        do {
            reply = try await pipeline.send(Request(address: address, headers: headers))
        } catch let error as FetchError where position.mayBeMissing {
            guard case .status(let status, _) = error.kind, Self.statusesBeyondTheEnd.contains(status) else {
                throw error
            }
            let omission: Omission? = position.history.hasShrunk ? nil : .refusedPage(status: status)
            return try Page(emptyAt: position, omission: omission, requests: error.requests)
        }
        return try reporting(position, requests: reply.requests) { () throws(FetchError.Kind) in
            let found = try selection.records(in: reply.document, asIn: position.history.place)
            let continuation = try paging.continuation(after: position, at: address, reply: reply, found: found)
            return Page(
                position: position, records: found.selection, continuation: continuation, requests: reply.requests)
        }
    }

    private func reporting<Result>(
        _ position: PagePosition, requests: Int, _ body: () throws(FetchError.Kind) -> Result
    ) throws(FetchError) -> Result {
        do {
            return try body()
        } catch {
            throw report.error(error, at: position.url, requests: requests)
        }
    }
}

extension Page {
    fileprivate init(position: PagePosition, records: Selection, continuation: Paging.Continuation, requests: Int) {
        let next: PagePosition? = if case .next(let next) = continuation { next } else { nil }
        let omission: Omission? = if case .cutShort(let omission) = continuation { omission } else { nil }
        self.init(position: position, records: records, next: next, omission: omission, requests: requests)
    }

    fileprivate init(emptyAt position: PagePosition, omission: Omission?, requests: Int) throws {
        let nothing = try Document(parsing: Bytes("[]".utf8))
        self.init(
            position: position, records: Selection([], in: nothing), next: nil, omission: omission, requests: requests)
    }
}
