import GarnerCatalog
import GarnerJSON
import GarnerModel

/// The request of a next page, and how it was found.
struct NextPage: Equatable {
    var locator: PageLocator
    /// True if nothing announces the page.
    var mayBeMissing = false
    /// True if the page follows an empty one, and nothing tells whether a later page has records.
    var mayBeEndless = false
    /// True if the address stood in the head of the response.
    var isFromHead = false
    /// True if a number decides which records the page has, whoever wrote it.
    var isNumbered = false
    /// True if it is requested by a cursor, which the source may forget.
    var isByCursor = false
    /// True if the link names `http`, and the page is asked by `https` all the same, as the one before it was.
    var isSecured = false
    /// True if the number is our own, so that a server that does not know the parameter gives the same page again.
    var isCounted = false
}

extension NextPage {
    /// The page to which the source leads. It is numbered if its address names a number, or counts in its path or by a parameter.
    init(leadingTo locator: PageLocator, from source: WebAddress, _ records: Int) {
        self.init(locator: locator)
        isNumbered =
            locator.isNumbered || source.pageNumber(countedTo: locator.address) != nil
            || source.counts(to: locator.address, by: records)
    }
}

/// A received page with all that is known about it. It is valid within the document's scope.
struct ReceivedPage {
    /// The request.
    let locator: PageLocator
    /// The address after all redirects. The page's links are relative to it.
    let source: WebAddress
    let head: ResponseHead
    let root: Node
    /// True if the whole body is the record.
    let rootIsRecord: Bool
    /// The number of records that the server put on the page.
    let recordCount: Int
    /// The read before this page.
    let history: ReadHistory
    let context: ReadContext
    /// The JSONPath of the value that holds the records.
    let recordsPath: String
    var detection: PaginationDetection

    /// The number of records of the read, this page's included.
    var recordsRead: Int { history.records.addingReportingOverflow(recordCount).partialValue }

    func following(_ link: String) throws(FetchError.Kind) -> NextPage {
        guard let target = base(of: link)?.appending(link) ?? source.resolving(link) else { throw .invalidLink(link) }
        let address = source.securing(target)
        var next = NextPage(leadingTo: PageLocator(address: address, body: locator.body), from: source, recordCount)
        next.isSecured = address != target
        return next
    }

    /// Returns the address behind which a link stands, as Confluence's `_links.next` does behind `_links.base`; nil for any other
    /// link, and for one that has the base's own path already.
    private func base(of link: String) -> WebAddress? {
        guard link.hasPrefix("/"), !link.hasPrefix("//"), let links = root["_links"], links["next"]?.string == link,
            let base = links["base"]?.string.flatMap(WebAddress.init).map(source.securing),
            base.hasOrigin(of: source), base.path.contains(where: { $0 != "/" }),
            !link.hasPrefix(base.path.hasSuffix("/") ? base.path : base.path + "/")
        else { return nil }
        return base
    }

    private func followingLinkHeader(_ target: String) throws(FetchError.Kind) -> NextPage {
        var next = try following(target)
        next.isFromHead = true
        return next
    }
}

extension ReceivedPage {
    /// The parts of the page that its paginator sees.
    var view: PageView {
        PageView(
            locator: locator, root: root, recordCount: recordCount, recordsRead: recordsRead,
            countsFromOne: countsFromOne, headers: { head.headers[$0] })
    }

    /// True if the page says that record 1 is the first one, and was asked for with 0, as which SCIM takes it (RFC 7644, 3.4.2.4).
    private var countsFromOne: Bool {
        root["Resources"] != nil && detection.startIndex?.value == 1
            && locator.numbers.contains { name, value in value == 0 && Envelope.normalized(name) == "startindex" }
    }

    /// Returns the next page; nil after the last one.
    ///
    /// Some servers fill the place of the next page on the last one, too: with that page itself, beside a flag of the end.
    func next(by following: Following, _ evidence: PagingEvidence) throws(FetchError.Kind) -> NextPage? {
        let next = try target(of: following, evidence)
        guard let next, detection.end != nil else { return next }
        let isThisPage =
            [locator.address, source].contains(next.locator.address) && next.locator.body == locator.body
            && next.locator.pageValue == locator.pageValue
        return isThisPage ? nil : next
    }

    private func target(of following: Following, _ evidence: PagingEvidence) throws(FetchError.Kind) -> NextPage? {
        switch following {
        case .end, .notUnderstood: return nil
        case .asShown: return try shown
        case .link(let text): return try self.following(text)
        case .linkHeader:
            guard let relation = evidence.linkRelation, let target = try head.link(relation) else { return nil }
            return try followingLinkHeader(target)
        case .request(let next, let mayBeMissing, let mayBeEndless):
            var next = NextPage(locator: next, mayBeMissing: mayBeMissing, mayBeEndless: mayBeEndless)
            // A cursor may look like a number, but the source decides where it leads, unless it is that of a page.
            let counts = next.locator.page != locator.page || next.locator.offset != locator.offset
            next.isNumbered = evidence.isCount || counts && next.locator.isNumbered
            next.isByCursor = !evidence.isCount
            return next
        }
    }

    /// Returns the parts of the response which decide the next page, and which a validator and a fingerprint cover.
    func memory(by evidence: PagingEvidence, next: NextPage?) -> PageSummary.Memory {
        switch evidence {
        case .header: return .none
        // The fingerprint covers the totals of the head, too; a validator may not.
        case _ where detection.dependsOnHead: return .body
        case .none, .body, .count: return .full
        // A page without a link may get one while its body and its validator stay the same.
        case .link: return next == nil ? .body : .full
        case .response:
            if next?.isFromHead == true { return .full }
            return rootIsRecord || detection.hasSign ? .full : .body
        }
    }
}

extension PagingEvidence {
    /// The relation of the `Link` header that leads to the next page; nil if the header is not used.
    var linkRelation: String? {
        switch self {
        case .link(let relation): relation
        case .response: "next"
        case .none, .body, .header, .count: nil
        }
    }

    /// The relation that the configuration names; nil if it names none.
    var configuredRelation: String? { if case .link(let relation) = self { relation } else { nil } }

    /// True if the configuration names the place of the body or the head that leads to the next page.
    var isNamed: Bool {
        switch self {
        case .body, .header, .link: true
        case .none, .response, .count: false
        }
    }

    var isCount: Bool { if case .count = self { true } else { false } }

    /// The configured page size; nil if the request decides it.
    var pageSize: Int? { if case .count(let pageSize) = self { pageSize } else { nil } }
}

// The next request of the paginator `auto`.
extension ReceivedPage {
    private var shown: NextPage? {
        get throws(FetchError.Kind) {
            // A stream that Garner 0.1 began follows only the signs that Garner 0.1 followed.
            let isOld = context.followsAsBefore
            if let end = detection.end, !isOld || ["$.has_more", "$.hasMore"].contains(end) { return nil }
            for sign in detection.signs where sign.isOld || !isOld {
                if let next = try following(sign) { return next }
            }
            return isOld ? nil : followingByNumber
        }
    }

    /// The page behind the cursor of the last record, which Facebook gives on the last page, too, where it gives no link; nil if there is
    /// no such cursor. Only its answer tells whether there is more. A server that does not know the parameter gives this page again.
    var behindLastRecord: NextPage? {
        get throws(FetchError.Kind) {
            guard recordCount > 0, let sign = detection.openSign, sign.path.hasSuffix(".cursors.after"),
                var next = try following(sign), next.locator != locator
            else { return nil }
            (next.mayBeMissing, next.isCounted) = (true, true)
            return next
        }
    }

    /// Returns the page to which a sign leads; nil if nothing tells how to request it.
    private func following(_ sign: PaginationDetection.Sign) throws(FetchError.Kind) -> NextPage? {
        switch sign.kind {
        case .headerLink(let target): return try followingLinkHeader(target)
        case .link(let target): return try following(target)
        case .cursor(let value, let parameter?):
            return place(for: parameter).map {
                let next = locator.setting($0, to: value)
                return NextPage(
                    locator: next, isNumbered: ParameterRole.isPage(parameter) && next.isNumbered, isByCursor: true)
            }
        case .parameters(let parameters):
            var next = locator
            for (name, value) in parameters {
                guard let place = place(for: name) else { return nil }
                if case .body = place, let number = Int(value) {
                    next = next.setting(place, to: number)
                } else {
                    next = next.setting(place, to: .text(.literal(value)))
                }
            }
            return NextPage(leadingTo: next, from: source, recordCount)
        case .cursor(_, nil), .announcement: return nil
        }
    }

    /// Returns the place of a parameter in the request; nil if the request has a body that does not name it.
    private func place(for parameter: String) -> ParameterPlace? {
        guard let body = locator.structuredBody else { return .query(parameter) }
        if let place = body.usualPlaces(for: parameter).lazy.compactMap(BodyPlace.init).first(where: {
            body.value(at: $0) != nil
        }) {
            return .body(place)
        }
        return locator.address.value(of: parameter) == nil ? nil : .query(parameter)
    }

    /// The next page by its number, or by the number of records before it. It is nil unless the page states its own
    /// number or offset, and a total that shows that there is another page.
    private var followingByNumber: NextPage? {
        guard recordCount > 0, detection.signs.allSatisfy(\.isAnnouncement), !detection.isEnd else { return nil }
        if let page = detection.page, page.value == locator.page ?? min(page.value, 1) {
            return following(page: page.value, named: parameter(of: page))
        }
        if let asked = locator.page, let name = locator.name(where: ParameterRole.isPage) {
            return following(page: asked, named: name)
        }
        if let offset = detection.offset, offset.value == locator.offset ?? 0, let total = detection.total {
            // CouchDB states the offset under another name than it takes it.
            let isOfViews = recordsPath == "$.rows" && total.path == "$.total_rows"
            let name = locator.name(where: ParameterRole.isOffset) ?? (isOfViews ? "skip" : offset.name)
            let (following, overflow) = offset.value.addingReportingOverflow(recordCount)
            guard !overflow, following < total.value, let place = place(for: name) else { return nil }
            return numbered(place, following)
        }
        // SCIM counts from 1, and NVD from 0.
        if let start = detection.startIndex, let total = detection.total, recordsRead < total.value,
            start.value == max(locator.offset ?? 0, min(start.value, 1))
        {
            let name = locator.name(where: ParameterRole.isOffset) ?? start.name
            let (following, overflow) = start.value.addingReportingOverflow(recordCount)
            guard !overflow, following <= total.value, let place = place(for: name) else { return nil }
            return numbered(place, following)
        }
        // WordPress and similar servers number their pages from 1, and state the number of pages in the head.
        if let pages = detection.totalPages, pages.path.hasPrefix("X-") { return following(page: 1, named: "page") }
        return nil
    }

    private func following(page number: Int, named name: String) -> NextPage? {
        guard number < Int(Int32.max), let place = place(for: name) else { return nil }
        if let pages = detection.totalPages {
            let isCountedFromZero = (history.filledPages == 0 ? number : history.firstPage) == 0
            let last = isCountedFromZero ? pages.value - 1 : pages.value
            if number < last { return numbered(place, number + 1) }
            let hasAll = detection.total.map { $0.isExact && recordsRead >= $0.value } ?? false
            guard isCountedFromZero, number == last, pages.path.namesLastPage, !hasAll else { return nil }
            var next = numbered(place, number + 1)
            next.mayBeMissing = true
            return next
        }
        guard let total = detection.total, detection.size != nil || locator.limit != nil else { return nil }
        return recordsRead < total.value ? numbered(place, number + 1) : nil
    }

    private func numbered(_ place: ParameterPlace, _ number: Int) -> NextPage {
        var next = NextPage(locator: locator.setting(place, to: number))
        (next.isNumbered, next.isCounted) = (true, true)
        return next
    }

    private func parameter(of page: PaginationDetection.Echo) -> String {
        locator.name(where: ParameterRole.isPage) ?? page.parameter
    }
}

extension PageLocator {
    /// True if a number names the page. Records that are added or deleted then move others to another page.
    var isNumbered: Bool { page != nil || offset != nil }
}

extension BodyValue {
    private static let cursorVariables = ["after", "cursor", "endCursor", "afterCursor"]

    /// Returns the JSONPaths at which a body may name a paging parameter, the likeliest first. GraphQL queries choose
    /// the names of their variables freely.
    func usualPlaces(for parameter: String) -> [String] {
        let own = ["$.\(parameter)"]
        guard member("variables") != nil else { return own }
        return own + ([parameter] + Self.cursorVariables).map { "$.variables.\($0)" }
    }

    /// Returns the value of `cursor_param` and similar keys, as a configuration writes it: the place in the body, or
    /// the place at which it would be added.
    func writtenPlace(for parameter: String, on root: Node) -> String {
        let places = usualPlaces(for: parameter)
        if let known = places.first(where: { BodyPlace($0).map { value(at: $0) != nil } ?? false }) { return known }
        if let variable = variable(for: parameter) { return "$.variables.\(variable)" }
        // Notion: { "object": "list", "next_cursor": ... } is sent back as start_cursor.
        return parameter == "cursor" && root["object"]?.string == "list" ? "$.start_cursor" : "$.\(parameter)"
    }

    /// Returns the variable of a GraphQL query, declared if possible, that takes a paging parameter; nil for any other body.
    private func variable(for parameter: String) -> String? {
        let query: String = if case .text(.literal(let text))? = member("query") { text } else { "" }
        let hasVariables = if case .object? = member("variables") { true } else { false }
        // A query without braces is a text to search for.
        guard hasVariables || query.contains("{") else { return nil }
        let names = Self.cursorVariables.contains(parameter) ? [parameter] + Self.cursorVariables : [parameter]
        return names.first { query.contains("$\($0):") } ?? parameter
    }
}

extension Paginator.Cursor {
    /// Returns Elasticsearch's way of paging, which begins the next page after the sort values of the last record.
    /// Returns nil unless the request is a POST and its records have sort values.
    init?(_ body: BodyValue?, recordsAt path: String, last: Node?) {
        guard body != nil, last?["sort"]?.kind == .array, let path = try? Selector(parsing: "\(path)[-1].sort") else {
            return nil
        }
        self.init(cursorPath: path, cursorParam: "$.search_after")
    }
}
