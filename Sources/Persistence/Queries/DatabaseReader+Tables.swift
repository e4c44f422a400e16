import Catalog
import Database
package import Model
import SQLite

/// A stored table.
package struct TableSummary: Sendable, Equatable {
    package let table: String
    /// The full name of the stream that fills it.
    package let stream: String
    package let rows: Int
    /// When a run last inserted, updated or deleted a row.
    package let lastChangedAt: Timestamp?
}

/// A stored table's columns and key.
package struct TableDescription: Sendable, Equatable {
    package let table: String
    package let primaryKey: [String]
    package let columns: [Column]
}

extension DatabaseReader {
    /// The tables that have been made, in the order of their names.
    package func tables() throws -> [TableSummary] {
        try reading {
            let streams = try connection.rows(
                """
                SELECT coalesce(parent.name, stream.name), stream.table_name, (
                    SELECT max(ended_at) FROM _garner_runs
                    WHERE _garner_runs.stream_id = coalesce(parent.stream_id, stream.stream_id)
                    AND inserted + updated + deleted > 0)
                FROM _garner_streams AS stream LEFT JOIN _garner_children USING (stream_id)
                LEFT JOIN _garner_streams AS parent ON parent.stream_id = parent_id
                WHERE stream.table_name IN (SELECT name FROM sqlite_schema WHERE type = 'table')
                ORDER BY stream.table_name
                """
            ) { (name: $0.text(at: 0), table: $0.text(at: 1), changedAt: $0.optionalText(at: 2)) }
            return try streams.map { stream in
                TableSummary(
                    table: stream.table, stream: stream.name, rows: try rowCount(of: stream.table),
                    lastChangedAt: stream.changedAt.flatMap(Timestamp.init(rfc3339:)))
            }
        }
    }

    /// Throws where there is no table of that name; names ignore case, as SQL's do.
    package func description(of name: String) throws -> TableDescription {
        try reading {
            let (streamID, table) = try streamTable(name)
            guard let schema = try TableSchema(streamID: streamID, table: table, on: connection) else {
                throw unknownTable(name)
            }
            let rest = try schema.keepsRest ? [restColumn(streamID)] : []
            return TableDescription(table: table, primaryKey: schema.key.map(\.name), columns: schema.columns + rest)
        }
    }

    /// The column for members that have none, which come from anywhere in the record.
    private func restColumn(_ streamID: Int64) throws -> Column {
        let run = try connection.firstRow(
            "SELECT min(run_id) FROM _garner_schema_changes WHERE stream_id = ?1 AND column_name = ?2",
            [.integer(streamID), .text(TableSchema.restColumn)]
        ) { $0.integer(at: 0) }
        return Column(name: TableSchema.restColumn, path: [], type: .text, keyPosition: nil, firstSeenRun: run ?? 0)
    }

    /// All table names, for suggestions.
    package func tableNames() throws -> [String] { try tables().map(\.table) }

    func rowCount(of table: String) throws -> Int {
        Int(try connection.integer("SELECT count(*) FROM \(quoted(table))") ?? 0)
    }

    func streamTable(_ name: String) throws -> (streamID: Int64, table: String) {
        let found = try connection.firstRow(
            """
            SELECT stream_id, table_name FROM _garner_streams
            WHERE table_name = ?1 AND table_name IN (SELECT name FROM sqlite_schema WHERE type = 'table')
            """, [.text(name)]
        ) { (streamID: $0.integer(at: 0), table: $0.text(at: 1)) }
        guard let found else { throw unknownTable(name) }
        return found
    }

    private func unknownTable(_ name: String) -> UnknownTable {
        let names = try? connection.rows(
            """
            SELECT table_name FROM _garner_streams WHERE stream_id IN (SELECT stream_id FROM _garner_columns)
            AND table_name IN (SELECT name FROM sqlite_schema WHERE type = 'table') ORDER BY 1
            """
        ) { $0.text(at: 0) }
        return UnknownTable(name: name, known: names ?? [])
    }
}

/// A table was asked for that no stream has made.
package struct UnknownTable: Error, Sendable, Equatable {
    package let name: String
    /// The tables that there are.
    package let known: [String]
}

/// From where on a history is asked for.
package enum HistoryStart: Sendable, Equatable {
    case run(Int64)
    case instant(Timestamp)
}

extension DatabaseReader {
    /// The columns that came and the types that were widened, from the first on; those of one table where it is named.
    ///
    /// - Parameter start: the first run, or the instant after which runs began; nil: all.
    package func schemaChanges(of name: String? = nil, since start: HistoryStart? = nil) throws -> [SchemaChange] {
        try reading {
            let tables =
                try name.map { [try streamTable($0)] }
                ?? connection.rows("SELECT stream_id, table_name FROM _garner_streams ORDER BY table_name") {
                    (streamID: $0.integer(at: 0), table: $0.text(at: 1))
                }
            let changes = try tables.flatMap { try schemaChanges(of: $0.table, $0.streamID) }
            let wanted = changes.filter { change in
                switch start {
                case .run(let run): change.run >= run
                case .instant(let instant): change.at >= instant
                case nil: true
                }
            }
            // The sort is stable: within a run, each table's changes keep their order.
            return wanted.sorted { $0.run < $1.run }
        }
    }

    private func schemaChanges(of table: String, _ streamID: Int64) throws -> [SchemaChange] {
        let columns = try connection.rows(
            """
            SELECT name, type, first_seen_run, started_at FROM _garner_columns
            JOIN _garner_runs ON run_id = first_seen_run WHERE _garner_columns.stream_id = ?1 ORDER BY position
            """, [.integer(streamID)]
        ) { try ($0.text(at: 0), $0.columnType(at: 1), run: $0.integer(at: 2), $0.timestamp(at: 3)) }
        let steps = try SchemaStep.all(ofTable: streamID, on: connection)
        var changes: [SchemaChange] = []
        // The columns that the table was made with are in no note.
        for (name, type, run, at) in columns {
            let own = steps.filter { $0.isOf(name) && $0.run >= run }
            if let first = own.first, first.isArrival, first.run == run { continue }
            changes.append(
                SchemaChange(
                    table: table, column: name, kind: .added, oldType: nil, newType: own.first.map(\.old) ?? type,
                    run: run, at: at))
        }
        return changes + steps.changes
    }
}
