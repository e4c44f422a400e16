import GarnerCatalog
import GarnerDatabase
import GarnerDigest
import GarnerJSON
import GarnerModel
import GarnerSQLite

/// The table of one stream, with its pages, changes and quarantine.
final class StreamTable {
    let stream: StreamConfiguration
    let streamID: StreamID
    let connection: Connection
    /// The loader; nil until the first record came.
    private(set) var loader: TableLoader?
    private(set) var companions = Companions()
    /// True if changes are recorded row by row, that is, after the first complete read.
    let hasBaseline: Bool
    private(set) var pageOverlap: PageOverlap
    /// The evidence of the read, which is about pages and keys rather than rows.
    var evidence: ReadEvidence
    /// True if the run asks for everything anew, and looks at each row.
    var isUnconditional = false
    var unseen: UnseenColumns
    var lacking = LackingRows()
    /// The columns of `fields.add` with their values for the rows of the read.
    private let added: [AddedValue]

    /// The parts that follow the rows of the table. None of them is there before the first record has come.
    struct Companions {
        /// The versions of the rows; nil if none are kept.
        fileprivate(set) var versions: RowVersions?
        /// The search index; nil if nothing can be searched.
        fileprivate(set) var index: SearchIndex?
        /// Records the changes; nil until there is one to record.
        fileprivate var changeNotes: ChangeNotes?
        /// Stores the records of each page; nil until there is one.
        fileprivate var pageMembers: PageMembers?
    }

    /// - Parameter beginsRead: True if all pages of the read will come.
    init(
        of stream: StreamConfiguration, streamID: StreamID, beginsRead: Bool, beganAt: Timestamp,
        on connection: Connection
    ) throws {
        self.stream = stream
        added = stream.addedValues(ofReadBegunAt: beganAt)
        unseen = UnseenColumns(areLookedFor: beginsRead && stream.incremental == nil)
        self.streamID = streamID
        self.connection = connection
        hasBaseline =
            try connection.integer("SELECT baseline_run FROM _garner_streams WHERE stream_id = ?1", .id(streamID))
            != nil
        pageOverlap = try PageOverlap(streamID: streamID, connection: connection)
        evidence = ReadEvidence(
            of: stream, beginsRead: beginsRead, pagesAreApart: pageOverlap.areApart,
            hashKey: try HashKey(of: connection))
        if let schema = try TableSchema(streamID: streamID, table: stream.table, on: connection) {
            try open(schema)
        }
    }

    /// Stores one page and counts the changes, which happen when the read ends if its records replace others.
    func store(_ page: PageCommit, run: RunID, read: ReadID, scope: String, now: Timestamp) throws -> RunCounts {
        guard stream.replacesTable else {
            let later = page.later
            return try load(page, run: run, read: read, scope: scope, now: now) { try later?.forEach($0) }
        }
        try stage(page, scope: scope)
        return RunCounts()
    }

    /// Stores one page.
    ///
    /// - Parameter later: The pieces of a long page behind its first one.
    func load(
        _ page: PageCommit, run: RunID, read: ReadID, scope: String, now: Timestamp, behind later: LaterRecords.Pass
    ) throws -> RunCounts {
        let pages = PageTable(streamID: streamID, connection: connection)
        switch page.content {
        case .unchanged:
            guard let row = try pages.row(at: page.position) else { throw Self.forgottenPage(page.position) }
            evidence.unchangedPage(page, records: row.recordCount)
            if row.read != read { lacking.areNoted = false }
            try pages.noteUnchanged(
                row, memory: page.memory, read: read, slice: stream.hasOneSlice ? nil : page.slice)
            var counts = RunCounts()
            counts.unchanged = row.recordCount
            return counts
        case .records(let records):
            lacking.areNoted = false
            let added = AddedFields(json: page.added)
            let known = try pages.row(at: page.position)
            var keys = KeySequence(after: known, key: evidence.hashKey)
            let revisions = loader?.revisions ?? 0
            let unchanged =
                try stream.replacesTable
                ? page.recordHashes.map {
                    try KnownRecords(among: records, hashes: $0, keysOnly: page.keysOnly, loader)
                } : knownRecords(of: page, records, after: known, scope: scope)
            evidence.deletions.resumedRead =
                read == ReadID(begunBy: run) || stream.replacesTable ? nil : (read, page.slice)
            try noteIfInsertsTell(read)
            var (counts, count, deletions, repeatsKey) = (RunCounts(), 0, 0, false)
            let isCreating = loader == nil
            func load(_ piece: RecordPiece, knowing unchanged: KnownRecords?) throws {
                let records = piece.records
                try requireNewRecords(among: records)
                try beginSlice(of: page, records)
                evidence.beginPage(
                    page, hasKey: loader?.schema.key.isEmpty != true, isInferred: stream.primaryKey == nil)
                if !stream.replacesTable {
                    try added.with { try noteUnseenColumns(on: records, deleting: piece.deletions, adding: $0) }
                }
                let stored = try added.with { added in
                    try self.load(
                        records, deleting: piece.deletions, adding: added, knowing: unchanged, creating: isCreating,
                        run: run, now: now
                    ) { _, record, reason in
                        try quarantine(record, adding: added, reason: reason, url: page.url, run: run, now: now)
                    } noting: { key, place, change in
                        keys.add(key.fingerprint, isNew: change.isInsertion)
                        evidence.stored(key, at: place, isNew: change.isInsertion, isUpdate: change.isUpdate)
                    }
                }
                counts.add(stored)
                count += records.count
                deletions += piece.deletions.count
                if !keys.areAllInserted, evidence.repeatedKeys.pageRepeatsKey {
                    repeatsKey = true
                    if loader?.schema.key.isEmpty == false { evidence.noteDoubled() }
                }
                try judgeKeys(of: records, added)
                try rememberFirst(records)
            }
            try load(RecordPiece(records: records, deletions: page.deletions), knowing: unchanged)
            try later { piece in
                evidence.changesManyRows()
                try load(piece, knowing: nil)
            }
            followContract()
            evidence.finish(page, isApart: keys.isApart)
            if counts.deleted > 0 { evidence.deletedRows() }
            let mayOverlap = !keys.isApart || counts.deleted > 0
            if pageOverlap.areApart, try sharesPartitions || mayOverlap && pages.remembersOthers(than: page.position) {
                try pageOverlap.note(areApart: false)
            }
            // A quarantined record is not stored, one without a key must be added again, and one stored before the
            // table was revised may differ from its source's spelling: in each case the page must be read again.
            let isRevised = loader.map { $0.revisions != revisions } ?? false
            if isRevised { evidence.keysComeAgain() }
            let areAllStored = counts.quarantined + counts.discarded == 0
            let isRememberable =
                areAllStored && deletions == 0 && loader?.schema.key.isEmpty == false && !isRevised
            let memory = isRememberable ? page.memory : nil
            guard tracksMembers || memory != nil || known != nil else { return counts }
            let row = try pages.note(
                page, after: known, count: count, keysDigest: keys.digest, memory: memory, read: read,
                scope: scope, tracksMembers: tracksMembers, keepsSlice: !stream.hasOneSlice)
            try note(memory != nil && !repeatsKey ? unchanged?.hashes : nil, on: row, after: known)
            if tracksMembers, let loader {
                try added.with {
                    try members(in: loader.schema).note(
                        records.removing(page.deletions), adding: $0, on: row,
                        keysDigest: areAllStored ? keys.digest : nil, loader, behind: later,
                        isInPieces: count > records.count
                    ) {
                        guard !stream.hasOneSlice, page.isNumbered || page.secondLook != nil else { return }
                        try leftRecords(of: read).note(membersOf: row.id, in: page.slice)
                    }
                }
            }
            return counts
        }
    }

    /// Runs `body`, which may change rows of the table.
    func writing<R>(_ body: () throws -> R) throws -> R {
        lacking.rows = nil
        return try pageOverlap.writing(body)
    }

    /// All pages of the read have come. If they share no record, what is stored of them counts again.
    func settleOverlap() throws {
        if evidence.provesPagesApart(), !pageOverlap.areApart { try pageOverlap.note(areApart: true) }
    }

    /// Forgets the pages that a finished read has not seen.
    func forgetOtherPages(than read: ReadID) throws {
        try settleOverlap()
        try PageTable(streamID: streamID, connection: connection).forgetAll(but: read)
    }

    static func forgottenPage(_ position: String) -> PersistenceError {
        PersistenceError(.bug, "the page \(position) is said to be unchanged, but is not known", hint: .report)
    }

    /// Loads records into the table.
    ///
    /// - Parameters:
    ///   - deletions: The indices of the records whose rows are to be deleted.
    ///   - known: The records whose rows need no look.
    ///   - isCreating: True if other pieces of the page that creates the table may come. Such a page cannot break a contract about
    ///     columns and types.
    ///   - refuse: Called with each record that cannot be stored, its index among `records` and the reason.
    func load(
        _ records: Selection, deleting deletions: Set<Int> = [], adding added: Node?,
        knowing known: KnownRecords? = nil, creating isCreating: Bool = false, run: RunID, now: Timestamp,
        refuse: (Int, Node, String) throws -> Void, noting note: (RecordKey, Int, RowChange) -> Void = { _, _, _ in }
    ) throws -> RunCounts {
        var counts = RunCounts()
        // Records that are all deleted make no table.
        guard records.count > 0, loader != nil || deletions.count < records.count else { return counts }
        evidence.notes.formUnion(records.document.notes)
        defer { if !isCreating { followContract() } }
        if loader == nil, stream.schemaContract.tables != .evolve {
            return try refuseTable(to: records, refuse: refuse)
        }
        let loader = try loader ?? create(from: records.removing(deletions), adding: added, run: run)
        try companions.versions?.follow(loader.schema)
        let revisions = loader.revisions
        connection.observeChanges(ofTable: stream.table)
        defer { loader.endPage() }
        try loader.bindAddedValues()
        try loader.begin(PageValues(records, adding: added, flattenDepth: stream.flattenDepth), run: run)
        func count(_ key: RecordKey, at place: Int, _ change: RowChange) {
            note(key, place, change)
            switch change {
            case .inserted: counts.inserted += 1
            case .updated: counts.updated += 1
            case .none, .deleted: counts.unchanged += 1
            }
            if change != .none { companions.index?.note(change) }
        }
        var bound = 0
        let storesRows = loader.storesRows(keeping: evidence.overlap)
        try records.withNodes { nodes in
            var page = PageReader(nodes, adding: added, deleting: deletions, knowing: known)
            while let node = page.current {
                let record = PageRecord(node: node, added: added)
                switch page.treatment {
                case .delete: if try delete(record, run: run, now: now) { counts.deleted += 1 }
                case .skip(let key): count(key, at: page.place, .none)
                case .store:
                    if storesRows, try loader.storeRows(from: &page, eachRowOnce: companions.versions != nil) {
                        let changes = counts.inserted + counts.updated
                        for record in loader.stored { count(record.key, at: record.place, record.change) }
                        bound += loader.stored.count
                        try companions.versions?.note(loader.stored, in: loader.schema, run: run, now: now)
                        if hasBaseline, counts.inserted + counts.updated > changes {
                            try notes(in: loader.schema).note(loader.stored, run: run)
                        }
                        continue
                    }
                    switch try loader.store(record, keeping: evidence.overlap, run: run) {
                    case .row(let change):
                        bound += 1
                        count(loader.recordKey, at: page.place, change)
                        try companions.versions?.note(change, in: loader.schema, run: run, now: now)
                        if hasBaseline { try notes(in: loader.schema).note(change, run: run) }
                    case .refused(let reason):
                        counts.quarantined += 1
                        try refuse(page.place, node, reason)
                    case .discarded(let reason):
                        counts.discarded += 1
                        evidence.discarded.note(reason)
                    }
                    if loader.revisions != revisions, !stream.replacesTable { page.known = nil }
                }
                page.advance()
            }
        }
        try loader.widenColumnsOfWords(besides: records.count - bound, run: run)
        if counts.changes > 0 { try loader.noteChange() }
        try companions.index?.endPage(in: loader.schema)
        if loader.revisions != revisions {
            try PageTable(streamID: streamID, connection: connection).clearCache()
        }
        return counts
    }

    /// Records since when versions of the rows are kept, or that they no longer are. Existing rows get their first version.
    func beginHistory(at now: Timestamp) throws {
        let periods = HistoryPeriods(streamID: streamID, connection: connection)
        guard stream.history else { return try periods.end(at: now) }
        if try periods.begin(at: now) { try companions.versions?.catchUp(run: nil, now: now) }
    }

    private func followContract() {
        if let loader, loader.contract != stream.schemaContract { loader.contract = stream.schemaContract }
    }

    private var tracksMembers: Bool { stream.deletesRows && loader?.schema.key.isEmpty == false }
}

// MARK: - The table

extension StreamTable {
    private func open(_ schema: TableSchema) throws {
        var schema = schema
        if let problem = try TableSchema.lostColumns(of: stream.table, streamID, on: connection) { throw problem }
        try schema.requireForm(of: stream)
        if stream.deleteMissing == .soft, !schema.marksDeletion {
            try connection.execute("ALTER TABLE \(quoted(schema.table)) ADD COLUMN \(TableSchema.deletionColumn) TEXT")
            schema.marksDeletion = true
        }
        schema.mergeStrategy = stream.mergeStrategy
        schema.partitionMembers = stream.partitionMemberNames
        schema.declaredTypes = stream.fields.columnTypes
        try add(added, to: &schema)
        loader = try tableLoader(schema)
        loader?.contract = stream.schemaContract
        try openCompanions(of: schema, isMadeAnew: !pageOverlap.watch(schema.table, key: schema.key.map(\.name)))
    }

    /// Opens the versions of the rows and the search index. In a table that someone made anew, rows may have other numbers.
    private func openCompanions(of schema: TableSchema, isMadeAnew: Bool = false) throws {
        if stream.history { companions.versions = try RowVersions(of: schema, streamID: streamID, on: connection) }
        companions.index = try SearchIndex(
            of: stream.search, in: schema, isStale: isMadeAnew, streamID: streamID, on: connection)
    }

    private func tableLoader(_ schema: TableSchema) throws -> TableLoader {
        let loader = try TableLoader(
            streamID: streamID, schema: schema, flattenDepth: stream.flattenDepth, on: connection)
        if stream.childTables {
            let types = stream.fields.columnTypes
            loader.split(
                into: try ChildTables(of: streamID, flattenDepth: stream.flattenDepth, types: types, on: connection))
        }
        return loader
    }

    private func create(from records: Selection, adding added: Node?, run: RunID) throws -> TableLoader {
        var schema = try TableSchema(
            for: stream, from: records, adding: added, key: keyNames(in: records), run: run)
        schema.addedColumns = self.added
        // Beside another object of that name, SQLite does not prepare the statement. Only then is the schema looked through.
        if (try? Statement(schema.createStatement(), on: connection)) == nil, try connection.hasObject(stream.table) {
            throw PersistenceError(
                .configuration, "a table '\(stream.table)' exists that no stream created",
                hint: "give the stream another table with 'table:'")
        }
        try connection.makingTriggers(named: RowWatch.prefix) {
            try TableEvolution.create(schema, streamID: streamID, run: run, on: connection)
            try pageOverlap.watch(schema.table, key: schema.key.map(\.name), isNew: true)
        }
        try pageOverlap.note(areApart: true)
        evidence.madeTable(isOneList: isOneList)
        let loader = try tableLoader(schema)
        loader.contract.dataTypes = stream.schemaContract.dataTypes == .setAside ? .setAside : .evolve
        self.loader = loader
        try openCompanions(of: schema)
        return loader
    }

    private func members(in schema: TableSchema) throws -> PageMembers {
        if let made = companions.pageMembers { return made }
        let made = try PageMembers(of: schema, hashKey: evidence.hashKey, on: connection)
        companions.pageMembers = made
        return made
    }

    private func notes(in schema: TableSchema) throws -> ChangeNotes {
        if let made = companions.changeNotes { return made }
        let made = try ChangeNotes(of: schema, streamID: streamID, on: connection)
        companions.changeNotes = made
        return made
    }
}
