import GarnerCatalog
import GarnerDatabase
import GarnerDigest
package import GarnerModel
package import GarnerSQLite

/// The columns of a stream's table and the statements that follow from them.
package struct TableSchema {
    /// The most columns of a table ("SQLITE_MAX_COLUMN", sqlite.org/limits.html), the deletion mark and the rest included.
    static let maximumColumns = 2000

    package let table: String
    package var columns: [Column]
    /// True if missing rows are marked in `_garner_deleted_at`.
    var marksDeletion: Bool
    /// True if members that cannot have a column are kept in `_garner_rest`.
    package var keepsRest = false
    /// True if the key, a single integer, has an index, and the rows lie in the order in which they came.
    var keyHasIndex = false
    /// The handling of a record whose key is already stored.
    var mergeStrategy = MergeStrategy.upsert
    /// The members that hold the values of the stream's partitions.
    var partitionMembers: [String] = []
    /// The types that `fields.types` names, by the paths of their members.
    var declaredTypes: [(path: [String], type: FieldType)] = []
    /// The types of numbers in columns of text on the page that makes the table, by the columns' indices.
    var numberTypes: [Int: ColumnType] = [:]
    /// The columns that are set with each row that is written. They are never compared.
    var addedColumns: [AddedValue] = []

    static let deletionColumn = "_garner_deleted_at"
    package static let restColumn = "_garner_rest"
    /// The column of a record's digest, if that is the key.
    static let contentColumn = "_garner_content"

    /// The number of columns besides the record's that a table must have room for.
    static let ownColumns = 2

    /// The names of Garner's own columns in the table, besides those of the record.
    var extraColumns: [String] { (marksDeletion ? [Self.deletionColumn] : []) + (keepsRest ? [Self.restColumn] : []) }

    /// The index of the column with the digest that identifies records; nil if other columns do.
    var contentIndex: Int? { columns.firstIndex { $0.path.isEmpty && $0.outer == nil } }

    /// The number of the parameter for the rest; nil if the table keeps none.
    var restParameter: Int32? { keepsRest ? Self.parameter(ofColumnAt: columns.count) : nil }

    /// The names of the columns with the values of partitions, outside the key.
    private var partitionColumns: Set<String> {
        guard !partitionMembers.isEmpty, !key.isEmpty, mergeStrategy == .upsert else { return [] }
        let indices = partitionMembers.compactMap(index(ofMember:))
        return Set(indices.map { columns[$0] }.filter { $0.keyPosition == nil }.map(\.name))
    }

    /// The number of the parameter that keeps the row's values of partitions where it is 1; nil if there are none.
    var partitionParameter: Int32? {
        partitionColumns.isEmpty ? nil : Self.parameter(ofColumnAt: columns.count + (keepsRest ? 1 : 0))
    }

    func parameter(ofAddedColumnAt index: Int) -> Int32 {
        Self.parameter(ofColumnAt: columns.count + (keepsRest ? 1 : 0) + (partitionColumns.isEmpty ? 0 : 1) + index)
    }

    /// The columns of the primary key in order; empty for a table without one.
    var key: [Column] {
        columns.filter { $0.keyPosition != nil }.sorted { ($0.keyPosition ?? 0) < ($1.keyPosition ?? 0) }
    }

    /// Returns the type that is configured for a column's values; nil if none is.
    func declaredType(of column: Column) -> FieldType? {
        guard column.outer == nil else { return nil }
        return declaredTypes.last { column.path.isSamePath(as: $0.path) }?.type
    }

    /// Gives the columns with values, outside the key, the types that are configured for them.
    mutating func useDeclaredTypes() {
        for index in columns.indices where columns[index].keyPosition == nil && columns[index].type != nil {
            columns[index].type = declaredType(of: columns[index])?.column ?? columns[index].type
        }
    }

    /// Returns the index of the column for a member of the record itself.
    func index(ofMember name: String) -> Int? {
        columns.firstIndex { $0.path.count == 1 && $0.path[0].utf8.elementsEqual(name.utf8) }
    }

    /// Returns the column index for a field of a declared primary key: a member's name, or else a column's.
    package func index(ofField name: String) -> Int? {
        index(ofMember: name)
            ?? columns.firstIndex { $0.name.utf8.elementsEqual(name.utf8) }
    }

    /// True if the key is SQLite's own row number (sqlite.org/lang_createtable.html#rowid).
    var keyIsRowNumber: Bool { keyIsOneInteger && !keyHasIndex }

    var keyIsOneInteger: Bool { key.count == 1 && key[0].type == .integer }

    func createStatement(named name: String? = nil) -> String {
        "CREATE TABLE \(quoted(name ?? table)) (\n    \(declarations.joined(separator: ",\n    "))\n)"
    }

    /// The SQL of the table's columns and then of its constraint.
    var declarations: [String] {
        var lines = columns.map { column in
            let suffix =
                column.keyPosition == nil
                ? "" : keyIsRowNumber ? " PRIMARY KEY" : keyIsOneInteger ? Self.indexedInteger : " NOT NULL"
            return "\(quoted(column.name)) \(column.declaredType.rawValue)\(suffix)"
        }
        lines += extraColumns.map { "\($0) TEXT" } + addedColumns.map { "\(quoted($0.name)) \($0.type.rawValue)" }
        if !key.isEmpty, !keyIsOneInteger {
            lines.append("PRIMARY KEY (\(key.map { quoted($0.name) }.joined(separator: ", ")))")
        }
        return lines
    }

    /// The constraint of an integer key that is not the row number: "if a column declaration with declared type "INTEGER" includes an
    /// "PRIMARY KEY DESC" clause, it does not become an alias for the rowid" (sqlite.org/lang_createtable.html#rowid).
    private static let indexedInteger = " PRIMARY KEY DESC NOT NULL"

    /// The upsert of one record. Parameter n is column n. A row is written only if a column differs; `addedColumns` are not compared.
    var upsertStatement: String { upsertStatement(from: nil) }

    /// Returns the upsert of one record, or of all rows of a virtual table: its column n then stands for parameter n. The values of
    /// `addedColumns` are parameters in any case.
    ///
    /// - Parameter source: The name of the virtual table; nil for one record.
    func upsertStatement(from source: String?) -> String {
        let added = addedColumns.map { quoted($0.name) }
        let names = columns.map { quoted($0.name) } + (keepsRest ? [Self.restColumn] : []) + added
        let parameters = names.indices.map { index in
            let place = index - (names.count - added.count)
            if place >= 0 { return "?\(parameter(ofAddedColumnAt: place))" }
            return "\(source == nil ? "?" : "c")\(Self.parameter(ofColumnAt: index))"
        }.joined(separator: ", ")
        // Without a WHERE, the parser would take the ON of a conflict for that of a join (sqlite.org/lang_upsert.html).
        let rows = source.map { "SELECT \(parameters) FROM \($0) WHERE true" } ?? "VALUES (\(parameters))"
        let insert = "INSERT INTO \(quoted(table)) (\(names.joined(separator: ", "))) \(rows)"
        guard !key.isEmpty else { return insert }
        var others = columns.filter { $0.keyPosition == nil }.map { quoted($0.name) } + extraColumns
        // A record that comes again is no longer missing, whatever its row contains.
        if mergeStrategy == .insertOnly { others = marksDeletion ? [Self.deletionColumn] : [] }
        let kept = Set(partitionColumns.map(quoted))
        let keeping = partitionParameter.map { "?\($0)" } ?? ""
        func fetched(_ name: String) -> String {
            kept.contains(name) ? "iif(\(keeping), \(quoted(table)).\(name), excluded.\(name))" : "excluded.\(name)"
        }
        let conflict = "ON CONFLICT (\(key.map { quoted($0.name) }.joined(separator: ", ")))"
        guard !others.isEmpty else { return "\(insert) \(conflict) DO NOTHING" }
        let changing = others + (mergeStrategy == .insertOnly ? [] : added)
        let assignments = changing.map { "\($0) = \(fetched($0))" }.joined(separator: ", ")
        let stored = others.map { "\(quoted(table)).\($0)" }.joined(separator: ", ")
        let values = others.map(fetched).joined(separator: ", ")
        return "\(insert) \(conflict) DO UPDATE SET \(assignments) WHERE (\(stored)) IS NOT (\(values))"
    }

    /// A hash of the columns, of their types and of what is written into them.
    var shape: Int64 {
        var list = ListFingerprint()
        list.add(upsertStatement)
        for column in columns { list.add(column.declaredType.rawValue) }
        return list.value.shortened
    }

    /// The SQL of a row's key as stored in `_garner_changes` and `_garner_members`.
    var keyExpression: String {
        let names = key.map { "\(quoted(table)).\(quoted($0.name))" }
        switch names.count {
        case 0: return "\(quoted(table))._rowid_"
        case 1: return names[0]
        default: return "json_array(\(names.joined(separator: ", ")))"
        }
    }

    /// Returns the SQL of the same key with its parts bound to parameters from this number on.
    func keyParameters(from first: Int) -> String {
        let parameters = key.indices.map { "?\(first + $0)" }
        return parameters.count == 1 ? parameters[0] : "json_array(\(parameters.joined(separator: ", ")))"
    }

    static func parameter(ofColumnAt index: Int) -> Int32 { Int32(index + 1) }
}

extension TableSchema {
    /// Reads the schema of a stream's table from the database. Returns nil if there is no table yet.
    package init?(streamID: StreamID, table: String, on connection: Connection) throws {
        let columns = try connection.rows(
            """
            SELECT name, path, type, key_position, first_seen_run FROM _garner_columns
            WHERE stream_id = ?1 ORDER BY position
            """, [.id(streamID)]
        ) { row in
            Column(
                name: row.text(at: 0), path: Column.path(normalized: row.text(at: 1)),
                type: row.optionalText(at: 2).flatMap(ColumnType.init(rawValue:)),
                keyPosition: row.optionalInteger(at: 3).map { Int($0) - 1 }, firstSeenRun: row.id(at: 4),
                outer: Column.outerPlace(normalized: row.text(at: 1)))
        }
        guard !columns.isEmpty else { return nil }
        func has(_ name: String) throws -> Bool {
            try connection.integer("SELECT 1 FROM pragma_table_info(?1) WHERE name = ?2", .text(table), .text(name))
                != nil
        }
        self.init(
            table: table, columns: columns, marksDeletion: try has(Self.deletionColumn),
            keepsRest: try has(Self.restColumn))
        let hasIndex = "SELECT 1 FROM pragma_index_list(?1) WHERE origin = 'pk'"
        keyHasIndex = try keyIsOneInteger && connection.integer(hasIndex, .text(table)) != nil
    }

    /// Returns an error if the stream's table, which others may alter, has lost columns and cannot take its records.
    package static func lostColumns(
        of table: String, _ streamID: StreamID, on connection: Connection
    ) throws -> PersistenceError? {
        // Names are compared as in SQL: by bytes, but ignoring the case of ASCII letters. Generated columns,
        // which nobody can write, are not listed.
        let lost = try connection.rows(
            """
            SELECT name, coalesce(type, 'TEXT') FROM _garner_columns WHERE stream_id = ?1
            AND name COLLATE NOCASE NOT IN (SELECT name FROM pragma_table_info(?2)) ORDER BY position
            """, [.id(streamID), .text(table)]
        ) { (name: $0.text(at: 0), type: $0.text(at: 1)) }
        guard let first = lost.first else { return nil }
        let names = lost.prefix(3).map { "'\($0.name)'" }.joined(separator: ", ")
        let more = lost.count > 3 ? " and \(lost.count - 3) more" : ""
        let statement = "ALTER TABLE \(quoted(table)) ADD COLUMN \(quoted(first.name)) \(first.type)"
        let hasVersions = try HistoryTable(of: table, on: connection).exists()
        return PersistenceError(
            .configuration,
            "the table \(table) no longer has the \(lost.count == 1 ? "column" : "columns") \(names)\(more)",
            hint: .restoreColumn(statement: statement, losesVersions: hasVersions))
    }
}

// The common parts of a stream's table and the tables of its arrays.
extension TableSchema {
    /// Returns the leading columns of a child of this table: `_parent_` with the name of each column of the
    /// key, and `_index`. Together they are its key.
    func outerColumns(run: RunID) -> [Column] {
        var columns: [Column] = []
        for column in key {
            let name = ColumnNaming.name(for: ["_parent_\(column.name)"], taken: columns.map(\.name))
            columns.append(
                Column(
                    name: name ?? "_parent_\(columns.count + 1)", path: column.path, type: column.type,
                    keyPosition: columns.count, firstSeenRun: run, outer: .parent))
        }
        let index = ColumnNaming.name(for: ["_index"], taken: columns.map(\.name)) ?? "_index"
        columns.append(
            Column(
                name: index, path: [], type: .integer, keyPosition: columns.count, firstSeenRun: run, outer: .index))
        return columns
    }

    /// The SQL of the key of a row in `_garner_changes`: in a child table, that of the record that holds the array.
    var changedKeyExpression: String {
        let names = key.filter { $0.outer == .parent }.map { "\(quoted(table)).\(quoted($0.name))" }
        return names.isEmpty
            ? keyExpression : names.count == 1 ? names[0] : "json_array(\(names.joined(separator: ", ")))"
    }
}

extension TableSchema {
    /// Returns the SQL of a column's value as the source wrote it, also if set aside, unless somebody has written one since.
    ///
    /// - Parameter record: The name of the row with a point; empty for none.
    func wholeValue(of column: Column, in record: String = "") -> String {
        let value = "\(record)\(quoted(column.name))"
        guard keepsRest, column.type?.rank != nil, column.keyPosition == nil else { return value }
        // A path of JSON cannot name each member: SQLite knows no escapes in it.
        let aside = """
            (SELECT iif(type IN ('true', 'false'), type, value) FROM json_each(\(record)_garner_rest)
            WHERE key = \(sqlLiteral(column.name)))
            """
        return """
            CASE WHEN json_valid(\(record)_garner_rest)
            AND (\(value) IS NULL OR \(aside) GLOB '*[0-9]*' AND \(value) = CAST(\(aside) AS NUMERIC)
            OR \(aside) IN ('true', 'false') AND \(value) = (\(aside) = 'true')) THEN coalesce(\(aside), \(value)) ELSE \(value) END
            """
    }
}
