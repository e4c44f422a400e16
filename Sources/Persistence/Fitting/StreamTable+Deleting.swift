import Catalog
import Database
import JSON
import Model
import SQLite

// The deletion of rows whose records the source marks as deleted.
extension StreamTable {
    /// Deletes or marks the row of a record. Returns false if there is none.
    ///
    /// Throws `PersistenceError` if the table has no key by which the row can be found.
    func delete(_ record: PageRecord, run: RunID, now: Timestamp) throws -> Bool {
        guard let loader else { return false }
        guard !loader.schema.key.isEmpty else { throw Self.keylessDeletion(from: stream.table) }
        guard loader.keyValues(of: record).allSatisfy({ $0?.isNull == false }) else {
            deletionsWithoutKey += 1
            return false
        }
        guard let row = try row(of: record, in: loader) else { return false }
        defer { _ = connection.takeRowChange() }
        if hasBaseline { try noteDeletion(of: row, in: loader.schema, run: run) }
        switch stream.deleteMissing {
        case .soft: try mark(row, in: loader.schema, run: run, now: now)
        case .ignore, .hard: try remove(row, in: loader.schema, run: run, now: now)
        }
        return true
    }

    /// The warning about deleted records without a key; nil if there were none.
    var keylessDeletions: String? {
        guard deletionsWithoutKey > 0 else { return nil }
        return "\(deletionsWithoutKey.counted("record")) of those that deleted_when selects "
            + "\(deletionsWithoutKey == 1 ? "has" : "have") no primary key, so that no row was deleted for them"
    }

    private static func keylessDeletion(from table: String) -> PersistenceError {
        PersistenceError(
            .configuration, "deleted_when needs a primary key, and the table \(table) has none",
            hint: "give the stream a primary_key, and another table with 'table:'")
    }

    /// Returns the number of the record's row; nil if there is none, or if it is already marked as deleted.
    private func row(of record: PageRecord, in loader: TableLoader) throws -> Int64? {
        let schema = loader.schema
        var conditions = schema.key.enumerated().map { "\(quoted($1.name)) = ?\($0 + 1)" }
        if schema.marksDeletion { conditions.append("\(TableSchema.deletionColumn) IS NULL") }
        let statement = try connection.statement(
            "SELECT _rowid_ FROM \(quoted(schema.table)) WHERE \(conditions.joined(separator: " AND "))")
        defer {
            statement.reset()
            statement.clearBindings()
        }
        // A key that its column cannot hold is in no row.
        guard try loader.bindKey(of: record, to: statement, from: 1) else { return nil }
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
        try versions?.note(.updated(row: row), in: schema, run: run, now: now)
    }

    private func remove(_ row: Int64, in schema: TableSchema, run: RunID, now: Timestamp) throws {
        let isRow = "_rowid_ = ?1"
        let values: [Value] = [.integer(row), .null]
        try versions?.end(where: isRow, values, run: run, now: now)
        try index?.forget(rowsWhere: isRow, [.integer(row)], in: schema.table)
        if stream.childTables {
            try ChildRegistry(connection: connection).removeRows(ofParentRow: row, in: schema, streamID: streamID)
        }
        try connection.execute("DELETE FROM \(quoted(schema.table)) WHERE \(isRow)", .integer(row))
    }
}
