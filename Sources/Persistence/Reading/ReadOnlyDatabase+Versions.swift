import GarnerDatabase
import GarnerModel
import GarnerSQLite

extension ReadOnlyDatabase {
    /// Returns the versions of a record, oldest first: the instants of their beginning and end (NULL if
    /// current), the run that made them, and the columns of the row.
    package func versions(in name: String, key: [String]) throws -> RowCursor {
        try reading {
            let (streamID, table) = try streamTable(name)
            let columns = try keyColumns(of: table, streamID: streamID, for: key)
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
            return RowCursor(of: statement, on: self, isWhole: true)
        }
    }

    /// Returns the error for a query of versions that are not kept.
    func unkeptVersions(of table: String, streamID: StreamID) throws -> PersistenceError {
        let stream = try connection.text("SELECT name FROM _garner_streams WHERE stream_id = ?1", .id(streamID))
        return PersistenceError(
            .request, "no versions of the rows of \(table) are kept",
            hint: "set 'history: true' for the stream \(stream ?? table); versions are kept from its next sync on")
    }
}

extension Column {
    /// Returns the value of a key column as a person has written it.
    func value(spelled text: String) -> Value {
        guard type != .text, let integer = Int64(text) else { return .text(text) }
        return .integer(integer)
    }
}
