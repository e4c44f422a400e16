import GarnerModel
import GarnerPostgres

/// The row of a shard.
struct ShardRow: Sendable, Equatable {
    let stamp: PostgresUUID
    let checksum: Int64
    let pageCount: Int
    let schemaVersion: Int64

    static func read(_ shard: Int, on connection: PostgresConnection) async throws -> ShardRow? {
        let row = try await connection.execute(
            "SELECT stamp, checksum, pages, schema_version FROM _garner.shards WHERE shard = $1", .integer(Int64(shard))
        ).rows.first
        guard let row, row.count == 4, case .uuid(let stamp) = row[0], let checksum = row[1].integer,
            let pages = row[2].integer, let version = row[3].integer
        else { return nil }
        return ShardRow(stamp: stamp, checksum: checksum, pageCount: Int(pages), schemaVersion: version)
    }

    /// Returns who holds the shard; nil if its lease has ended, or if it was given back.
    static func holder(of shard: Int, on connection: PostgresConnection) async throws -> ShardHolder? {
        let row = try await connection.execute(
            """
            SELECT coalesce(host, ''), coalesce(pid, 0), coalesce(version, ''), until, seen_at,
                coalesce(config_digest, '') <> ''
            FROM _garner.shards LEFT JOIN _garner.workers USING (worker)
            WHERE shard = $1 AND token IS NOT NULL AND until >= clock_timestamp()
            """, .integer(Int64(shard))
        ).rows.first
        guard let row, row.count == 6, let host = row[0].text, let process = row[1].integer, let version = row[2].text,
            let until = row[3].timestamp
        else { return nil }
        return ShardHolder(
            host: host, process: Int32(clamping: process), version: version, until: until, lastSeen: row[4].timestamp,
            isService: row[5] == .boolean(true))
    }
}

extension PostgresValue {
    /// The instant of a `timestamptz`; nil for other values.
    var timestamp: Timestamp? {
        if case .instant(let microseconds) = self {
            Timestamp(millisecondsSince1970: microseconds / 1000)
        } else {
            nil
        }
    }
}
