import GarnerDatabase
package import GarnerModel
import GarnerSQLite

/// A record that was in a table and is there no more, as far as runs have noted it.
package struct GoneRecord: Sendable {
    /// A change of the record by a run.
    package struct Change: Sendable, Equatable {
        package let run: RunID
        package let operation: RecordChange.Operation
        /// The end of the run, or its beginning; nil if the run was forgotten.
        package let at: Timestamp?
    }

    package let table: String
    /// The latest changes, the newest first.
    package let changes: [Change]
    /// The versions of the record; nil if none are kept.
    package let history: RecordHistory?

    /// The change that removed the record; nil if none is noted.
    package var deletion: Change? {
        if let change = changes.first { return change.operation == .delete ? change : nil }
        guard let version = history?.versions.first, let run = version.endRun else { return nil }
        return Change(run: run, operation: .delete, at: version.to)
    }
}

extension ReadOnlyDatabase {
    /// Returns what is known of a record that is not in the table; nil if nothing is. O(changes of the stream).
    ///
    /// - Parameters:
    ///   - key: The parts of the key, in the order of the table's key.
    ///   - limit: The number of changes and of versions.
    package func goneRecord(in name: String, key: [String], limit: Int) throws -> GoneRecord? {
        try reading {
            let (streamID, table) = try streamTable(name)
            let columns = try keyColumns(of: table, streamID: streamID, for: key)
            guard let schema = try TableSchema(streamID: streamID, table: table, on: connection) else { return nil }
            let values = zip(columns, key).map { $0.value(spelled: $1) }
            let changes = try connection.rows(
                """
                SELECT run_id, operation, coalesce(ended_at, started_at) FROM _garner_changes
                LEFT JOIN (SELECT run_id, started_at, ended_at FROM _garner_runs) USING (run_id)
                WHERE _garner_changes.stream_id = ?1 AND record_key = \(schema.keyParameters(from: 3))
                ORDER BY run_id DESC LIMIT ?2
                """, [.id(streamID), .integer(Int64(limit))] + values
            ) { row in
                try GoneRecord.Change(
                    run: row.id(at: 0), operation: row.value(RecordChange.Operation.self, at: 1),
                    at: row.optionalTimestamp(at: 2))
            }
            let places = values.map { _ in "?" }.joined(separator: ", ")
            let history = try history(of: BoundSQL("(\(places))", values), schema, streamID, limit: limit)
            guard !changes.isEmpty || history?.versions.isEmpty == false else { return nil }
            return GoneRecord(table: table, changes: changes, history: history)
        }
    }
}
