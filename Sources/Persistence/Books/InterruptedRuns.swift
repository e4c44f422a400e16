import GarnerCatalog
import GarnerDatabase
import GarnerModel
import GarnerSQLite

/// The runs that a process left unfinished when it died.
struct InterruptedRuns {
    /// The number of consecutive deaths after which an instant is given up, since the same would kill the program for ever.
    private static let maximumDeaths = 5

    let connection: Connection
    let now: Timestamp

    private struct Dead {
        let streamID: StreamID
        let nominal: Timestamp?
    }

    /// Marks them as `interrupted`, and skips the instants that are given up.
    func end() throws {
        let dead = try connection.rows("SELECT stream_id, nominal_at FROM _garner_runs WHERE status = 'running'") {
            try Dead(streamID: $0.id(at: 0), nominal: $0.optionalTimestamp(at: 1))
        }
        guard !dead.isEmpty else { return }
        try connection.transaction {
            try connection.execute(
                "UPDATE _garner_runs SET status = 'interrupted', ended_at = ?1 WHERE status = 'running'",
                .text(now.description))
            for run in dead {
                guard let nominal = run.nominal, try hasDiedTooOften(nominal, of: run.streamID) else { continue }
                try RunTable(connection: connection)
                    .skip(
                        nominal...nominal, count: 1, of: run.streamID,
                        because: "skipped: the program was killed \(Self.maximumDeaths) times in a row during its run",
                        at: now)
                try ScheduleTable(connection: connection).settle(nominal, of: run.streamID)
            }
        }
    }

    /// Returns true if the stream's latest scheduled runs were all for this instant and all died.
    private func hasDiedTooOften(_ nominal: Timestamp, of streamID: StreamID) throws -> Bool {
        let deaths = try connection.integer(
            """
            SELECT count(*) FROM (
                SELECT nominal_at, status FROM _garner_runs WHERE stream_id = ?1 AND nominal_at IS NOT NULL
                ORDER BY run_id DESC LIMIT ?3)
            WHERE nominal_at = ?2 AND status = 'interrupted'
            """, .id(streamID), .text(nominal.description), .integer(Int64(Self.maximumDeaths)))
        return deaths == Int64(Self.maximumDeaths)
    }
}
