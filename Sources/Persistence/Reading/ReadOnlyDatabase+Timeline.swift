import GarnerDatabase
package import GarnerModel
import GarnerSQLite

/// A run, or instants that were skipped, as a span of time.
package struct TimelineRun: Sendable, Equatable {
    package let id: RunID
    /// The stream's full name.
    package let stream: String
    package var status: RunRecord.Status
    /// True if the read lacks records that nobody chose to leave out.
    package let isPartial: Bool
    package let startedAt: Timestamp
    package let endedAt: Timestamp?
    /// The first and the last instant that were skipped, and their number; nil for a run.
    package let skipped: SkippedInstants?
}

extension ReadOnlyDatabase {
    /// Returns the runs and skips that ended at an instant or later, or have not ended; newest first.
    ///
    /// - Parameter limit: The most runs and skips to look at, from the latest one.
    package func timeline(since instant: Timestamp, of stream: StreamName? = nil, limit: Int) throws -> [TimelineRun] {
        if hasParts {
            return try newestOfParts(limit, by: { PlaceInTime(time: $0.startedAt, number: $0.id.number) }) { part in
                try part.timeline(since: instant, of: stream, limit: limit).map { part.seen($0, \.status) }
            }
        }
        let ofStream =
            stream == nil ? "?2 IS NULL" : "stream_id = (SELECT stream_id FROM _garner_streams WHERE name = ?2)"
        return try reading {
            try connection.rows(
                """
                SELECT run_id, name, status, verdict IS 'missed', started_at, ended_at, nominal_at, skip_first, skip_count
                FROM (SELECT * FROM _garner_runs WHERE \(ofStream) ORDER BY run_id DESC LIMIT ?3)
                JOIN _garner_streams USING (stream_id)
                WHERE coalesce(ended_at, '9') >= ?1 ORDER BY run_id DESC
                """, [.text(instant.description), Value(stream?.description), .integer(Int64(limit))]
            ) { row in
                let status = try row.value(RunRecord.Status.self, at: 2)
                let last = try row.optionalTimestamp(at: 6)
                let first = try row.optionalTimestamp(at: 7)
                return try TimelineRun(
                    id: row.id(at: 0), stream: row.text(at: 1), status: status, isPartial: row.integer(at: 3) == 1,
                    startedAt: row.timestamp(at: 4), endedAt: row.optionalTimestamp(at: 5),
                    skipped: status == .skipped
                        ? last.map { last in
                            SkippedInstants(
                                first: first ?? last, last: last,
                                count: row.optionalInteger(at: 8).flatMap(Int.init(exactly:)) ?? 1)
                        } : nil)
            }
        }
    }

    /// Returns the time at which the first known run began; nil if there was none.
    package func firstRunAt() throws -> Timestamp? {
        try inEachPart { part in
            try part.connection.firstRow(
                "SELECT started_at FROM _garner_runs WHERE status <> 'skipped' ORDER BY run_id LIMIT 1"
            ) { try $0.timestamp(at: 0) }
        }.compactMap(\.self).min()
    }

    /// Returns the names of a stream's table and of the tables of its arrays, as far as they exist.
    package func tableNames(of stream: StreamName) throws -> [String] {
        try reading {
            try connection.rows(
                """
                SELECT table_name FROM _garner_streams LEFT JOIN _garner_children USING (stream_id)
                WHERE table_name IN \(Connection.tableNames) AND (name = ?1 OR parent_id = (
                    SELECT stream_id FROM _garner_streams WHERE name = ?1))
                ORDER BY parent_id IS NOT NULL, table_name
                """, [.text(stream.description)]
            ) { $0.text(at: 0) }
        }
    }
}
