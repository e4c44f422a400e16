package import GarnerPersistence

package protocol FileRow {
    var row: Int64 { get }

    /// The value of a column, by its place among the columns that the converter was made with. It is valid until the next row.
    func value(at column: Int) -> StoredBytes
}

extension PublishedRows: FileRow {}
