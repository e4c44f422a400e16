package import Catalog
import JSON
import Synchronization

/// A possible way to reach the pages after the first one. One request tests it.
package struct PageGuess: Sendable {
    /// The query parameters that request the second page.
    package let parameters: [(name: String, value: String)]
    /// The paginator that reads all pages if the guess is right.
    package let paginator: Paginator.Kind
}

extension PageSample {
    /// Returns the guesses that are worth a request, the likeliest first. There are none if the page itself says how to
    /// reach the next one, or that there is none.
    package func guesses(of records: SampledRecords, asked query: StarterQuery) -> [PageGuess] {
        document.withRoot { root in
            let paging = SampledPaging(
                head: head, source: source, root: root, records: records, query: query, body: stream.request.body)
            return paging.isOpen ? paging.guesses : []
        }
    }
}

extension SampledPaging {
    /// True if nothing on the page says for certain how to request the next one, or that there is none.
    var isOpen: Bool {
        guard !records.isWholeBody, count > 0, let detection, !detection.isEnd else { return false }
        switch detection.signs.first?.kind {
        case .link, .headerLink, .parameters: return false
        case .cursor, .announcement: return finding.isDoubtful
        case nil: break
        }
        // The page has fewer records than requested, and not the round number of a full page: most likely these are
        // all.
        if let size = query.size, count < size.value, !Judgement.isRound(count) { return false }
        return finding.isDoubtful || finding.value == .auto && !isWhole(detection)
    }

    var guesses: [PageGuess] {
        guard let detection else { return [] }
        let more = detection.signs.first { $0.isAnnouncement && $0.path.hasPrefix("$") }?.selector
        if case .cursor(let value, _)? = detection.signs.first?.kind, let path = detection.signs.first?.selector,
            let text = value.pagingText, !text.contains("{")
        {
            return Self.cursorNames(in: path.description).map { name in
                PageGuess(
                    parameters: [(name: name, value: text)],
                    paginator: .cursor(
                        .init(cursorPath: path, cursorParam: ParameterPlace(name), hasMorePath: more)))
            }
        }
        let after: [PageGuess] =
            lastID.map { last in
                ["starting_after", "after"].map { name in
                    PageGuess(
                        parameters: [(name: name, value: last.id)],
                        paginator: .cursor(
                            .init(cursorPath: last.path, cursorParam: ParameterPlace(name), hasMorePath: more)))
                }
            } ?? []
        let numbered = [numbered(detection, more)]
        let offsets = offsets(detection)
        let byNumbers = skipsByName ? offsets + numbered : numbered + offsets
        // A page that announces more without a number most often continues after its last record.
        return more != nil ? after + byNumbers : byNumbers + after.prefix(1)
    }

    /// Returns names of the parameter that a cursor is sent as, the likeliest first.
    private static func cursorNames(in path: String) -> [String] {
        let own = path.split(separator: ".").last.map(String.init) ?? "cursor"
        let names = [
            "cursor", "page_token", "pageToken", "after", "starting_after", "start_cursor", "continuation", "marker",
            "token", own,
        ]
        return names.enumerated().filter { names.firstIndex(of: $0.element) == $0.offset }.map(\.element)
    }

    private func numbered(_ detection: PaginationDetection, _ more: Selector?) -> PageGuess {
        let name = detection.page?.parameter ?? "page"
        let base = detection.page.map { min($0.value, 1) } ?? 1
        let kind = Paginator.PageNumber(
            ParameterPlace(name), from: base, query, totalPages: detection.totalPages, total: detection.total,
            hasMore: more)
        return PageGuess(parameters: [(name: name, value: "\(base + 1)")], paginator: .pageNumber(kind))
    }

    private func offsets(_ detection: PaginationDetection) -> [PageGuess] {
        let limit = query.size?.value ?? count
        return [
            ("offset", "limit"), ("$offset", "$limit"), ("$skip", "$top"), ("startAt", "maxResults"), ("skip", "limit"),
            ("start", "rows"),
        ].map { offset, size in
            let size = query.size?.name ?? size
            return PageGuess(
                parameters: [(name: offset, value: "\(count)"), (name: size, value: "\(limit)")],
                paginator: .offset(
                    .init(
                        offsetParam: ParameterPlace(offset), limitParam: ParameterPlace(size), limit: limit,
                        totalPath: detection.total?.bodyPath)))
        }
    }

    /// True if the page size has a name that goes with offsets, such as `limit`, rather than with page numbers, such as
    /// `per_page`.
    private var skipsByName: Bool {
        guard let name = (query.size?.name ?? detection?.size?.name)?.lowercased() else { return false }
        return ["limit", "top", "maxresults", "rows", "take"].contains { name.hasSuffix($0) }
    }

    /// The path and value of the last record's `id`; nil if it has none.
    private var lastID: (path: Selector, id: String)? {
        var id: String?
        records.selection.forEach { id = $0["id"]?.pagingText }
        guard let id, let selector = records.finding.value, selector.hasSuffix("[*]"),
            let path = try? Selector(parsing: "\(selector.dropLast(3))[-1].id")
        else { return nil }
        return (path: path, id: id)
    }
}

extension BodyValue {
    /// The string, or the number as written; nil for any other value.
    fileprivate var pagingText: String? {
        switch self {
        case .text(let text): text.reveal()
        case .number(let text): text
        default: nil
        }
    }
}

/// A page of a collection about which only the URL is known.
package struct PageSample: Sendable {
    let document: Document
    let head: ResponseHead
    /// The address that the page came from, after all redirects.
    package let source: WebAddress
    let stream: Stream

    /// Fetches the first page of a stream, whatever its shape.
    ///
    /// Throws `FetchError` and `CancellationError`.
    package static func fetch(
        _ stream: Stream, transport: any Transport, timing: Timing
    ) async throws -> PageSample {
        var whole = stream
        whole.recordSelector = "$"
        whole.paginator = Paginator(.singlePage)
        (whole.recordShape, whole.recordFilter, whole.fields) = (.objects, nil, FieldRules())
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

    /// The records of the page, with the selector that finds them. Throws `FetchError.Kind` if the page holds none.
    package var records: SampledRecords {
        get throws { try SampledRecords.find(in: document, of: stream) }
    }

    /// Returns the paginator that reaches the pages after this one.
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

/// Passes requests on and remembers the last response.
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
