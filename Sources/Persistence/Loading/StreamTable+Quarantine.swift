import Catalog
import Digest
import JSON
import SQLite

// Records that cannot be stored are kept: one row for each, however often it comes.
extension StreamTable {
    func quarantine(
        _ record: Node, adding added: Node?, reason: String, url: String, run: Int64, now: Timestamp
    ) throws {
        try identifyEarlierRecords()
        try connection.execute(
            """
            INSERT INTO _garner_quarantine
            (stream_id, run_id, url, reason, record, record_digest, quarantined_at, last_seen_at, added)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7, ?8)
            ON CONFLICT (stream_id, record_digest) DO UPDATE SET run_id = excluded.run_id, url = excluded.url,
            reason = excluded.reason, times = times + 1, last_seen_at = excluded.last_seen_at, added = excluded.added
            """, .integer(streamID), .integer(run), .text(url), .text(reason), .text(record.source),
            .text(digest(of: record.source, added: added?.source)), .text(now.description), Value(added?.source))
    }

    /// Gives records that a version before the digests has kept their digests.
    private func identifyEarlierRecords() throws {
        let isEarlier = "stream_id = ?1 AND record_digest IS NULL"
        while let (id, record, added) = try connection.firstRow(
            "SELECT quarantine_id, record, added FROM _garner_quarantine WHERE \(isEarlier) LIMIT 1",
            [.integer(streamID)], decode: { ($0.integer(at: 0), $0.text(at: 1), $0.optionalText(at: 2)) })
        {
            try connection.execute(
                "UPDATE _garner_quarantine SET record_digest = ?2 WHERE quarantine_id = ?1", .integer(id),
                .text(digest(of: record, added: added)))
        }
    }

    /// The same record of two parents is two.
    private func digest(of record: String, added: String?) -> String {
        var list = ListFingerprint(key: hashKey)
        list.add(record)
        if let added { list.add(added) }
        return list.value.text
    }
}
