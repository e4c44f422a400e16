import Catalog
import JSON

/// What a first page and its URL tell of the pages behind it.
struct SampledPaging {
    typealias Finding = StarterFindings.Finding<Paginator.Kind>

    let head: ResponseHead
    let source: WebAddress
    let root: Node
    let records: SampledRecords
    /// Of the collection's URL.
    let query: StarterQuery
    /// What was posted; nil for GET.
    let body: BodyValue?

    /// The most certain way that is recognised; `auto` where none is.
    var finding: Finding {
        if records.isWholeBody {
            return Finding(.singlePage, "the page is one record")
        }
        guard let detection else {
            return Finding(.headerLink(.init()), "the response has a Link field that is broken", isDoubtful: true)
        }
        if detection.end != nil {
            return Finding(.auto, "the page says that it is the last one; garner finds out as soon as it is not")
        }
        let counted = CountedPaging(detection, recordCount: count, query: query).finding
        for sign in detection.signs {
            if let finding = finding(for: sign, detection) { return finding }
        }
        if let sorted = SortedPaging(body, recordsAt: recordsPath, last: last)?.cursor {
            return Finding(.cursor(sorted), "the records tell how they were sorted")
        }
        if let counted { return counted }
        if let sign = detection.signs.first {
            return Finding(
                .auto, "'\(sign.path)' says that there is more, but not where; set a paginator", isDoubtful: true)
        }
        return unknown(detection)
    }

    private func finding(for sign: PaginationDetection.Sign, _ detection: PaginationDetection) -> Finding? {
        switch sign.kind {
        case .headerLink(let target):
            return linked(.headerLink(.init()), to: target, "the response has a Link field with rel=next")
        case .link(let target):
            return linked(.jsonLink(.init(nextURLPath: sign.path)), to: target, "the page has the next one's URL")
        case .cursor(_, let parameter):
            let more = detection.signs.first { $0.isAnnouncement }?.path
            let name = cursorParameter ?? parameter ?? "cursor"
            let cursor = Paginator.Cursor(
                cursorPath: sign.path, cursorParam: body?.writtenPlace(for: name, on: root) ?? name, hasMorePath: more)
            if let parameter {
                return Finding(
                    .cursor(cursor), "the page has it, and the parameter is most often called '\(parameter)'",
                    isDoubtful: cursorParameter == nil && parameter != "page")
            }
            return Finding(
                .cursor(cursor),
                "'\(sign.path)' looks like a cursor, and which parameter takes it is not told"
                    + (cursorParameter.map { " but by the URL: '\($0)'" } ?? ""),
                isDoubtful: cursorParameter == nil)
        case .parameters:
            return Finding(.auto, "'\(sign.path)' has the parameters of the next page, which garner sends")
        case .announcement: return nil
        }
    }

    var count: Int { records.selection.count }

    /// nil where the `Link` field is broken.
    var detection: PaginationDetection? {
        let selector = records.finding.value.flatMap { try? Selector(parsing: $0) }
        return try? PaginationDetection(
            head: head, root: root, way: selector?.way(in: root) ?? [(path: "$", node: root)], count: count,
            locator: PageLocator(address: source, body: nil))
    }

    private func linked(_ kind: Paginator.Kind, to target: String, _ remark: String) -> Finding {
        guard let next = source.resolving(target) else {
            return Finding(kind, "\(remark), which cannot be fetched", isDoubtful: true)
        }
        if next.origin == source.origin { return Finding(kind, remark) }
        return Finding(
            kind,
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

    /// The page has as many records as it says there are.
    func isWhole(_ detection: PaginationDetection) -> Bool {
        CountedPaging(detection, recordCount: count, query: query).isWhole
    }

    private func unknown(_ detection: PaginationDetection) -> Finding {
        if detection.hasSign || isWhole(detection) {
            return Finding(.auto, "nothing follows this page; garner finds out as soon as something does")
        }
        return Finding(
            .auto, "No sign of further pages. If there are more, set paginator.",
            // A page is rarely made of 7 records.
            isDoubtful: count % 5 == 0 || query.size != nil)
    }
}
