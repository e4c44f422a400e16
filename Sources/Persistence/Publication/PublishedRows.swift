import GarnerDatabase
import GarnerSQLite

/// Rows of a published table, one after the other.
///
///     let rows = try snapshot.rows(of: table)
///     while try rows.next() {
///         for column in table.columns.indices { append(rows.value(at: column)) }
///     }
package final class PublishedRows {
    private let statement: Statement
    private let ranges: [ClosedRange<Int64>]
    private let path: String
    /// The place of the next range.
    private var place = 0
    private var isInRange = false

    init(_ statement: Statement, in ranges: [ClosedRange<Int64>], path: String) {
        (self.statement, self.ranges, self.path) = (statement, ranges, path)
    }

    /// Moves to the next row. Returns false if there is none.
    package func next() throws -> Bool {
        do {
            while true {
                if isInRange, try statement.step() { return true }
                isInRange = place < ranges.count
                guard isInRange else { return false }
                statement.reset()
                try statement.bind(ranges[place].lowerBound, at: 1)
                try statement.bind(ranges[place].upperBound, at: 2)
                place += 1
            }
        } catch {
            throw PersistenceError(error, path: path)
        }
    }

    package var row: Int64 { statement.integer(at: 0) }

    /// The value of a column, by its place in `PublishedTable.columns`, without a copy. It is valid until `next` is called.
    package func value(at column: Int) -> StoredBytes {
        let value = statement.column(at: column + 1)
        return switch value.kind {
        case .null: .null
        case .integer: .integer(value.integer)
        case .real: .real(value.real)
        case .text: .text(value.bytes)
        case .blob: .blob(value.bytes)
        }
    }
}

/// A value of a row, as SQLite stores it. Bytes are valid until the next row.
package enum StoredBytes {
    case null
    case integer(Int64)
    case real(Double)
    /// UTF-8, which may have NUL in it.
    case text(UnsafeBufferPointer<UInt8>)
    case blob(UnsafeBufferPointer<UInt8>)
}
