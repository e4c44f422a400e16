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
