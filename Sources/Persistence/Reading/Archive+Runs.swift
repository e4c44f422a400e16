package import Catalog
package import Model
import SQLite

extension Archive {
    /// The latest runs and skips, newest first.
    ///
    /// - Parameters:
    ///   - stream: nil: of all streams.
    ///   - status: nil: with any status.
    package func runs(
        limit: Int, of stream: StreamName? = nil, status: RunRecord.Status? = nil
    ) throws -> [RunRecord] {
        try reading {
            try connection.rows(
                """
                \(RunTable.selection) WHERE (?1 IS NULL OR name = ?1) AND (?2 IS NULL OR status = ?2)
                ORDER BY run_id DESC LIMIT ?3
                """, [Value(stream?.description), Value(status?.rawValue), .integer(Int64(limit))],
                decode: RunTable.decode)
        }
    }

    package func run(_ id: Int64) throws -> RunRecord {
        try reading { try RunTable(connection: connection).record(id) }
    }

    /// The requests of a run, in the order in which they were sent.
    package func requests(of run: Int64) throws -> [RequestRecord] {
        try reading {
            // A database that no newer garner has written yet has no ledger.
            let hasLedger = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = '_garner_requests'"
            guard try connection.integer(hasLedger) != nil else { return [] }
            return try connection.rows(
                "\(RequestRecord.selection) WHERE run_id = ?1 ORDER BY request_id", [.integer(run)],
                decode: { RequestRecord($0) })
        }
    }

    /// What is known of a stream's runs; nil where it was never run.
    package func history(of stream: StreamName) throws -> StreamHistory? {
        try reading {
            let name = Value.text(stream.description)
            let found = try connection.firstRow(
                "SELECT stream_id, table_name FROM _garner_streams WHERE name = ?1", [name]
            ) { (id: $0.integer(at: 0), table: $0.text(at: 1)) }
            guard let (id, table) = found else { return nil }
            let last = try connection.firstRow(
                """
                \(RunTable.selection) WHERE stream_id = ?1 AND status <> 'skipped' AND NOT is_retry
                ORDER BY run_id DESC LIMIT 1
                """,
                [.integer(id)], decode: RunTable.decode)
            let succeededAt = try connection.text(
                """
                SELECT ended_at FROM _garner_runs WHERE stream_id = ?1 AND status = 'succeeded' AND NOT is_retry
                ORDER BY run_id DESC LIMIT 1
                """, .integer(id))
            let failures = try connection.integer(
                """
                SELECT count(*) FROM _garner_runs WHERE stream_id = ?1 AND status = 'failed' AND NOT is_retry
                AND run_id > coalesce((
                    SELECT max(run_id) FROM _garner_runs
                    WHERE stream_id = ?1 AND status = 'succeeded' AND NOT is_retry), 0)
                """, .integer(id))
            let verdict = try connection.firstRow(
                """
                SELECT verdict, completeness_reason FROM _garner_runs WHERE stream_id = ?1 AND verdict IS NOT NULL
                ORDER BY run_id DESC LIMIT 1
                """, [.integer(id)]
            ) { Verdict(stored: $0.text(at: 0), reason: $0.optionalText(at: 1)) }
            let exists =
                try connection.integer(
                    "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1", .text(table)) != nil
            return StreamHistory(
                lastRun: last, lastVerdict: verdict ?? nil,
                lastSuccessAt: succeededAt.flatMap(Timestamp.init(rfc3339:)),
                consecutiveFailures: Int(failures ?? 0), rows: exists ? try rowCount(of: table) : 0)
        }
    }
}

/// What the runs of a stream amount to.
package struct StreamHistory: Sendable, Equatable {
    /// Runs that fetched nothing, skipped or from quarantine, left out.
    package var lastRun: RunRecord?
    /// How much of what it asked for the latest read brought that has ended; nil where none has.
    package let lastVerdict: Verdict?
    package let lastSuccessAt: Timestamp?
    /// Failed runs since the last success.
    package let consecutiveFailures: Int
    package let rows: Int
}
