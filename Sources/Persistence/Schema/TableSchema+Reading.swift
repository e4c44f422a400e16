import SQLite

extension TableSchema {
    /// The schema of a stream's table as the database has it; nil where there is no table yet.
    init?(streamID: Int64, table: String, on connection: Connection) throws {
        let columns = try connection.rows(
            """
            SELECT name, path, type, key_position, first_seen_run FROM _garner_columns
            WHERE stream_id = ?1 ORDER BY position
            """, [.integer(streamID)]
        ) { row in
            Column(
                name: row.text(at: 0), path: Column.path(normalized: row.text(at: 1)),
                type: row.optionalText(at: 2).flatMap(ColumnType.init(rawValue:)),
                keyPosition: row.optionalInteger(at: 3).map { Int($0) - 1 }, firstSeenRun: row.integer(at: 4),
                outer: Column.outer(normalized: row.text(at: 1)))
        }
        guard !columns.isEmpty else { return nil }
        func has(_ name: String) throws -> Bool {
            try connection.integer("SELECT 1 FROM pragma_table_info(?1) WHERE name = ?2", .text(table), .text(name))
                != nil
        }
        self.init(
            table: table, columns: columns, marksDeletion: try has(Self.deletionColumn),
            keepsRest: try has(Self.restColumn))
    }
}
