import Database
import Model
import SQLite

/// Decides if a page that was not read again still describes the rows that the table holds.
///
/// It does as long as no record is on two pages, where one page overwrites the other, and nobody else writes
/// the table's rows. If that is not certain, every page is read again.
struct PageOverlap {
    let streamID: StreamID
    let connection: Connection

    /// Returns true if no record is known to be on two pages. Changes to the rows by others do not affect this.
    func pagesAreApart() throws -> Bool {
        try connection.integer("SELECT pages_are_apart FROM _garner_streams WHERE stream_id = ?1", .id(streamID))
            == 1
    }

    func note(pagesAreApart: Bool) throws {
        try connection.execute(
            "UPDATE _garner_streams SET pages_are_apart = ?2 WHERE stream_id = ?1 AND pages_are_apart <> ?2",
            .id(streamID), .integer(pagesAreApart ? 1 : 0))
    }

    /// Runs `body`, which may change rows of the table. If others changed rows before, all cached
    /// pages are forgotten.
    func writing<R>(_ body: () throws -> R) throws -> R {
        try silence()
        if try isTouched {
            try PageTable(streamID: streamID, connection: connection).clearCache()
            try clear()
        }
        let result = try body()
        if try isTouched { try clear() }
        return result
    }

    /// Creates triggers that record changes to rows of the table.
    ///
    /// Other inserts are not recorded: no page knows of the row. One that replaces a row deletes it without its trigger
    /// (sqlite.org/lang_conflict.html), so that it is recorded itself.
    ///
    /// - Parameters:
    ///   - key: The columns by which an insert may replace a row.
    ///   - number: The number of the table, if it is not the stream's own.
    func watch(_ table: String, key: [String], numbered number: StreamID? = nil) throws {
        let isSame = key.map { "\(quoted($0)) = NEW.\(quoted($0))" }.joined(separator: " AND ")
        let replaces = "WHEN EXISTS (SELECT 1 FROM \(quoted(table)) WHERE \(isSame))"
        for (time, event, condition) in [
            ("AFTER", "UPDATE", ""), ("AFTER", "DELETE", ""), ("BEFORE", "INSERT", replaces),
        ] {
            let name = "_garner_touched_\(number ?? streamID)_\(event.lowercased())"
            // If the owner renamed a table, the trigger went with it.
            let strays = try connection.integer(
                "SELECT 1 FROM sqlite_schema WHERE type = 'trigger' AND name = ?1 AND tbl_name <> ?2 COLLATE NOCASE",
                .text(name), .text(table))
            if strays != nil { try connection.execute("DROP TRIGGER \(name)") }
            try connection.execute(
                """
                CREATE TRIGGER IF NOT EXISTS \(name) \(time) \(event) ON \(quoted(table)) \(condition) BEGIN
                    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = \(streamID) AND NOT is_touched;
                END
                """)
        }
    }

    /// Turns the triggers off for the connection that stores pages, unless the owner has other triggers: with a
    /// trigger after it, an upsert makes SQLite journal each row's page in case the trigger fails, which costs
    /// a fifth of the time.
    private func silence() throws {
        let others = try connection.integer(
            """
            SELECT 1 FROM sqlite_schema WHERE type = 'trigger' AND name NOT LIKE '@_garner@_touched@_%' ESCAPE '@' LIMIT 1
            """)
        try connection.set(runsTriggers: others != nil)
    }

    private var isTouched: Bool {
        get throws {
            try connection.integer("SELECT is_touched FROM _garner_streams WHERE stream_id = ?1", .id(streamID))
                == 1
        }
    }

    private func clear() throws {
        try connection.execute("UPDATE _garner_streams SET is_touched = 0 WHERE stream_id = ?1", .id(streamID))
    }
}
