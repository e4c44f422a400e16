import GarnerCatalog
import GarnerJSON
import GarnerModel

// The pages and records that come as they were stored: neither bound nor compared.
extension StreamTable {
    /// The hasher for the stream's records; nil where a row may depend on more than its record and the columns.
    var recordHasher: RecordHasher? {
        guard !evidence.overlap.hasSlices, !stream.childTables, !stream.dedupes,
            stream.mergeStrategy == .upsert, stream.schemaContract.takesAll
        else { return nil }
        return RecordHasher(key: evidence.hashKey)
    }

    /// Returns the cached page, with which the server can be asked if the page has changed.
    func memory(at position: String, scope: String) throws -> CachedPage? {
        guard try !mayShareDeletedRows else { return nil }
        return try PageTable(streamID: streamID, connection: connection).memory(
            at: position, scope: scope, needsMembers: stream.deletesRows)
    }

    /// Returns the hashes of a page's records, and which of these need no look; nil if each has to be stored.
    ///
    /// A record may be left out where it would change nothing: where its row depends on nothing but it and the columns.
    func knownRecords(
        of page: PageCommit, _ records: Selection, after known: PageRow?, scope: String
    ) throws -> KnownRecords? {
        guard page.later == nil, page.memory != nil, page.deletions.isEmpty, page.added == nil,
            let hasher = recordHasher,
            let hashes = page.recordHashes ?? hasher.hashes(of: records)
        else { return nil }
        var stored: [Int64] = []
        let changed = evidence.changedKeys
        if let known, let loader, !isUnconditional, changed?.areUnclear == false {
            stored = try RecordHashes(connection: connection).stored(of: known.id, scope: scope, shape: loader.shape)
        }
        return KnownRecords(among: records, hashes: hashes, stored: stored, changed: changed, loader)
    }

    /// Notes the hashes of a page's records; nil if they are not known, or if records share a key.
    ///
    /// - Parameter known: The page as it was known before.
    func note(_ hashes: [Int64]?, on page: PageRow, after known: PageRow?) throws {
        let table = RecordHashes(connection: connection)
        if let hashes, let loader {
            try table.save(hashes, of: page.id, shape: loader.shape)
        } else if let known, known.recordCount >= RecordHasher.fewest {
            try table.forget(page.id)
        }
    }
}
