package import JSON

/// One fetched page as it is stored.
package struct PageCommit: Sendable {
    package var records: Selection
    /// Which page of the stream it is: the same text in every read.
    package var position: String
    package var continuation: Continuation
    /// The URL without secrets, for people.
    package var url: String
    package var requests: Int
    package var bytes: Int

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
        records: Selection, position: String, continuation: Continuation, url: String, requests: Int, bytes: Int
    ) {
        self.records = records
        self.position = position
        self.continuation = continuation
        self.url = url
        self.requests = requests
        self.bytes = bytes
    }
}
