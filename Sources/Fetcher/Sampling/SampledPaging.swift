import GarnerCatalog
import GarnerJSON

/// Infers the paginator from a first page and its URL.
struct SampledPaging {
    typealias Finding = StarterFindings.Finding<Paginator>

    let head: ResponseHead
    let source: WebAddress
    let root: Node
    let records: SampledRecords
    /// The query of the collection's URL.
    let query: StarterQuery
    /// The posted body; nil for GET.
    let body: BodyValue?

    /// The most certain paginator recognised; `auto` if none is.
    var finding: Finding {
        if records.isWholeBody {
            return Finding(.singlePage, "the page is one record")
        }
        if records.shape == .columns { return Finding(.singlePage, "the arrays have all values") }
        guard let detection else {
            return Finding(.headerLink(.init()), "the response has a Link field that is broken", isDoubtful: true)
        }
        if detection.end != nil {
            return Finding(.auto, "the page says that it is the last one; garner finds out as soon as it is not")
        }
        let counted = CountedPaging(detection, recordCount: count, query: query, hasBody: body != nil).finding
        for sign in detection.signs {
            if let finding = finding(for: sign, detection) { return finding }
        }
        if let sorted = Paginator.Cursor(body, recordsAt: recordsPath, last: last) {
            return Finding(.cursor(sorted), "the records tell how they were sorted")
        }
        if let start = countedStart {
            return Finding(.auto, "'\(start.path)' counts the records, which garner follows")
        }
        if let counted, !endsByLink || !query.positions.isEmpty { return counted }
        if let sign = detection.signs.first {
            return Finding(
                .auto, "'\(sign.path)' says that there is more, but not where; set a paginator", isDoubtful: true,
                tellsOfMore: true)
        }
        return unknown(detection)
    }

    /// True if the place of a link is empty, which has one where more follows, and nothing else counts the pages. The URL does not begin
    /// with 1.
    var endsByLink: Bool {
        guard let detection, detection.isEnd, let place = detection.emptySign, !beginsWithOne, detection.total == nil,
            detection.totalPages == nil
        else { return false }
        let name = Envelope.normalized(place.split(separator: ".").last.map(String.init) ?? place)
        return ["next", "nextpage"].contains(name) || PagingWord(name) == .nextLink
    }

    private func finding(for sign: PaginationDetection.Sign, _ detection: PaginationDetection) -> Finding? {
        switch sign.kind {
        case .headerLink(let target):
            return linked(Paginator(.headerLink(.init())), to: target, "the response has a Link field with rel=next")
        case .link(let target):
            guard let path = sign.selector else {
                return linked(Paginator(), to: target, "'\(sign.path)' has the next page's URL, which garner follows")
            }
            // Some servers fill the link on the last page, too.
            let link = Paginator.JSONLink(nextURLPath: path)
            let more = detection.signs.lazy.compactMap(MoreFlag.init).first
            return linked(
                Paginator(.jsonLink(link), limits: PageLimits(lastWhen: more?.lastWhen(beside: link))), to: target,
                "the page has the next one's URL")
        case .cursor(_, let parameter):
            guard let path = sign.selector else { return nil }
            let more = detection.signs.lazy.compactMap(MoreFlag.init).first
            let name = cursorParameter ?? parameter ?? "cursor"
            let cursor = Paginator.Cursor(
                cursorPath: path, cursorParam: ParameterPlace(body?.writtenPlace(for: name, on: root) ?? name),
                hasMorePath: more?.hasMorePath)
            let paginator = Paginator(
                .cursor(cursor), limits: PageLimits(lastWhen: more?.lastWhen(beside: cursor)))
            if let parameter {
                return Finding(
                    paginator, "the page has it, and the parameter is most often called '\(parameter)'",
                    isDoubtful: cursorParameter == nil && parameter != "page")
            }
            return Finding(
                paginator,
                "'\(sign.path)' looks like a cursor, and which parameter takes it is not told"
                    + (cursorParameter.map { " but by the URL: '\($0)'" } ?? ""),
                isDoubtful: cursorParameter == nil)
        case .parameters:
            return Finding(.auto, "'\(sign.path)' has the parameters of the next page, which garner sends")
        case .announcement: return nil
        }
    }

    /// The number of the first record on a page that also states how many there are; nil if it does not, or if another one is meant.
    var countedStart: PaginationDetection.Echo? {
        guard body == nil, let detection, detection.total?.isExact == true, let start = detection.startIndex else {
            return nil
        }
        return (0...1).contains(start.value) ? start : nil
    }

    var count: Int { records.selection.count }

    /// The signs of pagination on the page; nil if its `Link` field is malformed.
    var detection: PaginationDetection? {
        let selector = records.finding.value.flatMap { try? Selector(parsing: $0) }
        return try? PaginationDetection(
            head: head, root: root, way: selector?.way(in: root) ?? [(path: "$", node: root)], count: count,
            locator: PageLocator(address: source, body: nil))
    }

    private func linked(_ paginator: Paginator, to target: String, _ remark: String) -> Finding {
        guard let next = source.resolving(target) else {
            return Finding(paginator, "\(remark), which cannot be fetched", isDoubtful: true)
        }
        if next.hasOrigin(of: source) { return Finding(paginator, remark) }
        return Finding(
            paginator,
            "\(remark), but at \(next.origin.description.shortened): add allow_cross_origin: true if you trust it",
            isDoubtful: true)
    }

    private var cursorParameter: String? { query.positions.first { $0.role == .cursor }?.name }

    private var recordsPath: String {
        let selector = records.finding.value ?? "$"
        return selector.hasSuffix("[*]") ? String(selector.dropLast(3)) : selector
    }

    private var last: Node? {
        (try? Selector(parsing: recordsPath))?.first(in: root).flatMap { array in
            array.elements.reduce(nil) { $1 } as Node?
        }
    }

    /// Returns true if the page holds as many records as it says there are.
    func isWhole(_ detection: PaginationDetection) -> Bool {
        CountedPaging(detection, recordCount: count, query: query, hasBody: body != nil).isWhole
    }

    private func unknown(_ detection: PaginationDetection) -> Finding {
        if let possible = detection.possible {
            return Finding(
                .auto, "'\(possible.statement.path)' may say that there is more; set paginator if so", isDoubtful: true,
                tellsOfMore: true)
        }
        if detection.hasSign || isWhole(detection) {
            return Finding(.auto, "nothing follows this page; garner finds out as soon as something does")
        }
        return Finding(
            .auto, "no sign of further pages; if there are more, set paginator",
            // A complete collection rarely has a multiple of 5 records, and a page usually does.
            isDoubtful: count % 5 == 0 || query.size != nil)
    }
}

/// Infers a paginator that counts pages or records, from the numbers on a page and in its URL.
struct CountedPaging {
    private let recordCount: Int
    private let query: StarterQuery
    /// True if parameters that the URL does not have belong into a body.
    private let hasBody: Bool
    private let total: PaginationDetection.Count?
    private let totalPages: PaginationDetection.Count?
    private let page: PaginationDetection.Echo?
    private let offset: PaginationDetection.Echo?
    private let size: PaginationDetection.Echo?
    /// The flag on the page that announces more records.
    private let flag: MoreFlag?
    /// True if a flag announces more records, false if it says that there are none; nil without one.
    private let isAnnounced: Bool?

    init(_ detection: PaginationDetection, recordCount: Int, query: StarterQuery, hasBody: Bool = false) {
        self.recordCount = recordCount
        self.query = query
        self.hasBody = hasBody
        total = detection.total.flatMap { $0.value > 0 ? $0 : nil }
        totalPages = detection.totalPages.flatMap { $0.value > 0 ? $0 : nil }
        page = detection.page.flatMap { (0...1).contains($0.value) ? $0 : nil }
        offset = detection.offset.flatMap { $0.value == 0 ? $0 : nil }
        size = detection.size.flatMap { $0.value >= max(recordCount, 1) && $0.value <= Int(Int32.max) ? $0 : nil }
        flag = detection.signs.lazy.compactMap(MoreFlag.init).first
        isAnnounced = flag != nil ? true : detection.end != nil ? false : nil
    }

    /// True if the page says that it holds all records.
    var isWhole: Bool { total.map { $0.value == recordCount } ?? (totalPages?.value == 1) }

    /// The paginator that counts; nil if nothing shows how the pages are counted, or if there is only one.
    var finding: StarterFindings.Finding<Paginator>? {
        let asked = query.positions.first { [.page, .offset].contains($0.role) }
        if asked?.role == .offset || asked == nil && offset != nil && page == nil {
            return finding(byOffset: asked)
        }
        if asked?.role == .page || page != nil { return finding(byPage: asked) }
        let isCounted = total != nil || totalPages != nil || size != nil || query.size != nil
        guard isMore, isCounted else { return nil }
        let sizeName = (query.size?.name ?? size?.name)?.lowercased()
        let isLimit = sizeName?.hasSuffix("limit") ?? (total?.path == "Content-Range")
        return isLimit ? finding(byOffset: nil) : finding(byPage: nil)
    }

    /// True if the page announces more records, or holds as many as were requested.
    private var isMore: Bool {
        if let isAnnounced { return isAnnounced }
        if let total { return total.value > recordCount }
        if let totalPages { return totalPages.value > 1 }
        return query.size.map { recordCount >= $0.value } ?? false
    }

    /// Returns the place of a parameter that the URL does not have.
    private func place(_ name: String) -> ParameterPlace { ParameterPlace(hasBody ? "$.\(name)" : name) }

    private func finding(byOffset asked: StarterQuery.Position?) -> StarterFindings.Finding<Paginator> {
        let kind = Paginator.Offset(
            offsetParam: asked.map { ParameterPlace($0.name) } ?? place(offset?.name ?? "offset"),
            baseOffset: asked?.value == "1" ? 1 : nil,
            limitParam: query.size.map { ParameterPlace($0.name) } ?? place(size?.name ?? "limit"),
            limit: query.size?.value ?? size?.value ?? max(recordCount, 1), totalPath: total?.bodyPath)
        return .init(
            Paginator(.offset(kind), limits: PageLimits(lastWhen: flag?.lastWhen(beside: kind))),
            remark("'\(kind.offsetParam)' and '\(kind.limitParam)'"),
            isDoubtful: asked == nil && offset == nil || kind.totalPath == nil || kind.baseOffset != nil)
    }

    private func finding(byPage asked: StarterQuery.Position?) -> StarterFindings.Finding<Paginator> {
        let kind = Paginator.PageNumber(
            asked.map { ParameterPlace($0.name) } ?? place(page.map { $0.parameter } ?? "page"),
            from: page?.value ?? (asked?.value == "0" ? 0 : 1),
            query, totalPages: totalPages, total: total, hasMore: flag?.hasMorePath)
        let isBounded = totalPages != nil || total != nil || flag != nil
        // A page that does not state its number may be page 0 as well as page 1.
        return .init(
            Paginator(.pageNumber(kind), limits: PageLimits(lastWhen: flag?.lastWhen(beside: kind))),
            remark("'\(kind.pageParam)'"), isDoubtful: page == nil || !isBounded)
    }

    private func remark(_ parameters: String) -> String {
        let evidence =
            if let total, total.value > recordCount {
                "'\(total.path)' announces \(total.value) records, of which \(recordCount) came"
            } else if let totalPages {
                "'\(totalPages.path)' announces \(totalPages.value) \(totalPages.value == 1 ? "page" : "pages")"
            } else if let size = query.size, recordCount >= size.value {
                "as many records came as were asked for"
            } else {
                "the URL or the page counts"
            }
        return "\(evidence), and \(parameters) should ask for the rest"
    }
}

extension Paginator.PageNumber {
    /// Creates a paginator for all pages, as the first page and its URL suggest it.
    init(
        _ parameter: ParameterPlace, from base: Int, _ query: StarterQuery, totalPages: PaginationDetection.Count?,
        total: PaginationDetection.Count?, hasMore: Selector?
    ) {
        let totalPagesPath = totalPages?.bodyPath
        self.init(
            pageParam: parameter, basePage: base,
            pageSizeParam: query.size.map { ParameterPlace($0.name) }, pageSize: query.size?.value,
            totalPath: totalPagesPath == nil ? total?.bodyPath : nil, totalPagesPath: totalPagesPath,
            hasMorePath: hasMore)
    }
}

extension PaginationDetection.Sign {
    /// The path if the sign stands in the body; nil if it stands in the response head.
    var selector: Selector? { try? Selector(parsing: path) }
}

extension PaginationDetection.Count {
    /// The path if the count stands in the body; nil if it stands in the response head.
    var bodyPath: Selector? { try? Selector(parsing: path) }
}

extension PaginationDetection.Echo {
    /// The parameter that most likely takes this number, judged by the name it has on the page.
    var parameter: String { ["page_number", "pageNumber", "pageno", "pageNo"].contains(name) ? name : "page" }

    /// The parameter that takes this number as a member of the object around it, if that is named after pages, such as
    /// `pagination[page]`; nil if it is not.
    var member: String? {
        let names = path.split(separator: ".")
        guard names.count > 2, let owner = names.dropLast().last,
            ["page", "pager", "pagination", "paging"].contains(owner)
        else { return nil }
        return "\(owner)[\(name)]"
    }
}
