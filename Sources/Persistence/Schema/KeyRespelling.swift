import SQLite

/// Keeps what was noted about records by their keys when a wider type spells the keys anew.
struct KeyRespelling {
    let streamID: Int64
    let connection: Connection

    /// Runs `body`, which changes the key's type in the table of `old` and gives the new schema.
    ///
    /// The rows must keep their numbers meanwhile. O(rows) in time and in temporary space.
    func following(_ old: TableSchema, _ body: () throws -> TableSchema) throws {
        try connection.execute(
            """
            CREATE TEMP TABLE _garner_old_keys AS
            SELECT _rowid_ AS row_number, \(old.keyExpression) AS record_key FROM \(quoted(old.table))
            """)
        try connection.execute("CREATE INDEX temp._garner_old_keys_by_key ON _garner_old_keys (record_key)")
        let new = try body()
        let pages = "page_id IN (SELECT page_id FROM _garner_pages WHERE stream_id = ?1)"
        for (noted, isOfStream) in [("_garner_members", pages), ("_garner_changes", "stream_id = ?1")] {
            try connection.execute(
                """
                UPDATE \(noted) SET record_key = (
                    SELECT \(new.keyExpression) FROM temp._garner_old_keys AS old
                    JOIN \(quoted(new.table)) ON \(quoted(new.table))._rowid_ = old.row_number
                    WHERE old.record_key = \(noted).record_key)
                WHERE \(isOfStream) AND record_key IN (SELECT record_key FROM temp._garner_old_keys)
                """, .integer(streamID))
        }
        try connection.execute("DROP TABLE temp._garner_old_keys")
    }
}
