import CGarnerSQLite
import Foundation
import GarnerDatabase
import TestSupport
import Testing

@testable import GarnerSQLite

/// What a receiver of commits makes of them is the file.
struct CommitObserverTests {
    private let database: Database
    private let kept = KeptDatabase()

    init() throws { database = try Database() }

    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func `random commits alone make the same file, byte for byte`(seed: UInt64) throws {
        var writing = try RandomWriting(seed, on: open(pageSize: [512, 4096][Int(seed % 2)]), in: database, kept)
        for _ in 0..<12 {
            for _ in 0..<30 { try writing.step() }
            writing.endReading()
            try expectSame(as: writing.connection)
        }
        #expect(kept.commits > 150 && kept.failures == 0)
        #expect(writing.logs.count > 20, "\(writing.logs.count)")
        #expect(try writing.connection.text("PRAGMA integrity_check") == "ok")
    }

    @Test func `a transaction that spills its pages before it is committed is told as it ends`() throws {
        let connection = try open()
        try connection.executeScript("PRAGMA cache_size = 10; CREATE TABLE t (n INTEGER PRIMARY KEY, text TEXT)")
        func fill(_ text: String) throws {
            try connection.execute(
                """
                WITH RECURSIVE g(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM g WHERE i < 2000)
                INSERT INTO t SELECT i, ?1 || hex(zeroblob(200)) FROM g WHERE true
                ON CONFLICT DO UPDATE SET text = excluded.text
                """, .text(text))
        }
        let before = kept.commits
        #expect(throws: Stop.self) {
            try connection.transaction {
                try fill("gone")
                throw Stop()
            }
        }
        // Its frames are in the log, and are written over.
        #expect(connection.logBytes > 1 << 18 && kept.commits == before)
        try connection.transaction {
            for text in ["first", "second", "third"] { try fill(text) }
            try connection.executeScript("SAVEPOINT one")
            try fill("undone")
            try connection.executeScript("ROLLBACK TO one; RELEASE one")
        }
        #expect(kept.commits == before + 1)
        try expectSame(as: connection)
    }

    @Test func `a smaller database has fewer pages`() throws {
        let connection = try open()
        try connection.executeScript("CREATE TABLE t (a); INSERT INTO t VALUES (zeroblob(1 << 20)); DELETE FROM t")
        #expect(kept.pageCount > 200)
        try connection.executeScript("VACUUM")
        #expect(kept.pageCount < 5)
        try expectSame(as: connection)
        try connection.executeScript("INSERT INTO t VALUES (zeroblob(1 << 18))")
        try expectSame(as: connection)
    }

    @Test(arguments: ["DELETE", "WAL"])
    func `the commits to a file that is there are the difference from it`(mode: String) throws {
        let before = try database.writer()
        try before.executeScript(
            """
            PRAGMA page_size = 4096; PRAGMA journal_mode = \(mode);
            CREATE TABLE t (a); INSERT INTO t VALUES (hex(zeroblob(20000))); CREATE TABLE other (a)
            """)
        before.close()
        kept.take(try fileBytes(), pageSize: 4096)
        let connection = try open(pageSize: 8192)
        try connection.executeScript("INSERT INTO other VALUES (1)")
        #expect(kept.pageSize == 4096)
        try expectSame(as: connection)
    }

    @Test func `the page of SQLite's locks is told, although it is never written`() throws {
        // It has the byte behind the first GiB (sqlite.org/fileformat2.html#the_lock_byte_page).
        let path = database.folder.path("lock-wal")
        var log: [UInt8] = [0x37, 0x7f, 6, 0x82, 0, 0x2d, 0xe2, 0x18, 0, 0, 16, 0, 0, 0, 0, 0] + Array(1...16)
        log += [0, 4, 0, 2, 0, 4, 0, 2] + Array(1...8) + [UInt8](repeating: 0, count: 8)
        log += [UInt8](repeating: 9, count: 4096)
        try Data(log).write(to: URL(filePath: path))
        CommitObserver(log: path, pageCount: 262_144, firstPage: [], { [kept] in kept.receive($0) }).note(frames: 1)
        #expect(kept.failures == 0 && kept.pageCount == 262_146)
        #expect(kept.image(of: 262_145) == [UInt8](repeating: 0, count: 4096))
        #expect(kept.image(of: 262_146) == [UInt8](repeating: 9, count: 4096))
    }

    @Test func `the limit of the log is that of its pages`() throws {
        let connection = try open()
        try connection.executeScript("CREATE TABLE t (a)")
        try connection.setCache(kibibytes: 1_000, logPages: 20)
        let before = kept.commits
        for n in 0..<200 { try connection.execute("INSERT INTO t VALUES (?1)", .integer(Int64(n))) }
        #expect(kept.commits == before + 200)
        #expect(connection.logBytes < 40 * 4_200)
        try connection.setCache(kibibytes: 1_000, logPages: 2_000)
        for n in 0..<200 { try connection.execute("INSERT INTO t VALUES (?1)", .integer(Int64(n))) }
        #expect(kept.commits == before + 400)
        #expect(connection.logBytes > 200 * 4_000)
        try expectSame(as: connection)
    }

    @Test func `a log that cannot be read makes its commit unknown`() throws {
        let connection = try open()
        #expect(rename(database.path + "-wal", database.path + "-elsewhere") == 0)
        try connection.executeScript("CREATE TABLE t (a)")
        #expect(kept.commits == 1 && kept.failures == 1)
        #expect(connection.takeAwaitedCommit())
    }

    @Test func `only commits that wait are waited for`() throws {
        let connection = try open()
        #expect(!connection.takeAwaitedCommit())
        try connection.transactionWithoutSync { try connection.executeScript("CREATE TABLE t (a)") }
        #expect(kept.commits == 1 && !connection.takeAwaitedCommit())
        try connection.transaction { try connection.executeScript("INSERT INTO t VALUES (1)") }
        #expect(connection.takeAwaitedCommit() && !connection.takeAwaitedCommit())
        try connection.transaction {}
        #expect(!connection.takeAwaitedCommit())
        try connection.executeScript("INSERT INTO t VALUES (2)")
        #expect(connection.takeAwaitedCommit())
        #expect(try connection.integer("PRAGMA synchronous") == 0)
    }

    // MARK: - Looking

    private struct Stop: Error {}

    private func open(pageSize: Int = 4096) throws -> Connection {
        let connection = try database.writer()
        try connection.executeScript("PRAGMA page_size = \(pageSize); PRAGMA journal_mode = WAL")
        try connection.observeCommits { [kept] in kept.receive($0) }
        return connection
    }

    private func expectSame(as connection: Connection, sourceLocation: SourceLocation = #_sourceLocation) throws {
        #expect(try connection.checkpoint(waiting: .zero), sourceLocation: sourceLocation)
        #expect(try kept.difference(from: fileBytes()) == nil, sourceLocation: sourceLocation)
    }

    private func fileBytes() throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(filePath: database.path))) }
}

/// Writes whatever comes to mind, to tables that it also makes, changes and removes.
private struct RandomWriting {
    let connection: Connection
    private let database: Database
    private let kept: KeptDatabase
    private var random: SplitMix64
    private var tables = 1
    /// The headers of the write-ahead log that were seen: it began anew as often.
    private(set) var logs: Set<[UInt8]> = []
    private var reader: Connection?

    private struct Stop: Error {}

    init(_ seed: UInt64, on connection: Connection, in database: Database, _ kept: KeptDatabase) throws {
        (self.connection, self.database, self.kept) = (connection, database, kept)
        random = SplitMix64(seed: seed)
        try connection.executeScript(
            """
            CREATE TABLE t1 (id INTEGER PRIMARY KEY, v TEXT, n); CREATE INDEX i1 ON t1 (n);
            CREATE TABLE w (k TEXT PRIMARY KEY, v TEXT) WITHOUT ROWID; CREATE VIRTUAL TABLE f USING fts5(x)
            """)
        try connection.setCache(kibibytes: 40, logPages: 60)
    }

    private mutating func number(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

    mutating func step() throws {
        switch number(40) {
        case 0: try connection.executeScript("VACUUM")
        case 1:
            tables += 1
            try connection.executeScript(
                "CREATE TABLE t\(tables) AS SELECT * FROM t1; CREATE INDEX i\(tables) ON t\(tables) (v)")
        case 2 where tables > 1:
            try connection.executeScript("DROP TABLE t\(tables)")
            tables -= 1
        case 3: try connection.executeScript("ALTER TABLE t1 ADD COLUMN c\(kept.commits) DEFAULT 'new'")
        case 4: try connection.executeScript("DELETE FROM t1; INSERT INTO f (f) VALUES ('optimize')")
        case 5...7: try checkpointElsewhere()
        case 8: try connection.setCache(kibibytes: 20 + number(200), logPages: 20 + number(200))
        case 9: try large()
        case 10:
            // It keeps the log from beginning anew.
            reader = reader == nil ? try database.reader() : nil
            try reader?.executeScript("BEGIN; SELECT count(*) FROM t1")
        case 11...13:
            let before = kept.commits
            #expect(throws: Stop.self) {
                try connection.transaction {
                    try write()
                    throw Stop()
                }
            }
            #expect(kept.commits == before)
        case 14: try write()
        case 15...25: try connection.transactionWithoutSync { try write() }
        default:
            try connection.transaction {
                try write()
                try connection.executeScript("SAVEPOINT one")
                try write()
                if number(2) == 0 { try connection.executeScript("ROLLBACK TO one") }
                try connection.executeScript("RELEASE one")
                try write()
            }
        }
        let log = try FileHandle(forReadingFrom: URL(filePath: database.path + "-wal"))
        logs.insert([UInt8](try log.read(upToCount: 32) ?? Data()))
        try log.close()
    }

    /// Ends what would keep the log from being copied.
    mutating func endReading() { reader = nil }

    private mutating func write() throws {
        for _ in 0...number(8) {
            let id = Int64(number(3_000))
            switch number(10) {
            case 0...4:
                try connection.execute(
                    "INSERT OR REPLACE INTO t1 (id, v, n) VALUES (?1, hex(zeroblob(?2)), ?3)", .integer(id),
                    .integer(Int64(number(900))), .integer(Int64(number(50))))
            case 5: try connection.execute("DELETE FROM t1 WHERE id BETWEEN ?1 AND ?1 + 40", .integer(id))
            case 6: try connection.execute("UPDATE t1 SET v = v || 'x' WHERE n = ?1", .integer(id % 50))
            case 7:
                try connection.execute(
                    "INSERT OR REPLACE INTO w VALUES (?1, hex(zeroblob(?2)))", .text("\(id % 200)"), .integer(id % 700))
            default: try connection.execute("INSERT INTO f VALUES ('owl fox ' || ?1 || ' kea')", .integer(id))
            }
        }
    }

    /// A transaction that is larger than the cache, and writes its pages several times.
    private mutating func large() throws {
        let text = "\(number(1_000))"
        try connection.transaction {
            for size in [300, 900, 40] {
                try connection.execute(
                    """
                    WITH RECURSIVE g(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM g WHERE i < 600)
                    INSERT OR REPLACE INTO t1 (id, v, n) SELECT i * 7, ?1 || hex(zeroblob(?2)), i % 50 FROM g
                    """, .text(text), .integer(Int64(size)))
            }
        }
    }

    private mutating func checkpointElsewhere() throws {
        let other = try database.writer(busyTimeout: .zero)
        let mode = ["PASSIVE", "FULL", "RESTART", "TRUNCATE"][number(4)]
        try? other.executeScript("PRAGMA wal_checkpoint(\(mode))")
        other.close()
    }
}
