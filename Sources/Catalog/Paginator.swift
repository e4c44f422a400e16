/// How the request of the next page follows from a page.
package struct Paginator: Sendable, Equatable {
    package var kind: Kind
    package var limits: PageLimits

    package init(_ kind: Kind = .auto, limits: PageLimits = PageLimits()) {
        self.kind = kind
        self.limits = limits
    }

    package enum Kind: Sendable, Equatable {
        /// Recognised from each response: Link header, the usual places of a next URL, the usual cursors.
        case auto
        case singlePage
        case jsonLink(JSONLink)
        case headerLink(HeaderLink)
        case headerCursor(HeaderCursor)
        case cursor(Cursor)
        case offset(Offset)
        case pageNumber(PageNumber)
    }
}

/// Where paging ends, whatever the responses say.
package struct PageLimits: Sendable, Equatable {
    package var maxPages: Int?
    /// Whether an empty page is the last one although it announces more; nil: then the read ends there too, but does not
    /// count as complete.
    package var stopsAfterEmptyPage: Bool?
    /// Whether a next URL may lead to another scheme, host or port.
    package var allowsOtherOrigins: Bool
    /// What the server says of the number of all records or pages does not count them.
    package var ignoresTotal: Bool

    package init(
        maxPages: Int? = nil, stopsAfterEmptyPage: Bool? = nil, allowsOtherOrigins: Bool = false,
        ignoresTotal: Bool = false
    ) {
        self.maxPages = maxPages
        self.stopsAfterEmptyPage = stopsAfterEmptyPage
        self.allowsOtherOrigins = allowsOtherOrigins
        self.ignoresTotal = ignoresTotal
    }
}
