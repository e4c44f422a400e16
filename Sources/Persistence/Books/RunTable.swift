import GarnerCatalog
import GarnerDatabase
import GarnerModel
import GarnerSQLite

/// The rows of `_garner_runs`.
struct RunTable {
    let connection: Connection

    /// Inserts a run. `read` is the run that began the read to be continued; nil if this run begins one.
    ///
    /// If a clock that was set back brings an instant again, it stays with its first run, and this one has none.
    func insert(streamID: StreamID, read: ReadID?, _ occasion: RunOccasion, startedAt: Timestamp) throws -> RunID {
        try connection.execute(
            """
            INSERT INTO _garner_runs (stream_id, read_id, status, nominal_at, due_at, started_at, trigger)
            VALUES (?1, ?2, 'running', iif(\(Self.comesAgain), NULL, ?3), ?4, ?5, ?6)
            """, .id(streamID), .id(read ?? 0), Value(occasion.nominal?.description),
            Value(occasion.dueAt?.description), .text(startedAt.description), .text(occasion.trigger.rawValue))
        let id = RunID(connection.lastInsertedRow)
        if read == nil {
            try connection.execute("UPDATE _garner_runs SET read_id = run_id WHERE run_id = ?1", .id(id))
        }
        return id
    }

    /// The SQL that is true if the nominal instant `?3` already has a run of the stream `?1` (found by
    /// `_garner_runs_by_instant`) and is not settled, or only settled beyond now, `?5`, since the clock was set back.
    private static let comesAgain = """
        EXISTS (SELECT 1 FROM _garner_runs WHERE stream_id = ?1 AND nominal_at = ?3 AND nominal_at IS NOT NULL
        AND status <> 'interrupted' AND was_stopped = 0)
        AND EXISTS (SELECT 1 FROM _garner_schedules WHERE stream_id = ?1 AND (settled_at < ?3 OR settled_at > ?5))
        """

    /// Records skipped instants, unless the last of them was decided before the clock was set back.
    func skip(
        _ nominals: ClosedRange<Timestamp>, count: Int, of streamID: StreamID, because reason: String, at now: Timestamp
    ) throws {
        try connection.execute(
            """
            INSERT INTO _garner_runs (stream_id, read_id, status, nominal_at, trigger, skip_first, skip_count, started_at,
            ended_at, warning) SELECT ?1, 0, 'skipped', ?3, 'schedule', ?2, ?4, ?5, ?5, ?6 WHERE NOT (\(Self.comesAgain))
            """, .id(streamID), .text(nominals.lowerBound.description), .text(nominals.upperBound.description),
            .integer(Int64(count)), .text(now.description), .text(reason))
        guard connection.changes == 1 else { return }
        try connection.execute(
            "UPDATE _garner_runs SET read_id = run_id WHERE run_id = ?1", .integer(connection.lastInsertedRow))
    }

    func end(
        _ id: RunID, as status: RunRecord.Status, _ counts: RunCounts, at now: Timestamp, verdict: Verdict? = nil,
        wasStopped: Bool = false, warning: String? = nil, failure: RunFailure? = nil, hint: String? = nil
    ) throws -> RunRecord {
        try update(id, counts)
        let before = try verdictKind(before: id)
        try connection.execute(
            """
            UPDATE _garner_runs SET status = ?2, ended_at = ?3, is_complete = ?4, warning = ?5, error_code = ?6,
            error_kind = ?7, error_message = ?8, error_url = ?9, error_hint = ?10, error_is_permanent = ?11,
            was_stopped = ?12, verdict = ?13, completeness_reason = ?14 WHERE run_id = ?1
            """, .id(id), .text(status.rawValue), .text(now.description),
            .integer(verdict?.completeness == .complete ? 1 : 0),
            Value(warning), Value(failure.map { Int64($0.category.rawValue) }), Value(failure?.kind),
            Value(failure?.message),
            Value(failure?.url), Value(hint), .integer(failure?.isPermanent ?? false ? 1 : 0),
            .integer(wasStopped ? 1 : 0), Value(verdict?.kind.rawValue),
            Value(verdict?.completeness == .complete ? nil : verdict?.reason))
        var record = try record(id)
        record.isFirstRead = verdict != nil && before == nil
        record.verdictIsNew = verdict.map { $0.kind != before } ?? false
        let earlier = try self.warning(before: id)
        record.noticeIsNew = warning != nil && warning != earlier
        record.endedNotice = status == .succeeded && warning == nil ? earlier : nil
        return record
    }

    /// Returns the warning of the stream's latest run before this run that succeeded; nil if it had none.
    private func warning(before id: RunID) throws -> String? {
        try connection.firstRow(
            """
            SELECT warning FROM _garner_runs WHERE run_id < ?1 AND status = 'succeeded'
            AND stream_id = (SELECT stream_id FROM _garner_runs WHERE run_id = ?1) ORDER BY run_id DESC LIMIT 1
            """, [.id(id)]
        ) { $0.optionalText(at: 0) } ?? nil
    }

    /// Notes that a run which has ended could not begin. If the run before it could not for the same reason, that row stands for both.
    /// Returns the run of the row.
    func noteNotBegun(_ id: RunID) throws -> RunID {
        let earlier: RunID? = try connection.id(
            """
            SELECT before.run_id FROM _garner_runs AS before JOIN _garner_runs AS own USING (stream_id)
            WHERE own.run_id = ?1 AND before.times_not_begun IS NOT NULL AND before.error_kind = own.error_kind
            AND before.error_message = own.error_message
            AND before.run_id = (
                SELECT max(run_id) FROM _garner_runs WHERE stream_id = own.stream_id AND run_id < ?1 AND status <> 'skipped')
            """, .id(id))
        guard let earlier else {
            try connection.execute("UPDATE _garner_runs SET times_not_begun = 1 WHERE run_id = ?1", .id(id))
            return id
        }
        let latest = try record(id)
        try connection.execute("UPDATE _garner_triggers SET run_id = ?2 WHERE run_id = ?1", .id(id), .id(earlier))
        try connection.execute("DELETE FROM _garner_runs WHERE run_id = ?1", .id(id))
        try connection.execute(
            """
            UPDATE _garner_runs SET times_not_begun = times_not_begun + 1, ended_at = ?2, nominal_at = coalesce(?3, nominal_at),
            due_at = coalesce(?4, due_at), trigger = ?5 WHERE run_id = ?1
            """, .id(earlier), Value(latest.endedAt?.description), Value(latest.nominalAt?.description),
            Value(latest.dueAt?.description), .text(latest.trigger.rawValue))
        return earlier
    }

    /// Returns the verdict of the stream's latest read before this run, or nil if none has ended.
    func verdictKind(before id: RunID) throws -> Verdict.Kind? {
        try connection.text(
            """
            SELECT verdict FROM _garner_runs WHERE run_id < ?1 AND verdict IS NOT NULL
            AND stream_id = (SELECT stream_id FROM _garner_runs WHERE run_id = ?1) ORDER BY run_id DESC LIMIT 1
            """, .id(id)
        ).flatMap(Verdict.Kind.init(rawValue:))
    }

    /// Returns the number of the stream's runs that failed since the last success before this run, with this run.
    func failuresInRow(upTo id: RunID) throws -> Int {
        let count = try connection.integer(
            """
            WITH own AS (SELECT stream_id AS stream FROM _garner_runs WHERE run_id = ?1)
            SELECT total(coalesce(times_not_begun, 1)) FROM _garner_runs, own
            WHERE stream_id = stream AND run_id <= ?1 AND status = 'failed'
            AND NOT is_retry AND run_id > coalesce((
                SELECT max(run_id) FROM _garner_runs WHERE stream_id = stream AND run_id < ?1 AND status = 'succeeded'
                AND NOT is_retry), 0)
            """, .id(id))
        return Int(count ?? 0)
    }

    /// Returns a run with its changes to columns.
    func record(_ id: RunID) throws -> RunRecord {
        let found = try connection.firstRow("\(Self.selection) WHERE run_id = ?1", [.id(id)], decode: Self.decode)
        guard var record = found else {
            throw PersistenceError(.request, "there is no run \(id)", hint: .listRuns)
        }
        record.schemaChanges = try SchemaStep.all(by: id, on: connection).changes
        return record
    }

    static let selection = """
        SELECT run_id, name, status, nominal_at, started_at, ended_at, pages, requests, not_modified, inserted, updated,
        unchanged, deleted, quarantined, bytes, warning, error_code, error_kind, error_message, error_url, error_hint,
        discarded, trigger, due_at, was_stopped, skip_first, skip_count, error_is_permanent,
        verdict, completeness_reason, times_not_begun
        FROM _garner_runs JOIN _garner_streams USING (stream_id)
        """

    static func decode(_ row: Statement) throws -> RunRecord {
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
                ErrorCategory(number: row.integer(at: 16)), kind: row.text(at: 17), message: message,
                url: row.optionalText(at: 19), hint: row.optionalText(at: 20).map(Hint.text),
                isPermanent: row.integer(at: 27) == 1)
        }
        let status = try row.value(RunRecord.Status.self, at: 2)
        let nominalAt = try row.optionalTimestamp(at: 3)
        let firstSkipped = try row.optionalTimestamp(at: 25)
        let skipped = nominalAt.flatMap { last in
            status == .skipped
                ? SkippedInstants(
                    first: firstSkipped ?? last, last: last, count: row.optionalInteger(at: 26).map { Int($0) } ?? 1)
                : nil
        }
        var record = try RunRecord(
            id: row.id(at: 0), stream: row.text(at: 1), status: status,
            trigger: row.value(RunRecord.Trigger.self, at: 22), nominalAt: nominalAt,
            dueAt: row.optionalTimestamp(at: 23), startedAt: row.timestamp(at: 4),
            endedAt: row.optionalTimestamp(at: 5),
            wasStopped: row.integer(at: 24) == 1, skipped: skipped, counts: counts,
            verdict: Verdict(stored: row.optionalText(at: 28), reason: row.optionalText(at: 29)),
            notice: row.optionalText(at: 15),
            failure: failure)
        record.timesNotBegun = row.optionalInteger(at: 30).map { Int($0) }
        return record
    }

    /// Stores the run's counts so far.
    func update(_ id: RunID, _ counts: RunCounts) throws {
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
        try statement.bind([.id(id)] + numbers.map { .integer(Int64($0)) })
        try statement.run()
    }
}

// The rows of `_garner_requests`.
extension RequestRecord {
    func insert(run: RunID, on connection: Connection) throws {
        let statement = try connection.statement(
            """
            INSERT INTO _garner_requests
            (run_id, sent_at, url, status, attempts, bytes, duration_ms, not_modified, rate_limit_remaining, error_kind)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
            """)
        try statement.bind([
            .id(run), .text(sentAt.description), .text(url), Value(status.map(Int64.init)),
            .integer(Int64(attempts)), .integer(Int64(bytes)), .integer(duration.milliseconds),
            .integer(isNotModified ? 1 : 0), Value(rateLimitRemaining.map(Int64.init)), Value(errorKind),
        ])
        try statement.run()
    }

    /// The number of a stream's latest runs whose requests the ledger keeps, besides the run that begins.
    private static let keptRuns = 100

    /// Deletes the requests of the oldest run beyond the limit. Call this before each run.
    static func forgetOldest(of streamID: StreamID, on connection: Connection) throws {
        try connection.execute(
            """
            DELETE FROM _garner_requests WHERE run_id = (
                SELECT run_id FROM _garner_runs WHERE stream_id = ?1 ORDER BY run_id DESC LIMIT 1 OFFSET ?2)
            """, .id(streamID), .integer(Int64(keptRuns)))
    }

    static let selection = """
        SELECT sent_at, url, status, attempts, bytes, duration_ms, not_modified, rate_limit_remaining, error_kind
        FROM _garner_requests
        """

    init(_ row: Statement) throws {
        try self.init(
            sentAt: row.timestamp(at: 0), url: row.text(at: 1),
            status: row.optionalInteger(at: 2).map { Int($0) }, attempts: Int(row.integer(at: 3)),
            bytes: Int(row.integer(at: 4)), duration: .milliseconds(row.integer(at: 5)),
            isNotModified: row.integer(at: 6) == 1, rateLimitRemaining: row.optionalInteger(at: 7).map { Int($0) },
            errorKind: row.optionalText(at: 8))
    }
}

extension Duration {
    fileprivate var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        return overflow ? .max : whole + attoseconds / 1_000_000_000_000_000
    }
}
