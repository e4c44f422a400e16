/// A column of a stream's table, with the path of its value in a record.
package struct Column: Sendable, Equatable {
    package var name: String
    /// The member names that lead to the value.
    package var path: [String]
    /// The column's type; nil while every value was null.
    package var type: ColumnType?
    /// The position in the primary key, from 0; nil if the column is not part of it.
    package var keyPosition: Int?
    package var firstSeenRun: RunID
    /// The origin of a value that is not in the record itself, but in that which holds a child table's array.
    package var outer: Outer?

    package enum Outer: String, Sendable {
        /// The value at `path` in the parent's record.
        case parent
        /// The position in the array.
        case index
    }

    /// The type in the table's declaration: `text`, which holds anything, until the column has a value.
    package var declaredType: ColumnType { type ?? .text }

    package init(
        name: String, path: [String], type: ColumnType?, keyPosition: Int? = nil, firstSeenRun: RunID,
        outer: Outer? = nil
    ) {
        self.name = name
        self.path = path
        self.type = type
        self.keyPosition = keyPosition
        self.firstSeenRun = firstSeenRun
        self.outer = outer
    }
}

/// The declared type of a column, from narrow to wide.
package enum ColumnType: String, Sendable, CaseIterable {
    /// Stored as 0 and 1.
    case boolean = "BOOLEAN"
    case integer = "INTEGER"
    case real = "REAL"
    /// Only arrays and objects, as canonical text. The type has the affinity of TEXT
    /// (sqlite.org/datatype3.html, section 3.1).
    case json = "JSON TEXT"
    /// Any value that the other types cannot hold, arrays and objects included. Tables of Garner 0.1.0 also use
    /// it for columns of arrays and objects only.
    case text = "TEXT"

    /// The type of a column of this type that must also hold `other`.
    package func widened(toHold other: ColumnType) -> ColumnType {
        switch (self, other) {
        case (.json, .json): .json
        case (.text, _), (_, .text), (.json, _), (_, .json): .text
        case (.real, _), (_, .real): .real
        case (.integer, _), (_, .integer): .integer
        case (.boolean, .boolean): .boolean
        }
    }
}

/// One step in the history of a table's columns.
package struct SchemaChange: Sendable, Equatable {
    package enum Kind: String, Sendable {
        case added, widened
        /// As `fields.types` says.
        case narrowed
    }

    package let table: String
    package let column: String
    package let kind: Kind
    /// The type before; nil if the column is new or had held only nulls.
    package let oldType: ColumnType?
    /// The type after; nil if the column was added with nulls only.
    package let newType: ColumnType?
    package let run: RunID
    /// The start of the run.
    package let at: Timestamp

    package init(
        table: String, column: String, kind: Kind, oldType: ColumnType?, newType: ColumnType?, run: RunID, at: Timestamp
    ) {
        self.table = table
        self.column = column
        self.kind = kind
        self.oldType = oldType
        self.newType = newType
        self.run = run
        self.at = at
    }
}
