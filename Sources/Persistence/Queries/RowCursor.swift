package import Database
import SQLite

/// The rows of a query, read one after the other.
package final class RowCursor {
    package let columns: [String]
    let statement: Statement
    private let reader: ReadOnlyDatabase

    init(of statement: Statement, on reader: ReadOnlyDatabase) {
        self.statement = statement
        self.reader = reader
        columns = statement.columnNames
    }

    /// Moves to the next row, which is read in place. Returns nil after the last one.
    package func next() throws -> (any Row)? { try advance() ? statement : nil }

    /// Moves to the next row. Returns false after the last one.
    func advance() throws -> Bool {
        if try reader.translatingErrors(of: "the query", statement.step) { return true }
        statement.reset()
        return false
    }
}
