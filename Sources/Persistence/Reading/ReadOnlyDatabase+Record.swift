import GarnerCatalog
package import GarnerDatabase
package import GarnerModel
import GarnerSQLite

package struct RecordHistory: Sendable {
    package struct Version: Sendable {
        package let from: Timestamp
        /// The end of the version; nil if it holds now.
        package let to: Timestamp?
        /// The run that brought it; nil if none did.
        package let run: RunID?
        /// The run that ended it; nil if it holds now, or if no run did.
        package let endRun: RunID?
        /// The fields that differ from the version before; for the first version, all that have a value.
        package let fields: [RecordChange.Field]
        /// True for the first version that is kept.
        package let isFirst: Bool
    }

    /// The versions, the newest first.
    package let versions: [Version]
    /// True if there are older versions.
    package let isCut: Bool
}

/// The rows of a child table that belong to a record.
package struct ChildRows: Sendable {
    package let table: String
    /// The columns that name the record, with their values.
    package let key: [(column: String, value: Value)]
    package let rows: Int
}

extension ReadOnlyDatabase {
    /// Returns the latest versions of a record; nil if none are kept.
    package func history(of place: RecordPlace, limit: Int) throws -> RecordHistory? {
        try reading {
            let (streamID, table) = try streamTable(place.table)
            guard let schema = try TableSchema(streamID: streamID, table: table, on: connection), !schema.key.isEmpty
            else { return nil }
            // The plus removes the columns' affinity, with which the index of the versions could not be used.
            let names = schema.key.map { "+\(quoted($0.name))" }.joined(separator: ", ")
            let key = BoundSQL("(SELECT \(names) FROM \(quoted(table)) WHERE _rowid_ = ?)", [.integer(place.row)])
            return try history(of: key, schema, streamID, limit: limit)
        }
    }

    /// Returns the versions of the record with a key, which need not be in the table; nil if none are kept.
    func history(of key: BoundSQL, _ schema: TableSchema, _ streamID: StreamID, limit: Int) throws -> RecordHistory? {
        let history = HistoryTable(of: schema.table, on: connection)
        guard try history.exists() else { return nil }
        let columns = try history.rowColumns()
        let respelled = try HistoryTable.respelledBooleans(of: streamID, on: connection)
        let names = schema.key.map { quoted($0.name) }
        let statement = try Statement(
            """
            SELECT _garner_valid_from, _garner_valid_to, _garner_run, _garner_end_run,
            \(columns.map(quoted).joined(separator: ", "))
            FROM \(quoted(history.name)) WHERE (\(names.joined(separator: ", "))) = \(key.text)
            ORDER BY _garner_valid_from DESC, _rowid_ DESC LIMIT ?
            """, on: connection)
        try statement.bind(key.values + [.integer(Int64(limit + 1))])
        var rows: [StoredVersion] = []
        var bytes = 0
        while bytes <= Self.mostVersionBytes, try statement.step() {
            let row = try StoredVersion(statement, columns: columns.count)
            bytes += row.values.reduce(0) { $0 + $1.byteCount }
            rows.append(row)
        }
        // The version that is too many shows how the one after it differs.
        let isCut = rows.count > limit || bytes > Self.mostVersionBytes
        let shown = isCut ? max(min(limit, rows.count - 1), 0) : rows.count
        let versions = rows.prefix(shown).enumerated().map { position, row in
            let older = position + 1 < rows.count ? rows[position + 1].values : nil
            let fields = columns.enumerated().compactMap { index, name -> RecordChange.Field? in
                let (old, new) = (older?[index] ?? .null, row.values[index])
                let isSame =
                    old.isSame(as: new)
                    || old.isSpelled(by: new, asBoolean: respelled.contains(Array(name.utf8)))
                return isSame ? nil : RecordChange.Field(name: name, old: old, new: new)
            }
            return RecordHistory.Version(
                from: row.from, to: row.to, run: row.run, endRun: row.endRun, fields: fields, isFirst: older == nil)
        }
        return RecordHistory(versions: versions, isCut: isCut)
    }

    private struct StoredVersion {
        let from: Timestamp
        let to: Timestamp?
        let run: RunID?
        let endRun: RunID?
        let values: [Value]

        init(_ row: Statement, columns: Int) throws {
            (from, to) = try (row.timestamp(at: 0), row.optionalTimestamp(at: 1))
            (run, endRun) = (row.optionalInteger(at: 2).map { RunID($0) }, row.optionalInteger(at: 3).map { RunID($0) })
            values = Array(row.wholeValues.dropFirst(4).prefix(columns))
        }
    }

    /// The bytes of values after which no older version is read.
    private static let mostVersionBytes = 16 << 20

    /// Returns the run that last changed a record; nil if it came with the stream's first read. O(changes of the stream).
    package func lastChange(of place: RecordPlace) throws -> (run: RunID, operation: RecordChange.Operation)? {
        try reading {
            let (streamID, table) = try streamTable(place.table)
            guard let schema = try TableSchema(streamID: streamID, table: table, on: connection) else { return nil }
            let parent: StreamID? = try connection.id(
                "SELECT parent_id FROM _garner_children WHERE stream_id = ?1", .id(streamID))
            return try connection.firstRow(
                """
                SELECT run_id, operation FROM _garner_changes WHERE stream_id = ?1 AND record_key = (
                    SELECT \(schema.changedKeyExpression) FROM \(quoted(table)) WHERE _rowid_ = ?2)
                ORDER BY run_id DESC LIMIT 1
                """, [.id(parent ?? streamID), .integer(place.row)]
            ) { try (RunID($0.integer(at: 0)), $0.value(RecordChange.Operation.self, at: 1)) }
        }
    }

    /// Returns the child tables of a record's table, with the number of rows that belong to the record.
    package func children(of place: RecordPlace) throws -> [ChildRows] {
        try reading {
            let (streamID, table) = try streamTable(place.table)
            guard let schema = try TableSchema(streamID: streamID, table: table, on: connection) else { return [] }
            let key = schema.key.map { quoted($0.name) }
            let children = try connection.rows(
                """
                SELECT stream_id, table_name FROM _garner_children JOIN _garner_streams USING (stream_id)
                WHERE parent_id = ?1 AND table_name IN \(Connection.tableNames) ORDER BY table_name
                """, [.id(streamID)]
            ) { (id: StreamID($0.integer(at: 0)), table: $0.text(at: 1)) }
            return try children.compactMap { child in
                let own = try TableSchema(streamID: child.id, table: child.table, on: connection)
                let columns = (own?.key ?? []).filter { $0.outer == .parent }.map(\.name)
                guard !columns.isEmpty, columns.count == key.count else { return nil }
                let values = try connection.firstRow(
                    "SELECT \(key.joined(separator: ", ")) FROM \(quoted(table)) WHERE _rowid_ = ?1",
                    [.integer(place.row)]
                ) { row in key.indices.map { row.value(at: $0) } }
                guard let values else { return nil }
                let condition = columns.map { "\(quoted($0)) = ?" }.joined(separator: " AND ")
                let count = try connection.firstRow(
                    "SELECT count(*) FROM \(quoted(child.table)) WHERE \(condition)", values
                ) { Int($0.integer(at: 0)) }
                return ChildRows(
                    table: child.table, key: zip(columns, values).map { ($0, $1) }, rows: count ?? 0)
            }
        }
    }

    /// Returns the media type and the size in bytes of a stored file. Throws if there is none.
    package func file(_ sha256: String) throws -> (mediaType: String, length: Int) {
        try reading {
            let file = try connection.firstRow(
                "SELECT media_type, length FROM _garner_blobs WHERE sha256 = ?1", [.text(sha256)]
            ) { ($0.text(at: 0), Int($0.integer(at: 1))) }
            guard let file else {
                throw PersistenceError(.request, "there is no file \(sha256)", hint: .syncToFetchMissing)
            }
            return file
        }
    }
}

extension Value {
    /// The size of a text or blob in bytes.
    fileprivate var byteCount: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .blob(let bytes): bytes.count
        case .null, .integer, .real: 0
        }
    }
}

extension HistoryTable {
    /// Returns the bytes of the names of the columns in which texts stand for earlier booleans.
    static func respelledBooleans(of streamID: StreamID, on connection: Connection) throws -> Set<[UInt8]> {
        Set(
            try connection.rows(
                """
                SELECT column_name FROM _garner_schema_changes
                WHERE stream_id = ?1 AND old_type = 'BOOLEAN' AND new_type = 'TEXT'
                """, [.id(streamID)]
            ) { Array($0.text(at: 0).utf8) })
    }
}
