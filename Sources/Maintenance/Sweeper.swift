import GarnerPersistence
import GarnerDatabase
import GarnerSQLite

/// Removes or counts rows, a portion at a time.
struct Sweeper {
    let connection: Connection
    let removes: Bool
    private let cancellation: Cancellation

    init(connection: Connection, removes: Bool, _ cancellation: Cancellation) {
        (self.connection, self.removes, self.cancellation) = (connection, removes, cancellation)
    }

    /// Makes streams whose parents have changed in these runs read everything the next time, unless they have done so since.
    ///
    /// - Parameter runs: A JSON array.
    func forgetFollowedChanges(of runs: Value) throws {
        guard removes else { return }
        try connection.execute(
            "UPDATE _garner_streams SET parent_through = NULL WHERE parent_through < (SELECT max(value) FROM json_each(?1))",
            runs)
    }

    /// Removes the rows of a table for which a condition holds. Returns their number.
    ///
    /// - Parameters:
    ///   - key: The columns that identify a row.
    ///   - portion: The number of rows in one transaction.
    func sweep(
        _ table: String, _ key: [String], _ condition: String, _ values: [Value], portion: Int = 2000
    ) throws -> Int {
        try cancellation.check()
        guard removes else {
            return try connection.firstRow("SELECT count(*) FROM \(quoted(table)) WHERE \(condition)", values) {
                Int($0.integer(at: 0))
            } ?? 0
        }
        let columns = key.joined(separator: ", ")
        let statement = try Statement(
            """
            DELETE FROM \(quoted(table)) WHERE (\(columns)) IN (
                SELECT \(columns) FROM \(quoted(table)) WHERE \(condition) LIMIT \(portion))
            """, on: connection)
        try statement.bind(values)
        var total = 0
        while true {
            try cancellation.check()
            let count = try connection.transaction {
                try statement.run()
                return connection.changes
            }
            total += count
            if count < portion { return total }
        }
    }
}

extension Sweeper {
    /// Shortens the periods whose versions are removed, so that past rows of that time count as unknown.
    func forgetPeriods(before instant: String) throws {
        guard removes else { return }
        try connection.transaction {
            try connection.execute("DELETE FROM _garner_histories WHERE until <= ?1", .text(instant))
            try connection.execute("UPDATE _garner_histories SET since = ?1 WHERE since < ?1", .text(instant))
        }
    }
}

/// A table with old versions of rows.
struct PrunableVersions {
    let name: String
    /// The columns that identify a version, as SQL.
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
