import SQLite

/// Writes a database file anew without what is free in it.
struct Vacuum {
    let connection: Connection

    /// Throws where rows would no longer be those that something else knows by their numbers.
    ///
    /// "The VACUUM command may change the ROWIDs for entries in any tables that do not have an explicit INTEGER PRIMARY
    /// KEY" (sqlite.org/lang_vacuum.html): it numbers rows from 1 on, which changes nothing where none was ever removed.
    func run() throws {
        let keyless = try connection.rows(
            """
            SELECT stream_id, table_name FROM _garner_streams AS stream
            WHERE table_name IN (SELECT name FROM sqlite_schema WHERE type = 'table')
            AND NOT EXISTS (SELECT 1 FROM _garner_columns AS c WHERE c.stream_id = stream.stream_id AND key_position > 0)
            AND (EXISTS (SELECT 1 FROM _garner_changes AS change WHERE change.stream_id = stream.stream_id)
                OR EXISTS (SELECT 1 FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL TABLE% USING fts5%'))
            """
        ) { $0.text(at: 1) }
        for table in keyless {
            let hasGaps = "SELECT count(*) <> coalesce(max(_rowid_), 0) FROM \(quoted(table))"
            guard try connection.integer(hasGaps) == 1 else { continue }
            throw PersistenceError(
                .request, "--vacuum would number the rows of \(table) anew, by which its changes are known",
                hint: "the rest is done; leave out --vacuum, or forget the changes with --runs-older-than first")
        }
        try connection.executeScript("VACUUM")
    }
}
