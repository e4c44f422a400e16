package import GarnerDatabase
import GarnerSQLite

/// The rows of a query, read one after the other.
package final class RowCursor {
    package let columns: [String]
    /// True if the query has more rows than the limit. It is known once `next()` has returned nil.
    package private(set) var hasMore = false
    /// The number of rows that were read.
    package private(set) var count = 0
    let statement: Statement
    /// The values that were set aside; nil for rows that are shown as SQL sees them.
    let cells: SetAsideCells?
    private let reader: ReadOnlyDatabase
    /// The number of rows that may still be read; nil for all.
    private var left: Int?

    /// Creates a cursor at the start of a statement.
    ///
    /// - Parameters:
    ///   - limit: The most rows to read; nil for all. The statement has to select one row more than that.
    ///   - isWhole: True to show values that were set aside in their columns. The statement then has to select
    ///     `_garner_rest`, if the table has it.
    ///   - columns: The number of columns to show, from the first one; nil for all.
    init(
        of statement: Statement, on reader: ReadOnlyDatabase, limit: Int? = nil, isWhole: Bool = false,
        columns count: Int? = nil
    ) {
        self.statement = statement
        self.reader = reader
        left = limit
        cells = isWhole ? SetAsideCells(of: statement) : nil
        columns = Array(statement.columnNames.prefix(count ?? .max))
    }

    /// Moves to the next row, which is read in place. Returns nil after the last one.
    package func next() throws -> (any Row)? {
        guard try advance() else { return nil }
        return cells.map { WholeRow(statement: statement, cells: $0) } ?? statement
    }

    /// Moves to the next row. Returns false after the last one.
    func advance() throws -> Bool {
        cells?.move()
        if try reader.translatingErrors(of: "the query", statement.step) {
            if left != 0 {
                left = left.map { $0 - 1 }
                count += 1
                return true
            }
            hasMore = true
        }
        statement.reset()
        return false
    }
}
