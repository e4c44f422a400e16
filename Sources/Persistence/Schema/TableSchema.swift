import Catalog
import SQLite

/// The columns of a stream's table and the statements that follow from them.
struct TableSchema {
    /// What a table may hold ("SQLITE_MAX_COLUMN", sqlite.org/limits.html), the mark of deletion and the rest included.
    static let maximumColumns = 2000

    let table: String
    var columns: [Column]
    /// Whether rows that went missing are marked in `_garner_deleted_at`.
    var marksDeletion: Bool
    /// True where members that can have no column are kept in `_garner_rest`.
    var keepsRest = false
    /// What becomes of a record whose key is stored already.
    var mergeStrategy = MergeStrategy.upsert

    static let deletionColumn = "_garner_deleted_at"
    static let restColumn = "_garner_rest"
    /// A record's digest, where that is the key.
    static let contentColumn = "_garner_content"

    /// How many columns beside those of the record a table must have room for.
    static let ownColumns = 2

    /// The names of Garner's own columns that the table has beside those of the record.
    var extraColumns: [String] { (marksDeletion ? [Self.deletionColumn] : []) + (keepsRest ? [Self.restColumn] : []) }

    /// The index of the column that tells records apart by their content; nil where others do.
    var contentIndex: Int? { columns.firstIndex { $0.path.isEmpty && $0.outer == nil } }

    /// The number of the parameter for the rest.
    var restParameter: Int32? { keepsRest ? Self.parameter(ofColumnAt: columns.count) : nil }

    /// The columns of the primary key in their order; empty for a table without one.
    var key: [Column] {
        columns.filter { $0.keyPosition != nil }.sorted { ($0.keyPosition ?? 0) < ($1.keyPosition ?? 0) }
    }

    /// The index of the column for a field that a primary key is declared with: a member's name, or else a column's.
    func index(ofField name: String) -> Int? {
        columns.firstIndex { $0.path.count == 1 && $0.path[0].utf8.elementsEqual(name.utf8) }
            ?? columns.firstIndex { $0.name.utf8.elementsEqual(name.utf8) }
    }

    /// Whether the key is SQLite's own row number (sqlite.org/lang_createtable.html#rowid).
    var keyIsRowNumber: Bool { key.count == 1 && key[0].type == .integer }

    func createStatement(named name: String? = nil) -> String {
        var lines = columns.map { column in
            let suffix = column.keyPosition == nil ? "" : keyIsRowNumber ? " PRIMARY KEY" : " NOT NULL"
            return "\(quoted(column.name)) \(column.declaredType.rawValue)\(suffix)"
        }
        lines += extraColumns.map { "\($0) TEXT" }
        if !key.isEmpty, !keyIsRowNumber {
            lines.append("PRIMARY KEY (\(key.map { quoted($0.name) }.joined(separator: ", ")))")
        }
        return "CREATE TABLE \(quoted(name ?? table)) (\n    \(lines.joined(separator: ",\n    "))\n)"
    }

    /// Parameter n is column n; a row is written only where a column differs.
    var upsertStatement: String {
        let names = columns.map { quoted($0.name) } + (keepsRest ? [Self.restColumn] : [])
        let values = names.indices.map { "?\($0 + 1)" }
        let insert = """
            INSERT INTO \(quoted(table)) (\(names.joined(separator: ", "))) VALUES (\(values.joined(separator: ", ")))
            """
        guard !key.isEmpty else { return insert }
        var others = columns.filter { $0.keyPosition == nil }.map { quoted($0.name) } + extraColumns
        // A record that is there again is no longer missing, whatever its row says.
        if mergeStrategy == .insertOnly { others = marksDeletion ? [Self.deletionColumn] : [] }
        let conflict = "ON CONFLICT (\(key.map { quoted($0.name) }.joined(separator: ", ")))"
        guard !others.isEmpty else { return "\(insert) \(conflict) DO NOTHING" }
        let assignments = others.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
        let stored = others.map { "\(quoted(table)).\($0)" }.joined(separator: ", ")
        let fetched = others.map { "excluded.\($0)" }.joined(separator: ", ")
        return "\(insert) \(conflict) DO UPDATE SET \(assignments) WHERE (\(stored)) IS NOT (\(fetched))"
    }

    /// The SQL of a row's key as `_garner_changes` and `_garner_members` hold it.
    var keyExpression: String {
        let names = key.map { "\(quoted(table)).\(quoted($0.name))" }
        switch names.count {
        case 0: return "\(quoted(table))._rowid_"
        case 1: return names[0]
        default: return "json_array(\(names.joined(separator: ", ")))"
        }
    }

    /// The SQL of the same key where its parts are bound to parameters from this number on.
    func keyParameters(from first: Int) -> String {
        let parameters = key.indices.map { "?\(first + $0)" }
        return parameters.count == 1 ? parameters[0] : "json_array(\(parameters.joined(separator: ", ")))"
    }

    /// The number of the parameter of a column.
    static func parameter(ofColumnAt index: Int) -> Int32 { Int32(index + 1) }
}
