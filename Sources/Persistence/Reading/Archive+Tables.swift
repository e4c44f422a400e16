package import Catalog
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

extension Archive {
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
