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

    /// nil, or why a stream's table, which others may alter, does not take its records: it has lost columns.
    static func lostColumns(
        of table: String, _ streamID: Int64, on connection: Connection
    ) throws -> PersistenceError? {
        // As SQL compares names: by bytes, but for the case of ASCII letters. Generated columns, which nobody can write,
        // are not listed.
        let lost = try connection.rows(
            """
            SELECT name, coalesce(type, 'TEXT') FROM _garner_columns WHERE stream_id = ?1
            AND name COLLATE NOCASE NOT IN (SELECT name FROM pragma_table_info(?2)) ORDER BY position
            """, [.integer(streamID), .text(table)]
        ) { (name: $0.text(at: 0), type: $0.text(at: 1)) }
        guard let first = lost.first else { return nil }
        let names = lost.prefix(3).map { "'\($0.name)'" }.joined(separator: ", ")
        let more = lost.count > 3 ? " and \(lost.count - 3) more" : ""
        let statement = "ALTER TABLE \(quoted(table)) ADD COLUMN \(quoted(first.name)) \(first.type)"
        let hasVersions = try HistoryTable(of: table, on: connection).exists()
        return PersistenceError(
            .configuration,
            "the table \(table) no longer has the \(lost.count == 1 ? "column" : "columns") \(names)\(more)",
            hint: "rename back what was renamed; or add it with '\(statement)' and sync with --full-refresh; or "
                + "drop the table, and the next sync makes it anew from all pages"
                + (hasVersions ? ", without the versions of its rows" : ""))
    }
}
