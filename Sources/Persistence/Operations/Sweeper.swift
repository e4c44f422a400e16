import SQLite

/// Removes rows some at a time, or counts them.
struct Sweeper {
    let connection: Connection
    let removes: Bool
    private let cancellation: Cancellation

    init(connection: Connection, removes: Bool, _ cancellation: Cancellation) {
        (self.connection, self.removes, self.cancellation) = (connection, removes, cancellation)
    }

    /// Removes the rows of a table for which a condition holds; gives how many they were.
    ///
    /// - Parameters:
    ///   - key: the columns that tell the rows apart.
    ///   - portion: rows in one transaction.
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
