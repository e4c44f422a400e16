package import Catalog
import JSON

/// A way in which the pages behind a first one may be reached, to be tried with one request.
package struct PageGuess: Sendable {
    /// What the second page is asked for with.
    package let parameters: [(name: String, value: String)]
    /// What reads all pages, if that is right.
    package let paginator: Paginator.Kind
}

extension PageSample {
    /// The guesses that are worth a request, the likeliest first; none where the page itself says how its pages follow each
    /// other, or that there is no other one.
    package func guesses(of records: SampledRecords, asked query: StarterQuery) -> [PageGuess] {
        document.withRoot { root in
            let paging = SampledPaging(
                head: head, source: source, root: root, records: records, query: query, body: stream.request.body)
            return paging.isOpen ? paging.guesses : []
        }
    }
}

extension SampledPaging {
    /// Nothing on the page tells for certain how the next one is asked for, nor that there is none.
    var isOpen: Bool {
        guard !records.isWholeBody, count > 0, let detection, !detection.isEnd else { return false }
        switch detection.signs.first?.kind {
        case .link, .headerLink, .parameters: return false
        case .cursor, .announcement: return finding.isDoubtful
        case nil: break
        }
        // Fewer records than were asked for, and not as many as full pages have: most likely all of them.
        if let size = query.size, count < size.value, !Judgement.isRound(count) { return false }
        return finding.isDoubtful || finding.value == .auto && !isWhole(detection)
    }

    var guesses: [PageGuess] {
        guard let detection else { return [] }
        let more = detection.signs.first { $0.isAnnouncement && $0.path.hasPrefix("$") }?.path
        if case .cursor(let value, _)? = detection.signs.first?.kind, let path = detection.signs.first?.path,
            let text = value.pagingText, !text.contains("{")
        {
            return Self.cursorNames(in: path).map { name in
                PageGuess(
                    parameters: [(name: name, value: text)],
                    paginator: .cursor(.init(cursorPath: path, cursorParam: name, hasMorePath: more)))
            }
        }
        let after: [PageGuess] =
            lastID.map { last in
                ["starting_after", "after"].map { name in
                    PageGuess(
                        parameters: [(name: name, value: last.id)],
                        paginator: .cursor(.init(cursorPath: last.path, cursorParam: name, hasMorePath: more)))
                }
            } ?? []
        let numbered = [numbered(detection, more)]
        let offsets = offsets(detection)
        let byNumbers = skipsByName ? offsets + numbered : numbered + offsets
        // What is announced without a number is most often asked for behind the last record.
        return more != nil ? after + byNumbers : byNumbers + after.prefix(1)
    }

    /// What a cursor is sent as, the likeliest first.
    private static func cursorNames(in path: String) -> [String] {
        let own = path.split(separator: ".").last.map(String.init) ?? "cursor"
        let names = [
            "cursor", "page_token", "pageToken", "after", "starting_after", "start_cursor", "continuation", "marker",
            "token", own,
        ]
        return names.enumerated().filter { names.firstIndex(of: $0.element) == $0.offset }.map(\.element)
    }

    private func numbered(_ detection: PaginationDetection, _ more: String?) -> PageGuess {
        let name = detection.page?.parameter ?? "page"
        let base = detection.page.map { min($0.value, 1) } ?? 1
        var kind = Paginator.PageNumber(pageParam: name)
        kind.basePage = base
        kind.pageSizeParam = query.size?.name
        kind.pageSize = query.size?.value
        kind.totalPagesPath = detection.totalPages?.bodyPath
        kind.totalPath = kind.totalPagesPath == nil ? detection.total?.bodyPath : nil
        kind.hasMorePath = more
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
                    .init(offsetParam: offset, limitParam: size, limit: limit, totalPath: detection.total?.bodyPath)))
        }
    }

    /// A page's size is called `limit` where records are skipped, and `per_page` where pages are numbered.
    private var skipsByName: Bool {
        guard let name = (query.size?.name ?? detection?.size?.name)?.lowercased() else { return false }
        return ["limit", "top", "maxresults", "rows", "take"].contains { name.hasSuffix($0) }
    }

    /// Of the last record, as far as it has one.
    private var lastID: (path: String, id: String)? {
        var id: String?
        records.selection.forEach { id = $0["id"]?.pagingText }
        guard let id, let selector = records.finding.value, selector.hasSuffix("[*]") else { return nil }
        return (path: "\(selector.dropLast(3))[-1].id", id: id)
    }
}

extension BodyValue {
    /// A string, or a number's spelling.
    fileprivate var pagingText: String? {
        switch self {
        case .text(let text): text.reveal()
        case .number(let text): text
        default: nil
        }
    }
}
