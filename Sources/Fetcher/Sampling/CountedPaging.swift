import Catalog
import JSON

/// What a page says of its own place among all pages, in numbers.
struct CountedPaging {
    private let recordCount: Int
    private let query: StarterQuery
    private let total: Member?
    private let totalPages: Member?
    private let page: Member?
    private let offset: Member?
    private let size: Member?
    private let announcement: (member: String, isMore: Bool?)?

    private struct Member {
        let name: String
        let path: String
        let value: Int
    }

    init(root: Node, recordCount: Int, query: StarterQuery) {
        self.recordCount = recordCount
        self.query = query
        announcement = Recognition.announcement(in: root)
        let places = Self.places(in: root)
        func find(_ names: [String], _ isPossible: (Int) -> Bool) -> Member? {
            for (path, object) in places {
                for name in names {
                    guard let value = object[name]?.pagingNumber, isPossible(value) else { continue }
                    return Member(name: name, path: "\(path).\(name)", value: value)
                }
            }
            return nil
        }
        total = find(Self.totals) { $0 >= recordCount && $0 > 0 }
        totalPages = find(Self.pageTotals) { $0 >= 1 }
        page = find(Self.pages) { (0...1).contains($0) }
        offset = find(Self.offsets) { $0 == 0 }
        size = find(Self.sizes) { $0 >= max(recordCount, 1) && $0 <= Int(Int32.max) }
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
        if let announced = announcement?.isMore { return announced }
        if let total { return total.value > recordCount }
        if let totalPages { return totalPages.value > 1 }
        return query.size.map { recordCount >= $0.value } ?? false
    }

    private func finding(byOffset asked: String?) -> StarterFindings.Finding<Paginator.Kind> {
        let parameter = asked ?? offset?.name ?? "offset"
        let kind = Paginator.Offset(
            offsetParam: parameter, limitParam: query.size?.name ?? size?.name ?? "limit",
            limit: query.size?.value ?? size?.value ?? max(recordCount, 1), totalPath: total?.path)
        return .init(
            .offset(kind), remark("'\(kind.offsetParam)' and '\(kind.limitParam)'"),
            isDoubtful: asked == nil && offset == nil || kind.totalPath == nil)
    }

    private func finding(byPage asked: StarterQuery.Position?) -> StarterFindings.Finding<Paginator.Kind> {
        var kind = Paginator.PageNumber(pageParam: asked?.name ?? page.map { Self.parameter(of: $0.name) } ?? "page")
        kind.basePage = page?.value ?? (asked?.value == "0" ? 0 : 1)
        kind.pageSizeParam = query.size?.name
        kind.pageSize = query.size?.value
        kind.totalPagesPath = totalPages?.path
        kind.totalPath = totalPages == nil ? total?.path : nil
        if announcement?.isMore != nil { kind.hasMorePath = announcement.map { "$.\($0.member)" } }
        let isBounded = totalPages != nil || total != nil || kind.hasMorePath != nil
        return .init(
            .pageNumber(kind), remark("'\(kind.pageParam)'"), isDoubtful: asked == nil && page == nil || !isBounded)
    }

    private func remark(_ parameters: String) -> String {
        let evidence =
            if let total, total.value > recordCount {
                "'\(total.name)' announces \(total.value) records, of which \(recordCount) came"
            } else if let totalPages {
                "'\(totalPages.name)' announces \(totalPages.value) \(totalPages.value == 1 ? "page" : "pages")"
            } else if let size = query.size, recordCount >= size.value {
                "as many records came as were asked for"
            } else {
                "the URL or the page counts"
            }
        return "\(evidence), and \(parameters) should ask for the rest"
    }
}

// MARK: - The usual names

extension CountedPaging {
    /// Where counts stand by custom: the body itself, then its members about the page.
    private static func places(in root: Node) -> [(path: String, object: Node)] {
        let names = ["meta", "pagination", "paging", "page", "page_info", "pageInfo", "_meta", "metadata", "info"]
        let inner = names.compactMap { name in root[name].map { (path: "$.\(name)", object: $0) } }
        let nested = root["meta"]?["pagination"].map { [(path: "$.meta.pagination", object: $0)] } ?? []
        return [(path: "$", object: root)] + nested + inner.filter { $0.object.kind == .object }
    }

    private static let totals = [
        "total", "total_count", "totalCount", "total_results", "totalResults", "total_items", "totalItems",
        "total_records", "totalRecords", "total_entries", "totalEntries", "totalElements", "num_found", "numFound",
        "count",
    ]
    private static let pageTotals = [
        "total_pages", "totalPages", "page_count", "pageCount", "last_page", "lastPage", "num_pages", "numPages",
        "pages",
    ]
    private static let pages = ["page", "current_page", "currentPage", "page_number", "pageNumber", "number"]
    private static let offsets = ["offset", "skip", "start", "startAt"]
    private static let sizes = [
        "limit", "per_page", "perPage", "page_size", "pageSize", "maxResults", "itemsPerPage", "size",
    ]

    /// What the number is sent as, by the name that it is told by.
    private static func parameter(of member: String) -> String {
        ["page_number", "pageNumber"].contains(member) ? member : "page"
    }
}
