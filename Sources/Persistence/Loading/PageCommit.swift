package import JSON

/// One fetched page as it is stored.
package struct PageCommit: Sendable {
    package var content: Content
    /// Which page of the stream it is: the same text in every read.
    package var position: String
    package var continuation: Continuation
    /// The URL without secrets, for people.
    package var url: String
    /// What is to be remembered of the page; nil where nothing can be.
    package var memory: RememberedPage?
    /// What it took to fetch the page, and requests before that brought none.
    package var requests: [RequestRecord]

    package enum Content: Sendable {
        case records(Selection)
        /// Those that were stored when the page was remembered.
        case unchanged
    }

    /// What follows the page.
    package enum Continuation: Sendable {
        /// Another page, whose position the fetcher wrote down.
        case next(String)
        /// Nothing: all pages of the read were seen.
        case complete
        /// More, which this read leaves out.
        case cutShort(warning: String?)
        /// More, which the next run goes on with.
        case stopped(next: String)
    }

    package init(
        content: Content, position: String, continuation: Continuation, url: String, memory: RememberedPage? = nil,
        requests: [RequestRecord]
    ) {
        self.content = content
        self.position = position
        self.continuation = continuation
        self.url = url
        self.memory = memory
        self.requests = requests
    }
}
