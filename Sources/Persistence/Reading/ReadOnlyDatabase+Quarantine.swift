import GarnerCatalog
import GarnerDatabase
package import GarnerModel
import GarnerSQLite

/// A record in quarantine, without its text.
package struct QuarantineEntry: Sendable, Equatable {
    package let id: Int64
    /// The stream's full name.
    package let stream: String
    /// The latest run that received the record.
    package let run: RunID
    package let url: String
    package let reason: String
    /// The number of times that it was received.
    package let times: Int
    package let quarantinedAt: Timestamp
    package let lastSeenAt: Timestamp
}

extension ReadOnlyDatabase {
    /// Returns records in quarantine, the latest first.
    package func quarantine(of stream: String? = nil, limit: Int) throws -> [QuarantineEntry] {
        if hasParts {
            return try newestOfParts(limit, by: { PlaceInTime(time: $0.quarantinedAt, number: $0.id) }) {
                try $0.quarantine(of: stream, limit: limit)
            }
        }
        return try reading {
            try connection.rows(
                "\(Self.selection) WHERE ?1 IS NULL OR name = ?1 ORDER BY quarantine_id DESC LIMIT ?2",
                [Value(stream), .integer(Int64(limit))], decode: Self.entry)
        }
    }

    /// Returns one record in quarantine: its text as in the source, and the parent's fields as JSON.
    package func quarantined(_ id: Int64) throws -> (entry: QuarantineEntry, record: String, added: String?) {
        try reading {
            let entry = try connection.firstRow(
                "\(Self.selection) WHERE quarantine_id = ?1", [.integer(id)], decode: Self.entry)
            let texts = try connection.firstRow(
                "SELECT record, added FROM _garner_quarantine WHERE quarantine_id = ?1", [.integer(id)]
            ) { ($0.text(at: 0), $0.optionalText(at: 1)) }
            guard let entry, let (record, added) = texts else { throw Self.unknownRecord(id) }
            return (entry, record, added)
        }
    }

    /// Returns the number of records in quarantine by stream; with ids, it counts only those and throws if one is unknown.
    package func quarantineCounts(among ids: [Int64] = []) throws -> [String: Int] {
        try reading {
            if let unknown = try ids.first(where: { id in
                try connection.integer("SELECT 1 FROM _garner_quarantine WHERE quarantine_id = ?1", .integer(id)) == nil
            }) {
                throw Self.unknownRecord(unknown)
            }
            let counts = try inEachPart { part in
                try part.connection.rows(
                    """
                    SELECT name, count(*) FROM _garner_quarantine JOIN _garner_streams USING (stream_id)
                    WHERE ?1 IS NULL OR quarantine_id IN (SELECT value FROM json_each(?1)) GROUP BY name
                    """, [Value(ids.isEmpty ? nil : "\(ids)")]
                ) { ($0.text(at: 0), Int($0.integer(at: 1))) }
            }
            return Dictionary(counts.joined()) { $0 + $1 }
        }
    }

    /// Returns the full name of the stream with this full or bare name. Throws if there is none, or several.
    package func streamName(matching name: String) throws -> String {
        let names = try reading {
            try connection.rows("SELECT name FROM _garner_streams ORDER BY name") { $0.text(at: 0) }
        }
        return names[try StreamSelection.index(of: name, among: names)]
    }

    private static func unknownRecord(_ id: Int64) -> PersistenceError {
        PersistenceError(.request, "there is no record \(id) in quarantine", hint: .listQuarantine)
    }

    private static let selection = """
        SELECT quarantine_id, name, run_id, url, reason, times, quarantined_at, last_seen_at
        FROM _garner_quarantine JOIN _garner_streams USING (stream_id)
        """

    private static func entry(_ row: Statement) throws -> QuarantineEntry {
        try QuarantineEntry(
            id: row.integer(at: 0), stream: row.text(at: 1), run: row.id(at: 2), url: row.text(at: 3),
            reason: row.text(at: 4), times: Int(row.integer(at: 5)), quarantinedAt: row.timestamp(at: 6),
            lastSeenAt: row.timestamp(at: 7))
    }
}
