package import Catalog
import SQLite

extension Archive {
    /// What of each stream's schedule was stored, by the full name.
    package func scheduleRecords() throws -> [String: ScheduleRecord] {
        try reading {
            let rows = try connection.rows(
                """
                SELECT name, \(ScheduleTable.columns)
                FROM _garner_schedules JOIN _garner_streams USING (stream_id)
                """
            ) { ($0.text(at: 0), ScheduleTable.decode($0, from: 1)) }
            return Dictionary(rows) { first, _ in first }
        }
    }

    /// The requests whose run has not begun, in the order in which they were made.
    package func waitingRequests() throws -> [WaitingRequest] {
        try reading {
            try connection.rows(
                """
                SELECT request_id, restarts, maximum_pages, name, requested_at FROM _garner_triggers JOIN _garner_streams USING (stream_id)
                WHERE run_id IS NULL ORDER BY requested_at, name, request_id
                """
            ) {
                WaitingRequest(
                    RunRequest(
                        $0.text(at: 0), restarts: $0.integer(at: 1) == 1,
                        maximumPages: $0.optionalInteger(at: 2).flatMap(Int.init(exactly:))),
                    stream: $0.text(at: 3),
                    requestedAt: Timestamp(rfc3339: $0.text(at: 4)) ?? Timestamp(millisecondsSince1970: 0))
            }
        }
    }

    /// How much later than they were due runs of the schedule have started.
    ///
    /// - Parameters:
    ///   - instant: of runs that were due then or later; nil: of all that are kept.
    ///   - stream: nil: of all streams.
    package func lateness(since instant: Timestamp? = nil, of stream: StreamName? = nil) throws -> Lateness {
        try reading {
            let times = try connection.rows(
                """
                SELECT due_at, started_at FROM _garner_runs
                WHERE due_at IS NOT NULL AND (?1 IS NULL OR due_at >= ?1)
                AND (?2 IS NULL OR stream_id = (SELECT stream_id FROM _garner_streams WHERE name = ?2))
                """, [Value(instant?.description), Value(stream?.description)]
            ) { (Timestamp(rfc3339: $0.text(at: 0)), Timestamp(rfc3339: $0.text(at: 1))) }
            return Lateness(
                of: times.compactMap { due, started in
                    due.flatMap { due in started.map { due.duration(to: $0) } }
                })
        }
    }
}
