import Catalog
import JSON
import Model

// The records that come as they were stored: neither bound nor compared.
extension StreamTable {
    /// The number of records from which a page's hashes are kept. Fewer are compared sooner than a row of hashes is written.
    private static let fewest = 50

    /// Returns the hashes of a page's records, and which of these need no look; nil if each has to be stored.
    ///
    /// A record may be left out where it would change nothing: where its row depends on nothing but it and the columns.
    func knownRecords(
        of page: PageCommit, _ records: Selection, after known: PageTable.Row?, scope: String
    ) throws -> KnownRecords? {
        guard records.count >= Self.fewest, page.memory != nil, page.deletions.isEmpty, page.added == nil,
            !overlap.hasSlices, !stream.childTables, !stream.replacesTable, !stream.dedupes,
            stream.mergeStrategy == .upsert, stream.schemaContract == SchemaContract()
        else { return nil }
        var stored: [Int64] = []
        if let known, let loader, !isUnconditional {
            stored = try RecordHashes(connection: connection).stored(of: known.id, scope: scope, shape: loader.shape)
        }
        return KnownRecords(among: records, stored: stored, hashKey: hashKey, loader)
    }

    /// Notes the hashes of a page's records; nil if they are not known, or if records share a key.
    ///
    /// - Parameter known: The page as it was known before.
    func note(_ hashes: [Int64]?, on page: PageTable.Row, after known: PageTable.Row?) throws {
        let table = RecordHashes(connection: connection)
        if let hashes, let loader {
            try table.save(hashes, of: page.id, shape: loader.shape)
        } else if let known, known.recordCount >= Self.fewest {
            try table.forget(page.id)
        }
    }
}
