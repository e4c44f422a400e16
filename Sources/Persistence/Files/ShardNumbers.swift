import GarnerDatabase
import GarnerDigest
package import GarnerSQLite

/// What a new shard has from its database.
package struct ShardBeginning: Sendable {
    private let shard: Int
    private let hashKey: String
    private let used: [String: Int64]

    /// - Parameters:
    ///   - hashKey: The random bits with which all shards make their hashes, in hexadecimal digits: so streams can be moved.
    ///   - used: The numbers of this shard that others have, as `ShardNumbers.used` returns them.
    package init(of shard: Int, hashKey: String, behind used: [String: Int64] = [:]) {
        (self.shard, self.hashKey, self.used) = (shard, hashKey, used)
    }

    package static func newHashKey() -> String {
        // The one in front keeps both digits of a byte.
        (0..<HashKey.byteCount).map { _ in String(Int.random(in: 0x100...0x1FF), radix: 16).dropFirst() }.joined()
    }

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
            try ShardNumbers(of: shard).begin(on: connection, behind: used)
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

    /// The tables with such numbers.
    private static let columns = ["runs": "run_id", "streams": "stream_id", "quarantine": "quarantine_id"]

    package init(of shard: Int) { self.shard = Int64(shard) }

    /// Sees to it that what comes next gets a number of this shard that was never used in this file.
    ///
    /// - Parameter used: The numbers of this shard that are used elsewhere.
    package func begin(on connection: Connection, behind used: [String: Int64] = [:]) throws {
        for (table, column) in Self.columns {
            let own =
                try connection.integer(
                    """
                    SELECT max(coalesce((SELECT max(\(column)) FROM main._garner_\(table)), 0), coalesce(
                        (SELECT seq FROM main.sqlite_sequence WHERE name = '_garner_\(table)'), 0))
                    """) ?? 0
            let last = max(own, used[table] ?? 0)
            let range = last / Self.size
            let ahead = (shard - 1 - range % Self.ranges + Self.ranges) % Self.ranges
            let next = ahead == 0 ? last : (range + ahead) * Self.size
            try connection.execute("DELETE FROM main.sqlite_sequence WHERE name = ?1", .text("_garner_\(table)"))
            try connection.execute(
                "INSERT INTO main.sqlite_sequence (name, seq) VALUES (?1, ?2)", .text("_garner_\(table)"),
                .integer(next))
        }
    }

    /// Returns the greatest numbers of this shard that these parts have. A database that was one before, and has been joined and spread since,
    /// has numbers of each shard anywhere.
    package func used(on connection: Connection, in schemas: [String]) throws -> [String: Int64] {
        var used: [String: Int64] = [:]
        for (table, column) in Self.columns {
            for schema in schemas {
                let name = "\(schema)._garner_\(table)"
                let last = (try connection.integer("SELECT max(\(column)) FROM \(name)") ?? 0) / Self.size
                // The last one of its ranges that may have been used.
                var range = last - (last - (shard - 1) + Self.ranges) % Self.ranges
                while range >= 0 {
                    let found = try connection.integer(
                        "SELECT max(\(column)) FROM \(name) WHERE \(column) BETWEEN ?1 AND ?2",
                        .integer(range * Self.size), .integer((range + 1) * Self.size - 1))
                    if let found {
                        used[table] = max(found, used[table] ?? 0)
                        break
                    }
                    range -= Self.ranges
                }
            }
        }
        return used
    }

    /// Returns the greatest numbers of this shard that any part of a database has.
    package func used(at path: String) throws -> [String: Int64] {
        do {
            let connection = try Connection(path: path, mode: .readOnly)
            defer { connection.close() }
            return try connection.snapshot { try used(on: connection, in: connection.schemas) }
        } catch let error as SQLiteError {
            throw PersistenceError(error, path: path)
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
