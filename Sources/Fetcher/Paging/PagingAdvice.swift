import Catalog
import JSON

/// What a page says of further records that `auto` cannot ask for, and the lines that would say how.
struct PagingAdvice {
    let sign: String
    let lines: [String]

    /// nil where nothing is announced.
    init?(_ page: ReceivedPage) {
        let detection = page.detection
        if let open = detection.openSign {
            sign = "\(open.path) tells of another page"
            lines =
                Self.lines(for: open, on: page) + [
                    "paginator: { type: auto, max_pages: 1 } if only the first page is wanted"
                ]
        } else if detection.isEnd {
            return nil
        } else if let total = detection.total, total.isExact, total.value > page.recordsRead {
            sign = "\(page.recordsRead) of \(total.value) records came, as \(total.path) says"
            lines =
                Self.counting(page, total: total) + [
                    "paginator: { type: auto, max_pages: 1 } if only the first page is wanted",
                    "paginator: { type: auto, ignore_total: true } if \(total.path) does not count these records",
                ]
        } else if let pages = detection.totalPages, pages.value > 1 {
            sign = "\(pages.path) tells of \(pages.value) pages"
            lines =
                Self.counting(page, total: nil) + [
                    "paginator: { type: auto, max_pages: 1 } if only the first page is wanted",
                    "paginator: { type: auto, ignore_total: true } if \(pages.path) does not count these pages",
                ]
        } else {
            return nil
        }
    }

    private static func lines(for sign: PaginationDetection.Sign, on page: ReceivedPage) -> [String] {
        switch sign.kind {
        case .cursor(_, let parameter):
            let name = page.written(parameter ?? "cursor")
            return [
                "paginator: { type: cursor, cursor_path: \"\(sign.path)\", cursor_param: \(name) } with the parameter that takes it"
            ]
        case .announcement, .parameters:
            let container = page.recordsPath
            return [
                "paginator: { type: page_number, has_more_path: \"\(sign.path)\" } if its pages are numbered",
                "paginator: { type: cursor, cursor_path: \"\(container)[-1].id\", cursor_param: starting_after, "
                    + "has_more_path: \"\(sign.path)\" } if the next page begins after the last record",
            ]
        case .link, .headerLink: return ["paginator: { type: json_link, next_url_path: \"\(sign.path)\" }"]
        }
    }

    private static func counting(_ page: ReceivedPage, total: PaginationDetection.Count?) -> [String] {
        let path = total.flatMap { $0.path.hasPrefix("$") ? ", total_path: \"\($0.path)\"" : nil } ?? ""
        let limit = page.locator.limit ?? page.recordCount
        let records = (try? Selector(parsing: page.recordsPath))?.first(in: page.root)
        let last = records.flatMap { array in array.elements.reduce(nil) { $1 } as Node? }
        if let sorted = SortedPaging(page.locator.body, recordsAt: page.recordsPath, last: last)?.cursor {
            return [
                "paginator: { type: cursor, cursor_path: \"\(sorted.cursorPath)\", cursor_param: \(sorted.cursorParam) }"
            ]
        }
        let isPosted = page.locator.body != nil
        let number = isPosted ? ", page_param: \(page.written("page"))" : ""
        let offset =
            isPosted ? ", offset_param: \(page.written("offset")), limit_param: \(page.written("limit"))" : ""
        return [
            "paginator: { type: page_number\(number)\(path) } if its pages are numbered",
            "paginator: { type: offset\(offset), limit: \(limit)\(path) } if it skips records",
        ]
    }
}

extension ReceivedPage {
    /// A parameter as a configuration names it for this request.
    fileprivate func written(_ parameter: String) -> String {
        locator.body?.writtenPlace(for: parameter, on: root) ?? parameter
    }
}
