package import JSON
package import Model

/// One page of a stream's records, checked and complete.
package struct Page: Sendable {
    package let position: PagePosition
    package let content: Content
    /// nil where this was the last page.
    package let next: PagePosition?
    /// How the read has ended; nil where a page follows.
    package let verdict: Verdict?
    /// What stands where the paginator looks was there.
    package let sawPagingPlace: Bool
    /// The page was asked for, or is followed, by its number: records that come or go move others between such pages.
    package let isNumbered: Bool
    /// What it took on the network.
    package let request: RequestEntry
    /// The layout that was found out; nil if the page has not changed.
    package internal(set) var layout: PageLayout?
    /// What to tell with whether the page has changed; nil where that cannot be told.
    package let memory: PageMemory?

    package enum Content: Sendable {
        case records(Selection)
        /// The records are those that were stored with the page's memory.
        case unchanged
    }
}

/// What is stored of a page, so that it can be told that it has not changed.
package struct PageMemory: Sendable, Equatable {
    /// What the server calls this state of the page; nil where it has no name for it.
    package let validator: String?
    /// Of the page's body.
    package let fingerprint: String?
    /// What following pages need to know of the page.
    package let summary: String

    package init(validator: String?, fingerprint: String?, summary: String) {
        self.validator = validator
        self.fingerprint = fingerprint
        self.summary = summary
    }
}

/// The layout of a page, as far as Garner had to find it out because the configuration does not say it.
package struct PageLayout: Sendable, Equatable {
    /// The JSONPath of what holds the records; nil where the configuration says it.
    package internal(set) var recordsPath: String?
    /// The place of the sign that leads to the next page, such as `Link` or `$.next`; nil if it is configured or nothing follows.
    package internal(set) var nextPage: String?
    package internal(set) var isDocument = false
}
