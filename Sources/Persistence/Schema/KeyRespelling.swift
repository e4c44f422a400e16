import SQLite

/// Keeps what was noted about records by their keys when a wider type spells the keys anew.
struct KeyRespelling {
    let streamID: Int64
    let connection: Connection

    /// Notes the keys of the rows before their column gets another type. O(rows) in time and in temporary space.
    func note(_ table: TableSchema) throws {
        try connection.execute(
            """
            CREATE TEMP TABLE _garner_old_keys AS
            SELECT _rowid_ AS row_number, \(table.keyExpression) AS record_key FROM \(quoted(table.table))
            """)
        try connection.execute("CREATE INDEX temp._garner_old_keys_by_key ON _garner_old_keys (record_key)")
    }

    /// Gives what was noted by the old keys the keys that the rows, whose numbers are the same, have now.
    func follow(from old: TableSchema, to new: TableSchema) throws {
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
