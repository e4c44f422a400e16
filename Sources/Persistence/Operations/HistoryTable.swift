import SQLite

/// A table of the versions that rows once had.
struct HistoryTable {
    let name: String
    /// What tells its rows apart, as SQL.
    let key: [String]

    static func all(on connection: Connection) throws -> [HistoryTable] {
        let tables = try connection.rows(
            """
            SELECT name, wr FROM pragma_table_list AS t
            WHERE schema = 'main' AND type = 'table' AND name LIKE '@_garner@_history@_%' ESCAPE '@'
            AND EXISTS (SELECT 1 FROM pragma_table_info(t.name) AS c WHERE c.name = '_garner_valid_to')
            """
        ) { (name: $0.text(at: 0), hasNoRowNumber: $0.integer(at: 1) == 1) }
        return try tables.map { table in
            guard table.hasNoRowNumber else { return HistoryTable(name: table.name, key: ["_rowid_"]) }
            let key = try connection.rows(
                "SELECT name FROM pragma_table_info(?1) WHERE pk > 0 ORDER BY pk", [.text(table.name)]
            ) { quoted($0.text(at: 0)) }
            return HistoryTable(name: table.name, key: key)
        }
    }
}
