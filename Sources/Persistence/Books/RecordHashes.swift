import GarnerDatabase
import GarnerDigest
package import GarnerJSON
import GarnerModel
import GarnerSQLite

/// The hashes of a page's records when they were last stored: `_garner_record_hashes`.
struct RecordHashes {
    let connection: Connection

    /// Returns the hashes; none if a row may differ from the record with which it was stored.
    ///
    /// They hold for what the page's memory holds for, and only if no record was on two pages when the run began.
    func stored(of page: PageID, scope: String, shape: Int64) throws -> [Int64] {
        try connection.firstRow(
            """
            SELECT hashes FROM _garner_record_hashes JOIN _garner_pages USING (page_id)
            JOIN _garner_streams USING (stream_id)
            WHERE page_id = ?1 AND shape = ?2 AND scope = ?3 AND summary IS NOT NULL AND NOT is_touched
            """, [.id(page), .integer(shape), .text(scope)]
        ) { Self.decode($0.bytes(at: 0)) } ?? []
    }

    func save(_ hashes: [Int64], of page: PageID, shape: Int64) throws {
        let statement = try connection.statement(
            "INSERT OR REPLACE INTO _garner_record_hashes (page_id, shape, hashes) VALUES (?1, ?2, ?3)")
        try statement.bind([.id(page), .integer(shape), .blob(Self.encode(hashes))])
        try statement.run()
        statement.clearBindings()
    }

    func forget(_ page: PageID) throws {
        try connection.execute("DELETE FROM _garner_record_hashes WHERE page_id = ?1", .id(page))
    }

    private static func encode(_ hashes: [Int64]) -> [UInt8] {
        hashes.map { $0.littleEndian }.withUnsafeBytes { Array($0) }
    }

    private static func decode(_ bytes: UnsafeBufferPointer<UInt8>) -> [Int64] {
        let raw = UnsafeRawBufferPointer(bytes)
        return stride(from: 0, to: raw.count - 7, by: 8).map {
            Int64(littleEndian: raw.loadUnaligned(fromByteOffset: $0, as: Int64.self))
        }
    }
}

/// Hashes the records of a stream's pages. This needs no database, so that it can be done before a page is stored.
package struct RecordHasher: Sendable {
    /// The number of records from which a page's hashes are kept. Fewer are compared sooner than a row of hashes is written.
    static let fewest = 50

    let key: HashKey

    /// Returns the hash of each record's bytes as they came, in order; nil for a page whose records are too few.
    package func hashes(of records: Selection) -> [Int64]? {
        guard records.count >= Self.fewest else { return nil }
        var hashes: [Int64] = []
        hashes.reserveCapacity(records.count)
        records.asReceived.forEach { hashes.append(key.fingerprint(of: UnsafeRawBufferPointer($0.utf8)).shortened) }
        return hashes
    }
}
