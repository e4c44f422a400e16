import GarnerCatalog
import GarnerDatabase
import GarnerJSON
import GarnerModel
import GarnerSQLite

struct LackingRows {
    /// The rows, as seen while the current page is stored; nil if nobody has looked.
    var rows: [Int64]?
    /// True if the read has met no other page or record since `noteMissing` noted them.
    var areNoted = false
}

// The deletion of rows whose records are missing, or are marked as deleted by the source.
extension StreamTable {
    /// Marks or deletes the rows that a complete read did not see, and forgets the pages that it did not see.
    ///
    /// - Parameter isWhole: False if pages of earlier reads count as seen, too.
    func deleteMissing(read: ReadID, run: RunID, now: Timestamp, isWhole: Bool) throws -> MissingRows.Outcome {
        try forgetOtherPages(than: read)
        guard stream.deletesRows, var schema = loader?.schema else { return .none }
        guard !schema.key.isEmpty else { return stream.replacesTable ? .none : .keyless }
        try companions.versions?.follow(schema)
        let marksDeletion = schema.marksDeletion
        // Rows that were marked as missing are deleted too.
        if stream.replacesTable || stream.deleteMissing == .hard { schema.marksDeletion = false }
        let way = stream.replacesTable ? .hard : stream.deleteMissing
        let outcome = try MissingRows(
            schema: schema, streamID: streamID, connection: connection,
            known: schema.marksDeletion == marksDeletion ? lacking.rows : nil, isAtOnce: stream.replacesTable,
            isWhole: isWhole, isUnchanged: evidence.isUnchanged && !stream.replacesTable, versions: companions.versions,
            index: companions.index
        )
        .delete(
            way, upTo: stream.maxDeleteRatio ?? (stream.replacesTable ? 1 : nil), read: read, run: run, now: now,
            noting: hasBaseline)
        if way == .hard, case .deleted = outcome {
            try ChildRegistry(connection: connection).removeOrphans(of: schema, streamID: streamID)
        }
        return outcome
    }

    /// Notes the rows that a read has not seen. Returns false if there are none, or if nothing could tell.
    func noteMissing(read: ReadID) throws -> Bool {
        guard let missing = missingRows else { return false }
        lacking.areNoted = try missing.note(read: read)
        guard lacking.areNoted else {
            lacking.rows = []
            return false
        }
        evidence.keysComeAgain()  // The second look does.
        return true
    }

    /// Notes the records of one of several lists that a read has not seen. Returns false if there are none.
    func noteMissing(in slice: SliceID, read: ReadID) throws -> Bool {
        guard try leftRecords(of: read).areMissing(in: slice) else { return false }
        evidence.keysComeAgain()
        return true
    }

    func leftRecords(of read: ReadID) -> LeftRecords {
        LeftRecords(streamID: streamID, read: read, connection: connection)
    }

    /// Returns true if a read lacks rows other than those that `noteMissing` has noted.
    func lacksOtherRows(than read: ReadID) throws -> Bool {
        guard let missing = missingRows else { return false }
        defer { lacking.areNoted = false }
        let (rows, hasOthers) = try missing.rows(of: read, areNoted: lacking.areNoted)
        lacking.rows = rows
        return hasOthers
    }

    private var missingRows: MissingRows? {
        guard let schema = loader?.schema, !schema.key.isEmpty else { return nil }
        return MissingRows(
            schema: schema, streamID: streamID, connection: connection, isUnchanged: evidence.isUnchanged)
    }

    /// Deletes or marks the row of a record. Returns false if there is none.
    ///
    /// Throws `PersistenceError` if the table has no key by which the row can be found.
    func delete(_ record: PageRecord, run: RunID, now: Timestamp) throws -> Bool {
        guard let loader else { return false }
        guard !loader.schema.key.isEmpty else {
            // All rows of earlier reads go in any case.
            if stream.replacesTable { return false }
            throw keylessDeletion(from: stream.table)
        }
        guard loader.keyValues(of: record).allSatisfy({ $0?.isNull == false }) else {
            evidence.deletions.withoutKey += 1
            return false
        }
        guard let row = try row(of: record, in: loader), try !isShown(record, in: loader) else { return false }
        defer { _ = connection.takeRowChange() }
        if hasBaseline { try noteDeletion(of: row, in: loader.schema, run: run) }
        if stream.deleteMissing == .soft, !stream.replacesTable {
            try mark(row, in: loader.schema, run: run, now: now)
        } else {
            try remove(row, in: loader.schema, run: run, now: now)
        }
        return true
    }

    /// True if records of several slices may be one row, which one says is deleted: every page's records must be known.
    var mayShareDeletedRows: Bool {
        get throws {
            guard stream.deletedWhen != nil, evidence.overlap.hasSlices, let schema = loader?.schema else {
                return false
            }
            if let known = evidence.deletions.shareRows { return known }
            let key = Set(schema.key.map(\.path))
            var members = stream.partitions.map(\.memberName)
            var isShared = false
            if let parent = stream.parent, let table = try ParentTable(of: stream, parent: parent, on: connection) {
                members += table.keyMembers
                isShared = table.keyMembers.count < table.keyFields.count
            }
            isShared = isShared || !members.allSatisfy { key.contains([$0]) }
            evidence.deletions.shareRows = isShared
            return isShared
        }
    }

    /// Returns true if another slice has shown the record that was looked up last.
    private func isShown(_ record: PageRecord, in loader: TableLoader) throws -> Bool {
        guard try mayShareDeletedRows else { return false }
        switch evidence.overlap.place(of: loader.keyFingerprint) {
        case .elsewhere: return true
        case .unknown:
            evidence.deletions.untold += 1
            return true
        case .here:
            evidence.overlap.forget(loader.keyFingerprint)
            return false
        case .nowhere:
            guard try knowsEarlierPages else {
                evidence.deletions.untold += 1
                return true
            }
            return try isMember(record, in: loader)
        }
    }

    /// True if all records that earlier runs stored for this read are noted, as they are while missing rows are deleted.
    private var knowsEarlierPages: Bool {
        get throws {
            guard let (read, _) = evidence.deletions.resumedRead else { return true }
            if let known = evidence.deletions.knowsResumedRead { return known }
            let unknown = try connection.firstRow(
                """
                SELECT 1 WHERE (SELECT sum(pages) FROM _garner_runs WHERE stream_id = ?1 AND read_id = ?2) > (
                    SELECT count(*) FROM _garner_pages WHERE stream_id = ?1 AND read_id = ?2 AND has_members)
                """, [.id(streamID), .id(read)]
            ) { _ in true }
            evidence.deletions.knowsResumedRead = unknown == nil
            return unknown == nil
        }
    }

    /// Returns true if an earlier run of this read has found the record in another slice.
    private func isMember(_ record: PageRecord, in loader: TableLoader) throws -> Bool {
        guard let (read, slice) = evidence.deletions.resumedRead else { return false }
        let statement = try connection.statement(
            """
            SELECT 1 FROM _garner_members JOIN _garner_pages USING (page_id) WHERE stream_id = ?1 AND read_id = ?2
            AND bindings <> (SELECT bindings FROM _garner_slices WHERE slice_id = ?3)
            AND record_key = \(loader.schema.keyParameters(from: 4)) LIMIT 1
            """)
        try statement.bind([.id(streamID), .id(read), .id(slice)])
        defer {
            statement.reset()
            statement.clearBindings()
        }
        return try loader.bindKeyOfRow(of: record, to: statement, from: 4) && statement.step()
    }

    /// The warning about deleted records of which it is not known if another slice shows them; nil if there were none.
    var untoldDeletions: String? {
        let deletions = evidence.deletions
        guard deletions.untold > 0 else { return nil }
        let reason =
            deletions.knowsResumedRead == false
            ? "this run went on with a read whose earlier records were not noted" : "more came than are compared"
        return "\(deletions.untold.counted("record")) of those that deleted_when selects may still be in another "
            + "\(stream.partitions.isEmpty ? "parent" : "partition"), as \(reason); no row was deleted for them"
    }

    /// The warning about deleted records without a key; nil if there were none.
    var keylessDeletions: String? {
        let count = evidence.deletions.withoutKey
        guard count > 0 else { return nil }
        return
            "\(count.counted("record")) of those that deleted_when selects \(count == 1 ? "has" : "have") no primary key, "
            + "so that no row was deleted for them"
    }

    private func keylessDeletion(from table: String) -> PersistenceError {
        PersistenceError(
            .configuration, "deleted_when needs a primary key, and the table \(table) has none",
            hint: .dropToStartAnew(stream: stream.name.description, after: "give the stream a primary_key"))
    }

    /// Returns the number of the record's row; nil if there is none, or if it is already marked as deleted. A table that is
    /// replaced keeps no marked rows.
    private func row(of record: PageRecord, in loader: TableLoader) throws -> Int64? {
        let schema = loader.schema
        var conditions = schema.key.enumerated().map { "\(quoted($1.name)) = ?\($0 + 1)" }
        if schema.marksDeletion, !stream.replacesTable { conditions.append("\(TableSchema.deletionColumn) IS NULL") }
        let statement = try connection.statement(
            "SELECT _rowid_ FROM \(quoted(schema.table)) WHERE \(conditions.joined(separator: " AND "))")
        defer {
            statement.reset()
            statement.clearBindings()
        }
        guard try loader.bindKeyOfRow(of: record, to: statement, from: 1) else { return nil }
        return try statement.step() ? statement.integer(at: 0) : nil
    }

    private func noteDeletion(of row: Int64, in schema: TableSchema, run: RunID) throws {
        try connection.execute(
            """
            INSERT OR REPLACE INTO _garner_changes (stream_id, run_id, record_key, operation)
            SELECT ?1, ?2, \(schema.keyExpression), 'delete' FROM \(quoted(schema.table)) WHERE _rowid_ = ?3
            """, .id(streamID), .id(run), .integer(row))
    }

    private func mark(_ row: Int64, in schema: TableSchema, run: RunID, now: Timestamp) throws {
        try connection.execute(
            "UPDATE \(quoted(schema.table)) SET \(TableSchema.deletionColumn) = ?2 WHERE _rowid_ = ?1",
            .integer(row), .text(now.description))
        try companions.versions?.note(.updated(row: row), in: schema, run: run, now: now)
    }

    private func remove(_ row: Int64, in schema: TableSchema, run: RunID, now: Timestamp) throws {
        let isRow = "_rowid_ = ?1"
        let values: [Value] = [.integer(row), .null]
        try companions.versions?.end(where: isRow, values, run: run, now: now)
        try companions.index?.forget(rowsWhere: isRow, [.integer(row)], in: schema.table)
        if stream.childTables {
            try ChildRegistry(connection: connection).removeRows(ofParentRow: row, in: schema, streamID: streamID)
        }
        try connection.execute("DELETE FROM \(quoted(schema.table)) WHERE \(isRow)", .integer(row))
    }
}
