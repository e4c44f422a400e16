package import Catalog
package import SQLite

/// What a run did to a record.
package struct RecordChange: Sendable {
    package enum Operation: String, Sendable {
        case insert, update, delete
    }

    package enum Key: Sendable {
        /// Of one column, or the row number where there is no key.
        case single(Value)
        /// Of several columns, as a JSON array.
        case composite(String)
    }

    /// A column that differs; NULL stands for no row, too.
    package struct Field: Sendable {
        package let name: String
        package let old: Value
        package let new: Value
    }

    /// The full name.
    package let stream: String
    package let key: Key
    package let operation: Operation
    package let run: Int64
    /// The instant of the change where versions are kept; else when the run ended, or began.
    package let at: Timestamp?
    /// In the order of the columns; nil where no versions tell.
    package let fields: [Field]?
}

/// Which changes are asked for.
package struct ChangeRequest: Sendable {
    package enum Beginning: Sendable {
        /// This run and later ones.
        case run(Int64)
        /// Runs that began then or later.
        case instant(Timestamp)
    }

    /// A full name, or an unambiguous bare one; nil for all.
    package var stream: String?
    package var since: Beginning?
    /// The latest so many.
    package var limit: Int?

    package init(stream: String? = nil, since: Beginning? = nil, limit: Int? = nil) {
        self.stream = stream
        self.since = since
        self.limit = limit
    }
}
