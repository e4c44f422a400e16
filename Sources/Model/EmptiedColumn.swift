/// A column that most rows had a value in, until a whole read brought no record with its member.
package struct EmptiedColumn: Sendable, Equatable {
    package let table: String
    package let column: String
    /// The member names that lead to the value in a stored record.
    package let path: [String]
    /// The number of rows that had a value before that read.
    package let rows: Int

    package init(table: String, column: String, path: [String], rows: Int) {
        (self.table, self.column, self.path, self.rows) = (table, column, path, rows)
    }
}
