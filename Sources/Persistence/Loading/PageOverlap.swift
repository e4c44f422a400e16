import SQLite

/// Whether what a page says of its records still is what the table holds, although the page was not read again.
///
/// It is as long as no record is on two pages, of which one overwrites what the other says, and no one else writes the
/// table's rows. Where that is not known to be so, every page is read again.
struct PageOverlap {
    let streamID: Int64
    let connection: Connection

    /// Whether no record is on two pages, as far as is known; what others do to the rows changes nothing of that.
    func pagesAreApart() throws -> Bool {
        try connection.integer("SELECT pages_are_apart FROM _garner_streams WHERE stream_id = ?1", .integer(streamID))
            == 1
    }

    func note(pagesAreApart: Bool) throws {
        try connection.execute(
            "UPDATE _garner_streams SET pages_are_apart = ?2 WHERE stream_id = ?1 AND pages_are_apart <> ?2",
            .integer(streamID), .integer(pagesAreApart ? 1 : 0))
    }

    /// Runs `body`, which may change rows of the table; what others have changed before makes its pages unknown.
    func writing<R>(_ body: () throws -> R) throws -> R {
        try silence()
        if try isTouched {
            try PageTable(streamID: streamID, connection: connection).forgetMemories()
            try clear()
        }
        let result = try body()
        if try isTouched { try clear() }
        return result
    }

    /// Has the table tell when rows of it are changed.
    ///
    /// An insert is not told: it costs each row of a first read, and no page knows of the row. `INSERT OR REPLACE` by
    /// others goes unnoticed.
    ///
    /// - Parameter number: of the table, where it is not the stream's own.
    func watch(_ table: String, numbered number: Int64? = nil) throws {
        for event in ["UPDATE", "DELETE"] {
            let name = "_garner_touched_\(number ?? streamID)_\(event.lowercased())"
            // A table that its owner has renamed has taken it along.
            let strays = try connection.integer(
                "SELECT 1 FROM sqlite_schema WHERE type = 'trigger' AND name = ?1 AND tbl_name <> ?2 COLLATE NOCASE",
                .text(name), .text(table))
            if strays != nil { try connection.execute("DROP TRIGGER \(name)") }
            try connection.execute(
                """
                CREATE TRIGGER IF NOT EXISTS \(name) AFTER \(event) ON \(quoted(table)) BEGIN
                    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = \(streamID) AND NOT is_touched;
                END
                """)
        }
    }

    /// Keeps the triggers from the connection that stores pages, unless there are others that its owner wants to run: with
    /// a trigger behind it, an upsert has SQLite keep each row's page aside in case that the trigger fails, a fifth of
    /// the time.
    private func silence() throws {
        let others = try connection.integer(
            """
            SELECT 1 FROM sqlite_schema WHERE type = 'trigger' AND name NOT LIKE '@_garner@_touched@_%' ESCAPE '@' LIMIT 1
            """)
        try connection.set(runsTriggers: others != nil)
    }

    private var isTouched: Bool {
        get throws {
            try connection.integer("SELECT is_touched FROM _garner_streams WHERE stream_id = ?1", .integer(streamID))
                == 1
        }
    }

    private func clear() throws {
        try connection.execute("UPDATE _garner_streams SET is_touched = 0 WHERE stream_id = ?1", .integer(streamID))
    }
}
