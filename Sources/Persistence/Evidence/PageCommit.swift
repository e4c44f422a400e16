package import GarnerJSON
package import GarnerModel

/// One fetched page to store.
@dynamicMemberLookup
package struct PageCommit: Sendable {
    package var content: Content
    /// The records behind those of `content`, if a long page comes in pieces; nil if these are all.
    package var later: LaterRecords?
    package var facts: PageFacts
    /// The fields that the configuration names and no record of the page has.
    package var unseenFields: Set<String>
    /// A warning for the run, which is given until a read has ended; nil if there is none.
    package var warning: String?
    /// The position of the page in the stream: the same text in every read.
    package var position: String
    /// The number of the page's slice.
    package var slice: SliceID
    /// The JSON object that is stored with each of its records.
    package var added: String?
    package var continuation: Continuation
    package var cursor: CursorProgress
    /// The number of its records, if it is the first page of its list and leads to another one; else nil.
    package var fullPage: Int?
    /// True if it is the last page of a list: of a slice, or of one window of it.
    package var endsList: Bool
    /// The URL for people, without secrets.
    package var url: String
    /// The position at which a read that lacks rows looks for them once more, before it deletes them; nil if it need not.
    package var secondLook: SecondLook?
    /// The requests that fetched the page, and earlier ones that brought none.
    package var requests: [RequestRecord]
    /// The indices of the records that were staged with their keys only, since their rows need no look.
    var keysOnly: Set<Int> = []

    package enum Content: Sendable {
        case records(Selection)
        /// The records that were stored when the page was cached.
        case unchanged
    }

    /// The continuation of the slice after the page.
    package enum Continuation: Sendable {
        /// Another page follows, at the position that the fetcher wrote.
        case next(String)
        /// The slice ends here, with this judgement.
        case ended(Verdict)

        package static let complete = Continuation.ended(.complete)
    }

    /// The progress of an incremental read.
    package struct CursorProgress: Sendable {
        /// The greatest cursor on the slice's pages so far.
        package var watermark: String?
        /// The cursor after which the next read begins; nil to keep the current one.
        package var moved: String?
        /// True if the slice ends without moving the cursor. The next read then needs the records of unchanged pages, too.
        package var isHeld: Bool
        /// A cursor of the page if all so far, as in the year 9999, are later than any change can be; else nil.
        package var far: String?

        package init(watermark: String? = nil, moved: String? = nil, isHeld: Bool = false, far: String? = nil) {
            self.watermark = watermark
            self.moved = moved
            self.isHeld = isHeld
            self.far = far
        }
    }

    package init(
        content: Content, facts: PageFacts = PageFacts(), unseenFields: Set<String> = [], position: String,
        slice: SliceID, added: String? = nil, continuation: Continuation, cursor: CursorProgress = CursorProgress(),
        fullPage: Int? = nil, endsList: Bool = false, url: String, requests: [RequestRecord]
    ) {
        self.content = content
        self.facts = facts
        self.unseenFields = unseenFields
        self.position = position
        self.slice = slice
        self.added = added
        self.continuation = continuation
        self.cursor = cursor
        self.fullPage = fullPage
        self.endsList = endsList
        self.url = url
        self.requests = requests
    }

    package subscript<Value>(dynamicMember fact: WritableKeyPath<PageFacts, Value>) -> Value {
        get { facts[keyPath: fact] }
        set { facts[keyPath: fact] = newValue }
    }
}

extension PageCommit {
    /// The number of its records that are stored or deleted; 0 if it has not changed.
    var recordCount: Int {
        guard case .records(let records) = content else { return 0 }
        return records.count + (later?.count ?? 0)
    }

    /// The number of its records that say that their rows are to be deleted.
    var deletionCount: Int { facts.deletions.count + (later?.deletions ?? 0) }

    /// True if its only record is the whole body.
    var isDocument: Bool {
        if case .ended(let verdict) = continuation { verdict.kind == .document } else { false }
    }
}

extension PageCommit {
    /// A position from which a read looks once more for rows that it lacks.
    package struct SecondLook: Sendable {
        let checkpoint: String
        /// True if all pages are read again; false for the last one alone, which the server refused.
        let isFromStart: Bool
        /// True if as many records have come as the server counts. A row can then be missing only if a record that the table did not have
        /// has come in its place, behind the first page.
        let isCounted: Bool
        /// True if the answer stands for a whole list without records, as 204 and null do.
        let isOfNothing: Bool

        package init(checkpoint: String, isFromStart: Bool, isCounted: Bool = false, isOfNothing: Bool = false) {
            (self.checkpoint, self.isFromStart, self.isCounted) = (checkpoint, isFromStart, isCounted)
            self.isOfNothing = isOfNothing
        }
    }
}
