import GarnerDatabase
import GarnerModel
import GarnerSQLite

extension ReadOnlyDatabase {
    /// Returns the records with the text, the best first. They must be read in `guarding`, since the table
    /// may have computed columns of its owner's.
    package func search(
        _ name: String, for text: SearchText, limit: Int?, deleted: DeletedRows = .leftOut
    ) throws -> RowCursor {
        try translatingErrors(of: "the search of \(name)") {
            let (streamID, table) = try streamTable(name)
            let statement = try Statement(
                """
                SELECT record.* FROM (
                    SELECT found.rowid AS number, found.rank AS place \(matches(in: table, streamID, text, deleted))
                    ORDER BY found.rank LIMIT ?2) AS hit
                JOIN \(quoted(table)) AS record ON record._rowid_ = hit.number ORDER BY hit.place, hit.number
                """, on: connection)
            try statement.bind([.text(text.query), .integer(Int64(limit ?? -1))])
            return RowCursor(of: statement, on: self, isWhole: true)
        }
    }

    /// Returns the number of records with the text whose rows are kept although the source lacks them.
    package func deletedMatches(_ name: String, for text: SearchText) throws -> Int {
        try translatingErrors(of: "the search of \(name)") {
            let (streamID, table) = try streamTable(name)
            guard try DeletionMark(of: streamID, table: table, on: connection) != nil else { return 0 }
            let count = "SELECT count(*) \(try matches(in: table, streamID, text, .alone))"
            return Int(try connection.integer(count, .text(text.query)) ?? 0)
        }
    }

    /// Returns the SQL of the places `found` of records with the text, which is parameter 1.
    private func matches(
        in table: String, _ streamID: StreamID, _ text: SearchText, _ deleted: DeletedRows
    ) throws -> String {
        let index = try searchIndex(of: table, streamID)
        try check("FROM \(index) WHERE \(index) MATCH ?1", text)
        let mark = try DeletionMark(of: streamID, table: table, on: connection)?.condition(deleted, of: "kept")
        guard let mark else { return "FROM \(index) AS found WHERE \(index) MATCH ?1" }
        return """
            FROM \(index) AS found CROSS JOIN \(quoted(table)) AS kept ON kept._rowid_ = found.rowid
            WHERE \(index) MATCH ?1 AND \(mark)
            """
    }

    /// Returns the name of a table's index. Throws if there is none, or if it is no longer that of the rows.
    func searchIndex(of table: String, _ streamID: StreamID) throws -> String {
        let index = SearchIndex.name(of: streamID)
        guard try connection.hasTable(index) else { throw try unsearchable(table, streamID: streamID) }
        // A tool that makes the table anew may give its rows other numbers, and leaves its triggers behind.
        let isMadeAnew = try RowWatch(of: streamID, table: table, on: connection)?.state == .lost
        guard !isMadeAnew, try SearchIndex.fits(table, streamID: streamID, on: connection) else {
            throw PersistenceError(
                .request, "another program changed the rows of \(table), so its search index is no longer valid",
                hint: .syncOnce(effect: "makes the index anew"))
        }
        return index
    }

    /// Runs the search once, since FTS5 reports a wrong expression only when it searches.
    private func check(_ found: String, _ text: SearchText) throws {
        do {
            _ = try connection.integer("SELECT 1 \(found) LIMIT 1", .text(text.query))
        } catch let error as SQLiteError where error.kind == .other {
            throw PersistenceError(.request, "the search: \(error.message)", hint: .searchPlainWords)
        }
    }

    private func unsearchable(_ table: String, streamID: StreamID) throws -> PersistenceError {
        let stream = try connection.text("SELECT name FROM _garner_streams WHERE stream_id = ?1", .id(streamID))
        return PersistenceError(
            .request, "the table \(table) cannot be searched", hint: .setSearch(stream: stream ?? table))
    }
}
