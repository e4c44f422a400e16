extension Paginator {
    private typealias Value = EffectiveConfiguration.Value

    /// Keys and values as they would be written; what is not set is left out.
    var effectiveValues: [(String, EffectiveConfiguration.Value)] {
        let own = kind.effectiveValues.compactMap { key, value in value.map { (key, $0) } }
        if kind == .singlePage { return own }
        let maximum = limits.maxPages.map { [("max_pages", Value.integer($0))] } ?? []
        return own + maximum + [
            ("stop_after_empty_page", limits.stopsAfterEmptyPage.map { .flag($0) } ?? .automatic),
            ("allow_cross_origin", .flag(limits.allowsOtherOrigins)),
        ] + (limits.ignoresTotal ? [("ignore_total", .flag(true))] : [])
    }
}

extension Paginator.Kind {
    /// nil for what is not set.
    var effectiveValues: [(String, EffectiveConfiguration.Value?)] {
        switch self {
        case .auto: [("type", .text("auto"))]
        case .singlePage: [("type", .text("single_page"))]
        case .jsonLink(let link): [("type", .text("json_link")), ("next_url_path", .text(link.nextURLPath))]
        case .headerLink(let link): [("type", .text("header_link")), ("rel", .text(link.relation))]
        case .headerCursor(let cursor):
            [
                ("type", .text("header_cursor")), ("cursor_header", .text(cursor.cursorHeader)),
                ("cursor_param", .text(cursor.cursorParam)),
            ]
        case .cursor(let cursor):
            [
                ("type", .text("cursor")), ("cursor_path", .text(cursor.cursorPath)),
                ("cursor_param", .text(cursor.cursorParam)), ("has_more_path", cursor.hasMorePath.map { .text($0) }),
            ]
        case .offset(let offset):
            [
                ("type", .text("offset")), ("offset_param", .text(offset.offsetParam)),
                ("limit_param", .text(offset.limitParam)), ("limit", .integer(offset.limit)),
                ("total_path", offset.totalPath.map { .text($0) }),
            ]
        case .pageNumber(let page):
            [
                ("type", .text("page_number")), ("page_param", .text(page.pageParam)),
                ("base_page", .integer(page.basePage)), ("page_size_param", page.pageSizeParam.map { .text($0) }),
                ("page_size", page.pageSize.map { .integer($0) }), ("total_path", page.totalPath.map { .text($0) }),
                ("total_pages_path", page.totalPagesPath.map { .text($0) }),
                ("has_more_path", page.hasMorePath.map { .text($0) }),
            ]
        }
    }
}
