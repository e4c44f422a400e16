import GarnerCatalog
import GarnerDatabase
package import GarnerModel
package import GarnerSQLite

/// The known pages of one stream: `_garner_pages`.
package struct PageTable {
    let streamID: StreamID
    let connection: Connection

    package init(streamID: StreamID, connection: Connection) {
        (self.streamID, self.connection) = (streamID, connection)
    }

    func row(at position: String) throws -> PageRow? {
        try connection.firstRow(
            """
            SELECT page_id, keys_digest, has_members, record_count, read_id FROM _garner_pages
            WHERE stream_id = ?1 AND position = ?2
            """, [.id(streamID), .text(position)]
        ) {
            PageRow(
                id: $0.id(at: 0), keysDigest: $0.optionalText(at: 1), hasMembers: $0.integer(at: 2) == 1,
                recordCount: Int($0.integer(at: 3)), read: $0.id(at: 4))
        }
    }

    /// Returns the cached page, by which an unchanged page is detected. Returns nil if it was read in another
    /// way, or if another page or another program may have written its rows since.
    ///
    /// - Parameter needsMembers: True if the page's records must have been stored as members.
    func memory(at position: String, scope: String, needsMembers: Bool) throws -> CachedPage? {
        try connection.firstRow(
            """
            SELECT validator, fingerprint, summary FROM _garner_pages JOIN _garner_streams USING (stream_id)
            WHERE stream_id = ?1 AND position = ?2 AND scope = ?3 AND summary IS NOT NULL AND (has_members OR NOT ?4)
            AND pages_are_apart AND NOT is_touched
            """, [.id(streamID), .text(position), .text(scope), .integer(needsMembers ? 1 : 0)]
        ) {
            CachedPage(
                validator: $0.optionalText(at: 0), fingerprint: $0.optionalText(at: 1), summary: $0.text(at: 2))
        }
    }

    /// Records that a read has seen the page. Returns its previous row, or one with a new number for a new page.
    ///
    /// - Parameters:
    ///   - keepsSlice: True if the page's slice is noted with it.
    ///   - tracksMembers: True if the caller also stores the page's members. Otherwise the stored ones no longer
    ///     count as correct.
    func note(
        _ page: PageCommit, after known: PageRow?, count: Int, keysDigest: String, memory: CachedPage?, read: ReadID,
        scope: String, tracksMembers: Bool, keepsSlice: Bool
    ) throws -> PageRow {
        let slice = keepsSlice ? Value.id(page.slice) : .null
        let values: [Value] = [
            .id(read), Value(memory?.validator), Value(memory?.fingerprint), Value(memory?.summary), .text(scope),
            .integer(Int64(count)), .text(keysDigest), .integer(tracksMembers ? 1 : 0),
        ]
        if let known {
            try run(
                """
                UPDATE _garner_pages SET read_id = ?1, validator = ?2, fingerprint = ?3, summary = ?4, scope = ?5,
                record_count = ?6, keys_digest = ?7, has_members = ?8,
                bindings = \(Self.bindings(ofSlice: "?10")) WHERE page_id = ?9
                """, values + [.id(known.id), slice])
            return known
        }
        try run(
            """
            INSERT INTO _garner_pages (read_id, validator, fingerprint, summary, scope, record_count, keys_digest,
            has_members, stream_id, position, bindings)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, \(Self.bindings(ofSlice: "?11")))
            """, values + [.id(streamID), .text(page.position), slice])
        return PageRow(
            id: PageID(connection.lastInsertedRow), keysDigest: nil, hasMembers: false, recordCount: 0, read: read)
    }

    /// Records that a read has seen the page with unchanged records.
    ///
    /// - Parameters:
    ///   - memory: The cached page from now on; nil to keep the current one.
    ///   - slice: The slice to note with it; nil for none.
    func noteUnchanged(_ row: PageRow, memory: CachedPage?, read: ReadID, slice: SliceID?) throws {
        try run(
            """
            UPDATE _garner_pages SET read_id = ?1, validator = iif(?2, ?3, validator),
            bindings = \(Self.bindings(ofSlice: "?5")) WHERE page_id = ?4
            """,
            [
                .id(read), .integer(memory == nil ? 0 : 1), Value(memory?.validator), .id(row.id),
                slice.map { .id($0) } ?? .null,
            ])
    }

    private static func bindings(ofSlice parameter: String) -> String {
        "(SELECT bindings FROM _garner_slices WHERE slice_id = \(parameter))"
    }

    /// Counts the pages of further slices as seen by the read.
    ///
    /// - Parameter slices: Calls its argument with the bindings of each slice to keep.
    func keepSlices(besideThoseOf read: ReadID, _ slices: ((String) throws -> Void) throws -> Void) throws {
        try connection.execute("CREATE TEMP TABLE _garner_kept_slices (bindings TEXT PRIMARY KEY) WITHOUT ROWID")
        try slices { bindings in
            let statement = try connection.statement("INSERT OR IGNORE INTO temp._garner_kept_slices VALUES (?1)")
            try statement.bind([.text(bindings)])
            try statement.run()
        }
        try run(
            """
            UPDATE _garner_pages SET read_id = ?2 WHERE stream_id = ?1 AND read_id <> ?2
            AND bindings IN (SELECT bindings FROM temp._garner_kept_slices)
            AND bindings NOT IN (
                SELECT bindings FROM _garner_pages WHERE stream_id = ?1 AND read_id = ?2 AND bindings IS NOT NULL)
            """, [.id(streamID), .id(read)])
        try connection.execute("DROP TABLE temp._garner_kept_slices")
    }

    /// Counts further pages as seen by the read: those with a record whose key the query returns. Returns their number.
    func keepPages(withKeysIn query: String, besideThoseOf read: ReadID) throws -> Int {
        try run(
            """
            UPDATE _garner_pages SET read_id = ?2 WHERE stream_id = ?1 AND read_id <> ?2 AND EXISTS (
                SELECT 1 FROM _garner_members AS member
                WHERE member.page_id = _garner_pages.page_id AND record_key IN (\(query)))
            """, [.id(streamID), .id(read)])
        return connection.changes
    }

    /// Returns true if nothing has made the stored memory of the page worthless.
    func remembers(_ position: String) throws -> Bool {
        try connection.integer(
            "SELECT 1 FROM _garner_pages WHERE stream_id = ?1 AND position = ?2 AND summary IS NOT NULL",
            .id(streamID), .text(position)) != nil
    }

    func remembersOthers(than position: String) throws -> Bool {
        try connection.integer(
            "SELECT 1 FROM _garner_pages WHERE stream_id = ?1 AND position <> ?2 AND summary IS NOT NULL LIMIT 1",
            .id(streamID), .text(position)) != nil
    }

    /// Forgets all cached pages, so that every page of the stream is read again.
    package func clearCache() throws {
        try PageOverlap.clearCache(of: streamID, on: connection)
    }

    /// Returns true if a record is a member of two of the pages of one slice that the read has seen.
    ///
    /// - Parameter slice: The slice; nil for any.
    func hasMemberOnTwoPages(of read: ReadID, in slice: SliceID?) throws -> Bool {
        let isOfSlice = slice == nil ? "" : "AND bindings = \(Self.bindings(ofSlice: "?3"))"
        return try connection.firstRow(
            """
            SELECT 1 FROM _garner_members JOIN _garner_pages USING (page_id)
            WHERE stream_id = ?1 AND read_id = ?2 \(isOfSlice)
            GROUP BY bindings, record_key HAVING count(*) > 1 LIMIT 1
            """, [.id(streamID), .id(read)] + (slice.map { [.id($0)] } ?? []), decode: { _ in true }) != nil
    }

    /// Forgets the pages that this read has not seen; nil: all pages.
    package func forgetAll(but read: ReadID? = nil) throws {
        let isOld = "stream_id = ?1 AND read_id IS NOT ?2"
        let values: [Value] = [.id(streamID), Value(read)]
        try run(
            "DELETE FROM _garner_members WHERE page_id IN (SELECT page_id FROM _garner_pages WHERE \(isOld))", values)
        try run("DELETE FROM _garner_pages WHERE \(isOld)", values)
    }

    private func run(_ sql: String, _ values: [Value]) throws {
        let statement = try connection.statement(sql)
        try statement.bind(values)
        try statement.run()
    }
}

/// The rows of a table that a complete read did not see.
struct MissingRows {
    enum Outcome: Equatable {
        case none
        case deleted(Int)
        /// The read spans several runs: a record may have moved from an unread page to one already read.
        case resumed
        /// Without a key, missing rows cannot be identified.
        case keyless
        /// Records of this read were not stored, so missing rows cannot be identified.
        case unsure(quarantined: Int)
        /// A page of an earlier read has unstored records, or its list may lack some, so missing rows cannot be identified.
        case vague
        /// More rows are missing than one run may delete. None was deleted.
        case braked(missing: Int, rows: Int)
    }

    let schema: TableSchema
    let streamID: StreamID
    let connection: Connection
    /// The rows that are missing, where they are known.
    var known: [Int64]?
    /// True if all pages are stored at once, so that no record can have moved between them.
    var isAtOnce = false
    /// False if pages of earlier reads count as seen by this one.
    var isWhole = true
    /// True if all pages of the read are as they were stored, so that each of their records has a row.
    var isUnchanged = false
    /// The versions of the rows; nil if none are kept.
    var versions: RowVersions?
    var index: SearchIndex?

    /// - Parameter ratio: The largest share of the rows that may go; nil: fewer than half, and of fewer than
    ///   ten at most one.
    func delete(
        _ way: DeleteMissing, upTo ratio: Double?, read: ReadID, run: RunID, now: Timestamp, noting: Bool
    ) throws -> Outcome {
        if read != ReadID(begunBy: run), !isAtOnce { return .resumed }
        let (quarantined, inserted) =
            try connection.firstRow("SELECT quarantined, inserted FROM _garner_runs WHERE run_id = ?1", [.id(run)]) {
                (Int($0.integer(at: 0)), Int($0.integer(at: 1)))
            } ?? (0, 0)
        if quarantined > 0 { return .unsure(quarantined: quarantined) }
        let table = quoted(schema.table)
        // The rows are looked for once, by all pages of the read.
        let gone = try known ?? rows(of: read)
        guard !gone.isEmpty else { return .none }
        // Pages that only an earlier read covered may have had records that it could not store, or lack some.
        let isVague = "SELECT 1 FROM _garner_pages WHERE stream_id = ?1 AND read_id = ?2 AND NOT has_members LIMIT 1"
        if !isWhole, try connection.firstRow(isVague, [.id(streamID), .id(read)], decode: { _ in true }) != nil {
            return .vague
        }
        let present = Int(try connection.integer("SELECT count(*) FROM \(table)\(wherePresent)") ?? 0)
        // A row that this run has inserted says nothing of how much of the old table goes. A ratio is of the table as it would be.
        let rows = ratio == nil ? present - inserted : present
        guard Self.mayGo(gone.count, of: rows, upTo: ratio) else { return .braked(missing: gone.count, rows: rows) }
        defer { _ = connection.takeRowChange() }
        let isGone = "_rowid_ IN (SELECT value FROM json_each(?1))"
        let list = Value.text("[\(gone.map(String.init).joined(separator: ","))]")
        if noting {
            try execute(
                """
                INSERT OR REPLACE INTO _garner_changes (stream_id, run_id, record_key, operation)
                SELECT ?2, ?3, \(schema.keyExpression), 'delete' FROM \(table) WHERE \(isGone)
                """, [list, .id(streamID), .id(run)])
        }
        try versions?.end(where: isGone, [list, .null], run: run, now: now)
        switch way {
        case .ignore: return .none
        case .hard:
            try index?.forget(rowsWhere: isGone, [list], in: schema.table)
            try execute("DELETE FROM \(table) WHERE \(isGone)", [list])
        case .soft:
            try execute(
                "UPDATE \(table) SET \(TableSchema.deletionColumn) = ?2 WHERE \(isGone)",
                [list, .text(now.description)])
            try versions?.beginAbsent(run: run, now: now)
        }
        return .deleted(gone.count)
    }

    /// Notes the rows that are missing now. Returns false if there are none.
    func note(read: ReadID) throws -> Bool {
        try connection.execute("DROP TABLE IF EXISTS \(noted)")
        if try areAsMany(read) { return false }
        try connection.execute(
            """
            CREATE TEMP TABLE \(noted) AS
            SELECT \(schema.keyExpression) AS record_key FROM \(quoted(schema.table)) WHERE \(isMissing)
            """, .id(streamID), .id(read))
        return try connection.integer("SELECT 1 FROM \(noted) LIMIT 1") != nil
    }

    /// Returns the rows that are missing now, and whether one is among them that was not when the missing ones were noted. Forgets those.
    ///
    /// - Parameter areNoted: True if the read has met nothing since. To look through all rows takes as long as to fetch their pages.
    func rows(of read: ReadID, areNoted: Bool) throws -> (rows: [Int64], hasOthers: Bool) {
        defer { try? connection.execute("DROP TABLE IF EXISTS \(noted)") }
        let isNoted = "\(schema.keyExpression) IN (SELECT record_key FROM \(noted))"
        let condition = areNoted ? "\(isPresent) AND \(isNoted)" : isMissing
        var hasOthers = false
        let rows = try connection.rows(
            "SELECT _rowid_, \(areNoted ? "TRUE" : isNoted) FROM \(quoted(schema.table)) WHERE \(condition)",
            areNoted ? [] : [.id(streamID), .id(read)]
        ) {
            if $0.integer(at: 1) == 0 { hasOthers = true }
            return $0.integer(at: 0)
        }
        return (rows, hasOthers)
    }

    private func rows(of read: ReadID) throws -> [Int64] {
        if try areAsMany(read) { return [] }
        let sql = "SELECT _rowid_ FROM \(quoted(schema.table)) WHERE \(isMissing)"
        return try connection.rows(sql, [.id(streamID), .id(read)]) { $0.integer(at: 0) }
    }

    /// Returns true if the records of unchanged pages, which share none, are as many as the rows. Then none is missing. To count both takes
    /// a fifth of the time of a look for each row.
    private func areAsMany(_ read: ReadID) throws -> Bool {
        guard isUnchanged, isWhole else { return false }
        return try connection.integer(
            """
            SELECT (
                SELECT count(*) FROM _garner_members JOIN _garner_pages USING (page_id)
                WHERE stream_id = ?1 AND read_id = ?2
            ) = (SELECT count(*) FROM \(quoted(schema.table))\(wherePresent))
            """, .id(streamID), .id(read)) == 1
    }

    private var noted: String { "temp._garner_missing_\(streamID)" }

    /// Leaves out the rows that are marked as missing. Where none can be, SQLite counts the rows without a look at each.
    private var wherePresent: String { schema.marksDeletion ? " WHERE \(isPresent)" : "" }

    private var isPresent: String { schema.marksDeletion ? "\(TableSchema.deletionColumn) IS NULL" : "TRUE" }

    private var isMissing: String {
        """
        \(isPresent) AND \(schema.keyExpression) NOT IN (
            SELECT record_key FROM _garner_members JOIN _garner_pages USING (page_id)
            WHERE stream_id = ?1 AND read_id = ?2)
        """
    }

    private static func mayGo(_ missing: Int, of rows: Int, upTo ratio: Double?) -> Bool {
        if let ratio { return Double(missing) <= ratio * Double(rows) }
        return 2 * missing < rows && (rows >= 10 || missing <= 1)
    }

    private func execute(_ sql: String, _ values: [Value]) throws {
        let statement = try connection.statement(sql)
        try statement.bind(values)
        try statement.run()
    }
}
