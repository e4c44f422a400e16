import GarnerCatalog
import GarnerSQLite

// The index that a large table gets for its key, so that its rows lie in the order in which they come.
extension StreamTable {
    /// The most rows of a table that is copied so that its key gets an index. It takes a second.
    private static let mostCopiedRows = 1_000_000

    /// True if the key may get an index before the next page is stored.
    var isKeyIndexDue: Bool { loader?.keyIndexing == .due }

    /// Notes that records come in no order of their keys, and that the table is large.
    ///
    /// A key that is the row number may get an index in a first read, unless a search index knows rows by their numbers.
    func noteScatteredRows() {
        guard let loader, loader.keyIndexing == .open, loader.schema.keyIsRowNumber, !hasBaseline,
            companions.index == nil
        else {
            return
        }
        loader.keyIndexing = .due
    }

    /// Gives the key an index, unless too many rows would be copied or others have declared something of the table.
    func indexKey() throws {
        guard let loader else { return }
        loader.keyIndexing = .decided
        let more = "SELECT 1 FROM \(quoted(stream.table)) LIMIT 1 OFFSET \(Self.mostCopiedRows)"
        if try connection.integer(more) == nil { try loader.evolution.indexKey() }
    }
}
