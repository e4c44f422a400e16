import GarnerCatalog
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
            SELECT \(ShardHolder.columns) FROM _garner.shards LEFT JOIN _garner.workers USING (worker)
            WHERE shard = $1 AND token IS NOT NULL AND until >= clock_timestamp()
            """, .integer(Int64(shard))
        ).rows.first
        return row.flatMap { ShardHolder($0[...]) }
    }

    /// Makes the rows of a new database. One that has pages has lost its rows, and is not begun anew.
    ///
    /// - Parameter wanted: The number of shards that the URL asks for.
    static func begin(_ wanted: Int?, on connection: PostgresConnection) async throws {
        // Without a look before it, INSERT would wait for a transaction that has the row.
        try await connection.inTransaction {
            let found = try await connection.execute(
                "SELECT EXISTS (SELECT FROM _garner.shards) OR EXISTS (SELECT FROM _garner.pages)")
            guard found.value == .boolean(false) else { return }
            try await add(wanted ?? DatabasePlace.usualShards, on: connection)
        }
    }

    /// Makes the shards that there are not yet, up to a number. Pages without a row are none. Returns those that it has made.
    @discardableResult
    static func add(_ number: Int, on connection: PostgresConnection) async throws -> [ShardState] {
        var added: [ShardState] = []
        for shard in 1...max(1, number) {
            let result = try await connection.execute(
                """
                INSERT INTO _garner.shards (shard, stamp, checksum, pages, schema_version, claims)
                SELECT $1, $2, 0, 0, 0, 0 WHERE NOT EXISTS (SELECT FROM _garner.pages WHERE shard = $1)
                ON CONFLICT (shard) DO NOTHING
                """, .integer(Int64(shard)), .uuid(.random()))
            if result.count == 1 { added.append(ShardState(number: shard, pageCount: 0, holder: nil)) }
        }
        return added
    }
}

extension ShardHolder {
    /// The columns of a shard and its worker that `init` reads.
    static let columns = """
        coalesce(host, ''), coalesce(abs(pid), 0), coalesce(version, ''), until, seen_at, coalesce(config_digest, '') <> '',
        greatest(extract(epoch FROM until - clock_timestamp()), 0)::float8
        """

    init?(_ row: ArraySlice<PostgresValue>) {
        let row = Array(row)
        guard row.count == 7, let host = row[0].text, let process = row[1].integer, let version = row[2].text,
            let until = row[3].timestamp
        else { return nil }
        self.init(
            host: host, process: Int32(clamping: process), version: version, until: until, lastSeen: row[4].timestamp,
            isService: row[5] == .boolean(true))
        if case .double(let seconds) = row[6] { rest = .milliseconds(Int64(seconds * 1000)) }
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
