/// How the request of the next page follows from a page.
package enum Paginator: Sendable, Equatable {
    /// Recognised from each response: Link header, the usual places of a next URL, the usual cursors.
    case auto(PageLimits)
    case singlePage
    /// The next URL stands in the body.
    case jsonLink(nextURLPath: String, PageLimits)
    /// The next URL stands in a `Link` header with this relation (RFC 8288).
    case headerLink(relation: String, PageLimits)
    case cursor(cursorPath: String, cursorParam: String, hasMorePath: String?, PageLimits)
    case offset(offsetParam: String, limitParam: String, limit: Int, totalPath: String?, PageLimits)
    case pageNumber(
        pageParam: String, basePage: Int, pageSizeParam: String?, pageSize: Int?, totalPath: String?,
        totalPagesPath: String?, PageLimits)

    package var limits: PageLimits {
        switch self {
        case .singlePage: PageLimits(maxPages: 1)
        case .auto(let limits), .jsonLink(_, let limits), .headerLink(_, let limits), .cursor(_, _, _, let limits),
            .offset(_, _, _, _, let limits), .pageNumber(_, _, _, _, _, _, let limits):
            limits
        }
    }
}

/// Where paging ends, whatever the responses say.
package struct PageLimits: Sendable, Equatable {
    package var maxPages: Int?
    /// Whether an empty page is the last one although it announces more; nil: then the read ends there too, but does not
    /// count as complete.
    package var stopsAfterEmptyPage: Bool?

    package init(maxPages: Int? = nil, stopsAfterEmptyPage: Bool? = nil) {
        self.maxPages = maxPages
        self.stopsAfterEmptyPage = stopsAfterEmptyPage
    }
}
