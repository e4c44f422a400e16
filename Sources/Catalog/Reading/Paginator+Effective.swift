extension Paginator {
    /// Keys and values as they would be written; what is not set is left out.
    var effectiveValues: [(String, EffectiveConfiguration.Value)] {
        let own: [(String, EffectiveConfiguration.Value?)]
        switch self {
        case .auto: own = [("type", .text("auto"))]
        case .singlePage: return [("type", .text("single_page"))]
        case .jsonLink(let path, _): own = [("type", .text("json_link")), ("next_url_path", .text(path))]
        case .headerLink(let relation, _): own = [("type", .text("header_link")), ("rel", .text(relation))]
        case .cursor(let path, let parameter, let more, _):
            own = [
                ("type", .text("cursor")), ("cursor_path", .text(path)), ("cursor_param", .text(parameter)),
                ("has_more_path", more.map { .text($0) }),
            ]
        case .offset(let offset, let limitParam, let limit, let total, _):
            own = [
                ("type", .text("offset")), ("offset_param", .text(offset)), ("limit_param", .text(limitParam)),
                ("limit", .integer(limit)), ("total_path", total.map { .text($0) }),
            ]
        case .pageNumber(let page, let base, let sizeParam, let size, let total, let totalPages, _):
            own = [
                ("type", .text("page_number")), ("page_param", .text(page)), ("base_page", .integer(base)),
                ("page_size_param", sizeParam.map { .text($0) }), ("page_size", size.map { .integer($0) }),
                ("total_path", total.map { .text($0) }), ("total_pages_path", totalPages.map { .text($0) }),
            ]
        }
        let common: [(String, EffectiveConfiguration.Value?)] = [
            ("max_pages", limits.maxPages.map { .integer($0) }),
            ("stop_after_empty_page", limits.stopsAfterEmptyPage.map { .flag($0) } ?? .automatic),
        ]
        return (own + common).compactMap { key, value in value.map { (key, $0) } }
    }
}
