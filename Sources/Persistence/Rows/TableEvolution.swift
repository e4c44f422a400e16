import GarnerDatabase
package import GarnerModel
package import GarnerSQLite

/// Changes a stream's table to fit its records, by new columns and wider types, and notes it in the schema history.
package struct TableEvolution {
    let streamID: StreamID
    var schema: TableSchema
    let connection: Connection
    /// The number of columns that were respelled, or lack what came before them: a row may differ until it is read again.
    private(set) var respellings = 0

    package init(streamID: StreamID, schema: TableSchema, connection: Connection) {
        (self.streamID, self.schema, self.connection) = (streamID, schema, connection)
    }

    static func create(_ schema: TableSchema, streamID: StreamID, run: RunID, on connection: Connection) throws {
        try connection.execute(schema.createStatement())
        for (position, column) in schema.columns.enumerated() {
            try insert(column, at: position, streamID: streamID, on: connection)
        }
        let odd = OddColumns(streamID: streamID, connection: connection)
        for (position, type) in schema.numberTypes.sorted(by: { $0.key < $1.key }) {
            let column = schema.columns[position]
            guard column.type == .text, column.keyPosition == nil, schema.declaredType(of: column) == nil else {
                continue
            }
            try odd.note(columnAt: position, type, run: run)
        }
    }

    mutating func add(_ column: Column, run: RunID) throws {
        try connection.execute(
            "ALTER TABLE \(quoted(schema.table)) ADD COLUMN \(quoted(column.name)) \(column.declaredType.rawValue)")
        try Self.insert(column, at: schema.columns.count, streamID: streamID, on: connection)
        schema.columns.append(column)
        try note(column.name, from: nil, to: column.type, run: run)
    }

    /// Adds the column for members that have none. Returns false if the table has no room for it.
    mutating func addRest(run: RunID) throws -> Bool {
        if schema.keepsRest { return true }
        let mark = schema.marksDeletion ? 0 : 1
        guard try columnNames().count + mark < TableSchema.maximumColumns else { return false }
        try connection.execute("ALTER TABLE \(quoted(schema.table)) ADD COLUMN \(TableSchema.restColumn) TEXT")
        schema.keepsRest = true
        try note(TableSchema.restColumn, from: nil, to: .text, run: run)
        return true
    }

    /// Returns true if the table may get another column for a member, in addition to those that Garner may need.
    func hasRoom(beside names: [String]) -> Bool {
        names.count + TableSchema.ownColumns - schema.extraColumns.count < TableSchema.maximumColumns
    }

    /// Widens a column's type so that it can hold `type`. Respells the stored values if it becomes TEXT.
    ///
    /// - Parameter run: The run that needs it; nil if no run does, which the schema history leaves out.
    package mutating func widen(columnAt index: Int, toHold type: ColumnType, run: RunID?) throws {
        let column = schema.columns[index]
        var wider = column.type?.widened(toHold: type) ?? type
        // The same type means that it does not hold the value exactly. Only TEXT holds any number.
        if wider == column.type { wider = .text }
        // A REAL key that widens to TEXT would respell an integer, which gives two keys for one.
        if wider == .real, try column.keyPosition != nil || holdsInexactInteger(column) { wider = .text }
        if wider == .json, column.keyPosition != nil { wider = .text }
        let old = schema
        schema.columns[index].type = wider
        if column.keyPosition == nil || schema.keyIsRowNumber {
            try apply(column, wider, since: old)
        } else {
            let keys = KeyRespelling(streamID: streamID, connection: connection)
            try keys.note(old)
            try apply(column, wider, since: old)
            try keys.follow(from: old, to: schema)
        }
        try noteType(ofColumnAt: index, since: column, run: run)
    }

    /// Notes the type that a column has now.
    ///
    /// - Parameter column: The column before the change.
    func noteType(ofColumnAt index: Int, since column: Column, run: RunID?) throws {
        let type = schema.columns[index].type
        try connection.execute(
            "UPDATE _garner_columns SET type = ?1 WHERE stream_id = ?2 AND position = ?3", Value(type?.rawValue),
            .id(streamID), .integer(Int64(index)))
        try note(column.name, from: column.type, to: type, run: run)
    }

    mutating func noteRespelling() { respellings += 1 }

    private mutating func apply(_ column: Column, _ wider: ColumnType, since old: TableSchema) throws {
        let reals = wider == .text ? try spelledReals(in: column) : []
        if old.keyIsOneInteger != schema.keyIsOneInteger {
            schema.keyHasIndex = false
            try rebuild(keepingRowNumbers: !schema.keyIsRowNumber)
        } else if column.declaredType != wider {
            try redeclare(column, as: wider)
        }
        guard wider == .text else {
            if schema.keepsRest, wider.rank != nil { try putBackNumbers(column, as: wider) }
            return
        }
        let history = HistoryTable(of: schema.table, on: connection)
        if try respell(column, reals: reals) { noteRespelling() }
        try history.respell(column)
        guard schema.keepsRest else { return }
        if try putBack(column, in: schema.table) { noteRespelling() }
        if try history.exists(), try history.rowColumns().contains(TableSchema.restColumn) {
            _ = try putBack(column, in: history.name)
        }
    }

    /// Changes the declaration without writing the rows.
    ///
    /// It uses the "simpler and faster procedure" of sqlite.org/lang_altertable.html#otheralter for changes that leave
    /// the on-disk content as it is. Indexes are rebuilt, since they order values by the column's affinity. Only the
    /// type is replaced: the order of the columns is that of the rows on the disk.
    func redeclare(_ column: Column, as wider: ColumnType) throws {
        let version = try connection.integer("PRAGMA schema_version") ?? 0
        let name = Array(column.name.utf8)
        guard let place = try columnNames().firstIndex(where: { name.elementsEqual($0.utf8) }),
            let sql = try declaration()?.redeclaring(column, at: place, as: wider)
        else {
            throw PersistenceError(
                .unusable,
                "another program has declared the column \(column.name) of the table \(schema.table) anew",
                hint: "give the stream another table with 'table:'")
        }
        try connection.writingSchema {
            let update = try connection.statement(
                "UPDATE sqlite_schema SET sql = ?1 WHERE type = 'table' AND name = ?2")
            try update.bind(copyingUTF8: sql, at: 1)
            try update.bind(schema.table, at: 2)
            try update.run()
            try connection.executeScript("PRAGMA schema_version = \(version + 1)")
        }
        try connection.executeScript("REINDEX \(quoted(schema.table))")
    }

    private func declaration() throws -> TableDeclaration? {
        try connection.firstRow(
            "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?1", [.text(schema.table)]
        ) { TableDeclaration(Array($0.bytes(at: 0))) }
    }

    /// Gives the key, a single integer, an index, so that the rows that come from now on lie in their order. Changes nothing if others have
    /// declared columns or constraints of the table, have an index or a trigger on it, or refer to it.
    ///
    /// The rows get other row numbers.
    mutating func indexKey() throws {
        let others = """
            SELECT 1 FROM sqlite_schema WHERE tbl_name = ?1 COLLATE NOCASE AND type IN ('index', 'trigger') AND sql IS NOT NULL
            AND name NOT LIKE '@_garner@_touched@_%' ESCAPE '@'
            """
        guard try referringTable() == nil, try declaration()?.declares(schema.declarations) == true,
            try connection.integer(others, .text(schema.table)) == nil, try !connection.hasObject(nameAside)
        else { return }
        schema.keyHasIndex = true
        try rebuild(keepingRowNumbers: false)
    }

    /// The name of the table while it is rebuilt.
    private var nameAside: String { "_garner_rebuilt_\(streamID)" }

    /// Returns the name of a table with a foreign key to this one.
    private func referringTable() throws -> String? {
        try connection.text(
            """
            SELECT child.name FROM sqlite_schema AS child, pragma_foreign_key_list(child.name) AS reference
            WHERE child.type = 'table' AND reference."table" = ?1 COLLATE NOCASE
            """, .text(schema.table))
    }

    /// Rebuilds the table, whose key becomes a single integer, gets an index, or becomes text. Indexes, triggers and the columns of others are kept.
    private func rebuild(keepingRowNumbers: Bool) throws {
        if let other = try referringTable() {
            throw PersistenceError(
                .configuration,
                "the key of the table \(schema.table) must become text, but the table \(other) refers to it",
                hint: "drop that foreign key, or give the stream another table with 'table:'")
        }
        let attached = try connection.rows(
            """
            SELECT sql FROM sqlite_schema
            WHERE tbl_name = ?1 COLLATE NOCASE AND type IN ('index', 'trigger') AND sql IS NOT NULL
            """,
            [.text(schema.table)]
        ) { $0.text(at: 0) }
        let aside = quoted(nameAside)
        try connection.execute(schema.createStatement(named: nameAside))
        for declaration in try foreignColumns() {
            try connection.execute("ALTER TABLE \(aside) ADD COLUMN \(declaration)")
        }
        var names = try connection.rows("SELECT name FROM pragma_table_info(?1)", [.text(schema.table)]) {
            quoted($0.text(at: 0))
        }
        if keepingRowNumbers { names.append("_rowid_") }
        let list = names.joined(separator: ", ")
        try connection.execute("INSERT INTO \(aside) (\(list)) SELECT \(list) FROM \(quoted(schema.table))")
        try dropTable()
        // Otherwise a view on the table would prevent the renaming.
        try connection.executeScript("PRAGMA legacy_alter_table = ON")
        defer { try? connection.executeScript("PRAGMA legacy_alter_table = OFF") }
        try connection.execute("ALTER TABLE \(aside) RENAME TO \(quoted(schema.table))")
        for statement in attached { try connection.executeScript(statement) }
    }

    /// Drops the table, whose rows are in another one. Some builds of SQLite overwrite what is deleted, page by page.
    private func dropTable() throws {
        let overwrites = try connection.integer("PRAGMA secure_delete") == 1
        if overwrites { try connection.executeScript("PRAGMA secure_delete = FAST") }
        defer { if overwrites { try? connection.executeScript("PRAGMA secure_delete = ON") } }
        try connection.execute("DROP TABLE \(quoted(schema.table))")
    }

    /// Returns the names of all columns of the table, also of those that others have added.
    func columnNames() throws -> [String] {
        try connection.rows("SELECT name FROM pragma_table_xinfo(?1)", [.text(schema.table)]) { $0.text(at: 0) }
    }

    /// Returns the declarations of columns that are not the stream's.
    private func foreignColumns() throws -> [String] {
        let names = schema.columns.map(\.name) + schema.extraColumns + schema.addedColumns.map(\.name)
        let own = Set(names.map { Array($0.utf8) })
        return try connection.rows(
            "SELECT name, type, \"notnull\", dflt_value FROM pragma_table_info(?1)", [.text(schema.table)]
        ) { row -> String? in
            let name = row.text(at: 0)
            if own.contains(Array(name.utf8)) { return nil }
            let initial = row.optionalText(at: 3).map { " DEFAULT \($0)" } ?? ""
            return "\(quoted(name)) \(row.text(at: 1))\(row.integer(at: 2) == 1 ? " NOT NULL" : "")\(initial)"
        }.compactMap(\.self)
    }

    private func holdsInexactInteger(_ column: Column) throws -> Bool {
        try connection.integer(
            """
            SELECT 1 FROM \(quoted(schema.table)) WHERE typeof(\(quoted(column.name))) = 'integer'
            AND \(quoted(column.name)) NOT BETWEEN -9007199254740992 AND 9007199254740992 LIMIT 1
            """) != nil
    }

    /// Returns the rows with a double, each with the shortest text that parses to the same double.
    private func spelledReals(in column: Column) throws -> [(row: Int64, text: String)] {
        try connection.rows(
            """
            SELECT _rowid_, \(quoted(column.name)) FROM \(quoted(schema.table))
            WHERE typeof(\(quoted(column.name))) = 'real'
            """
        ) { ($0.integer(at: 0), $0.real(at: 1).description) }
    }

    /// Respells the values. Returns true if there were any.
    private func respell(_ column: Column, reals: [(row: Int64, text: String)]) throws -> Bool {
        let table = quoted(schema.table)
        let name = quoted(column.name)
        let update = "UPDATE \(table) SET \(name) = ?1 WHERE _rowid_ = ?2"
        for (row, text) in reals { try connection.execute(update, .text(text), .integer(row)) }
        try connection.execute(
            "UPDATE \(table) SET \(name) = \(column.integerSpelling) WHERE typeof(\(name)) = 'integer'")
        let hasIntegers = connection.changes > 0
        _ = connection.takeRowChange()
        return hasIntegers || !reals.isEmpty
    }

    private func note(_ name: String, from old: ColumnType?, to new: ColumnType?, run: RunID?) throws {
        guard let run else { return }
        try connection.execute(
            """
            INSERT INTO _garner_schema_changes (stream_id, run_id, column_name, old_type, new_type)
            VALUES (?1, ?2, ?3, ?4, ?5)
            """, .id(streamID), .id(run), .text(name), Value(old?.rawValue), Value(new?.rawValue))
    }

    private static func insert(
        _ column: Column, at position: Int, streamID: StreamID, on connection: Connection
    ) throws {
        try connection.execute(
            """
            INSERT INTO _garner_columns (stream_id, position, name, path, type, key_position, first_seen_run)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
            """, .id(streamID), .integer(Int64(position)), .text(column.name), .text(column.normalizedPath),
            Value(column.type?.rawValue), Value(column.keyPosition.map { Int64($0 + 1) }), .id(column.firstSeenRun)
        )
    }
}

/// Updates the notes about records when a wider type respells their keys.
struct KeyRespelling {
    let streamID: StreamID
    let connection: Connection

    /// Stores the keys of the rows before their column gets another type. O(rows) in time and in temporary space.
    func note(_ table: TableSchema) throws {
        try connection.execute(
            """
            CREATE TEMP TABLE _garner_old_keys AS
            SELECT _rowid_ AS row_number, \(table.keyExpression) AS record_key FROM \(quoted(table.table))
            """)
        try connection.execute("CREATE INDEX temp._garner_old_keys_by_key ON _garner_old_keys (record_key)")
    }

    /// Replaces the old keys in the notes by the new keys of the same rows.
    func follow(from old: TableSchema, to new: TableSchema) throws {
        let pages = "page_id IN (SELECT page_id FROM _garner_pages WHERE stream_id = ?1)"
        for (noted, isOfStream) in [("_garner_members", pages), ("_garner_changes", "stream_id = ?1")] {
            try connection.execute(
                """
                UPDATE \(noted) SET record_key = (
                    SELECT \(new.keyExpression) FROM temp._garner_old_keys AS old
                    JOIN \(quoted(new.table)) ON \(quoted(new.table))._rowid_ = old.row_number
                    WHERE old.record_key = \(noted).record_key)
                WHERE \(isOfStream) AND record_key IN (SELECT record_key FROM temp._garner_old_keys)
                """, .id(streamID))
        }
        try connection.execute("DROP TABLE temp._garner_old_keys")
    }
}
