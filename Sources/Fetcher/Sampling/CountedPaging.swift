import Catalog
import JSON

/// The paginator that counts, as far as a page's numbers and its URL tell.
struct CountedPaging {
    private let recordCount: Int
    private let query: StarterQuery
    private let total: PaginationDetection.Count?
    private let totalPages: PaginationDetection.Count?
    private let page: PaginationDetection.Echo?
    private let offset: PaginationDetection.Echo?
    private let size: PaginationDetection.Echo?
    /// Where the page says by a boolean whether there is more, and what it says.
    private let announcement: (path: String, isMore: Bool)?

    init(_ detection: PaginationDetection, recordCount: Int, query: StarterQuery) {
        self.recordCount = recordCount
        self.query = query
        total = detection.total.flatMap { $0.value > 0 ? $0 : nil }
        totalPages = detection.totalPages.flatMap { $0.value > 0 ? $0 : nil }
        page = detection.page.flatMap { (0...1).contains($0.value) ? $0 : nil }
        offset = detection.offset.flatMap { $0.value == 0 ? $0 : nil }
        size = detection.size.flatMap { $0.value >= max(recordCount, 1) && $0.value <= Int(Int32.max) ? $0 : nil }
        let more = detection.signs.first { $0.isAnnouncement && $0.path.hasPrefix("$") }
        announcement = more.map { (path: $0.path, isMore: true) } ?? detection.end.map { (path: $0, isMore: false) }
    }

    /// The page says that it has all there is.
    var isWhole: Bool { total.map { $0.value == recordCount } ?? (totalPages?.value == 1) }

    /// nil where nothing tells how the pages are counted, or where there is one only.
    var finding: StarterFindings.Finding<Paginator.Kind>? {
        let asked = query.positions.first { [.page, .offset].contains($0.role) }
        if asked?.role == .offset || asked == nil && offset != nil && page == nil {
            return finding(byOffset: asked?.name)
        }
        if asked?.role == .page || page != nil { return finding(byPage: asked) }
        let isCounted = total != nil || totalPages != nil || size != nil || query.size != nil
        guard isMore, isCounted else { return nil }
        let isLimit = (query.size?.name ?? size?.name)?.lowercased().hasSuffix("limit") == true
        return isLimit ? finding(byOffset: nil) : finding(byPage: nil)
    }

    /// Whether more records are announced, or as many came as were asked for.
    private var isMore: Bool {
        if let announcement { return announcement.isMore }
        if let total { return total.value > recordCount }
        if let totalPages { return totalPages.value > 1 }
        return query.size.map { recordCount >= $0.value } ?? false
    }

    private func finding(byOffset asked: String?) -> StarterFindings.Finding<Paginator.Kind> {
        let parameter = asked ?? offset?.name ?? "offset"
        let kind = Paginator.Offset(
            offsetParam: parameter, limitParam: query.size?.name ?? size?.name ?? "limit",
            limit: query.size?.value ?? size?.value ?? max(recordCount, 1), totalPath: total?.bodyPath)
        return .init(
            .offset(kind), remark("'\(kind.offsetParam)' and '\(kind.limitParam)'"),
            isDoubtful: asked == nil && offset == nil || kind.totalPath == nil)
    }

    private func finding(byPage asked: StarterQuery.Position?) -> StarterFindings.Finding<Paginator.Kind> {
        var kind = Paginator.PageNumber(pageParam: asked?.name ?? page.map { $0.parameter } ?? "page")
        kind.basePage = page?.value ?? (asked?.value == "0" ? 0 : 1)
        kind.pageSizeParam = query.size?.name
        kind.pageSize = query.size?.value
        kind.totalPagesPath = totalPages?.bodyPath
        kind.totalPath = kind.totalPagesPath == nil ? total?.bodyPath : nil
        kind.hasMorePath = announcement?.path
        let isBounded = totalPages != nil || total != nil || kind.hasMorePath != nil
        return .init(
            .pageNumber(kind), remark("'\(kind.pageParam)'"), isDoubtful: asked == nil && page == nil || !isBounded)
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

extension PaginationDetection.Count {
    /// nil where it stands in the head.
    var bodyPath: String? { path.hasPrefix("$") ? path : nil }
}

extension PaginationDetection.Echo {
    /// What the number of a page is sent as, by the name that it is told by.
    var parameter: String { ["page_number", "pageNumber", "pageno", "pageNo"].contains(name) ? name : "page" }
}
