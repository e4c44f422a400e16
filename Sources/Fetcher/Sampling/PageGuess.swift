package import GarnerCatalog
package import GarnerJSON
import Synchronization

/// A possible way to reach the pages after the first one. A few requests test it.
package struct PageGuess: Sendable {
    package enum Way: Sendable {
        /// By numbers. The number of the first page is to be found out.
        case number(Paginator.PageNumber)
        /// By the number of records before the page.
        case offset(Paginator.Offset)
        /// By a value of the page before.
        case cursor(Paginator.Cursor, value: String)
        /// By a value that stands in the head of the page before.
        case headerCursor(Paginator.HeaderCursor, value: String)

        var method: any PagingMethod {
            switch self {
            case .number(let method): method
            case .offset(let method): method
            case .cursor(let method, _): method
            case .headerCursor(let method, _): method
            }
        }
    }

    package let way: Way
    /// The condition that the last page meets; nil if the first page shows none.
    package let lastWhen: FilterExpression?
    /// True if the page states the number or the offset that it has, and that there is more. One other page proves the guess.
    package let isStated: Bool
    /// True if its parameters are those of the URL, whose names tell nothing.
    package let isOfURL: Bool

    /// The paginator that reads all pages if the guess is right.
    package var paginator: Paginator {
        switch way {
        case .number(let method): paginator(.pageNumber(method))
        case .offset(let method): paginator(.offset(method))
        case .cursor(let method, _): paginator(.cursor(method))
        case .headerCursor(let method, _): paginator(.headerCursor(method))
        }
    }

    /// Returns the paginator if the first page has this number.
    package func paginator(_ method: Paginator.PageNumber, from base: Int) -> Paginator {
        var method = method
        method.basePage = base
        return paginator(.pageNumber(method))
    }

    private func paginator(_ kind: Paginator.Kind) -> Paginator {
        Paginator(kind, limits: PageLimits(lastWhen: lastWhen))
    }

    /// The name of the parameter that selects the page.
    package var parameter: String {
        switch way {
        case .number(let method): "\(method.pageParam)"
        case .offset(let method): "\(method.offsetParam)"
        case .cursor(let method, _): "\(method.cursorParam)"
        case .headerCursor(let method, _): "\(method.cursorParam)"
        }
    }
}

extension PageSample {
    /// Returns the guesses that are worth a request, the likeliest first. There are none if the page itself says how to
    /// reach the next one, or that there is none.
    package func guesses(of records: SampledRecords, asked query: StarterQuery) -> [PageGuess] {
        document.withRoot { root in
            let paging = SampledPaging(
                head: head, source: source, root: root, records: records, query: query, body: stream.request.body)
            guard paging.isOpen else { return [] }
            // Where the page states its number, one question settles whether the total is right.
            return paging.mayCountThePage && paging.finding.value.kind != .auto
                ? Array(paging.guesses.prefix(1)) : paging.guesses
        }
    }

    /// Returns true if the place of a link is empty on the page, and nothing else tells of another one.
    package func endsByLink(_ records: SampledRecords, asked query: StarterQuery) -> Bool {
        document.withRoot { root in
            SampledPaging(
                head: head, source: source, root: root, records: records, query: query, body: stream.request.body
            ).endsByLink
        }
    }

    /// Returns true if the page states as many records in all as it has, and may be full.
    package func totalMayCountThePage(_ records: SampledRecords, asked query: StarterQuery) -> Bool {
        document.withRoot { root in
            SampledPaging(
                head: head, source: source, root: root, records: records, query: query, body: stream.request.body
            ).mayCountThePage
        }
    }
}

extension SampledPaging {
    /// True if nothing on the page says for certain how to request the next one, or that there is none. The name of a number
    /// on the page says little of the parameter's.
    var isOpen: Bool {
        guard !records.isWholeBody, records.shape == .objects, count > 0, let detection, countedStart == nil else {
            return false
        }
        // A cursor that is always null says nothing where the URL counts the pages.
        if detection.isEnd {
            return detection.end == nil && !isWhole(detection)
                && (beginsWithOne || endsByLink && !query.positions.isEmpty || !countedByURL(detection).isEmpty)
        }
        if beginsWithOne { return true }
        switch detection.signs.first?.kind {
        case .link, .headerLink, .parameters: return false
        case .cursor: return finding.isDoubtful
        case .announcement: return true
        case nil: break
        }
        let holdsAll = isWhole(detection)
        let tellsOfMore = !holdsAll && (detection.total ?? detection.totalPages) != nil
        // Fewer records than requested, and not the round number of a full page: most likely these are all.
        if detection.possible == nil, !tellsOfMore, let size = query.size, count < size.value,
            !count.isUsualPageSize
        {
            return false
        }
        return finding.isDoubtful || !holdsAll || mayCountThePage
    }

    /// True if the URL has an offset of 1, which is that of the first record or of the second one.
    var beginsWithOne: Bool { query.positions.contains { $0.role == .offset && $0.value == "1" } }

    /// True if the total is the number of records on a page that may be full. Some servers count only the page.
    var mayCountThePage: Bool {
        guard count > 0, let detection, detection.total?.value == count else { return false }
        return count.isUsualPageSize || [query.size?.value, detection.size?.value].contains(count)
    }

    var guesses: [PageGuess] {
        guard let detection else { return [] }
        let finding = self.finding
        let more = detection.signs.lazy.compactMap(MoreFlag.init).first
        func guess(_ way: PageGuess.Way, isStated: Bool = false, isOfURL: Bool = false) -> PageGuess {
            PageGuess(way: way, lastWhen: more?.lastWhen(beside: way.method), isStated: isStated, isOfURL: isOfURL)
        }
        let byURL = countedByURL(detection).map { guess($0, isOfURL: true) }
        if detection.isEnd, query.positions.isEmpty { return byURL }
        func sending(_ value: String, at path: Selector, as parameter: String) -> PageGuess {
            guess(
                .cursor(
                    .init(cursorPath: path, cursorParam: ParameterPlace(parameter), hasMorePath: more?.hasMorePath),
                    value: value))
        }
        if case .cursor(let value, _)? = detection.signs.first?.kind, let path = detection.signs.first?.selector,
            let text = value.pagingText, !text.contains("{")
        {
            return Self.cursorNames(in: path.description).map { sending(text, at: path, as: $0) }
        }
        let known: PageGuess? =
            switch finding.value.kind.method {
            case let method as Paginator.PageNumber: guess(.number(method), isStated: !finding.isDoubtful)
            case let method as Paginator.Offset: guess(.offset(method), isStated: !finding.isDoubtful)
            default: nil
            }
        if detection.isEnd { return [known].compactMap(\.self) }
        if let possible = detection.possible, let value = possible.cursor {
            let stated = [known].compactMap(\.self).filter(\.isStated)
            let names = Self.cursorNames(after: possible.statement.path)
            if let header = possible.header {
                return stated
                    + names.map {
                        guess(.headerCursor(.init(cursorHeader: header, cursorParam: ParameterPlace($0)), value: value))
                    }
            }
            if let path = try? Selector(parsing: possible.statement.path) {
                return stated + names.map { sending(value, at: path, as: $0) }
            }
        }
        let after =
            lastID.map { last in ["starting_after", "after"].map { sending(last.id, at: last.path, as: $0) } } ?? []
        let numbers = pageNames(detection).map { guess(.number(numbered($0, detection, more))) }
        let offsets = offsets(detection).map { guess(.offset($0)) }
        // One of each kind comes first, since the number of requests is limited.
        let byNumbers =
            skipsByName
            ? Array(offsets.prefix(1)) + numbers + offsets.dropFirst() : numbers + offsets
        let counted = [known].compactMap(\.self) + byURL + byNumbers.filter { $0.parameter != known?.parameter }
        // A page that announces more without a number most often continues after its last record.
        return more != nil && !hasNumbers(detection) ? after + counted : counted + after
    }

    /// Returns the ways to count by parameters of the URL whose names tell nothing, such as `p=1&ps=10`: one is 0 or 1, and another one the
    /// number of the records that came.
    private func countedByURL(_ detection: PaginationDetection) -> [PageGuess.Way] {
        let size =
            query.size.flatMap { $0.value == count ? $0.name : nil }
            ?? query.params.first { Int($0.value) == count }?.name
        guard query.positions.isEmpty, count > 1, let size else { return [] }
        let total = detection.total?.bodyPath
        return query.params.filter { ["0", "1"].contains($0.value) }.flatMap { position -> [PageGuess.Way] in
            let number = PageGuess.Way.number(
                .init(
                    pageParam: ParameterPlace(position.name), basePage: position.value == "0" ? 0 : 1,
                    pageSizeParam: ParameterPlace(size), pageSize: count, totalPath: total))
            guard position.value == "0" else { return [number] }
            let offset = Paginator.Offset(
                offsetParam: ParameterPlace(position.name), limitParam: ParameterPlace(size), limit: count,
                totalPath: total)
            return [.offset(offset), number]
        }
    }

    private func hasNumbers(_ detection: PaginationDetection) -> Bool {
        detection.page != nil || detection.offset != nil || (detection.total ?? detection.totalPages) != nil
    }

    /// Returns names of the parameter that selects the page by its number, the likeliest first.
    private func pageNames(_ detection: PaginationDetection) -> [String] {
        if let asked = query.positions.first(where: { $0.role == .page }) { return [asked.name] }
        let page = detection.page
        return [page?.parameter, page?.member, "page", page?.name].compactMap(\.self).distinct
    }

    /// Returns names of the parameter that a cursor is sent as, the likeliest first.
    private static func cursorNames(in path: String) -> [String] {
        let own = path.split(separator: ".").last.map(String.init) ?? "cursor"
        let names = [
            "cursor", own.hasSuffix("oken") ? own : "page_token", "page_token", "pageToken", "after", "starting_after",
            "start_cursor", "continuation", "marker", "token", own,
        ]
        return names.distinct
    }

    /// Returns names of the parameter that takes the value of a place, the likeliest first: of `X-Next-Cursor`, `cursor`.
    private static func cursorNames(after place: String) -> [String] {
        var own = place.split(separator: ".").last.map(String.init) ?? place
        for start in ["X-", "x-", "next_", "next-", "Next-", "next"] where own.hasPrefix(start) {
            own = String(own.dropFirst(start.count))
        }
        if own.lowercased().hasSuffix("continuationtoken") { own = "continuationToken" }
        own = own.replacing("-", with: "_")
        let first = own.first.map { $0.lowercased() + own.dropFirst() } ?? own
        let names =
            [place.hasPrefix("$") || own.contains("Token") ? first : own.lowercased()]
            + cursorNames(in: place).dropLast()
        return names.distinct
    }

    private func numbered(
        _ name: String, _ detection: PaginationDetection, _ more: MoreFlag?
    ) -> Paginator.PageNumber {
        Paginator.PageNumber(
            ParameterPlace(name), from: 1, query, totalPages: detection.totalPages, total: detection.total,
            hasMore: more?.hasMorePath)
    }

    /// Returns the ways to skip records, the likeliest first: that which goes with the name of the page size or of the total.
    private func offsets(_ detection: PaginationDetection) -> [Paginator.Offset] {
        let names = [
            ("offset", "limit"), ("start", "rows"), ("$offset", "$limit"), ("skip", "limit"), ("startAt", "maxResults"),
            ("$skip", "$top"),
        ]
        let size = (query.size?.name ?? detection.size?.name)?.lowercased()
        let member = detection.offset?.member.map { ($0, detection.size?.member ?? "limit") }
        // Other servers have a list of this name, too, so that it does not make offsets likelier than numbers.
        let isOData = self.isOData || records.finding.value == "$.value[*]"
        let likely =
            [member].compactMap(\.self) + names.filter { $0.1.lowercased() == size || isOData && $0.1 == "$top" }
        let limit = query.size?.value ?? count
        return (likely + names.filter { name in !likely.contains { $0 == name } }).map { offset, size in
            .init(
                offsetParam: ParameterPlace(offset), limitParam: ParameterPlace(query.size?.name ?? size), limit: limit,
                totalPath: detection.total?.bodyPath)
        }
    }

    /// True if the page size or the total has a name that goes with offsets, such as `limit`, rather than with page
    /// numbers, such as `per_page`, or if the server tells which records came, as `Content-Range` does.
    private var skipsByName: Bool {
        if isOData || head.headers.rangeOfUnits != nil { return true }
        guard let name = (query.size?.name ?? detection?.size?.name)?.lowercased() else { return false }
        return ["limit", "top", "maxresults", "rows", "take"].contains { name.hasSuffix($0) }
    }

    /// True if the page or its records have names as in OData, such as `@odata.count` and `$type`.
    private var isOData: Bool {
        var isNamedSo = detection?.total?.path.contains("odata") == true
        records.selection.forEach { record in
            guard !isNamedSo, record.kind == .object else { return }
            isNamedSo = record.members.contains { $0.key.text.hasPrefix("$") || $0.key.text.hasPrefix("@odata.") }
        }
        return isNamedSo
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

extension [String] {
    /// The texts without those that stand before.
    fileprivate var distinct: [String] {
        enumerated().filter { firstIndex(of: $0.element) == $0.offset }.map(\.element)
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
    let stream: StreamConfiguration

    private static let pagingWords: [StaticString] = [
        "after", "count", "cursor", "last", "limit", "more", "next", "offset", "older", "page", "range", "remain",
        "token", "total",
    ]

    /// Returns true if a member outside the records speaks of pages or totals, in whatever words, and says something.
    package func speaksOfPages(besides records: SampledRecords) -> Bool {
        func speaks(_ node: Node, depth: Int) -> Bool {
            node.members.contains { key, value in
                if value.kind == .object { return depth < 4 && speaks(value, depth: depth + 1) }
                guard value.kind != .array, !value.saysNothing, value.pagingNumber != records.selection.count else {
                    return false
                }
                return Envelope.normalized(key.text).mentions(Self.pagingWords)
            }
        }
        return document.withRoot { $0.kind == .object && speaks($0, depth: 0) }
    }

    /// Fetches the first page of a stream, whatever its shape.
    ///
    /// Throws `FetchError` and `CancellationError`.
    package static func fetch(_ stream: StreamConfiguration, over access: SourceAccess) async throws -> PageSample {
        var whole = stream
        whole.recordSelector = "$"
        whole.paginator = Paginator(.singlePage)
        (whole.recordShape, whole.recordFilter, whole.fields) = (.objects, nil, FieldRules())
        let listening = ListeningTransport(access.transport)
        let fetcher = try access.over(listening).fetcher(of: whole)
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

    /// Takes the first page of a stream as a read has it; fails if its records are no longer those of the server.
    ///
    /// The head of the answer is not known. It is of no matter where it named no other page.
    package init?(_ page: Page, of stream: StreamConfiguration) {
        guard case .records(let selection) = page.content, let source = page.position.address,
            !RecordTransform(of: stream).writesRecords
        else { return nil }
        self.init(
            document: selection.document, head: ResponseHead(status: 200, headers: [:]), source: source, stream: stream)
    }

    private init(document: Document, head: ResponseHead, source: WebAddress, stream: StreamConfiguration) {
        (self.document, self.head, self.source, self.stream) = (document, head, source, stream)
    }

    /// The records of the page, with the selector that finds them. Throws `FetchError.Kind` if the page holds none.
    package var records: SampledRecords {
        get throws { try SampledRecords.find(in: document, of: stream) }
    }

    /// Returns true if the whole body was taken for one record, although it has a total or a sign of other pages, as lists have.
    package func looksLikeEmptyList(_ records: SampledRecords) -> Bool {
        guard records.isWholeBody else { return false }
        if records.isEmptyList { return true }
        return document.withRoot { root in
            guard !RecordNames(of: stream).isRecord(root) else { return false }
            let asList = try? PaginationDetection(
                head: head, root: root, way: root.wayToUnknownList, count: 0,
                locator: PageLocator(address: source, body: nil))
            return asList?.looksLikeList ?? false
        }
    }

    /// Returns the paginator that reaches the pages after this one.
    package func paging(of records: SampledRecords, asked query: StarterQuery) -> StarterFindings.Finding<Paginator> {
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
