import GarnerDatabase
import GarnerLibC
package import GarnerModel
import GarnerSQLite

/// The main facts of a run, for lists of many.
package struct RunBrief: Sendable, Equatable {
    package let id: RunID
    package let status: RunRecord.Status
    package let startedAt: Timestamp
    package let endedAt: Timestamp?
    package let inserted: Int
    package let updated: Int
    package let deleted: Int

    package var changes: Int { inserted + updated + deleted }
}

/// The numbers of a whole database.
package struct DatabaseCounts: Sendable, Equatable {
    package let tables: Int
    /// The rows of all tables.
    package let rows: Int
    /// The runs that began since the instant.
    package let runs: Int
    /// The rows that those runs inserted, updated or deleted.
    package let changes: Int
}

extension ReadOnlyDatabase {
    /// Returns a mark that differs after each commit of another connection. Marks of several connections cannot be compared.
    package func changeMark() throws -> Int64 {
        try reading { try connection.sumOfParts("data_version") }
    }

    /// Returns the latest runs of a stream that fetched something, newest first.
    package func recentRuns(of stream: StreamName, limit: Int) throws -> [RunBrief] {
        try reading {
            try connection.rows(
                """
                SELECT run_id, status, started_at, ended_at, inserted, updated, deleted FROM _garner_runs
                WHERE stream_id = (SELECT stream_id FROM _garner_streams WHERE name = ?1) AND status <> 'skipped'
                ORDER BY run_id DESC LIMIT ?2
                """, [.text(stream.description), .integer(Int64(limit))]
            ) { row in
                try RunBrief(
                    id: row.id(at: 0), status: row.value(RunRecord.Status.self, at: 1), startedAt: row.timestamp(at: 2),
                    endedAt: row.optionalTimestamp(at: 3), inserted: Int(row.integer(at: 4)),
                    updated: Int(row.integer(at: 5)), deleted: Int(row.integer(at: 6)))
            }
        }
    }

    /// Returns the numbers of the whole database.
    package func totals(since instant: Timestamp) throws -> DatabaseCounts {
        if hasParts {
            let counts = try inEachPart { try $0.totals(since: instant) }
            return DatabaseCounts(
                tables: counts.reduce(0) { $0 + $1.tables }, rows: counts.reduce(0) { $0 + $1.rows },
                runs: counts.reduce(0) { $0 + $1.runs }, changes: counts.reduce(0) { $0 + $1.changes })
        }
        return try reading {
            let tables = try connection.rows(
                "SELECT table_name FROM _garner_streams WHERE table_name IN \(Connection.tableNames)"
            ) { $0.text(at: 0) }
            let rows = try tables.reduce(0) { try $0 + rowCount(of: $1).all }
            // Runs are numbered in the order in which they began, so those before the first older one need no look.
            let earliest = try connection.integer("SELECT max(run_id) - 100000 FROM _garner_runs") ?? -1
            let older = try connection.integer(
                "SELECT run_id FROM _garner_runs WHERE run_id > ?2 AND started_at < ?1 ORDER BY run_id DESC LIMIT 1",
                .text(instant.description), .integer(earliest))
            let counts = try connection.firstRow(
                """
                SELECT count(*), coalesce(sum(inserted + updated + deleted), 0) FROM _garner_runs
                WHERE run_id > ?1 AND status <> 'skipped'
                """, [.integer(older ?? earliest)]
            ) { (Int($0.integer(at: 0)), Int($0.integer(at: 1))) }
            return DatabaseCounts(
                tables: tables.count, rows: rows, runs: counts?.0 ?? 0, changes: counts?.1 ?? 0)
        }
    }
}

/// The sizes of a database's files, and the free space beside them, in bytes.
package struct DatabaseSizes: Sendable, Equatable {
    package let database: Int
    /// The size of the write-ahead log.
    package let log: Int
    /// The free space; nil if it cannot be determined.
    package let free: Int?

    package init(path: String) {
        guard !RemoteDatabase.isPath(path) else {
            (database, log, free) = (RemoteDatabase.size(at: path) ?? 0, 0, nil)
            return
        }
        let place = FileCreation.resolved(path) ?? path
        database = Self.size(of: place)
        log = Self.size(of: place + "-wal")
        var volume = statvfs()
        if statvfs(place, &volume) == 0 {
            let (bytes, overflows) = UInt64(volume.f_bavail).multipliedReportingOverflow(by: UInt64(volume.f_frsize))
            free = overflows ? .max : Int(clamping: bytes)
        } else {
            free = nil
        }
    }

    private static func size(of path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }
}

/// A run that has ended, or instants that were skipped, as counters need them.
package struct EndedRun: Sendable, Equatable {
    package let id: RunID
    package let stream: String
    package let status: RunRecord.Status
    package let duration: Duration
    package let inserted: Int
    package let updated: Int
    package let deleted: Int
    package let bytes: Int
    /// The number of requests by the class of their status: `2xx`, or `none` without a response.
    package let requests: [String: Int]
}

/// The runs of a part of the database, or of all of it, that have ended.
package struct EndedRuns: Sendable {
    package let part: Int
    /// In the order of their numbers.
    package let ended: [EndedRun]
    /// The lowest number of those that are active; nil if none is.
    package let lowestActive: RunID?
}

extension ReadOnlyDatabase {
    /// Returns the runs of each part that have ended behind its mark, or, without a mark, at an instant or later. Those that came from
    /// another part, whose numbers are of another range, have ended after both.
    package func endedRuns(after marks: [Int: RunID], orSince instant: Timestamp) throws -> [EndedRuns] {
        try inEachPart { part -> EndedRuns in
            let connection = part.connection
            let ended = try connection.rows(
                """
                SELECT run_id, name, status, started_at, ended_at, inserted, updated, deleted, bytes
                FROM _garner_runs JOIN _garner_streams USING (stream_id)
                WHERE run_id > ?1 AND ended_at IS NOT NULL AND (run_id >> 32 = ?1 >> 32 OR ended_at >= ?2) ORDER BY run_id
                """, [.id(marks[connection.partNumber] ?? -1), .text(instant.description)]
            ) { row in
                let id: RunID = row.id(at: 0)
                return try EndedRun(
                    id: id, stream: row.text(at: 1), status: row.value(RunRecord.Status.self, at: 2),
                    duration: row.timestamp(at: 3).duration(to: row.timestamp(at: 4)),
                    inserted: Int(row.integer(at: 5)), updated: Int(row.integer(at: 6)),
                    deleted: Int(row.integer(at: 7)), bytes: Int(row.integer(at: 8)),
                    requests: part.requestClasses(of: id))
            }
            let active = try connection.integer("SELECT min(run_id) FROM _garner_runs WHERE status = 'running'")
            return EndedRuns(part: connection.partNumber, ended: ended, lowestActive: active.map { RunID($0) })
        }
    }

    private func requestClasses(of run: RunID) throws -> [String: Int] {
        let counts = try connection.rows(
            "SELECT status / 100, sum(attempts) FROM _garner_requests WHERE run_id = ?1 GROUP BY 1", [.id(run)]
        ) { ($0.optionalInteger(at: 0).map { "\($0)xx" } ?? "none", Int($0.integer(at: 1))) }
        return Dictionary(counts) { $0 + $1 }
    }
}
