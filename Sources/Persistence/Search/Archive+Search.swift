package import SQLite

extension Archive {
    /// A statement that gives the records of a table in which the text is found, the best first; for `guarding`, as
    /// the table may have columns of its owner's.
    package func search(_ name: String, for text: SearchText, limit: Int?) throws -> Statement {
        try translatingErrors(of: "the search of \(name)") {
            let (streamID, table) = try streamTable(name)
            let index = SearchIndex.name(of: streamID)
            guard try connection.integer("SELECT 1 FROM sqlite_schema WHERE name = ?1", .text(index)) != nil else {
                throw try unsearchable(table, streamID: streamID)
            }
            guard try SearchIndex.fits(table, streamID: streamID, on: connection) else {
                throw PersistenceError(
                    .request, "another program has changed the rows of \(table), which can no longer be searched",
                    hint: "run 'garner sync' once, which makes the index anew")
            }
            let found = "FROM \(index) WHERE \(index) MATCH ?1"
            try check(found, text)
            let statement = try Statement(
                """
                SELECT record.* FROM (SELECT rowid AS number, rank AS place \(found) ORDER BY rank LIMIT ?2) AS found
                JOIN \(quoted(table)) AS record ON record._rowid_ = found.number ORDER BY found.place, found.number
                """, on: connection)
            try statement.bind([.text(text.query), .integer(Int64(limit ?? -1))])
            return statement
        }
    }

    /// FTS5 finds out that it does not understand a text when it looks for it.
    private func check(_ found: String, _ text: SearchText) throws {
        do {
            _ = try connection.integer("SELECT 1 \(found) LIMIT 1", .text(text.query))
        } catch let error as SQLiteError where error.kind == .other {
            throw PersistenceError(
                .request, "the search: \(error.message)",
                hint: "leave --raw out to search for plain words; sqlite.org/fts5.html has the syntax")
        }
    }

    private func unsearchable(_ table: String, streamID: Int64) throws -> PersistenceError {
        let stream = try connection.text("SELECT name FROM _garner_streams WHERE stream_id = ?1", .integer(streamID))
        return PersistenceError(
            .request, "the table \(table) cannot be searched",
            hint: "set 'search: [FIELD, …]' for the stream \(stream ?? table), and run 'garner sync'")
    }
}
