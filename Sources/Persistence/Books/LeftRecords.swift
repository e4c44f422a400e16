import GarnerDatabase
import GarnerModel
import GarnerSQLite

/// The records that have left their pages of one of several lists since an earlier read, and the rule on which of them are missing.
///
/// They are in a temporary table, which a transaction that fails takes back, too.
struct LeftRecords {
    let streamID: StreamID
    let read: ReadID
    let connection: Connection

    private var table: String { "temp._garner_left_\(streamID)" }

    /// Notes the members of a page that is about to have others.
    func note(membersOf page: PageID, in slice: SliceID) throws {
        try prepare()
        try connection.execute(
            "INSERT INTO \(table) SELECT ?1, ?2, record_key, 0 FROM _garner_members WHERE page_id = ?3",
            .id(read), .id(slice), .id(page))
    }

    /// Returns true if the read has found some of them on no page of the slice. Those are noted.
    func areMissing(in slice: SliceID) throws -> Bool {
        try prepare()
        try connection.execute(
            """
            INSERT INTO \(table) SELECT ?1, ?2, record_key, 0 FROM _garner_members JOIN _garner_pages USING (page_id)
            WHERE stream_id = ?3 AND read_id <> ?1 AND \(isOfSlice)
            """, .id(read), .id(slice), .id(streamID))
        try connection.execute(
            "DELETE FROM \(table) WHERE read_id = ?1 AND slice_id = ?2 AND record_key IN (\(found))",
            .id(read), .id(slice), .id(streamID))
        try connection.execute(
            "UPDATE \(table) SET is_noted = 1 WHERE read_id = ?1 AND slice_id = ?2", .id(read), .id(slice))
        return try connection.integer(
            "SELECT 1 FROM \(table) WHERE read_id = ?1 AND slice_id = ?2 LIMIT 1", .id(read), .id(slice)) != nil
    }

    /// Returns true if others are missing now than those that were noted.
    func othersAreMissing(in slice: SliceID) throws -> Bool {
        try connection.integer(
            """
            SELECT 1 FROM \(table) WHERE read_id = ?1 AND slice_id = ?2 AND NOT is_noted AND record_key NOT IN (\(found))
            AND record_key NOT IN (SELECT record_key FROM \(table) WHERE read_id = ?1 AND slice_id = ?2 AND is_noted) LIMIT 1
            """, .id(read), .id(slice), .id(streamID)) != nil
    }

    private func prepare() throws {
        try connection.execute(
            "CREATE TABLE IF NOT EXISTS \(table) (read_id INTEGER, slice_id INTEGER, record_key BLOB, is_noted INTEGER)"
        )
    }

    /// The keys of the records that the read has found on pages of the slice.
    private var found: String {
        """
        SELECT record_key FROM _garner_pages JOIN _garner_members USING (page_id)
        WHERE stream_id = ?3 AND read_id = ?1 AND \(isOfSlice)
        """
    }

    private var isOfSlice: String { "bindings = (SELECT bindings FROM _garner_slices WHERE slice_id = ?2)" }
}
