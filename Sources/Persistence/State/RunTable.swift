import Catalog
import Model
import SQLite

/// The rows of `_garner_runs`.
struct RunTable {
    let connection: Connection

    /// Begins a run; `read` is the run that began the read which it continues, nil where it begins one.
    ///
    /// An instant that comes again, since the clock was set back, stays the first run's: this one has none.
    func insert(streamID: Int64, read: Int64?, _ occasion: RunOccasion, startedAt: Timestamp) throws -> Int64 {
        try connection.execute(
            """
            INSERT INTO _garner_runs (stream_id, read_id, status, nominal_at, due_at, started_at, trigger)
            VALUES (?1, ?2, 'running', iif(\(Self.comesAgain), NULL, ?3), ?4, ?5, ?6)
            """, .integer(streamID), .integer(read ?? 0), Value(occasion.nominal?.description),
            Value(occasion.dueAt?.description), .text(startedAt.description), .text(occasion.trigger.rawValue))
        let id = connection.lastInsertedRow
        if read == nil {
            try connection.execute("UPDATE _garner_runs SET read_id = run_id WHERE run_id = ?1", .integer(id))
        }
        return id
    }

    /// The SQL that is true where `?3` is the nominal instant of a run of the stream `?1`, as `_garner_runs_by_instant`
    /// has it, and is not settled, or only beyond `?5`, which is now: the clock was set back since.
    private static let comesAgain = """
        EXISTS (SELECT 1 FROM _garner_runs WHERE stream_id = ?1 AND nominal_at = ?3 AND nominal_at IS NOT NULL
        AND status <> 'interrupted' AND was_stopped = 0)
        AND EXISTS (SELECT 1 FROM _garner_schedules WHERE stream_id = ?1 AND (settled_at < ?3 OR settled_at > ?5))
        """

    /// Records that nominal instants were left out, unless the last of them was decided on before the clock was set back.
    func skip(
        _ nominals: ClosedRange<Timestamp>, count: Int, of streamID: Int64, because reason: String, at now: Timestamp
    ) throws {
        try connection.execute(
            """
            INSERT INTO _garner_runs (stream_id, read_id, status, nominal_at, trigger, skip_first, skip_count, started_at,
            ended_at, warning) SELECT ?1, 0, 'skipped', ?3, 'schedule', ?2, ?4, ?5, ?5, ?6 WHERE NOT (\(Self.comesAgain))
            """, .integer(streamID), .text(nominals.lowerBound.description), .text(nominals.upperBound.description),
            .integer(Int64(count)), .text(now.description), .text(reason))
        guard connection.changes == 1 else { return }
        try connection.execute(
            "UPDATE _garner_runs SET read_id = run_id WHERE run_id = ?1", .integer(connection.lastInsertedRow))
    }

    func end(
        _ id: Int64, as status: RunRecord.Status, _ counts: RunCounts, at now: Timestamp, verdict: Verdict? = nil,
        wasStopped: Bool = false, warning: String? = nil, failure: RunFailure? = nil
    ) throws -> RunRecord {
        try update(id, counts)
        let before = try verdictKind(before: id)
        try connection.execute(
            """
            UPDATE _garner_runs SET status = ?2, ended_at = ?3, is_complete = ?4, warning = ?5, error_code = ?6,
            error_kind = ?7, error_message = ?8, error_url = ?9, error_hint = ?10, error_is_permanent = ?11,
            was_stopped = ?12, verdict = ?13, completeness_reason = ?14 WHERE run_id = ?1
            """, .integer(id), .text(status.rawValue), .text(now.description),
            .integer(verdict?.completeness == .complete ? 1 : 0),
            Value(warning), Value(failure.map { Int64($0.code) }), Value(failure?.kind), Value(failure?.message),
            Value(failure?.url), Value(failure?.hint), .integer(failure?.isPermanent ?? false ? 1 : 0),
            .integer(wasStopped ? 1 : 0), Value(verdict?.kind.rawValue),
            Value(verdict?.completeness == .complete ? nil : verdict?.reason))
        var record = try record(id)
        record.isFirstRead = verdict != nil && before == nil
        record.verdictIsNew = verdict.map { $0.kind != before } ?? false
        return record
    }

    /// How the latest read of the stream ended before this run; nil where none has.
    private func verdictKind(before id: Int64) throws -> Verdict.Kind? {
        try connection.text(
            """
            SELECT verdict FROM _garner_runs WHERE run_id < ?1 AND verdict IS NOT NULL
            AND stream_id = (SELECT stream_id FROM _garner_runs WHERE run_id = ?1) ORDER BY run_id DESC LIMIT 1
            """, .integer(id)
        ).flatMap(Verdict.Kind.init(rawValue:))
    }

    /// A run with what it has changed of columns.
    func record(_ id: Int64) throws -> RunRecord {
        let found = try connection.firstRow("\(Self.selection) WHERE run_id = ?1", [.integer(id)], decode: Self.decode)
        guard var record = found else {
            throw PersistenceError(.request, "there is no run \(id)", hint: "list the runs with: garner runs")
        }
        record.schemaChanges = try SchemaStep.all(by: id, on: connection).changes
        return record
    }

    static let selection = """
        SELECT run_id, name, status, nominal_at, started_at, ended_at, pages, requests, not_modified, inserted, updated,
        unchanged, deleted, quarantined, bytes, warning, error_code, error_kind, error_message, error_url, error_hint,
        discarded, trigger, due_at, was_stopped, skip_first, skip_count, error_is_permanent,
        verdict, completeness_reason
        FROM _garner_runs JOIN _garner_streams USING (stream_id)
        """

    static func decode(_ row: Statement) -> RunRecord {
        func time(_ index: Int32) -> Timestamp? { row.optionalText(at: index).flatMap(Timestamp.init(rfc3339:)) }
        var counts = RunCounts()
        counts.pages = Int(row.integer(at: 6))
        counts.requests = Int(row.integer(at: 7))
        counts.notModified = Int(row.integer(at: 8))
        counts.inserted = Int(row.integer(at: 9))
        counts.updated = Int(row.integer(at: 10))
        counts.unchanged = Int(row.integer(at: 11))
        counts.deleted = Int(row.integer(at: 12))
        counts.quarantined = Int(row.integer(at: 13))
        counts.bytes = Int(row.integer(at: 14))
        counts.discarded = Int(row.integer(at: 21))
        let failure = row.optionalText(at: 18).map { message in
            RunFailure(
                code: Int32(clamping: row.integer(at: 16)), kind: row.text(at: 17), message: message,
                url: row.optionalText(at: 19), hint: row.optionalText(at: 20),
                isPermanent: row.integer(at: 27) == 1)
        }
        let status = RunRecord.Status(rawValue: row.text(at: 2)) ?? .interrupted
        let nominalAt = time(3)
        let skipped = nominalAt.flatMap { last in
            status == .skipped
                ? SkippedInstants(
                    first: time(25) ?? last, last: last, count: row.optionalInteger(at: 26).map { Int($0) } ?? 1) : nil
        }
        return RunRecord(
            id: row.integer(at: 0), stream: row.text(at: 1), status: status,
            trigger: .init(rawValue: row.text(at: 22)) ?? .manual, nominalAt: nominalAt, dueAt: time(23),
            startedAt: time(4) ?? Timestamp(millisecondsSince1970: 0), endedAt: time(5),
            wasStopped: row.integer(at: 24) == 1, skipped: skipped, counts: counts,
            verdict: Verdict(stored: row.optionalText(at: 28), reason: row.optionalText(at: 29)),
            notice: row.optionalText(at: 15),
            failure: failure)
    }

    /// Notes what the run has done so far.
    func update(_ id: Int64, _ counts: RunCounts) throws {
        let numbers = [
            counts.pages, counts.requests, counts.notModified, counts.inserted, counts.updated, counts.unchanged,
            counts.deleted, counts.quarantined, counts.bytes, counts.discarded,
        ]
        let statement = try connection.statement(
            """
            UPDATE _garner_runs SET pages = ?2, requests = ?3, not_modified = ?4, inserted = ?5, updated = ?6,
            unchanged = ?7, deleted = ?8, quarantined = ?9, bytes = ?10, discarded = ?11
            WHERE run_id = ?1
            """)
        try statement.bind([.integer(id)] + numbers.map { .integer(Int64($0)) })
        try statement.run()
    }
}
