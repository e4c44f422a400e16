import GarnerDatabase
import GarnerModel
import GarnerPersistence
import GarnerSQLite
import Testing

/// The numbers of a shard, which no other shard of the database uses.
struct ShardNumbersTests {
    private static func connection(runs: [Int64] = []) throws -> Connection {
        let connection = try Connection(path: ":memory:", mode: .readWrite)
        try Migrator(connection: connection, now: Timestamp(millisecondsSince1970: 0)).migrate()
        guard !runs.isEmpty else { return connection }
        try connection.execute(
            "INSERT INTO _garner_streams (stream_id, name, table_name) VALUES (4, 'zoo.animals', 'animals')")
        for run in runs {
            try connection.execute(
                """
                INSERT INTO _garner_runs (run_id, stream_id, read_id, status, started_at)
                VALUES (?1, 4, ?1, 'succeeded', '2026-01-01T00:00:00Z')
                """, .integer(run))
        }
        return connection
    }

    @Test func `the greatest number in each range of a shard counts as used`() throws {
        let connection = try Self.connection(runs: [5, 2 << 32 + 7, 12 << 32 + 1, 13 << 32])
        let expected: [Int: [String: Int64]] = [
            1: ["runs": 5, "streams": 4], 2: [:], 3: ["runs": 12 << 32 + 1], 4: ["runs": 13 << 32], 10: [:],
        ]
        for (shard, numbers) in expected {
            #expect(try ShardNumbers(of: shard).used(on: connection, in: ["main"]) == numbers, "\(shard)")
        }
    }

    @Test func `a shard goes on behind the numbers of its own that others have`() throws {
        for (used, next) in [(nil, 2 << 32), (2 << 32 + 7, 2 << 32 + 7), (12 << 32 + 1, 12 << 32 + 1)]
            as [(Int64?, Int64)]
        {
            let connection = try Self.connection()
            try connection.transaction {
                try ShardNumbers(of: 3).begin(on: connection, behind: used.map { ["runs": $0] } ?? [:])
            }
            let found = try connection.integer("SELECT seq FROM sqlite_sequence WHERE name = '_garner_runs'")
            #expect(found == next)
        }
    }
}
