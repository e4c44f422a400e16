import Catalog
import SQLite

/// What is left of a stream's read: `_garner_slices`.
struct SliceTable {
    let streamID: Int64
    let connection: Connection

    /// Those behind `last` in the order in which they are read, each with its cursor.
    func slices(after last: Int64, limit: Int, identity: String) throws -> [Slice] {
        try connection.rows(
            """
            SELECT slice_id, slice.bindings, added, next_position, watermark, value FROM _garner_slices AS slice
            LEFT JOIN _garner_cursors AS cursor ON cursor.stream_id = slice.stream_id
            AND cursor.bindings = slice.bindings AND identity = ?3
            WHERE slice.stream_id = ?1 AND slice_id > ?2 ORDER BY slice_id LIMIT ?4
            """, [.integer(streamID), .integer(last), .text(identity), .integer(Int64(limit))]
        ) { row in
            Slice(
                id: row.integer(at: 0), bindings: Bindings(json: row.text(at: 1)) ?? [:],
                added: row.optionalText(at: 2), nextPosition: row.optionalText(at: 3),
                watermark: row.optionalText(at: 4), cursor: row.optionalText(at: 5))
        }
    }

    /// Behind what a new read of a slice begins; nil: at the beginning.
    func cursor(of bindings: String, identity: String) throws -> String? {
        try connection.text(
            "SELECT value FROM _garner_cursors WHERE stream_id = ?1 AND bindings = ?2 AND identity = ?3",
            .integer(streamID), .text(bindings), .text(identity))
    }

    /// How many are left.
    var count: Int {
        get throws {
            let count = "SELECT count(*) FROM _garner_slices WHERE stream_id = ?1"
            return Int(try connection.integer(count, .integer(streamID)) ?? 0)
        }
    }

    var isEmpty: Bool {
        get throws {
            try connection.integer("SELECT 1 FROM _garner_slices WHERE stream_id = ?1 LIMIT 1", .integer(streamID))
                == nil
        }
    }

    func insert(_ bindings: String, added: String?) throws {
        try connection.execute(
            "INSERT OR IGNORE INTO _garner_slices (stream_id, bindings, added) VALUES (?1, ?2, ?3)",
            .integer(streamID), .text(bindings), Value(added))
    }

    /// Notes where the slice goes on; nil: at its beginning.
    func save(_ slice: Int64, at position: String?, watermark: String?) throws {
        try connection.execute(
            "UPDATE _garner_slices SET next_position = ?2, watermark = ?3 WHERE slice_id = ?1", .integer(slice),
            Value(position), Value(watermark))
    }

    func remove(_ slice: Int64) throws {
        try connection.execute("DELETE FROM _garner_slices WHERE slice_id = ?1", .integer(slice))
    }

    /// Moves a slice behind all others; gives its new number.
    func postpone(_ slice: Int64) throws {
        try connection.execute(
            """
            UPDATE _garner_slices SET slice_id = (SELECT max(slice_id) + 1 FROM _garner_slices) WHERE slice_id = ?1
            """, .integer(slice))
    }

    /// Moves the cursor that the next read of the slice begins behind.
    func moveCursor(of slice: Int64, to value: String, identity: String, now: Timestamp) throws {
        try connection.execute(
            """
            INSERT INTO _garner_cursors (stream_id, bindings, identity, value, moved_at)
            SELECT stream_id, bindings, ?2, ?3, ?4 FROM _garner_slices WHERE slice_id = ?1
            ON CONFLICT (stream_id, bindings) DO UPDATE SET identity = excluded.identity, value = excluded.value,
            moved_at = excluded.moved_at WHERE identity <> excluded.identity OR value <> excluded.value
            """, .integer(slice), .text(identity), .text(value), .text(now.description))
    }

    /// Forgets the cursors of reads that were made from something else, and all where `isFull`.
    func forgetCursors(but identity: String, isFull: Bool) throws {
        try connection.execute(
            "DELETE FROM _garner_cursors WHERE stream_id = ?1 AND (identity <> ?2 OR ?3)", .integer(streamID),
            .text(identity), .integer(isFull ? 1 : 0))
    }
}
