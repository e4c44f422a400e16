import Catalog
import Digest
import JSON
import SQLite

/// The table of one stream, and what is kept beside its rows: its pages, its changes, its quarantine.
final class StreamTable {
    let stream: Stream
    let streamID: Int64
    let connection: Connection
    /// nil until the first record came.
    private(set) var loader: TableLoader?
    private var discarded = RecordBinder.LeftOut()
    /// nil where none are kept, and until the first record came.
    private(set) var versions: RowVersions?
    /// nil where nothing can be searched, and until the first record came.
    private(set) var index: SearchIndex?
    /// What the documents of this run held that does not come through as it was written.
    var notes: Document.Notes = []
    /// Whether changes are noted row by row, which they are once a first complete read ended.
    let hasBaseline: Bool
    private let overlap: PageOverlap
    let hashKey: HashKey
    private var pagesAreApart: Bool
    /// While it is to be found out whether the pages are apart: what the read has met from its first page on.
    private var seenKeys: SeenKeys?
    var repeatedKeys = RepeatedKeys()
    /// The first record that changed what another one of the read had written.
    var repeatedExample: String?
    /// Records of the read so far.
    var recordsRead = 0
    /// Of a table that is replaced: a page was asked for by its number.
    var pagesAreNumbered = false
    /// The next page is the first one of a read that begins.
    var isAtBeginning: Bool
    /// The warning that a table without a key has got its records once more; nil if it has not.
    var comesAgain: String?

    /// - Parameter beginsRead: whether all pages of the read will come.
    init(of stream: Stream, streamID: Int64, beginsRead: Bool, on connection: Connection) throws {
        self.stream = stream
        self.streamID = streamID
        self.connection = connection
        hasBaseline =
            try connection.integer("SELECT baseline_run FROM _garner_streams WHERE stream_id = ?1", .integer(streamID))
            != nil
        overlap = PageOverlap(streamID: streamID, connection: connection)
        hashKey = try HashKey(of: connection)
        pagesAreApart = try overlap.pagesAreApart()
        seenKeys = beginsRead && !pagesAreApart ? SeenKeys() : nil
        isAtBeginning = beginsRead
        if let schema = try TableSchema(streamID: streamID, table: stream.table, on: connection) {
            try open(schema)
        }
    }

    /// Stores one page, and counts what became of its records; where they replace others, that is when the read ends.
    ///
    /// - Parameter scope: what the page's memory holds for.
    func store(_ page: PageCommit, run: Int64, read: Int64, scope: String, now: Timestamp) throws -> RunCounts {
        guard stream.replacesTable else { return try load(page, run: run, read: read, scope: scope, now: now) }
        try stage(page, scope: scope)
        return RunCounts()
    }

    func load(_ page: PageCommit, run: Int64, read: Int64, scope: String, now: Timestamp) throws -> RunCounts {
        let pages = PageTable(streamID: streamID, connection: connection)
        switch page.content {
        case .unchanged:
            guard let row = try pages.row(at: page.position) else { throw Self.forgottenPage(page.position) }
            try pages.noteUnchanged(row, memory: page.memory, read: read)
            var counts = RunCounts()
            counts.unchanged = row.recordCount
            return counts
        case .records(let records):
            let added = AddedFields(json: page.added)
            let known = try pages.row(at: page.position)
            var keys = KeySequence(after: known, key: hashKey)
            let revisions = loader?.revisions ?? 0
            try requireNewRecords(among: records)
            repeatedKeys.beginPage(isNumbered: page.isNumbered && !(loader?.schema.key.isEmpty ?? false))
            let counts = try added.with { added in
                try load(records, adding: added, run: run, now: now) { _, record, reason in
                    try quarantine(record, adding: added, reason: reason, url: page.url, run: run, now: now)
                } noting: { key, place, change in
                    keys.add(key, isNew: change.isInsertion)
                    repeatedKeys.add(key, at: place, isUpdate: change.isUpdate)
                    seenKeys?.add(key)
                }
            }
            try judgeKeys(of: records, added)
            try rememberFirst(records)
            if pagesAreApart, !keys.isApart, try pages.remembersOthers(than: page.position) {
                try note(pagesAreApart: false)
            }
            // A record in quarantine is not stored, one without a key is to be added again, and one that was stored before
            // the table was revised may not be as its source spells it: then the page must come again.
            let isRevised = loader.map { $0.revisions != revisions } ?? false
            if isRevised { seenKeys?.giveUp() }
            let areAllStored = counts.quarantined + counts.discarded == 0
            let isRememberable = areAllStored && loader?.schema.key.isEmpty == false && !isRevised
            let memory = isRememberable ? page.memory : nil
            guard tracksMembers || memory != nil || known != nil else { return counts }
            let row = try pages.note(
                page, after: known, count: records.count, keysDigest: keys.digest, memory: memory, read: read,
                scope: scope, tracksMembers: tracksMembers)
            if tracksMembers, let loader {
                try added.with {
                    try PageMembers(connection: connection).note(
                        records, adding: $0, on: row, keysDigest: areAllStored ? keys.digest : nil, loader)
                }
            }
            return counts
        }
    }

    /// Runs `body`, which may change rows of the table.
    func writing<R>(_ body: () throws -> R) throws -> R { try overlap.writing(body) }

    /// Forgets the pages that a read which has ended has not seen.
    func forgetOtherPages(than read: Int64) throws {
        if !pagesAreApart, seenKeys?.areUnclear == false { try note(pagesAreApart: true) }
        seenKeys = nil
        try PageTable(streamID: streamID, connection: connection).forgetAll(but: read)
    }

    /// What the server can be asked with whether a page has changed.
    func memory(at position: String, scope: String) throws -> RememberedPage? {
        try PageTable(streamID: streamID, connection: connection).memory(
            at: position, scope: scope, needsMembers: stream.deletesRows)
    }

    static func forgottenPage(_ position: String) -> PersistenceError {
        PersistenceError(
            .bug, "the page \(position) is said to be unchanged, but is not known",
            hint: "this is a bug in Garner; please report it")
    }

    /// Loads records into the table.
    ///
    /// - Parameters:
    ///   - refuse: called with each that cannot be stored, its place among `records` and the reason.
    ///   - note: called for each that was stored with the fingerprint of its key, its place, and what became of its row.
    func load(
        _ records: Selection, adding added: Node?, run: Int64, now: Timestamp,
        refuse: (Int, Node, String) throws -> Void, noting note: (Fingerprint, Int, RowChange) -> Void = { _, _, _ in }
    ) throws -> RunCounts {
        var counts = RunCounts()
        guard records.count > 0 else { return counts }
        notes.formUnion(records.document.notes)
        // The page that makes a table breaks no contract about its columns and types.
        defer {
            if let loader = self.loader, loader.contract != stream.schemaContract {
                loader.contract = stream.schemaContract
            }
        }
        if loader == nil, stream.schemaContract.tables != .evolve {
            return try refuseTable(to: records, refuse: refuse)
        }
        let loader = try loader ?? create(from: records, adding: added, run: run)
        try versions?.follow(loader.schema)
        let revisions = loader.revisions
        connection.observeChanges(ofTable: stream.table)
        defer { loader.endPage() }
        loader.children?.page = records
        var place = 0
        try records.forEach { record in
            defer { place += 1 }
            switch try loader.store(PageRecord(node: record, added: added), run: run) {
            case .row(let change):
                note(loader.keyFingerprint, place, change)
                switch change {
                case .inserted: counts.inserted += 1
                case .updated: counts.updated += 1
                case .none, .deleted: counts.unchanged += 1
                }
                if hasBaseline { try self.note(change, in: loader.schema, run: run) }
                try versions?.note(change, in: loader.schema, run: run, now: now)
                index?.note(change)
            case .refused(let reason):
                counts.quarantined += 1
                try refuse(place, record, reason)
            case .discarded(let reason):
                counts.discarded += 1
                discarded.note(reason)
            }
        }
        try index?.endPage(in: loader.schema)
        if loader.revisions != revisions {
            try PageTable(streamID: streamID, connection: connection).forgetMemories()
        }
        return counts
    }

    /// What becomes of the records that would make the table.
    private func refuseTable(
        to records: Selection, refuse: (Int, Node, String) throws -> Void
    ) throws -> RunCounts {
        let reason = "there is no table \(stream.table) yet"
        var counts = RunCounts()
        switch stream.schemaContract.tables {
        case .freeze: throw PersistenceError(frozen: "the list of tables", record: nil, reason)
        case .evolve, .quarantine:
            try records.forEach {
                try refuse(counts.quarantined, $0, reason)
                counts.quarantined += 1
            }
        case .discardRow, .discardValue:
            counts.discarded = records.count
            records.forEach { _ in discarded.note(reason) }
        }
        return counts
    }

    /// What the contract has kept out of the table, for people.
    var contractWarnings: [String] {
        let values = loader?.binder.leftOut ?? .init()
        return [(discarded, "records"), (values, "values")].compactMap { leftOut, what in
            leftOut.first.map { "schema_contract discarded \(leftOut.count) \(what); of the first, \($0)" }
        }
    }

    /// Marks or removes the rows that a complete read did not see, and forgets the pages that it did not.
    func deleteMissing(read: Int64, run: Int64, now: Timestamp) throws -> MissingRows.Outcome {
        try forgetOtherPages(than: read)
        guard stream.deletesRows, var schema = loader?.schema else { return .none }
        guard !schema.key.isEmpty else { return stream.replacesTable ? .none : .keyless }
        try versions?.follow(schema)
        // Rows that were marked as missing go, too.
        if stream.replacesTable { schema.marksDeletion = false }
        let way = stream.replacesTable ? .hard : stream.deleteMissing
        let outcome = try MissingRows(
            schema: schema, streamID: streamID, connection: connection, isAtOnce: stream.replacesTable,
            versions: versions, index: index
        )
        .delete(
            way, upTo: stream.maxDeleteRatio ?? (stream.replacesTable ? 1 : nil), read: read, run: run, now: now,
            noting: hasBaseline)
        if way == .hard, case .deleted = outcome {
            try ChildRegistry(connection: connection).removeOrphans(of: schema, streamID: streamID)
        }
        return outcome
    }

    /// Notes since when versions of the rows are kept, or that they are no longer; the rows that are there get their first.
    func beginHistory(at now: Timestamp) throws {
        let periods = HistoryPeriods(streamID: streamID, connection: connection)
        guard stream.history else { return try periods.end(at: now) }
        if try periods.begin(at: now) { try versions?.catchUp(run: nil, now: now) }
    }

    /// The fields that are to be searched and that no record has had; nil where each is a column.
    var unknownSearchFields: [String]? {
        guard let schema = loader?.schema else { return nil }
        let unknown = stream.search.filter { schema.index(ofField: $0) == nil }
        return unknown.isEmpty ? nil : unknown
    }

    /// Whether every record becomes a new row although nobody has asked for that.
    var appendsUnasked: Bool { stream.writeDisposition == nil && loader?.schema.key.isEmpty == true }

    private var tracksMembers: Bool { stream.deletesRows && loader?.schema.key.isEmpty == false }
}

// MARK: - The table

extension StreamTable {
    private func open(_ schema: TableSchema) throws {
        var schema = schema
        if let problem = try TableSchema.lostColumns(of: stream.table, streamID, on: connection) { throw problem }
        if stream.writeDisposition == .append, !schema.key.isEmpty {
            throw PersistenceError(
                .configuration,
                "the table \(stream.table) has the primary key \(schema.key.map(\.name)), but write_disposition is append",
                hint: "give the stream another table with 'table:', or remove write_disposition")
        }
        if stream.writeDisposition == .merge, schema.key.isEmpty {
            throw PersistenceError(
                .configuration, "the table \(stream.table) has no primary key, but write_disposition is merge",
                hint: "give the stream another table with 'table:', and a primary_key if none is found")
        }
        if let declared = stream.primaryKey, stream.writeDisposition != .append,
            declared.map(schema.index(ofField:)).map({ $0.map { schema.columns[$0] } }) != schema.key
        {
            let stored = schema.key.map(\.name)
            throw PersistenceError(
                .configuration,
                "the table \(stream.table) has \(stored.isEmpty ? "no primary key" : "the primary key \(stored)"), "
                    + "but \(declared) is configured",
                hint: "give the stream another table with 'table:', or restore its primary_key")
        }
        if stream.dedupes != (schema.contentIndex != nil) {
            throw PersistenceError(
                .configuration,
                "the table \(stream.table) was made \(stream.dedupes ? "without" : "with") dedupe, which is now "
                    + (stream.dedupes ? "true" : "not set"),
                hint: "set it as it was, or drop the table, so that the next sync makes it anew")
        }
        if stream.deleteMissing == .soft, !schema.marksDeletion {
            try connection.execute("ALTER TABLE \(quoted(schema.table)) ADD COLUMN \(TableSchema.deletionColumn) TEXT")
            schema.marksDeletion = true
        }
        if stream.childTables, schema.key.isEmpty { throw TableSchema.keylessParent(schema.columns.map(\.name)) }
        schema.mergeStrategy = stream.mergeStrategy
        loader = try tableLoader(schema)
        loader?.contract = stream.schemaContract
        if !schema.key.isEmpty { try overlap.watch(schema.table) }
        try openCompanions(of: schema)
    }

    /// The versions of the rows, and what is searched.
    private func openCompanions(of schema: TableSchema) throws {
        if stream.history { versions = try RowVersions(of: schema, streamID: streamID, on: connection) }
        index = try SearchIndex(of: stream.search, in: schema, streamID: streamID, on: connection)
    }

    private func tableLoader(_ schema: TableSchema) throws -> TableLoader {
        let loader = try TableLoader(
            streamID: streamID, schema: schema, flattenDepth: stream.flattenDepth, on: connection)
        if stream.childTables {
            loader.split(into: try ChildTables(of: streamID, flattenDepth: stream.flattenDepth, on: connection))
        }
        return loader
    }

    private func create(from records: Selection, adding added: Node?, run: Int64) throws -> TableLoader {
        let schema = try TableSchema(
            for: stream, from: records, adding: added, key: keyNames(in: records), run: run)
        if try connection.integer("SELECT 1 FROM sqlite_schema WHERE name = ?1 COLLATE NOCASE", .text(stream.table))
            != nil
        {
            throw PersistenceError(
                .configuration, "there is a table '\(stream.table)' already that no stream has made",
                hint: "give the stream another table with 'table:'")
        }
        try TableEvolution.create(schema, streamID: streamID, run: run, on: connection)
        if !schema.key.isEmpty { try overlap.watch(schema.table) }
        try note(pagesAreApart: true)
        repeatedKeys.tableIsNew = true
        seenKeys = nil  // where all rows are new, each insert tells
        let loader = try tableLoader(schema)
        self.loader = loader
        try openCompanions(of: schema)
        return loader
    }

    private func note(pagesAreApart: Bool) throws {
        self.pagesAreApart = pagesAreApart
        try overlap.note(pagesAreApart: pagesAreApart)
    }

    private func keyNames(in records: Selection) throws -> [String] {
        if stream.writeDisposition == .append || stream.dedupes { return [] }
        if let configured = stream.primaryKey { return configured }
        guard let own = KeyInference.key(of: stream, in: records) else { return [] }
        // Children of different parents may be numbered alike.
        let parents = try stream.parent.flatMap { try ParentTable(of: stream, parent: $0, on: connection)?.keyMembers }
        return (parents ?? []) + [own]
    }
}

// MARK: - Beside the rows

extension StreamTable {
    private func note(_ change: RowChange, in schema: TableSchema, run: Int64) throws {
        let (operation, row): (String, Int64)
        switch change {
        case .none: return
        case .inserted(let inserted): (operation, row) = ("insert", inserted)
        case .updated(let updated): (operation, row) = ("update", updated)
        case .deleted(let deleted): (operation, row) = ("delete", deleted)
        }
        try connection.execute(
            """
            INSERT OR IGNORE INTO _garner_changes (stream_id, run_id, record_key, operation)
            SELECT ?1, ?2, \(schema.keyExpression), ?3 FROM \(quoted(schema.table)) WHERE _rowid_ = ?4
            """, .integer(streamID), .integer(run), .text(operation), .integer(row))
    }
}
