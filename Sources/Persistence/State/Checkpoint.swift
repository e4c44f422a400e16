import Catalog
import SQLite

/// Where the unfinished read of a stream goes on.
struct Checkpoint {
    /// The run that began the read.
    let readID: Int64
    /// What the read is made from: its first position and all of the configuration that decides what its pages hold.
    let identity: String
    let nextPosition: String

    /// After this, what the first pages of the read held is too old to be completed by its last ones.
    private static let maximumAge = Duration.seconds(24 * 3600)

    init(readID: Int64, identity: String, nextPosition: String) {
        self.readID = readID
        self.identity = identity
        self.nextPosition = nextPosition
    }

    /// The stored checkpoint; nil where there is none, where it belongs to another read, and where it is too old.
    init?(of streamID: Int64, identity: String, now: Timestamp, on connection: Connection) throws {
        let stored = try connection.firstRow(
            """
            SELECT read_id, next_position FROM _garner_checkpoints
            WHERE stream_id = ?1 AND identity = ?2 AND saved_at > ?3
            """, [.integer(streamID), .text(identity), .text(now.advanced(by: .zero - Self.maximumAge).description)]
        ) { (readID: $0.integer(at: 0), next: $0.text(at: 1)) }
        guard let stored else { return nil }
        self.init(readID: stored.readID, identity: identity, nextPosition: stored.next)
    }

    func save(of streamID: Int64, at now: Timestamp, on connection: Connection) throws {
        try connection.execute(
            """
            INSERT INTO _garner_checkpoints (stream_id, read_id, identity, next_position, saved_at)
            VALUES (?1, ?2, ?3, ?4, ?5)
            ON CONFLICT (stream_id) DO UPDATE SET read_id = excluded.read_id, identity = excluded.identity,
            next_position = excluded.next_position, saved_at = excluded.saved_at
            """, .integer(streamID), .integer(readID), .text(identity), .text(nextPosition), .text(now.description))
    }

    static func remove(of streamID: Int64, on connection: Connection) throws {
        try connection.execute("DELETE FROM _garner_checkpoints WHERE stream_id = ?1", .integer(streamID))
    }
}
