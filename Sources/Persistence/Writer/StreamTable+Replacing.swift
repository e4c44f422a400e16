import GarnerCatalog
import GarnerDatabase
import GarnerJSON
import GarnerModel
import GarnerSQLite

// The replacement of a table by a complete read: its pages are staged beside it until the last one has come.
extension StreamTable {
    enum Replacement {
        /// An earlier run of this read did it.
        case done
        case replaced(RunCounts)
        /// More rows of a table without a key would go than one run may delete. The table is unchanged.
        case braked(records: Int, rows: Int)
    }

    /// Stages a page until its read ends. The state of earlier pages stays unchanged until then.
    func stage(_ page: PageCommit, scope: String) throws {
        evidence.pagesAreNumbered = evidence.pagesAreNumbered || page.isNumbered
        let added = AddedFields(json: page.added)
        let count: Int
        var known: KnownRecords?
        let row = try PageTable(streamID: streamID, connection: connection).row(at: page.position)
        switch page.content {
        case .records(let records):
            count = records.count - page.deletions.count
            evidence.notes.formUnion(records.document.notes)
            known = try knownRecords(of: page, records, after: row, scope: scope)
            let knowsChanges = evidence.changedKeys != nil
            try added.with {
                try noteUnseenColumns(on: records, deleting: page.deletions, adding: $0)
                noteStaged(records, besides: known, adding: $0)
            }
            if !page.deletions.isEmpty { evidence.deletedRows() }
            if knowsChanges, evidence.changedKeys == nil {
                known = try knownRecords(of: page, records, after: row, scope: scope)
            }
        case .unchanged:
            guard let row else { throw Self.forgottenPage(page.position) }
            count = row.recordCount
        }
        let isCompared = loader?.schema.key.isEmpty ?? (stream.primaryKey == nil || stream.dedupes)
        let hashKey = isCompared ? evidence.hashKey : nil
        try staged.add(
            page, count: count, scope: scope, hashKey: hashKey, knowing: isCompared ? nil : known,
            key: loader?.schema.key.map(\.path) ?? [])
        try page.later?.forEach { piece in
            evidence.changesManyRows()
            evidence.notes.formUnion(piece.records.document.notes)
            try added.with { try noteUnseenColumns(on: piece.records, deleting: piece.deletions, adding: $0) }
            try staged.add(piece, behind: page, scope: scope, hashKey: hashKey)
        }
    }

    /// Notes the keys of the records that may change their rows. A later record with the same key may change a row back.
    private func noteStaged(_ records: Selection, besides known: KnownRecords?, adding added: Node?) {
        guard let loader, evidence.changedKeys != nil else { return }
        var place = 0
        records.forEach { node in
            defer { place += 1 }
            guard known?.key(at: place) == nil, evidence.changedKeys != nil else { return }
            let record = PageRecord(node: node, added: added)
            guard loader.fits(record) else { return evidence.changesManyRows() }
            if let key = loader.recordKey(of: record) { evidence.staged(key) }
        }
    }

    /// Stores all pages of the read. With a key, the missing rows remain to be deleted; without one, the new
    /// rows replace all others, unless they are the same.
    func replace(run: RunID, read: ReadID, identity: String, now: Timestamp) throws -> Replacement {
        let last = try lastReplacement()
        if last?.read == read { return .done }
        let revisions = loader?.revisions ?? 0
        guard let table = loader?.schema, table.key.isEmpty else {
            let counts = try loadStaged(run: run, read: read, now: now)
            let isKeyless = loader?.schema.key.isEmpty == true
            try end(
                read, isKeyless && isExact(counts, since: revisions) ? contentDigest(identity) : nil,
                rows: counts.inserted)
            return .replaced(counts)
        }
        let digest = try contentDigest(identity)
        let records = try staged.recordCount
        let rows = Int(try connection.integer("SELECT count(*) FROM \(quoted(table.table))") ?? 0)
        if digest == last?.digest, rows == last?.rows {
            var counts = RunCounts()
            counts.unchanged = records
            try end(read, digest, rows: rows)
            return .replaced(counts)
        }
        guard Double(rows - records) <= (stream.maxDeleteRatio ?? 1) * Double(rows) else {
            try keepRows(behind: read)
            return .braked(records: records, rows: rows)
        }
        let newest = try connection.integer("SELECT max(_rowid_) FROM \(quoted(table.table))")
        // New rows come first, so that none gets the number of an old one, by which changes are recorded.
        var counts = try loadStaged(run: run, read: read, now: now)
        if let newest { counts.deleted = try deleteRows(upTo: newest, of: table, run: run, now: now) }
        try end(read, isExact(counts, since: revisions) ? digest : nil, rows: counts.inserted)
        return .replaced(counts)
    }

    /// Returns true if the same pages would create the same rows again.
    private func isExact(_ counts: RunCounts, since revisions: Int) -> Bool {
        counts.quarantined + counts.discarded == 0 && loader?.revisions ?? 0 == revisions
    }

    /// Returns true if there are rows of an earlier read.
    func hasRows(notOf read: ReadID) throws -> Bool {
        try lastReplacement()?.read != read && hasRows
    }

    var hasRows: Bool {
        get throws {
            guard let table = loader?.schema.table else { return false }
            return try connection.integer("SELECT 1 FROM \(quoted(table)) LIMIT 1") != nil
        }
    }

    /// Returns how many records the read has brought, and how many rows there are, if these are more than twice as many; nil if
    /// not, or if an earlier run of the read has decided.
    func shortfall(of read: ReadID) throws -> (records: Int, rows: Int)? {
        guard let (records, rows) = try sizes(of: read) else { return nil }
        return rows > 0 && records < rows - records ? (records, rows) : nil
    }

    /// Returns true if the read has brought fewer records than there are rows.
    func hasFewerRecords(read: ReadID) throws -> Bool { try sizes(of: read).map { $0.records < $0.rows } ?? false }

    private func sizes(of read: ReadID) throws -> (records: Int, rows: Int)? {
        guard let table = loader?.schema.table, try lastReplacement()?.read != read else { return nil }
        let rows = Int(try connection.integer("SELECT count(*) FROM \(quoted(table))") ?? 0)
        return (try staged.recordCount, rows)
    }

    /// Ends a read without replacing the rows.
    func keepRows(behind read: ReadID) throws {
        let last = try lastReplacement()
        try end(read, last?.digest, rows: last?.rows)
    }

    private var staged: StagedPages { StagedPages(streamID: streamID, connection: connection) }

    /// Loads one page at a time, so that a long read takes no more memory than a short one.
    private func loadStaged(run: RunID, read: ReadID, now: Timestamp) throws -> RunCounts {
        var counts = RunCounts()
        let pages = try staged.pages()
        let (revisions, shape) = (loader?.revisions, loader?.shape)
        var haveKeysOnly = false
        let pageTable = PageTable(streamID: streamID, connection: connection)
        for (place, (numbers, slice)) in pages.enumerated() {
            guard let number = numbers.first, let (stored, scope) = try staged.page(number) else { continue }
            var page = stored
            page.slice = slice
            if place + 1 < pages.count, pages[place + 1].slice == slice {
                page.continuation = .next("")
            } else {
                page.endsList = true
            }
            page.isNumbered = evidence.pagesAreNumbered
            if !page.keysOnly.isEmpty {
                haveKeysOnly = true
                // Rows that others have changed since the page was staged are for the next read.
                if try !pageTable.remembers(page.position) { page.memory = nil }
            }
            let added = try load(page, run: run, read: read, scope: scope, now: now) { body in
                for number in numbers.dropFirst() {
                    if let piece = try staged.piece(number) { try body(piece) }
                }
            }
            counts.add(added)
        }
        // A row may differ from what its record would give now. As with pages that came unchanged, the next read looks at each.
        if haveKeysOnly, loader?.revisions != revisions || loader?.shape != shape {
            try pageTable.clearCache()
        }
        return counts
    }

    private func deleteRows(upTo row: Int64, of table: TableSchema, run: RunID, now: Timestamp) throws -> Int {
        if hasBaseline {
            try connection.execute(
                """
                INSERT OR REPLACE INTO _garner_changes (stream_id, run_id, record_key, operation)
                SELECT ?1, ?2, \(table.keyExpression), 'delete' FROM \(quoted(table.table)) WHERE _rowid_ <= ?3
                """, .id(streamID), .id(run), .integer(row))
        }
        defer { _ = connection.takeRowChange() }
        let isOld = "\(quoted(table.table))._rowid_ <= ?1"
        try companions.versions?.end(where: isOld, [.integer(row), .null], run: run, now: now)
        try companions.index?.forget(rowsWhere: isOld, [.integer(row)], in: table.table)
        try connection.execute("DELETE FROM \(quoted(table.table)) WHERE \(isOld)", .integer(row))
        return connection.changes
    }

    private func contentDigest(_ identity: String) throws -> String {
        try staged.contentDigest(identity: identity, hashKey: evidence.hashKey)
    }

    private func lastReplacement() throws -> (read: ReadID, digest: String?, rows: Int?)? {
        try connection.firstRow(
            "SELECT read_id, content_digest, row_count FROM _garner_replacements WHERE stream_id = ?1",
            [.id(streamID)]
        ) { (ReadID($0.integer(at: 0)), $0.optionalText(at: 1), $0.optionalInteger(at: 2).map { Int($0) }) }
    }

    /// - Parameter digest: The digest of the content of a table without a key; nil if the same pages may create
    ///   another table the next time.
    private func end(_ read: ReadID, _ digest: String?, rows: Int?) throws {
        try connection.execute(
            """
            INSERT INTO _garner_replacements (stream_id, read_id, content_digest, row_count) VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT (stream_id) DO UPDATE SET read_id = excluded.read_id, content_digest = excluded.content_digest,
            row_count = excluded.row_count
            """, .id(streamID), .id(read), Value(digest), Value(rows.map { Int64($0) }))
        try staged.removeAll()
    }
}
