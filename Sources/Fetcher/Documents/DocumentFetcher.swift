package import Catalog
import JSON

/// Brings in the one document that a stream's base URL, path and parameters name, by the rules that hold for pages.
public struct DocumentFetcher: Sendable {
    private let requests: StreamRequests
    private let timing: Timing

    /// It may be kept, and asked more than once.
    ///
    /// Throws `FetchError` where the request cannot be sent as it is.
    public init(_ request: DocumentRequest, over connections: Connections) throws {
        let stream = try request.checked()
        try self.init(stream: stream, transport: connections.transport(for: stream), timing: .system)
    }

    /// Throws `FetchError` where the stream's URL cannot be read.
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
    }

    /// The document as one value, whose four checks it has passed.
    ///
    /// Throws `FetchError`, `CancellationError` and what the keeper of tokens throws, if the stream has one.
    public func document() async throws -> FetchedDocument {
        try await fetch(by: requests.pipeline()) { reply, url, trace in
            let document: Document? = if case .document(let document, _) = reply.content { document } else { nil }
            return FetchedDocument(url: url(reply.address), head: reply.head, document: document, request: trace.entry)
        }
    }

    /// The document as it comes in. Ends with the delegate's `didComplete`, whatever happens, and after the last byte.
    ///
    /// Cancelling the task ends the exchange and its connection.
    public func deliver(to delegate: some FetchDelegate) async {
        let conversation = Conversation(with: delegate, redaction: requests.report.redaction)
        do {
            try await fetch(by: requests.pipeline(telling: conversation)) { _, _, _ in }
            await delegate.didComplete(nil)
        } catch {
            await delegate.didComplete(error)
        }
    }

    private func fetch<Answer: Sendable, Result>(
        by pipeline: Pipeline<Answer>,
        _ result: (Answer, _ url: (WebAddress) -> String, RequestTrace) throws -> Result
    ) async throws -> Result {
        let locator: PageLocator
        do throws(FetchError.Kind) {
            locator = try requests.template.locator(filledWith: [:])
        } catch {
            throw requests.report.error(error)
        }
        let url = "\(locator.address)"
        let trace = requests.trace(of: url)
        let stopwatch = Stopwatch(timing.clock)
        func failed(_ kind: FetchError.Kind) -> FetchError {
            trace.note { $0.duration = stopwatch.elapsed }
            return requests.report.error(kind, at: url, request: trace.entry)
        }
        do {
            let answer = try await pipeline.send(requests.request(for: locator, trace))
            trace.note { $0.duration = stopwatch.elapsed }
            return try result(answer, { requests.report.redaction.redacted("\($0)") }, trace)
        } catch let interruption as Interruption {
            throw failed(interruption.kind)
        } catch let kind as FetchError.Kind {
            throw failed(kind)
        }
    }
}
