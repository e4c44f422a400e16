package import SQLite

extension Archive {
    /// A statement that gives the versions of a record, oldest first: since when, until when (NULL: it holds), the run that
    /// made it, and the columns of the row.
    package func versions(in name: String, key: [String]) throws -> Statement {
        try reading {
            let (streamID, table) = try streamTable(name)
            let columns = try keyColumns(of: table, streamID: streamID, parts: key.count)
            let history = HistoryTable(of: table, on: connection)
            guard try history.exists() else { throw try unkeptVersions(of: table, streamID: streamID) }
            let condition = columns.enumerated().map { "\(quoted($1.name)) = ?\($0 + 1)" }.joined(separator: " AND ")
            let values = zip(columns, key).map { $0.value(spelled: $1) }
            let source = "FROM \(quoted(history.name)) WHERE \(condition)"
            guard try connection.firstRow("SELECT 1 \(source)", values, decode: { _ in true }) != nil else {
                throw unknownRecord(in: table, columns, key)
            }
            let shown = HistoryTable.ownColumns.prefix(3) + (try history.rowColumns()).map(quoted)
            let statement = try Statement(
                "SELECT \(shown.joined(separator: ", ")) \(source) ORDER BY _garner_valid_from, _rowid_",
                on: connection)
            try statement.bind(values)
            return statement
        }
    }

    /// That a question needs what is not kept.
    func unkeptVersions(of table: String, streamID: Int64) throws -> PersistenceError {
        let stream = try connection.text("SELECT name FROM _garner_streams WHERE stream_id = ?1", .integer(streamID))
        return PersistenceError(
            .request, "no versions of the rows of \(table) are kept",
            hint: "set 'history: true' for the stream \(stream ?? table); they are kept from its next sync on")
    }
}

extension HistoryTable {
    /// The columns of versions that are the row's.
    func rowColumns() throws -> [String] {
        try connection.rows("SELECT name FROM pragma_table_info(?1, 'main')", [.text(name)]) { $0.text(at: 0) }
            .filter { !Self.ownColumns.contains($0) }
    }
}

extension Column {
    /// The value of a column of the key that a person has written so.
    fileprivate func value(spelled text: String) -> Value {
        guard type != .text, let integer = Int64(text) else { return .text(text) }
        return .integer(integer)
    }
}
