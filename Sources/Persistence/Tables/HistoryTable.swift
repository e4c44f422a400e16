import GarnerCatalog
import GarnerDatabase
import GarnerModel
package import GarnerSQLite

/// The table with the versions of a stream's rows: `_garner_history_` and the name of the stream's table.
///
/// Its columns have no types, so that each value stays as it was stored, even if its column gets another type. Only
/// keys and booleans are spelled as in the stream's table. The table stays when versions are no longer kept.
package struct HistoryTable {
    /// The name of the stream's table.
    let table: String
    let connection: Connection

    /// The columns of a version in addition to the row: the instants of its beginning and its end (NULL if it is
    /// current), and the runs that caused them (NULL if none did: the row existed before, or was removed without a
    /// run).
    static let ownColumns = ["_garner_valid_from", "_garner_valid_to", "_garner_run", "_garner_end_run"]

    package init(of table: String, on connection: Connection) {
        self.table = table
        self.connection = connection
    }

    static func name(of table: String) -> String { "_garner_history_\(table)" }

    package var name: String { Self.name(of: table) }

    package func exists() throws -> Bool {
        try connection.hasTable(name)
    }

    /// Returns the columns of the stream's table that versions have too: all but those that others have added.
    func keptColumns(of schema: TableSchema) throws -> [String] {
        let own = Set(schema.columns.map { Array($0.name.utf8) })
        return try names(of: table).filter { own.contains(Array($0.utf8)) || $0.hasPrefix("_garner_") }
    }

    /// Creates the table if it is missing, and adds the missing columns.
    func make(with columns: [String], of schema: TableSchema, streamID: StreamID) throws {
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

    /// - Parameter number: The stream's id, for a temporary name: SQLite cannot change only the case of a name in one
    ///   step.
    func rename(to new: String, number: StreamID) throws {
        guard try exists() else { return }
        let aside = quoted("_garner_renamed_\(number)")
        try connection.execute("ALTER TABLE \(quoted(name)) RENAME TO \(aside)")
        try connection.execute("ALTER TABLE \(aside) RENAME TO \(quoted(Self.name(of: new)))")
    }

    package func drop() throws {
        try connection.execute("DROP TABLE IF EXISTS \(quoted(name))")
    }

    /// Respells a column of the key, or of booleans, after the stream's table has respelled it as TEXT. Versions are found by their
    /// keys, and without the column's type, the numbers 0 and 1 would not tell that they were booleans.
    ///
    /// - Parameter column: The column before the change.
    func respell(_ column: Column) throws {
        guard column.keyPosition != nil || column.type == .boolean, try exists() else { return }
        let name = quoted(column.name)
        try connection.execute(
            "UPDATE \(quoted(self.name)) SET \(name) = \(column.integerSpelling) WHERE typeof(\(name)) = 'integer'")
    }

    private func create(with columns: [String], of schema: TableSchema, streamID: StreamID) throws {
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
        // The index has the stream's number, since it keeps its name when the table gets another one.
        try connection.execute(
            "CREATE INDEX _garner_versions_\(streamID) ON \(quoted(name)) (\(key.joined(separator: ", ")))")
    }

    private func names(of table: String) throws -> [String] {
        try connection.rows("SELECT name FROM pragma_table_info(?1)", [.text(table)]) { $0.text(at: 0) }
    }
}

extension Column {
    /// The SQL that spells an integer of this column as text.
    var integerSpelling: String {
        let text = "CAST(\(quoted(name)) AS TEXT)"
        // Versions may be older than the type.
        return type == .boolean ? "CASE \(quoted(name)) WHEN 1 THEN 'true' WHEN 0 THEN 'false' ELSE \(text) END" : text
    }
}

/// The periods in which versions of a stream's rows were kept: `_garner_histories`.
struct HistoryPeriods {
    let streamID: StreamID
    let connection: Connection

    /// Notes that versions are kept from this instant on. Returns false if they are kept already.
    func begin(at now: Timestamp) throws -> Bool {
        let isKept = "SELECT 1 FROM _garner_histories WHERE stream_id = ?1 AND until IS NULL"
        guard try connection.integer(isKept, .id(streamID)) == nil else { return false }
        try connection.execute(
            """
            INSERT INTO _garner_histories (stream_id, since)
            SELECT ?1, max(?2, coalesce(max(until), '')) FROM _garner_histories WHERE stream_id = ?1
            ON CONFLICT DO UPDATE SET until = NULL
            """, .id(streamID), .text(now.description))
        return true
    }

    /// Notes the end of the period.
    func end(at now: Timestamp) throws {
        try connection.execute(
            "UPDATE _garner_histories SET until = max(?2, since) WHERE stream_id = ?1 AND until IS NULL",
            .id(streamID), .text(now.description))
    }
}

extension HistoryTable {
    /// Returns the columns of versions that belong to the row.
    func rowColumns() throws -> [String] {
        // A view may hide the table.
        let part = try connection.schema(of: name)
        return try connection.rows("SELECT name FROM pragma_table_info(?1, '\(part)')", [.text(name)]) {
            $0.text(at: 0)
        }
        .filter { !Self.ownColumns.contains($0) }
    }
}
