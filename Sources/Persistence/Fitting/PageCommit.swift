import Digest
package import JSON
package import Model
import SQLite

/// One fetched page to store.
package struct PageCommit: Sendable {
    package var content: Content
    /// The position of the page in the stream: the same text in every read.
    package var position: String
    /// The number of the page's slice.
    package var slice: Int64
    /// The JSON object that is stored with each of its records.
    package var added: String?
    package var continuation: Continuation
    package var cursor: CursorProgress
    /// True if the page has the member or header that its paginator reads.
    package var hasPagingPlace: Bool
    /// True if the pages are numbered, so that a record may move between them while they are read.
    package var isNumbered: Bool
    /// The URL for people, without secrets.
    package var url: String
    /// The state to cache; nil if the page cannot be cached.
    package var memory: CachedPage?
    /// The requests that fetched the page, and earlier ones that brought none.
    package var requests: [RequestRecord]

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

        package init(watermark: String? = nil, moved: String? = nil) {
            self.watermark = watermark
            self.moved = moved
        }
    }

    package init(
        content: Content, position: String, slice: Int64, added: String? = nil, continuation: Continuation,
        cursor: CursorProgress = CursorProgress(), hasPagingPlace: Bool = false, isNumbered: Bool = false, url: String,
        memory: CachedPage? = nil,
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

/// A record of a page, with the fields added from outside the page.
struct PageRecord {
    let node: Node
    /// An object whose members count as the record's own.
    let added: Node?

    /// Returns the value at this path, or nil if there is none.
    func value(at path: [String]) -> Node? {
        if path.count == 1, let value = added?[path[0]] { return value }
        return path.reduce(node) { node, name in node?[name] }
    }
}

/// The fields that a commit adds to each record of its page.
struct AddedFields {
    private let document: Document?

    /// Creates the fields from a JSON object. Nil, or text that is not a JSON object, gives none.
    init(json: String?) {
        document = json.flatMap { try? Document(parsing: Bytes($0.utf8)) }
    }

    func with<R, Failure: Error>(_ body: (Node?) throws(Failure) -> R) throws(Failure) -> R {
        guard let document else { return try body(nil) }
        return try document.withRoot { root throws(Failure) in try body(root.isObject ? root : nil) }
    }
}

extension Node {
    /// True for an array that is empty or contains only objects.
    var isArrayOfObjects: Bool { kind == .array && elements.allSatisfy(\.isObject) }

    /// True for an array of at least one object that contains only objects.
    var isTable: Bool {
        var elements = elements
        return elements.next()?.isObject == true && elements.allSatisfy(\.isObject)
    }
}

extension HashKey {
    /// Reads the database's own random key, which the migration that introduced it created.
    init(of connection: Connection) throws {
        let secret = try connection.firstRow("SELECT secret FROM _garner_hash_key") { Array($0.bytes(at: 0)) }
        guard let key = secret.flatMap(HashKey.init) else {
            throw PersistenceError(
                .unusable, "\(connection.path) has lost the random bits that its hashes are made with",
                hint: "restore the database from a backup, or fetch everything anew into another file")
        }
        self = key
    }
}
