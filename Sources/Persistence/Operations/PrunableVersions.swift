import SQLite

/// A table of the versions that rows once had.
struct PrunableVersions {
    let name: String
    /// What tells its rows apart, as SQL.
    let key: [String]

    static func all(on connection: Connection) throws -> [PrunableVersions] {
        let tables = try connection.rows(
            """
            SELECT name, wr FROM pragma_table_list AS t
            WHERE schema = 'main' AND type = 'table' AND name LIKE '@_garner@_history@_%' ESCAPE '@'
            AND EXISTS (SELECT 1 FROM pragma_table_info(t.name) AS c WHERE c.name = '_garner_valid_to')
            """
        ) { (name: $0.text(at: 0), hasNoRowNumber: $0.integer(at: 1) == 1) }
        return try tables.map { table in
            guard table.hasNoRowNumber else { return PrunableVersions(name: table.name, key: ["_rowid_"]) }
            let key = try connection.rows(
                "SELECT name FROM pragma_table_info(?1) WHERE pk > 0 ORDER BY pk", [.text(table.name)]
            ) { quoted($0.text(at: 0)) }
            return PrunableVersions(name: table.name, key: key)
        }
    }
}

extension Sweeper {
    /// Has nobody believe that the rows of an instant are known whose versions are about to go.
    func forgetPeriods(before instant: String) throws {
        guard removes else { return }
        try connection.transaction {
            try connection.execute("DELETE FROM _garner_histories WHERE until <= ?1", .text(instant))
            try connection.execute("UPDATE _garner_histories SET since = ?1 WHERE since < ?1", .text(instant))
        }
    }
}
