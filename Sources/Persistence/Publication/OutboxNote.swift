package import GarnerDatabase
package import GarnerModel

/// A note of changed rows, which the transaction has made that changed them.
///
/// The set of a table's notes counts, not their order: a row that a note names is there now, or it is not. A savepoint that was
/// undone leaves notes of rows that are as they were.
package struct OutboxNote: Sendable, Equatable {
    package enum Kind: String, Sendable {
        case insert, update, delete
        /// All rows of the table may have changed, or their numbers or keys. Earlier notes of the table say nothing any more.
        case whole
    }

    /// Its number. Each later note has a greater one, also after notes were removed.
    package let note: Int64
    /// The number of the table: `PublishedTable.id`, or `runs`.
    package let table: StreamID
    package let kind: Kind
    /// The numbers of the rows; those of `runs` are the numbers of the runs. `0...0` for `whole`.
    package let rows: ClosedRange<Int64>
    /// The key of a deleted row, in the order of the key's columns. Empty if the key is the number of the row, and then `rows` may have
    /// several.
    package let key: [Value]

    /// Stands for `_garner_runs` in the place of a table. Only runs that have ended are noted, by `insert` or `update`.
    package static let runs: StreamID = 0

    package init(note: Int64, table: StreamID, kind: Kind, rows: ClosedRange<Int64>, key: [Value]) {
        (self.note, self.table, self.kind, self.rows, self.key) = (note, table, kind, rows, key)
    }
}

/// The notes of one table, put together.
package struct OutboxChanges: Sendable, Equatable {
    package var isWhole = false
    /// The keys of rows that were deleted. Some may be there again; those are in `replaced`.
    package var deletedKeys: [[Value]] = []
    /// The numbers of the rows that were deleted, for a table whose key is the number of the row.
    package var deletedRows: [ClosedRange<Int64>] = []
    /// The rows that were inserted or deleted. Those that are there now were not there before, or are not in the state before.
    /// Rising, without common or neighbouring numbers.
    package var replaced: [ClosedRange<Int64>] = []
    /// The rows that were only updated, and have the keys that they had. Rising, without common or neighbouring numbers.
    package var updated: [ClosedRange<Int64>] = []
    /// The greatest number of the notes; nil if there are none.
    package var lastNote: Int64?
}

/// A stream's table, or that of its arrays, as it is to be published.
package struct PublishedTable: Sendable, Equatable {
    /// The number by which notes name the table. It stays when the table or its stream gets another name. Once a stream is dropped, another
    /// one may get it: then `position` is nil.
    package let id: StreamID
    /// The name in the file.
    package let name: String
    /// The full name of the stream; of a table of arrays, that of the stream whose records have them.
    package let stream: String
    package let isChild: Bool
    /// The names that lead to a table's arrays in a record of the stream; empty for the records themselves.
    package let array: [String]
    /// In the order of the key's, the record's and Garner's own columns, then those of others.
    package let columns: [PublishedColumn]
    /// The places of the key's columns in `columns`. Empty: the key is the number of the row.
    package let key: [Int]
    /// True if the first read of the stream has ended, so that all types are known.
    package let isReady: Bool
    /// The number of the note up to which PostgreSQL has confirmed the table; nil if its changes are not noted, since nobody has
    /// called `publish`.
    package let position: Int64?
    package let behindSince: Timestamp?
    package let behindReason: String?
}

package struct PublishedColumn: Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        /// A member of the record at this path; of a table of arrays, also a column of its key.
        case value(path: [String])
        /// `_garner_content`, the digest that is the key of a table with `dedupe`.
        case content
        /// `_garner_rest`.
        case rest
        /// `_garner_deleted_at`.
        case deletedAt
        /// A column of `fields.add`, or one that others have added or compute. Rows from before it came are not noted.
        case other
    }

    package let name: String
    package let kind: Kind
    /// The type of its declaration, which a value may not fit; nil while it has no value.
    package let type: ColumnType?
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
