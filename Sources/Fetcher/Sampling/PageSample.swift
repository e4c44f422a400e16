package import Catalog
import JSON
import Synchronization

/// One page of a collection of which only the URL is known.
package struct PageSample: Sendable {
    let document: Document
    let head: ResponseHead
    /// Where the page came from, behind all redirects.
    package let source: WebAddress
    let stream: Stream

    /// Fetches the first page of a stream, whatever it looks like.
    ///
    /// Throws `FetchError` and `CancellationError`.
    package static func fetch(
        _ stream: Stream, transport: any Transport, timing: Timing
    ) async throws -> PageSample {
        var whole = stream
        whole.recordSelector = "$"
        whole.paginator = Paginator(.singlePage)
        let listening = ListeningTransport(transport)
        let fetcher = try PageFetcher(stream: whole, transport: listening, timing: timing)
        let page = try await fetcher.page(at: fetcher.firstPosition)
        guard case .records(let selection) = page.content, let (source, head) = listening.last else {
            throw FetchError(stream: stream.name, kind: .status(304, retryAfter: nil), url: page.request.url)
        }
        let sample = PageSample(document: selection.document, head: head, source: source, stream: stream)
        do {
            _ = try sample.records
        } catch let kind as FetchError.Kind {
            throw FetchError(stream: stream.name, kind: kind, url: page.request.url, request: page.request)
        }
        return sample
    }

    /// Where the records are.
    package var records: SampledRecords {
        get throws { try SampledRecords.find(in: document, of: stream) }
    }

    /// How the pages behind this one are reached.
    package func paging(of records: SampledRecords, asked query: StarterQuery)
        -> StarterFindings.Finding<Paginator.Kind>
    {
        document.withRoot { root in
            SampledPaging(
                head: head, source: source, root: root, records: records, query: query, body: stream.request.body
            ).finding
        }
    }
}

/// Passes requests on, and remembers the last one that was answered.
private final class ListeningTransport: Transport {
    private let transport: any Transport
    private let heard = Mutex<(address: WebAddress, head: ResponseHead)?>(nil)

    init(_ transport: any Transport) { self.transport = transport }

    var secrets: [Secret] { transport.secrets }

    var last: (address: WebAddress, head: ResponseHead)? { heard.withLock { $0 } }

    func send(_ request: Request) async throws -> Response {
        let response = try await transport.send(request)
        heard.withLock { $0 = (request.address, response.head) }
        return response
    }
}
