import GarnerCatalog
import GarnerJSON
import GarnerModel

/// The behaviour of a source, and the configuration of a stream of it.
struct World: Hashable, Codable, Sendable {
    enum KeyKind: String, Codable, CaseIterable, Sendable {
        case integer, text, composite, mixed, drifting, none
    }

    enum Paging: String, Codable, CaseIterable, Sendable {
        case single, auto, jsonLink, headerLink, headerCursor, cursor, cursorHasMore, offset, offsetTotal, pageNumber,
            pageNumberTotal, pageNumberTotalPages, pageNumberHasMore
    }

    enum Writing: String, Codable, CaseIterable, Sendable {
        case merge, insertOnly, append, replace, dedupe
    }

    enum Missing: String, Codable, CaseIterable, Sendable {
        case ignore, soft, hard
    }

    enum Contract: String, Codable, CaseIterable, Sendable {
        /// For types only.
        case setAside = "set_aside"
        case evolve, discardValue = "discard_value", discardRow = "discard_row", quarantine

        static let ofColumns = allCases.filter { $0 != .setAside }
        /// True if every record is stored.
        var isOpen: Bool { self == .evolve || self == .setAside }
    }

    /// The members that records have beside their keys.
    enum Field: String, Codable, CaseIterable, Sendable {
        /// Words.
        case name
        /// Scalars whose type drifts.
        case drift
        /// Integers and decimals, in many spellings.
        case weight
        /// An object, at times something else.
        case home
        /// An array of scalars.
        case tags
        /// An array of objects.
        case visits
        /// The URL of a file.
        case photo
        /// Members that only some records have.
        case rare

        func owns(_ member: String) -> Bool { self == .rare ? member.hasPrefix("rare") : member == rawValue }
    }

    var keyKind = KeyKind.integer
    var isKeyInferred = false
    var paging = Paging.single
    var pageSize = 3
    var sendsETags = false
    var writing = Writing.merge
    var missing = Missing.ignore
    var maxDeleteRatio = 1.0
    var keepsHistory = false
    var isSearched = false
    var childTables = false
    var flattenDepth = 1
    var columns = Contract.evolve
    var types = Contract.setAside
    var isIncremental = false
    var attempts = 1
    /// True if each page begins with the last record of the page before.
    var repeats = false
    /// The number of records of the stream's parent, each with a part of the records; 0: there is no parent.
    var zoos = 0
    var fields: [Field] = Field.allCases

    /// True if the way to the next page does not depend on the number of records.
    var mayRepeat: Bool { ![.single, .offset, .offsetTotal, .pageNumberTotal].contains(paging) }

    /// True if the pages have no numbers. A record on two numbered pages is a list that changed, so nothing is deleted.
    var hasNoNumbers: Bool { [.headerCursor, .cursor, .cursorHasMore].contains(paging) }

    /// Returns the records of the page that begins at a place, with the record that it repeats.
    func page(of records: [ModelRecord], from first: Int) -> [ModelRecord] {
        guard first < records.count else { return [] }
        guard paging != .single else { return records }
        return Array(records[(repeats && first > 0 ? first - 1 : first)..<min(first + pageSize, records.count)])
    }

    var hasFiles: Bool { fields.contains(.photo) }
    var contractIsOpen: Bool { columns.isOpen && types.isOpen }

    /// The members that identify a record; for a source without keys, one that no stream takes for a key.
    var keyNames: [String] {
        switch keyKind {
        case .composite, .mixed: ["order", "line"]
        case .none: ["n"]
        case .integer, .text, .drifting: ["id"]
        }
    }

    /// The columns that identify a row.
    var keyColumns: [String] { (zoos > 0 ? [Self.zoo] : []) + keyNames }

    /// True if columns of the record identify the rows.
    var isKeyed: Bool { keyKind != .none }

    static let table = "animals"
    /// The column with the key of the parent's record.
    static let zoo = "_zoos_id"
    static let searched = ["name", "drift"]
}

extension World {
    /// The stream, at a server.
    func stream(at url: String) -> StreamConfiguration {
        var stream = StreamConfiguration(
            name: StreamName(source: "zoo", stream: Self.table), table: Self.table,
            place: ConfigurationPlace(file: "garner.yaml"),
            request: RequestTemplate(
                baseURL: url, path: zoos > 0 ? "zoos/{parent.id}/\(Self.table)" : Self.table),
            paginator: Paginator(kind), recordSelector: paging == .auto || !isWrapped ? nil : "$.data[*]",
            primaryKey: isKeyed && !isKeyInferred ? keyColumns : nil, maxDeleteRatio: maxDeleteRatio,
            flattenDepth: flattenDepth, retry: RetryPolicy(maxAttempts: attempts, baseDelay: .zero),
            allowsPrivateNetwork: true)
        switch writing {
        case .merge: break
        case .insertOnly: stream.mergeStrategy = .insertOnly
        case .append: stream.writeDisposition = .append
        case .replace: stream.writeDisposition = .replace
        case .dedupe: stream.dedupes = true
        }
        stream.deleteMissing =
            switch missing {
            case .ignore: .ignore
            case .soft: .soft
            case .hard: .hard
            }
        stream.history = keepsHistory
        stream.search = isSearched ? Self.searched : []
        stream.childTables = childTables
        stream.schemaContract = SchemaContract(columns: columns.mode, dataTypes: types.mode)
        if isIncremental {
            stream.incremental = Incremental(cursorField: "changed_at")
            stream.request.params = [.init(name: "since", value: .literal("{incremental.start_value}"))]
        }
        if zoos > 0 { stream.parent = Parent(stream: Self.parent, include: ["id"]) }
        if hasFiles { stream.attachments = [Attachment(field: "photo")] }
        return stream
    }

    private static let parent = StreamName(source: "zoo", stream: "zoos")

    /// The parent, which is read before it.
    func streamsBefore(at url: String) -> [StreamConfiguration] {
        guard zoos > 0 else { return [] }
        let parent = StreamConfiguration(
            name: Self.parent, table: Self.parent.stream, place: ConfigurationPlace(file: "garner.yaml"),
            request: RequestTemplate(baseURL: url, path: "zoos"), paginator: Paginator(.singlePage),
            primaryKey: ["id"], retry: RetryPolicy(maxAttempts: attempts, baseDelay: .zero),
            allowsPrivateNetwork: true)
        return [parent]
    }

    /// True if the records of a page are inside an object.
    var isWrapped: Bool {
        switch paging {
        case .single, .headerLink, .headerCursor, .offset, .pageNumber: false
        case .auto, .jsonLink, .cursor, .cursorHasMore, .offsetTotal, .pageNumberTotal, .pageNumberTotalPages,
            .pageNumberHasMore:
            true
        }
    }

    private var kind: Paginator.Kind {
        switch paging {
        case .single: .singlePage
        case .auto: .auto
        case .jsonLink: .jsonLink(.init(nextURLPath: "$.next"))
        case .headerLink: .headerLink(.init())
        case .headerCursor: .headerCursor(.init(cursorHeader: "X-Next", cursorParam: "after"))
        case .cursor: .cursor(.init(cursorPath: "$.after", cursorParam: "after"))
        case .cursorHasMore: .cursor(.init(cursorPath: "$.after", cursorParam: "after", hasMorePath: "$.more"))
        case .offset: .offset(.init(limit: pageSize))
        case .offsetTotal: .offset(.init(limit: pageSize, totalPath: "$.total"))
        case .pageNumber: .pageNumber(.init(pageSizeParam: "limit", pageSize: pageSize))
        case .pageNumberTotal: .pageNumber(.init(totalPath: "$.total"))
        case .pageNumberTotalPages: .pageNumber(.init(totalPagesPath: "$.pages"))
        case .pageNumberHasMore: .pageNumber(.init(hasMorePath: "$.more"))
        }
    }
}

extension World.Contract {
    fileprivate var mode: SchemaContract.Mode {
        switch self {
        case .setAside: .setAside
        case .evolve: .evolve
        case .discardValue: .discardValue
        case .discardRow: .discardRow
        case .quarantine: .quarantine
        }
    }
}
