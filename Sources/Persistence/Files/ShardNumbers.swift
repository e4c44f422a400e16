import GarnerDatabase
import GarnerDigest
package import GarnerSQLite

/// What a new shard has from its database.
package struct ShardBeginning: Sendable {
    private let shard: Int
    private let hashKey: String

    /// - Parameter hashKey: The random bits with which all shards make their hashes, in hexadecimal digits: so streams can be moved.
    package init(of shard: Int, hashKey: String) { (self.shard, self.hashKey) = (shard, hashKey) }

    /// Returns new random bits.
    package static func newHashKey() -> String {
        (0..<HashKey.byteCount).map { _ in
            let digits = String(UInt8.random(in: 0 ... .max), radix: 16)
            return digits.count < 2 ? "0" + digits : digits
        }.joined()
    }

    /// Returns the random bits of a database that is there.
    package static func hashKey(of path: String) throws -> String {
        let connection = try Connection(path: path, mode: .readOnly)
        defer { connection.close() }
        return try connection.text("SELECT lower(hex(secret)) FROM _garner_hash_key") ?? newHashKey()
    }

    func write(on connection: Connection) throws {
        let digits = Array(hashKey)
        let bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap {
            UInt8(String(digits[$0...$0 + 1]), radix: 16)
        }
        try connection.transaction {
            try connection.execute("UPDATE _garner_hash_key SET secret = ?1", .blob(bytes))
            try ShardNumbers(of: shard).begin(on: connection)
        }
    }
}

/// The numbers of streams, runs and quarantined records, which people see: no two shards of a database use the same.
///
/// A shard has ranges of 2³² numbers: the first is that of its number, and each tenth after it. It goes on to its next range when streams come
/// from a shard whose numbers are greater, since the runs of a stream follow each other by their numbers.
package struct ShardNumbers {
    private let shard: Int64

    /// More shards than there may be.
    private static let ranges: Int64 = 10
    private static let size: Int64 = 1 << 32

    package init(of shard: Int) { self.shard = Int64(shard) }

    /// Sees to it that what comes next gets a number of this shard that was never used in this file.
    package func begin(on connection: Connection) throws {
        for (table, column) in [("runs", "run_id"), ("streams", "stream_id"), ("quarantine", "quarantine_id")] {
            let last =
                try connection.integer(
                    """
                    SELECT max(coalesce((SELECT max(\(column)) FROM main._garner_\(table)), 0), coalesce(
                        (SELECT seq FROM main.sqlite_sequence WHERE name = '_garner_\(table)'), 0))
                    """) ?? 0
            let range = last / Self.size
            let ahead = (shard - 1 - range % Self.ranges + Self.ranges) % Self.ranges
            let next = ahead == 0 ? last : (range + ahead) * Self.size
            try connection.execute("DELETE FROM main.sqlite_sequence WHERE name = ?1", .text("_garner_\(table)"))
            try connection.execute(
                "INSERT INTO main.sqlite_sequence (name, seq) VALUES (?1, ?2)", .text("_garner_\(table)"),
                .integer(next))
        }
    }

    /// The SQL of the number that a new row of a table gets whose rows are not numbered by SQLite.
    static func next(_ column: String, of table: String) -> String {
        """
        (SELECT max(coalesce(max(\(column)), 0), coalesce((SELECT seq FROM sqlite_sequence WHERE name = '\(table)'), 0)) + 1
        FROM \(table))
        """
    }
}
