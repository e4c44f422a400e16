import Catalog
import Database
import Model
import SQLite

/// The table with the versions of the rows of a stream's table: `_garner_history_` and that table's name.
///
/// Its columns have no types, so that each value stays as it was stored whatever its column becomes later; only keys are
/// spelled as the table spells them. It stays where versions are kept no longer.
struct HistoryTable {
    /// Of the stream.
    let table: String
    let connection: Connection

    /// What a version has beside the row: when it began and ended (NULL: it holds), and the runs that did it (NULL: none,
    /// as the rows were there before, or are gone without one).
    static let ownColumns = ["_garner_valid_from", "_garner_valid_to", "_garner_run", "_garner_end_run"]

    init(of table: String, on connection: Connection) {
        self.table = table
        self.connection = connection
    }

    static func name(of table: String) -> String { "_garner_history_\(table)" }

    var name: String { Self.name(of: table) }

    func exists() throws -> Bool {
        try connection.integer(
            "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1 COLLATE NOCASE", .text(name)) != nil
    }

    /// The columns of the stream's table that versions have too: all but those that others have added.
    func keptColumns(of schema: TableSchema) throws -> [String] {
        let own = Set(schema.columns.map { Array($0.name.utf8) })
        return try names(of: table).filter { own.contains(Array($0.utf8)) || $0.hasPrefix("_garner_") }
    }

    /// Makes the table where it is not there, and adds the columns that it does not have yet.
    func make(with columns: [String], of schema: TableSchema, streamID: Int64) throws {
        guard columns.count + Self.ownColumns.count <= TableSchema.maximumColumns else {
            throw PersistenceError(
                .configuration,
                "the table \(table) has \(columns.count) columns, too many for a history of its rows",
                hint: "remove 'history: true' from the stream, or lower its flatten_depth")
        }
        guard try exists() else { return try create(with: columns, of: schema, streamID: streamID) }
        let present = Set(try names(of: name).map { Array($0.utf8) })
        for column in columns where !present.contains(Array(column.utf8)) {
            try connection.execute("ALTER TABLE \(quoted(name)) ADD COLUMN \(quoted(column)) ANY")
        }
    }

    /// - Parameter number: the stream's, for a name in between: one step cannot change the case alone.
    func rename(to new: String, number: Int64) throws {
        guard try exists() else { return }
        let aside = quoted("_garner_renamed_\(number)")
        try connection.execute("ALTER TABLE \(quoted(name)) RENAME TO \(aside)")
        try connection.execute("ALTER TABLE \(aside) RENAME TO \(quoted(Self.name(of: new)))")
    }

    func drop() throws {
        try connection.execute("DROP TABLE IF EXISTS \(quoted(name))")
    }

    /// Spells a column of the key anew after the stream's table has, where it became TEXT.
    ///
    /// - Parameter column: as it was before.
    func respell(_ column: Column) throws {
        guard try exists() else { return }
        let name = quoted(column.name)
        try connection.execute(
            "UPDATE \(quoted(self.name)) SET \(name) = \(column.integerSpelling) WHERE typeof(\(name)) = 'integer'")
    }

    private func create(with columns: [String], of schema: TableSchema, streamID: Int64) throws {
        let declarations =
            [
                "_garner_valid_from TEXT NOT NULL",
                "_garner_valid_to TEXT CHECK (_garner_valid_to >= _garner_valid_from)",
                "_garner_run INTEGER", "_garner_end_run INTEGER",
            ] + columns.map { "\(quoted($0)) ANY" }
        try connection.execute(
            "CREATE TABLE \(quoted(name)) (\n    \(declarations.joined(separator: ",\n    "))\n) STRICT")
        guard !schema.key.isEmpty else { return }
        let key = schema.key.map { quoted($0.name) } + ["_garner_valid_from"]
        // Named by the stream's number, as it keeps its name when the table gets another.
        try connection.execute(
            "CREATE INDEX _garner_versions_\(streamID) ON \(quoted(name)) (\(key.joined(separator: ", ")))")
    }

    private func names(of table: String) throws -> [String] {
        try connection.rows("SELECT name FROM pragma_table_info(?1)", [.text(table)]) { $0.text(at: 0) }
    }
}

extension Column {
    /// SQL that spells an integer of this column as text.
    var integerSpelling: String {
        type == .boolean ? "iif(\(quoted(name)), 'true', 'false')" : "CAST(\(quoted(name)) AS TEXT)"
    }
}

/// The times in which versions of a stream's rows were kept: `_garner_histories`.
struct HistoryPeriods {
    let streamID: Int64
    let connection: Connection

    /// Notes that versions are kept from now on; false where they are already.
    func begin(at now: Timestamp) throws -> Bool {
        let isKept = "SELECT 1 FROM _garner_histories WHERE stream_id = ?1 AND until IS NULL"
        guard try connection.integer(isKept, .integer(streamID)) == nil else { return false }
        try connection.execute(
            """
            INSERT INTO _garner_histories (stream_id, since)
            SELECT ?1, max(?2, coalesce(max(until), '')) FROM _garner_histories WHERE stream_id = ?1
            ON CONFLICT DO UPDATE SET until = NULL
            """, .integer(streamID), .text(now.description))
        return true
    }

    /// Notes that they are kept no longer.
    func end(at now: Timestamp) throws {
        try connection.execute(
            "UPDATE _garner_histories SET until = max(?2, since) WHERE stream_id = ?1 AND until IS NULL",
            .integer(streamID), .text(now.description))
    }
}

extension DatabaseReader {
    /// Returns the versions of a record, oldest first: since when, until when (NULL: it holds), the run that made it, and
    /// the columns of the row.
    package func versions(in name: String, key: [String]) throws -> RowCursor {
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
            return RowCursor(of: statement, on: self)
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
