package import GarnerCatalog
import GarnerDatabase
package import GarnerModel
import GarnerSQLite

extension ReadOnlyDatabase {
    /// Returns the latest runs and skips, newest first.
    ///
    /// - Parameters:
    ///   - before: The run before which the list begins; nil for the latest.
    ///   - since, until: The instants between which the runs began, the first of them included. A record that stands for several runs which
    ///     could not begin counts by the last of them.
    package func runs(
        limit: Int, of stream: StreamName? = nil, status: RunRecord.Status? = nil, completeness: Completeness? = nil,
        before: RunID? = nil, withSkips: Bool = true, since: Timestamp? = nil, until: Timestamp? = nil
    ) throws -> [RunRecord] {
        if hasParts {
            let mark = before.flatMap { try? run($0) }
            return try newestOfParts(limit, by: { PlaceInTime(time: $0.startedAt, number: $0.id.number) }) { part in
                try part.runs(
                    limit: limit, of: stream, status: status, completeness: completeness,
                    before: part.bound(before: before, mark), withSkips: withSkips, since: since, until: until
                ).map { part.seen($0, \.status) }
            }
        }
        // Each way to ask uses an index that has the runs in their order.
        let ofStream =
            stream == nil ? "?1 IS NULL" : "stream_id = (SELECT stream_id FROM _garner_streams WHERE name = ?1)"
        return try reading {
            try connection.rows(
                """
                \(RunTable.selection) WHERE \(ofStream) AND (?2 IS NULL OR status = ?2) AND run_id < ?3
                AND (?4 OR status <> 'skipped') AND (?6 IS NULL OR completeness = ?6)
                AND (?7 IS NULL OR iif(times_not_begun, ended_at, started_at) >= ?7) AND (?8 IS NULL OR started_at < ?8)
                ORDER BY run_id DESC LIMIT ?5
                """,
                [
                    Value(stream?.description), Value(status?.rawValue), .integer(before?.number ?? .max),
                    .integer(withSkips ? 1 : 0), .integer(Int64(limit)), Value(completeness?.rawValue),
                    Value(since?.description), Value(until?.description),
                ], decode: RunTable.decode)
        }
    }

    package func run(_ id: RunID) throws -> RunRecord {
        try reading {
            let run = try RunTable(connection: connection).record(id)
            guard hasParts, run.status == .running else { return run }
            let seen = try inEachPart { part in
                try part.connection.integer("SELECT 1 FROM _garner_runs WHERE run_id = ?1", .id(id)).map { _ in
                    part.seen(run, \.status)
                }
            }
            return seen.compactMap(\.self).first ?? run
        }
    }

    /// Returns the requests of a run, in the order in which they were sent.
    package func requests(of run: RunID) throws -> [RequestRecord] {
        try reading {
            try connection.rows(
                "\(RequestRecord.selection) WHERE run_id = ?1 ORDER BY request_id", [.id(run)],
                decode: { try RequestRecord($0) })
        }
    }

    /// Returns the URL of the first page of each run whose requests are known, the latest first, if the stream goes on from a cursor.
    /// Returns none if those of its first read are not known any more.
    package func firstURLs(of stream: StreamConfiguration) throws -> [String] {
        try inEachPart { part in
            try part.connection.rows(
                """
                SELECT (SELECT url FROM _garner_requests AS request
                    WHERE request.run_id = run.run_id AND error_kind IS NULL ORDER BY request_id LIMIT 1) AS began
                FROM _garner_streams AS stream JOIN _garner_runs AS run USING (stream_id)
                WHERE name = ?1 AND began IS NOT NULL
                AND EXISTS (SELECT 1 FROM _garner_cursors AS c WHERE c.stream_id = stream.stream_id AND identity = ?2)
                AND EXISTS (SELECT 1 FROM _garner_requests AS request WHERE request.run_id = (
                    SELECT base.read_id FROM _garner_runs AS base WHERE base.run_id = stream.baseline_run))
                ORDER BY run.run_id DESC
                """, [.text(stream.name.description), .text(KnownStream.identity(of: stream))]
            ) { $0.text(at: 0) }
        }.flatMap(\.self)
    }

    /// Returns a summary of a stream's runs; nil if it was never run.
    ///
    /// - Parameters:
    ///   - isIncomplete: True for a judgement that leaves the stream without records that it should have.
    ///   - notes: Those of all streams; nil to look up those of this one.
    package func history(
        of stream: StreamName, isIncomplete: (Verdict.Kind) -> Bool = { $0 == .missed }, _ notes: StreamNotes? = nil
    ) throws -> StreamHistory? {
        try reading { () -> StreamHistory? in
            let notes = try notes ?? streamNotes(of: stream)
            guard let known = notes.streams[stream.description] else { return nil }
            let (id, last) = (known.id, known.lastRun)
            // A stream that is well needs no look at what went before.
            let hasSucceeded = last?.status == .succeeded
            let succeededAt: Timestamp? =
                try hasSucceeded
                ? last?.endedAt
                : connection.text(
                    """
                    SELECT ended_at FROM _garner_runs WHERE stream_id = ?1 AND status = 'succeeded' AND NOT is_retry
                    ORDER BY run_id DESC LIMIT 1
                    """, .id(id)
                ).map { try Timestamp(stored: $0) }
            let failures: (Int, Timestamp?)? =
                try hasSucceeded
                ? nil
                : connection.firstRow(
                    """
                    SELECT coalesce(sum(coalesce(times_not_begun, 1)), 0), min(started_at) FROM _garner_runs
                    WHERE stream_id = ?1 AND status = 'failed' AND NOT is_retry
                    AND run_id > coalesce((
                        SELECT max(run_id) FROM _garner_runs
                        WHERE stream_id = ?1 AND status = 'succeeded' AND NOT is_retry), 0)
                    """, [.id(id)]
                ) { try (Int($0.integer(at: 0)), $0.optionalTimestamp(at: 1)) }
            let verdict = known.verdict
            let hasAll = verdict.map { !isIncomplete($0.kind) } ?? !known.hasVerdict
            // The reads since the last one that had everything.
            let lacking = hasAll ? "" : Verdict.Kind.quoted(isIncomplete)
            let incomplete: (Int, Timestamp?)? =
                try hasAll
                ? nil
                : connection.firstRow(
                    """
                    SELECT count(*), min(started_at) FROM _garner_runs WHERE stream_id = ?1 AND verdict IN (\(lacking))
                    AND run_id > coalesce((
                        SELECT run_id FROM _garner_runs WHERE stream_id = ?1 AND verdict NOT IN (\(lacking))
                        ORDER BY run_id DESC LIMIT 1), 0)
                    """, [.id(id)]
                ) { try (Int($0.integer(at: 0)), $0.optionalTimestamp(at: 1)) }
            let hasOddColumns = notes.withOddColumns.contains(id)
            let count = try rowCount(ifStored: known.table, of: id)
            return try StreamHistory(
                lastRun: last, lastVerdict: verdict, lastSuccessAt: succeededAt,
                consecutiveFailures: failures?.0 ?? 0, failingSince: failures?.1,
                consecutiveIncomplete: incomplete?.0 ?? 0, incompleteSince: incomplete?.1,
                rows: count?.all ?? 0, deletedRows: count?.deleted ?? 0,
                hasKey: count == nil ? nil : notes.hasKey[id],
                keptRows: known.keptRows, keptSince: known.keptSince,
                oddColumns: hasOddColumns ? OddColumn.all(of: id, on: connection) : [],
                namedFields: notes.namedFields[id] ?? [:],
                emptiedColumns: notes.withEmptiedColumns.contains(id)
                    ? EmptiedColumns(streamID: id, connection: connection).all() : [])
        }
    }
}

/// The notes on streams, on their latest runs and on their columns.
package struct StreamNotes {
    fileprivate struct Known {
        let id: StreamID
        let table: String
        let keptRows: Int
        let keptSince: Timestamp?
        var lastRun: RunRecord?
        /// The latest judgement; nil if there is none, and for the word of another version.
        var verdict: Verdict?
        var hasVerdict = false
    }

    /// The streams that were ever run, by their full names.
    fileprivate var streams: [String: Known] = [:]
    /// True for those whose table has a primary key.
    fileprivate var hasKey: [StreamID: Bool] = [:]
    fileprivate var withOddColumns: Set<StreamID> = []
    fileprivate var withEmptiedColumns: Set<StreamID> = []
    fileprivate var namedFields: [StreamID: [String: Bool]] = [:]

    fileprivate init() {}

    /// Adds the notes of another part of the database.
    fileprivate mutating func add(_ other: StreamNotes) {
        streams.merge(other.streams) { first, _ in first }
        hasKey.merge(other.hasKey) { first, _ in first }
        withOddColumns.formUnion(other.withOddColumns)
        withEmptiedColumns.formUnion(other.withEmptiedColumns)
        namedFields.merge(other.namedFields) { first, _ in first }
    }

    fileprivate init(of stream: StreamName?, on connection: Connection) throws {
        let isNamed = stream == nil ? "TRUE" : "name = ?1"
        let name = stream.map { [Value.text($0.description)] } ?? []
        let found = try connection.rows(
            "SELECT name, stream_id, table_name, kept_rows, kept_since FROM _garner_streams WHERE \(isNamed)", name
        ) {
            try (
                $0.text(at: 0),
                Known(
                    id: StreamID($0.integer(at: 1)), table: $0.text(at: 2),
                    keptRows: Int($0.optionalInteger(at: 3) ?? 0), keptSince: $0.optionalTimestamp(at: 4))
            )
        }
        streams = Dictionary(found) { first, _ in first }
        guard !streams.isEmpty else { return }
        // Each stream's latest run is found by an index, however many there are.
        func latestRuns(_ condition: String) -> String {
            """
            \(RunTable.selection) WHERE run_id IN (
                SELECT (
                    SELECT run_id FROM _garner_runs WHERE _garner_runs.stream_id = own.stream_id AND \(condition)
                    ORDER BY run_id DESC LIMIT 1)
                FROM _garner_streams AS own WHERE \(isNamed))
            """
        }
        for run in try connection.rows(
            latestRuns("status <> 'skipped' AND NOT is_retry"), name, decode: RunTable.decode)
        {
            streams[run.stream]?.lastRun = run
        }
        for run in try connection.rows(latestRuns("verdict IS NOT NULL"), name, decode: RunTable.decode) {
            streams[run.stream]?.verdict = run.verdict
            streams[run.stream]?.hasVerdict = true
        }
        let own = stream == nil ? "TRUE" : "stream_id = ?1"
        let id = stream == nil ? [] : streams.values.map { Value.id($0.id) }
        let keys = try connection.rows(
            "SELECT stream_id, max(key_position IS NOT NULL) FROM _garner_columns WHERE \(own) GROUP BY stream_id", id
        ) { (StreamID($0.integer(at: 0)), $0.integer(at: 1) == 1) }
        hasKey = Dictionary(keys) { first, _ in first }
        let family =
            stream == nil
            ? "TRUE"
            : "stream_id IN (SELECT ?1 UNION ALL SELECT stream_id FROM _garner_children WHERE parent_id = ?1)"
        func noted(by column: String) throws -> Set<StreamID> {
            try Set(
                connection.rows(
                    """
                    SELECT DISTINCT coalesce(parent_id, stream_id)
                    FROM _garner_columns LEFT JOIN _garner_children USING (stream_id)
                    WHERE \(column) IS NOT NULL AND \(family)
                    """, id
                ) { StreamID($0.integer(at: 0)) })
        }
        withOddColumns = try noted(by: "odd_since")
        withEmptiedColumns = try noted(by: "emptied_rows")
        _ = try connection.rows("SELECT stream_id, field, is_seen FROM _garner_named_fields WHERE \(own)", id) {
            namedFields[StreamID($0.integer(at: 0)), default: [:]][$0.text(at: 1)] = $0.integer(at: 2) == 1
        }
    }
}

extension ReadOnlyDatabase {
    /// Returns what is noted of all streams, which takes no longer than that of a few.
    package func streamNotes() throws -> StreamNotes { try streamNotes(of: nil) }

    private func streamNotes(of stream: StreamName?) throws -> StreamNotes {
        guard hasParts else { return try reading { try StreamNotes(of: stream, on: connection) } }
        let notes = try inEachPart { part in
            var notes = try StreamNotes(of: stream, on: part.connection)
            notes.streams = notes.streams.mapValues { known in
                var known = known
                known.lastRun = known.lastRun.map { part.seen($0, \.status) }
                return known
            }
            return notes
        }
        return notes.reduce(into: StreamNotes()) { $0.add($1) }
    }
}

extension Verdict.Kind {
    /// Returns the stored words of the kinds that are wanted, as a list in SQL.
    fileprivate static func quoted(_ isWanted: (Self) -> Bool) -> String {
        allCases.filter(isWanted).map { "'\($0.rawValue)'" }.joined(separator: ", ")
    }
}

/// A summary of a stream's runs.
package struct StreamHistory: Sendable, Equatable {
    /// The last run that fetched something: skipped instants and retries from quarantine do not count.
    package var lastRun: RunRecord?
    /// The judgement on the latest finished read; nil if no read has finished.
    package let lastVerdict: Verdict?
    package let lastSuccessAt: Timestamp?
    /// The number of failed runs since the last success.
    package let consecutiveFailures: Int
    /// The beginning of the first of them; nil if there is none.
    package let failingSince: Timestamp?
    /// The number of latest reads in a row that lack records.
    package let consecutiveIncomplete: Int
    /// The beginning of the first of them; nil if there is none.
    package let incompleteSince: Timestamp?
    package let count: RowCount
    /// True if the table has a primary key; nil if there is no table yet.
    package let hasKey: Bool?
    /// The number of rows that the source no longer has and that were kept, as they were more than one run deletes.
    package let keptRows: Int
    /// Since when there have been some; nil if there are none.
    package let keptSince: Timestamp?
    /// The columns of the stream's tables with values of another kind than their others.
    package let oddColumns: [OddColumn]
    /// The fields that the configuration names, once a read has looked for them: true for those that a record had.
    package let namedFields: [String: Bool]
    /// The columns whose members no record has any more.
    package let emptiedColumns: [EmptiedColumn]

    package init(
        lastRun: RunRecord?, lastVerdict: Verdict?, lastSuccessAt: Timestamp?, consecutiveFailures: Int,
        failingSince: Timestamp?, consecutiveIncomplete: Int = 0, incompleteSince: Timestamp? = nil, rows: Int,
        deletedRows: Int = 0, hasKey: Bool? = nil, keptRows: Int = 0, keptSince: Timestamp? = nil,
        oddColumns: [OddColumn] = [], namedFields: [String: Bool] = [:], emptiedColumns: [EmptiedColumn] = []
    ) {
        self.lastRun = lastRun
        self.lastVerdict = lastVerdict
        self.lastSuccessAt = lastSuccessAt
        self.consecutiveFailures = consecutiveFailures
        self.failingSince = failingSince
        self.consecutiveIncomplete = consecutiveIncomplete
        self.incompleteSince = incompleteSince
        count = RowCount(all: rows, deleted: deletedRows)
        self.hasKey = hasKey
        self.keptRows = keptRows
        self.keptSince = keptSince
        self.oddColumns = oddColumns
        self.namedFields = namedFields
        self.emptiedColumns = emptiedColumns
    }
}

extension ReadOnlyDatabase {
    /// Returns the stored state of each stream's schedule, by the stream's full name.
    package func scheduleStates() throws -> [String: ScheduleState] {
        try reading {
            let rows = try connection.rows(
                """
                SELECT name, \(ScheduleTable.columns)
                FROM _garner_schedules JOIN _garner_streams USING (stream_id)
                """
            ) { try ($0.text(at: 0), ScheduleTable.decode($0, from: 1)) }
            return Dictionary(rows) { first, _ in first }
        }
    }

    /// Returns the full names of the streams of which hooks were told that they are overdue, and which were not in time since.
    package func overdueStreamsTold() throws -> [String] {
        try reading {
            try connection.rows(
                """
                SELECT name FROM _garner_schedules JOIN _garner_streams USING (stream_id)
                WHERE overdue_told_at IS NOT NULL
                """
            ) { $0.text(at: 0) }
        }
    }

    /// Returns the requests whose run has not begun, in the order in which they were made.
    package func waitingRequests() throws -> [RunRequest] {
        try reading {
            try connection.rows(
                """
                SELECT request_id, restarts, maximum_pages, name FROM _garner_triggers JOIN _garner_streams USING (stream_id)
                WHERE run_id IS NULL ORDER BY requested_at, name, request_id
                """
            ) { row -> RunRequest? in
                guard let stream = StreamName(full: row.text(at: 3)) else { return nil }
                return RunRequest(
                    row.text(at: 0), of: stream, restarts: row.integer(at: 1) == 1,
                    maximumPages: row.optionalInteger(at: 2).flatMap(Int.init(exactly:)))
            }.compactMap(\.self)
        }
    }

    /// Returns the delays with which scheduled runs have started.
    ///
    /// - Parameter instant: The earliest due time that counts; nil for all stored runs.
    package func lateness(since instant: Timestamp? = nil, of stream: StreamName? = nil) throws -> Lateness {
        try reading {
            let times = try connection.rows(
                """
                SELECT due_at, started_at FROM _garner_runs
                WHERE due_at IS NOT NULL AND (?1 IS NULL OR due_at >= ?1)
                AND (?2 IS NULL OR stream_id = (SELECT stream_id FROM _garner_streams WHERE name = ?2))
                """, [Value(instant?.description), Value(stream?.description)]
            ) { try ($0.timestamp(at: 0), $0.timestamp(at: 1)) }
            return Lateness(of: times.map { due, started in due.duration(to: started) })
        }
    }
}

/// The delays between the due times of runs and their starts, as a histogram.
package struct Lateness: Sendable, Equatable {
    package struct Bucket: Sendable, Equatable {
        /// The upper bound; nil for none.
        package let upTo: Duration?
        /// The number of delays that are not in an earlier bucket.
        package let count: Int
    }

    package let count: Int
    package let buckets: [Bucket]
    /// The median; nil if there are no delays.
    package let median: Duration?
    /// The 99th percentile.
    package let p99: Duration?
    package let greatest: Duration?

    private static let bounds: [Duration] = [
        .milliseconds(10), .milliseconds(50), .milliseconds(100), .seconds(1), .seconds(10), .seconds(60),
    ]

    /// - Complexity: O(n log n).
    package init(of values: [Duration]) {
        let sorted = values.sorted()
        /// Returns the smallest value that `percent` of a hundred values do not exceed.
        func percentile(_ percent: Int) -> Duration? {
            sorted.isEmpty ? nil : sorted[max(0, (sorted.count * percent + 99) / 100 - 1)]
        }
        count = sorted.count
        median = percentile(50)
        p99 = percentile(99)
        greatest = sorted.last
        var rest = sorted[...]
        var buckets: [Bucket] = []
        for bound in Self.bounds {
            let within = rest.prefix { $0 <= bound }
            buckets.append(Bucket(upTo: bound, count: within.count))
            rest = rest.dropFirst(within.count)
        }
        self.buckets = buckets + [Bucket(upTo: nil, count: rest.count)]
    }
}
