import GarnerModel
package import GarnerPersistence
import GarnerPostgres

/// The workers that there are, as they say themselves.
enum WorkersTable {
    /// Notes that the worker is there, and forgets those that nobody has seen for a day. A command that is gone is of no interest for so long.
    static func beat(of worker: WorkerIdentity, on connection: PostgresConnection) async throws {
        try await connection.execute(
            """
            INSERT INTO _garner.workers (worker, host, pid, version, config_digest, config_read_at, started_at, seen_at)
            VALUES ($1, $2, $3, $4, $5, clock_timestamp(), clock_timestamp(), clock_timestamp())
            ON CONFLICT (worker) DO UPDATE SET seen_at = excluded.seen_at, pid = excluded.pid,
                config_digest = excluded.config_digest,
                config_read_at = CASE workers.config_digest WHEN excluded.config_digest THEN workers.config_read_at
                    ELSE excluded.config_read_at END
            """, .uuid(worker.worker), .text(worker.host), .integer(Int64(worker.process)), .text(worker.version),
            .text(worker.configurationDigest))
        try await connection.execute(
            """
            DELETE FROM _garner.workers WHERE worker IN (
                SELECT worker FROM _garner.workers WHERE seen_at < clock_timestamp() - interval '1 day'
                    OR config_digest = '' AND seen_at < clock_timestamp() - interval '1 minute'
                        AND NOT EXISTS (SELECT FROM _garner.shards WHERE shards.worker = workers.worker)
                FOR UPDATE SKIP LOCKED)
            """)
    }

    /// Returns the living service that has read another configuration later than a worker; nil if there is none.
    static func laterReader(than worker: PostgresUUID, on connection: PostgresConnection) async throws -> String? {
        let row = try await connection.execute(
            """
            SELECT other.host, other.pid FROM _garner.workers AS own
            JOIN _garner.workers AS other ON other.config_digest <> own.config_digest
                AND other.config_read_at > own.config_read_at
            WHERE own.worker = $1 AND other.config_digest <> '' AND other.pid > 0
                AND other.seen_at > clock_timestamp() - interval '1 minute'
            ORDER BY other.config_read_at DESC LIMIT 1
            """, .uuid(worker)
        ).rows.first
        guard let row, row.count == 2, let host = row[0].text, let process = row[1].integer else { return nil }
        return "\(host), process \(process)"
    }

    /// Returns how many shards each of the other services holds that live and have the configuration of a worker.
    ///
    /// One that has let a lease end is gone, until it says that it is there again.
    static func holdings(besides worker: PostgresUUID, on connection: PostgresConnection) async throws -> [Int] {
        try await connection.execute(
            """
            SELECT count(shard) FILTER (WHERE until >= clock_timestamp()) FROM _garner.workers AS own
            JOIN _garner.workers AS other ON other.config_digest = own.config_digest AND other.worker <> own.worker
            LEFT JOIN _garner.shards ON shards.worker = other.worker
            WHERE own.worker = $1 AND other.config_digest <> '' AND other.pid > 0
                AND other.seen_at > clock_timestamp() - interval '1 minute'
            GROUP BY other.worker HAVING count(shard) FILTER (WHERE until < clock_timestamp()) = 0
            """, .uuid(worker)
        ).rows.compactMap { $0.first?.integer.map { Int($0) } }
    }

    static func all(on connection: PostgresConnection) async throws -> [WorkerReport] {
        let rows = try await connection.execute(
            """
            SELECT workers.worker, host, abs(pid), version, config_digest, started_at, seen_at,
                pid > 0 AND (seen_at > clock_timestamp() - interval '1 minute' OR config_digest = '' AND held.shard IS NOT NULL)
                    AND NOT EXISTS (
                        SELECT FROM _garner.shards AS ended WHERE ended.worker = workers.worker
                            AND ended.until < clock_timestamp() AND ended.until >= seen_at),
                held.shard, held.until
            FROM _garner.workers LEFT JOIN _garner.shards AS held
                ON held.worker = workers.worker AND held.until >= clock_timestamp()
            ORDER BY seen_at DESC, workers.worker, held.shard
            """
        ).rows
        var reports: [WorkerReport] = []
        for row in rows {
            guard row.count == 10, case .uuid(let worker) = row[0], let host = row[1].text,
                let process = row[2].integer, let version = row[3].text, let digest = row[4].text,
                let started = row[5].timestamp, let seen = row[6].timestamp
            else { continue }
            if reports.last?.worker != worker {
                reports.append(
                    WorkerReport(
                        worker: worker, host: host, process: Int32(clamping: process), version: version,
                        configurationDigest: digest, started: started, lastSeen: seen, isLive: row[7] == .boolean(true),
                        shards: [:]))
            }
            if let shard = row[8].integer, let until = row[9].timestamp {
                reports[reports.count - 1].shards[Int(shard)] = until
            }
        }
        return reports
    }
}

extension ShardPlace {
    /// Returns who holds the shard now; nil if nobody does.
    package func holder() async throws -> ShardHolder? {
        try await inTransaction { try await ShardRow.holder(of: shard, on: $0) }
    }

    /// Returns the workers, those that were seen last first.
    package func workers() async throws -> [WorkerReport] { try await inTransaction(WorkersTable.all(on:)) }

    /// Runs a transaction over a connection of its own.
    func inTransaction<R: Sendable>(_ body: (PostgresConnection) async throws -> R) async throws -> R {
        try await onConnection { connection in try await connection.inTransaction { try await body(connection) } }
    }

    /// Runs `body` over a connection of its own. Where there are no tables, there is no database.
    func onConnection<R: Sendable>(_ body: (PostgresConnection) async throws -> R) async throws -> R {
        try await describingErrors {
            do {
                return try await PostgresConnection.over(url, body)
            } catch let error as PostgresError where error.kind.isMissing {
                throw missing
            }
        }
    }

    package var missing: PersistenceError {
        PersistenceError(
            .missing, "there is no database of Garner's at \(self) yet",
            hint: .text(
                "run 'garner sync', which begins one; if there was one, end all workers, and restore it from a backup of PostgreSQL, "
                    + "or from a file with: garner migrate --database FILE --to '\(self)'"))
    }
}

extension PostgresError.Kind {
    /// True if the tables are not there.
    var isMissing: Bool { self == .undefinedTable || self == .undefinedSchema }
}
