import Catalog
import SQLite

/// The times in which versions of a stream's rows were kept: `_garner_histories`.
struct HistoryPeriods {
    let streamID: Int64
    let connection: Connection

    /// Notes that versions are kept from now on; false where they are already.
    func begin(at now: Timestamp) throws -> Bool {
        let isKept = "SELECT 1 FROM _garner_histories WHERE stream_id = ?1 AND until IS NULL"
        guard try connection.integer(isKept, .integer(streamID)) == nil else { return false }
        try connection.execute(
            """
            INSERT INTO _garner_histories (stream_id, since)
            SELECT ?1, max(?2, coalesce(max(until), '')) FROM _garner_histories WHERE stream_id = ?1
            ON CONFLICT DO UPDATE SET until = NULL
            """, .integer(streamID), .text(now.description))
        return true
    }

    /// Notes that they are kept no longer.
    func end(at now: Timestamp) throws {
        try connection.execute(
            "UPDATE _garner_histories SET until = max(?2, since) WHERE stream_id = ?1 AND until IS NULL",
            .integer(streamID), .text(now.description))
    }
}
