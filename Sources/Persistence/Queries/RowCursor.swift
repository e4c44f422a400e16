package import Database
import SQLite

/// The rows of a query, read one after the other.
package final class RowCursor {
    package let columns: [String]
    /// True if the query has more rows than were asked for. It is known after the last row.
    package private(set) var hasMore = false
    let statement: Statement
    private let reader: ReadOnlyDatabase
    /// The number of rows that may still be read; nil for all.
    private var left: Int?

    /// Creates a cursor at the start of a statement.
    ///
    /// - Parameter limit: the number of rows to read at most. The statement selects one more, if there are more.
    init(of statement: Statement, on reader: ReadOnlyDatabase, limit: Int? = nil) {
        self.statement = statement
        self.reader = reader
        left = limit
        columns = statement.columnNames
    }

    /// Moves to the next row, which is read in place. Returns nil after the last one.
    package func next() throws -> (any Row)? { try advance() ? statement : nil }

    /// Moves to the next row. Returns false after the last one.
    func advance() throws -> Bool {
        if try reader.translatingErrors(of: "the query", statement.step) {
            guard let left else { return true }
            self.left = left - 1
            if left > 0 { return true }
            hasMore = true
        }
        statement.reset()
        return false
    }
}
