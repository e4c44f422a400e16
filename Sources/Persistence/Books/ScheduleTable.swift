import GarnerCatalog
import GarnerDatabase
package import GarnerModel
import GarnerSQLite

/// The rows of `_garner_schedules`.
struct ScheduleTable {
    let connection: Connection

    /// Writes a stream's row except for its pause. Returns the stored state.
    ///
    /// A decision made before a run's end may be written after it. A row settled further stays as it is, unless
    /// it is settled beyond now, by a clock that was ahead.
    func write(_ record: ScheduleState, of streamID: StreamID, at now: Timestamp) throws -> ScheduleState {
        let pausedAt = try connection.firstRow(
            """
            INSERT INTO _garner_schedules (stream_id, settled_at, ended_at, failures, permanent_failures,
            circuit_opened_at, held_until, hold_reason, next_due_at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
            ON CONFLICT (stream_id) DO UPDATE SET settled_at = excluded.settled_at, ended_at = excluded.ended_at,
            failures = excluded.failures, permanent_failures = excluded.permanent_failures,
            circuit_opened_at = excluded.circuit_opened_at, held_until = excluded.held_until,
            hold_reason = excluded.hold_reason, next_due_at = excluded.next_due_at
            WHERE coalesce(excluded.settled_at, '') >= coalesce(settled_at, '') OR settled_at > ?10
            RETURNING paused_at
            """,
            [
                .id(streamID), Value(record.settled?.description), Value(record.endedAt?.description),
                .integer(Int64(record.failures)), .integer(Int64(record.permanentFailures)),
                Value(record.circuitOpenedAt?.description), Value(record.heldUntil?.description),
                Value(record.holdReason), Value(record.nextDue?.description), .text(now.description),
            ]
        ) { try $0.optionalTimestamp(at: 0) }
        var stored = record
        stored.pausedAt = pausedAt ?? nil
        return stored
    }

    /// Records the start of a pause, or its end for nil. A stream that is already paused keeps its earlier start.
    func pause(_ streamID: StreamID, since instant: Timestamp?) throws {
        try connection.execute(
            """
            INSERT INTO _garner_schedules (stream_id, paused_at) VALUES (?1, ?2)
            ON CONFLICT (stream_id) DO UPDATE SET
            paused_at = CASE WHEN ?2 IS NOT NULL THEN coalesce(paused_at, ?2) END
            """, .id(streamID), Value(instant?.description))
    }

    /// Records when hooks were told that the stream is overdue; nil once it is in time again.
    func noteOverdue(_ streamID: StreamID, toldAt instant: Timestamp?) throws {
        try connection.execute(
            """
            INSERT INTO _garner_schedules (stream_id, overdue_told_at) VALUES (?1, ?2)
            ON CONFLICT (stream_id) DO UPDATE SET overdue_told_at = excluded.overdue_told_at
            """, .id(streamID), Value(instant?.description))
    }

    /// Records a success outside the schedule, which ends every hold on the stream.
    func release(_ streamID: StreamID) throws {
        try connection.execute(
            """
            UPDATE _garner_schedules SET failures = 0, permanent_failures = 0, circuit_opened_at = NULL,
            held_until = NULL, hold_reason = NULL WHERE stream_id = ?1
            """, .id(streamID))
    }

    /// Records that an instant needs no run any more.
    func settle(_ nominal: Timestamp, of streamID: StreamID) throws {
        try connection.execute(
            """
            INSERT INTO _garner_schedules (stream_id, settled_at) VALUES (?1, ?2)
            ON CONFLICT (stream_id) DO UPDATE SET settled_at = max(coalesce(settled_at, ''), excluded.settled_at)
            """, .id(streamID), .text(nominal.description))
    }

    static let columns = """
        settled_at, ended_at, failures, permanent_failures, circuit_opened_at, held_until, hold_reason, paused_at,
        next_due_at
        """

    /// - Parameter first: The index of the first of `columns` in the row.
    static func decode(_ row: Statement, from first: Int) throws -> ScheduleState {
        func time(_ index: Int) throws -> Timestamp? { try row.optionalTimestamp(at: first + index) }
        return try ScheduleState(
            settled: time(0), endedAt: time(1), failures: Int(row.integer(at: first + 2)),
            permanentFailures: Int(row.integer(at: first + 3)), circuitOpenedAt: time(4), heldUntil: time(5),
            holdReason: row.optionalText(at: first + 6), pausedAt: time(7), nextDue: time(8))
    }
}

/// Returns the stream's schedule after the run. Called in the transaction that ends the run.
package typealias SettleSchedule = @Sendable (RunResult, _ endedAt: Timestamp) -> ScheduleState

/// A run that does not begin because other runs have served each of its requests.
package struct AlreadyServedError: Error, Equatable {
    /// The run that began for each request.
    package let runs: [String: RunID]

    package init(runs: [String: RunID]) { self.runs = runs }
}
