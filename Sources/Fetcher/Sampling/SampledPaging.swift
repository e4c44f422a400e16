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

    /// The most certain way that is recognised; `auto` where none is.
    var finding: Finding {
        if records.isWholeBody {
            return Finding(.singlePage, "the page is one record")
        }
        guard let recognition = try? Recognition(head: head, root: root) else {
            return Finding(.headerLink(.init()), "the response has a Link field that is broken", isDoubtful: true)
        }
        let isMore = Recognition.announcement(in: root)
        switch recognition {
        case .headerLink(let target):
            return linked(.headerLink(.init()), to: target, "the response has a Link field with rel=next")
        case .jsonLink(let path, let target):
            return linked(.jsonLink(.init(nextURLPath: path)), to: target, "the page has the next one's URL")
        case .cursor(let path, let parameter, _):
            let moreIn = isMore?.isMore == nil ? nil : isMore.map { "$.\($0.member)" }
            let cursor = Paginator.Cursor(
                cursorPath: path, cursorParam: cursorParameter ?? parameter, hasMorePath: moreIn)
            return Finding(
                .cursor(cursor), "the page has it, and the parameter is most often called '\(parameter)'",
                isDoubtful: cursorParameter == nil && parameter != "page")
        case .token(let path, let member):
            return Finding(
                .cursor(.init(cursorPath: path, cursorParam: cursorParameter ?? "cursor")),
                "'\(member)' looks like a cursor, and which parameter takes it is not told"
                    + (cursorParameter.map { " but by the URL: '\($0)'" } ?? ""),
                isDoubtful: cursorParameter == nil)
        case .last:
            return Finding(.auto, "the page says that it is the last one; garner finds out as soon as it is not")
        case .unclear(let member):
            return counted.finding
                ?? Finding(
                    .auto, "'\(member)' says that there is more, but not where; set a paginator", isDoubtful: true)
        case .nothing: return counted.finding ?? unknown
        }
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

    private var counted: CountedPaging { CountedPaging(root: root, recordCount: records.selection.count, query: query) }

    private var cursorParameter: String? { query.positions.first { $0.role == .cursor }?.name }

    private var unknown: Finding {
        let count = records.selection.count
        let isSaid = Recognition.members.contains { root[$0] != nil }
        if isSaid || counted.isWhole {
            return Finding(.auto, "nothing follows this page; garner finds out as soon as something does")
        }
        return Finding(
            .auto, "nothing on the page tells of another one, so that its \(count) records are taken for all",
            // A page is rarely made of 7 records.
            isDoubtful: count % 5 == 0 || query.size != nil)
    }
}
