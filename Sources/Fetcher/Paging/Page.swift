package import JSON

/// One page of a stream's records, checked and complete.
package struct Page: Sendable {
    package let position: PagePosition
    package let content: Content
    /// nil where this was the last page.
    package let next: PagePosition?
    /// nil where the last page is the end of the source.
    package let omission: Omission?
    /// What it took on the network.
    package let request: RequestEntry
    /// What to ask the server with whether the page has changed; nil where it cannot be asked.
    package let memory: PageMemory?

    package enum Content: Sendable {
        case records(Selection)
        /// The records are those that were stored with the page's memory.
        case unchanged
    }
}

/// What is stored of a page, so that the server may answer that it has not changed.
package struct PageMemory: Sendable, Equatable {
    /// What the server calls this state of the page.
    package let validator: String
    /// What following pages need to know of the page.
    package let summary: String

    package init(validator: String, summary: String) {
        self.validator = validator
        self.summary = summary
    }
}
