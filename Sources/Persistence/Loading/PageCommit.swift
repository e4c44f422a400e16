package import JSON
package import Model

/// One fetched page as it is stored.
package struct PageCommit: Sendable {
    package var content: Content
    /// Which page of the stream it is: the same text in every read.
    package var position: String
    /// The number of the slice that it is a page of.
    package var slice: Int64
    /// A JSON object of what is stored with each of its records.
    package var added: String?
    package var continuation: Continuation
    package var cursor: CursorProgress
    /// The page had the place at which its paginator looks for the next one.
    package var hasPagingPlace: Bool
    /// The pages are numbered, so that a record may move from one to another while they are read.
    package var isNumbered: Bool
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

    /// What follows the page in its slice.
    package enum Continuation: Sendable {
        /// Another page, whose position the fetcher wrote down.
        case next(String)
        /// Nothing: the slice has come to its end, with what is known of it.
        case ended(Verdict)

        package static let complete = Continuation.ended(.complete)
    }

    /// How far an incremental read has come.
    package struct CursorProgress: Sendable {
        /// The greatest cursor on the pages of the slice so far.
        package var watermark: String?
        /// Behind what the next read begins; nil: it stays.
        package var moved: String?

        package init(watermark: String? = nil, moved: String? = nil) {
            self.watermark = watermark
            self.moved = moved
        }
    }

    package init(
        content: Content, position: String, slice: Int64, added: String? = nil, continuation: Continuation,
        cursor: CursorProgress = CursorProgress(), hasPagingPlace: Bool = false, isNumbered: Bool = false, url: String,
        memory: RememberedPage? = nil,
        requests: [RequestRecord]
    ) {
        self.content = content
        self.position = position
        self.slice = slice
        self.added = added
        self.continuation = continuation
        self.cursor = cursor
        self.hasPagingPlace = hasPagingPlace
        self.isNumbered = isNumbered
        self.url = url
        self.memory = memory
        self.requests = requests
    }
}
