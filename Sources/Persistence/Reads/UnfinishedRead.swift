import Catalog
import Model
import SQLite

/// The read of a stream that has not come to its end: `_garner_reads`.
struct UnfinishedRead {
    /// The run that began it.
    let id: Int64
    /// No cursor passes this.
    let beganAt: Timestamp
    /// The judgement on the slices that were read; the worst counts.
    var verdict: Verdict

    /// After this, what the first pages of the read held is too old to be completed by its last ones. One that is from so
    /// far in the future was saved by a clock that was ahead: how old it is, nobody knows.
    private static let maximumAge = Duration.seconds(24 * 3600)

    /// The one that is stored; nil where there is none, where it is made from something else, and where it is too old.
    static func load(of streamID: Int64, identity: String, now: Timestamp, on connection: Connection) throws -> Self? {
        try connection.firstRow(
            """
            SELECT read_id, began_at, verdict, verdict_reason FROM _garner_reads
            WHERE stream_id = ?1 AND identity = ?2 AND saved_at > ?3 AND saved_at < ?4
            """,
            [
                .integer(streamID), .text(identity), .text(now.advanced(by: .zero - maximumAge).description),
                .text(now.advanced(by: maximumAge).description),
            ]
        ) {
            UnfinishedRead(
                id: $0.integer(at: 0), beganAt: Timestamp(rfc3339: $0.text(at: 1)) ?? now,
                verdict: Verdict(stored: $0.text(at: 2), reason: $0.optionalText(at: 3)) ?? .complete)
        }
    }

    func insert(of streamID: Int64, identity: String, on connection: Connection) throws {
        try connection.execute(
            """
            INSERT INTO _garner_reads (stream_id, read_id, identity, began_at, saved_at, verdict, verdict_reason)
            VALUES (?1, ?2, ?3, ?4, ?4, ?5, ?6)
            """, .integer(streamID), .integer(id), .text(identity), .text(beganAt.description),
            .text(verdict.kind.rawValue), Value(verdict.reason))
    }

    /// Notes that the read has come further.
    func save(of streamID: Int64, at now: Timestamp, on connection: Connection) throws {
        try connection.execute(
            "UPDATE _garner_reads SET saved_at = ?2, verdict = ?3, verdict_reason = ?4 WHERE stream_id = ?1",
            .integer(streamID), .text(now.description), .text(verdict.kind.rawValue), Value(verdict.reason))
    }

    /// With all that was left of it, and all that waited for its end.
    static func remove(of streamID: Int64, on connection: Connection) throws {
        try StagedPages(streamID: streamID, connection: connection).removeAll()
        try connection.execute("DELETE FROM _garner_slices WHERE stream_id = ?1", .integer(streamID))
        try connection.execute("DELETE FROM _garner_reads WHERE stream_id = ?1", .integer(streamID))
    }
}

extension Verdict {
    /// As columns hold it; nil where there is none.
    init?(stored kind: String?, reason: String?) {
        guard let kind = kind.flatMap(Kind.init(rawValue:)) else { return nil }
        self.init(kind, reason)
    }
}
