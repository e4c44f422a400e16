import GarnerCatalog
import GarnerJSON
import GarnerModel

/// The sign of further records that `auto` cannot request, and the settings that would read them.
struct PagingAdvice {
    let sign: String
    let settings: [Advice]

    /// Returns nil if the page announces nothing further.
    init?(_ page: ReceivedPage) {
        let detection = page.detection
        let firstOnly = Advice(Paginator(limits: PageLimits(maxPages: 1)), "if only the first page is wanted")
        if let open = detection.openSign {
            sign = "\(open.path) tells of another page"
            settings = Self.settings(for: open, on: page) + [firstOnly]
        } else if detection.isEnd {
            return nil
        } else if let total = detection.total, total.isExact, total.value > page.recordsRead {
            sign = "\(page.recordsRead) of \(total.value) records came, as \(total.path) says"
            settings =
                Self.counting(page) + [firstOnly, Self.ignoring("if \(total.path) does not count these records")]
        } else if let pages = detection.totalPages, pages.value > 1 {
            sign = "\(pages.path) tells of \(pages.value) pages"
            settings =
                Self.counting(page) + [firstOnly, Self.ignoring("if \(pages.path) does not count these pages")]
        } else {
            return nil
        }
    }

    private static func ignoring(_ condition: String) -> Advice {
        Advice(Paginator(limits: PageLimits(ignoresTotal: true)), condition)
    }

    private static func settings(for sign: PaginationDetection.Sign, on page: ReceivedPage) -> [Advice] {
        switch sign.kind {
        case .cursor(_, let parameter):
            let name = page.written(parameter ?? "cursor")
            return sign.selector.map { cursor(at: $0, as: name) } ?? []
        case .parameters(let parameters):
            guard parameters.count == 1, let name = parameters.first?.name, let place = sign.selector else {
                return counting(page)
            }
            let member = try? Selector(parsing: "\(place)\(Selector.shortSegment(named: name))")
            return cursor(at: sign.node?.kind == .object ? member ?? place : place, as: page.written(name))
        case .announcement: return counting(page, MoreFlag(sign))
        case .link: return sign.selector.map { [Advice(Paginator(.jsonLink(.init(nextURLPath: $0))))] } ?? []
        case .headerLink: return [Advice(Paginator(.headerLink(.init())))]
        }
    }

    private static func cursor(at path: Selector, as name: String) -> [Advice] {
        [
            Advice(
                Paginator(.cursor(.init(cursorPath: path, cursorParam: ParameterPlace(name)))),
                "if the parameter \(name) takes it")
        ]
    }

    /// Returns the ways to ask for more of a list that is counted, or of which a flag says that there is more.
    private static func counting(_ page: ReceivedPage, _ flag: MoreFlag? = nil) -> [Advice] {
        func advice(_ kind: Paginator.Kind, _ condition: String) -> Advice {
            Advice(
                Paginator(kind, limits: PageLimits(lastWhen: flag?.lastWhen(beside: kind.method))), condition)
        }
        let records = (try? Selector(parsing: page.recordsPath))?.first(in: page.root)
        let last = records.flatMap { array in array.elements.reduce(nil) { $1 } as Node? }
        if let sorted = Paginator.Cursor(page.locator.structuredBody, recordsAt: page.recordsPath, last: last) {
            return [Advice(Paginator(.cursor(sorted)))]
        }
        let detection = page.detection
        let total = detection.total.flatMap { $0.isExact ? $0.bodyPath : nil }
        // A page that does not state its number may be page 0 as well as page 1, unless it was asked for by its number.
        let number = page.locator.page ?? detection.page?.value
        let numbered = (number.map { [min(max($0, 0), 1)] } ?? [1, 0]).map { base in
            advice(
                .pageNumber(
                    .init(
                        pageParam: ParameterPlace(page.written(detection.page?.parameter ?? "page")), basePage: base,
                        totalPath: total,
                        totalPagesPath: total == nil ? detection.totalPages?.bodyPath : nil,
                        hasMorePath: flag?.hasMorePath)), "if its pages are numbered from \(base)")
        }
        let size = page.locator.name(where: ParameterRole.isSize) ?? detection.size?.name ?? "limit"
        let skipping = advice(
            .offset(
                .init(
                    offsetParam: ParameterPlace(page.written(detection.offset?.name ?? "offset")),
                    limitParam: ParameterPlace(page.written(size)),
                    limit: max(page.locator.limit ?? page.recordCount, 1), totalPath: total)), "if it skips records")
        // A server that tells which records came, or how many come before them, counts records.
        let skips = page.head.headers.rangeOfUnits != nil || detection.offset != nil && detection.page == nil
        let (first, second) = skips ? ([skipping], numbered) : (numbered, [skipping])
        guard flag != nil, last?["id"]?.pagingText != nil,
            let path = try? Selector(parsing: "\(page.recordsPath)[-1].id")
        else { return first + second }
        let after = advice(
            .cursor(
                .init(
                    cursorPath: path, cursorParam: ParameterPlace(page.written("starting_after")),
                    hasMorePath: flag?.hasMorePath)), "if the next page begins after the last record")
        return first + [after] + second
    }
}

extension ReceivedPage {
    /// Returns the parameter as a configuration for this request would write it.
    fileprivate func written(_ parameter: String) -> String {
        locator.structuredBody?.writtenPlace(for: parameter, on: root) ?? parameter
    }

    /// True if the page has as many records as a full one has, or often has.
    fileprivate var isFull: Bool { recordCount >= locator.limit ?? .max || recordCount.isUsualPageSize }

    /// True if the body is a list, in which no page has this place.
    fileprivate func neverHas(_ path: Selector) -> Bool { root.kind == .array && path.beginsWithNames }
}

extension PagingMethod {
    /// The keys with the places of totals that end a read of numbered pages.
    private var totals: [(key: String, path: Selector)] {
        let numbers = self as? Paginator.PageNumber
        let records = numbers?.totalPath ?? (self as? Paginator.Offset)?.totalPath
        return [records.map { ("total_path", $0) }, numbers?.totalPagesPath.map { ("total_pages_path", $0) }]
            .compactMap(\.self)
    }

    /// The key with the place of the total that ends a read of numbered pages; nil if there is none, or if it may be one of two.
    var endingTotal: (key: String, path: Selector)? { totals.count == 1 ? totals[0] : nil }

    /// Returns what to tell of a first page without the configured totals, which APIs may leave out where one page is all.
    func doubt(onTotalsOf page: ReceivedPage, _ places: NamedPlaces?) -> String? {
        guard page.recordCount > 0, let (key, path) = totals.first, places?.total == nil, places?.totalPages == nil
        else { return nil }
        let (records, pages) = (page.detection.total, page.detection.totalPages)
        let others = [
            records.flatMap { $0.isExact ? $0.bodyPath : nil }.map { ("total_path", $0) },
            self is Paginator.PageNumber ? pages?.bodyPath.map { ("total_pages_path", $0) } : nil,
        ].compactMap(\.self)
        let meant = others.first { $0.0 == key } ?? others.first
        guard meant != nil || page.isFull || page.neverHas(path) else { return nil }
        let remedy = meant.map { "write \($0.0): \($0.1) in paginator" } ?? "correct it, or remove it from paginator"
        return "\(key) (\(path)) finds nothing, so each read asks for a page behind the last one; \(remedy)"
    }

    /// Returns what to tell of a first page that leads on without the configured flag; see `doubt(onTotalsOf:_:)`.
    func doubt(onFlagOf page: ReceivedPage) -> String? {
        guard page.recordCount > 0, let path = hasMorePath, path.first(in: page.root) == nil else { return nil }
        let meant = page.detection.signs.lazy.compactMap { MoreFlag($0)?.hasMorePath }.first
        guard meant != nil || page.isFull || !evidence.isCount || page.neverHas(path) else { return nil }
        let remedy =
            meant.map { "write has_more_path: \($0) in paginator" } ?? "correct it, or remove it from paginator"
        return "has_more_path (\(path)) finds nothing on the first page, and so ends no read; \(remedy)"
    }
}

extension Verdict {
    /// Returns the verdict with the place of a total that ended the read with its first page, although the page has a greater one.
    func naming(_ total: (key: String, path: Selector)?) -> Verdict {
        guard let total, kind == .missed, case .left(let records, let all)? = cause else { return self }
        return Verdict(
            kind, "\(records) of \(all) records, as \(total.key) (\(total.path)) says that these are all",
            advice:
                "correct \(total.key) in paginator, or remove it; set ignore_total: true if \(all) counts something else"
        )
    }
}
