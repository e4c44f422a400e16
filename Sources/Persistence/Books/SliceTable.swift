package import GarnerCatalog
import GarnerDatabase
import GarnerJSON
package import GarnerModel
import GarnerSQLite

/// The slices left of a stream's read: `_garner_slices`.
struct SliceTable {
    let streamID: StreamID
    let connection: Connection

    /// Returns the slices after `last` in reading order, each with its cursor.
    ///
    /// - Parameter identity: The identity of the cursors; nil for slices without cursors.
    func slices(after last: SliceID, limit: Int, identity: String?) throws -> [Slice] {
        // The index of streams is in another order: each call would sort all that are left.
        try connection.rows(
            """
            SELECT slice_id, slice.bindings, added, next_position, watermark, value FROM _garner_slices AS slice
            LEFT JOIN _garner_cursors AS cursor ON cursor.stream_id = slice.stream_id
            AND cursor.bindings = slice.bindings AND identity = ?3
            WHERE +slice.stream_id = ?1 AND slice_id > ?2 ORDER BY slice_id LIMIT ?4
            """, [.id(streamID), .id(last), Value(identity), .integer(Int64(limit))]
        ) { row in
            Slice(
                id: row.id(at: 0), bindings: Bindings(json: row.text(at: 1)) ?? [:],
                added: row.optionalText(at: 2), nextPosition: row.optionalText(at: 3),
                watermark: row.optionalText(at: 4), cursor: row.optionalText(at: 5))
        }
    }

    /// Returns the cursor after which a new read of a slice begins, or nil to read from the beginning.
    func cursor(of bindings: String, identity: String) throws -> String? {
        try connection.text(
            "SELECT value FROM _garner_cursors WHERE stream_id = ?1 AND bindings = ?2 AND identity = ?3",
            .id(streamID), .text(bindings), .text(identity))
    }

    /// The number of slices left.
    var count: Int {
        get throws {
            let count = "SELECT count(*) FROM _garner_slices WHERE stream_id = ?1"
            return Int(try connection.integer(count, .id(streamID)) ?? 0)
        }
    }

    var isEmpty: Bool {
        get throws {
            try connection.integer("SELECT 1 FROM _garner_slices WHERE stream_id = ?1 LIMIT 1", .id(streamID))
                == nil
        }
    }

    /// Returns true if the read has no other slice left.
    func hasOnly(_ slice: SliceID) throws -> Bool {
        try connection.integer(
            "SELECT 1 FROM _garner_slices WHERE stream_id = ?1 AND slice_id != ?2 LIMIT 1", .id(streamID), .id(slice))
            == nil
    }

    func insert(_ bindings: String, added: String?) throws {
        try connection.execute(
            "INSERT OR IGNORE INTO _garner_slices (stream_id, bindings, added) VALUES (?1, ?2, ?3)",
            .id(streamID), .text(bindings), Value(added))
    }

    /// Stores the position at which the slice continues; nil for its beginning.
    func save(_ slice: SliceID, at position: String?, watermark: String?) throws {
        try connection.execute(
            "UPDATE _garner_slices SET next_position = ?2, watermark = ?3 WHERE slice_id = ?1", .id(slice),
            Value(position), Value(watermark))
    }

    func remove(_ slice: SliceID) throws {
        try connection.execute("DELETE FROM _garner_slices WHERE slice_id = ?1", .id(slice))
    }

    /// Moves a slice to the end of the order. Returns its new number.
    func postpone(_ slice: SliceID) throws {
        try connection.execute(
            """
            UPDATE _garner_slices SET slice_id = (SELECT max(slice_id) + 1 FROM _garner_slices) WHERE slice_id = ?1
            """, .id(slice))
    }

    /// Moves the cursor after which the next read of the slice begins.
    func moveCursor(of slice: SliceID, to value: String, identity: String, now: Timestamp) throws {
        try connection.execute(
            """
            INSERT INTO _garner_cursors (stream_id, bindings, identity, value, moved_at)
            SELECT stream_id, bindings, ?2, ?3, ?4 FROM _garner_slices WHERE slice_id = ?1
            ON CONFLICT (stream_id, bindings) DO UPDATE SET identity = excluded.identity, value = excluded.value,
            moved_at = excluded.moved_at WHERE identity <> excluded.identity OR value <> excluded.value
            """, .id(slice), .text(identity), .text(value), .text(now.description))
    }

    /// Forgets the cursors of values that the read does not have. Once a value returns, its records may be gone.
    func forgetCursorsWithoutSlice() throws {
        try connection.execute(
            """
            DELETE FROM _garner_cursors WHERE stream_id = ?1
            AND bindings NOT IN (SELECT bindings FROM _garner_slices WHERE stream_id = ?1)
            """, .id(streamID))
    }

    /// Forgets the cursors of reads with another identity, and all cursors if `isFull`.
    func forgetCursors(but identity: String, isFull: Bool) throws {
        try connection.execute(
            "DELETE FROM _garner_cursors WHERE stream_id = ?1 AND (identity <> ?2 OR ?3)", .id(streamID),
            .text(identity), .integer(isFull ? 1 : 0))
    }
}

/// A part of a read that is requested with the same placeholder values.
package struct Slice: Sendable, Identifiable {
    package let id: SliceID
    package let bindings: Bindings
    /// The JSON object that is stored with each of its records.
    package let added: String?
    /// The position at which it continues; nil for its first page.
    package let nextPosition: String?
    /// The greatest cursor on the slice's pages so far.
    package let watermark: String?
    /// The cursor of an earlier read, after which the slice begins.
    package let cursor: String?
}

extension Bindings {
    /// The bindings as a JSON object, equal for equal values.
    var json: String {
        let sorted = sorted { $0.key.name.utf8.lexicographicallyPrecedes($1.key.name.utf8) }
        return JSONText.object(sorted.map { ($0.key.name, .string($0.value)) }).text
    }

    /// Parses the text that `json` returns. Returns nil for anything else.
    init?(json text: String) {
        guard let document = try? Document(parsing: Bytes(text.utf8)) else { return nil }
        self = document.withRoot { root in
            root.members.reduce(into: [:]) { bindings, member in
                guard let placeholder = Template.Placeholder(name: member.key.text) else { return }
                bindings[placeholder] = member.value.text
            }
        }
    }
}
