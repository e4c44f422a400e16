import SQLite

// What a stream's table and those of its arrays have in common.
extension TableSchema {
    /// The columns that a child of this table begins with: `_parent_` and the name of each column of the key, and `_index`.
    /// Together they are its key.
    func outerColumns(run: Int64) -> [Column] {
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

    /// The SQL of the key that the record of a row is noted with in `_garner_changes`: of a row of a child table, that of
    /// the record that holds the array.
    var changedKeyExpression: String {
        let names = key.filter { $0.outer == .parent }.map { "\(quoted(table)).\(quoted($0.name))" }
        return names.isEmpty
            ? keyExpression : names.count == 1 ? names[0] : "json_array(\(names.joined(separator: ", ")))"
    }
}
