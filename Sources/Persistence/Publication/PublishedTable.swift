package import GarnerModel

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
    /// The number of the last note that PostgreSQL has confirmed; nil for a table that nobody has published.
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
