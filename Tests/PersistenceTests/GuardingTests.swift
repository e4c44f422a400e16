import GarnerDatabase
import Foundation
import GarnerMigrations
import GarnerModel
import GarnerPresentation
import GarnerSQLite
import TestSupport
import Testing

@testable import GarnerPersistence

@Suite(.timeLimit(.minutes(3)))
struct GuardingTests {
    let fixture: Fixture

    init() throws { fixture = try Fixture() }

    /// A table, a view of it, and a full-text table.
    private func prepare() async throws -> ReadOnlyDatabase {
        let records = (1...200).map { #"{"id":\#($0),"name":"animal \#($0)"}"# }
        try await fixture.sync(.animals(), "[\(records.joined(separator: ","))]")
        try fixture.alter(
            """
            CREATE VIRTUAL TABLE words USING fts5(a); INSERT INTO words VALUES ('a b c');
            CREATE VIEW everything AS SELECT * FROM animals; CREATE INDEX by_name ON animals (name);
            PRAGMA wal_checkpoint(TRUNCATE)
            """)
        return try ReadOnlyDatabase(path: fixture.path)
    }

    private func rows(
        _ sql: String, in reader: ReadOnlyDatabase, limit: Duration? = .seconds(60),
        clock: some Clock<Duration> = ContinuousClock()
    ) throws -> [String] {
        try reader.guarding(QueryGuard(limit: limit, clock: clock)) {
            let cursor = try reader.rows(sql)
            var rows: [String] = []
            while let row = try cursor.next() { rows.append(cursor.literals(of: row)) }
            return rows
        }
    }

    private func error(of sql: String, in reader: ReadOnlyDatabase) -> PersistenceError? {
        do {
            _ = try rows(sql, in: reader)
            return nil
        } catch {
            return error as? PersistenceError
        }
    }

    @Test(arguments: [
        ("SELECT count(*) FROM animals", "200"), ("SELECT count(*) FROM everything", "200"),
        ("SELECT a FROM words WHERE words MATCH 'b'", "'a b c'"),
        ("SELECT name FROM pragma_table_info('animals')", "'id'"),
        ("PRAGMA table_info(animals)", "0 'id' 'INTEGER' 0 NULL 1"), ("PRAGMA user_version", "\(Migration.all.count)"),
        ("PRAGMA integrity_check", "'ok'"), ("SELECT sum(value) FROM json_each('[1,2]')", "3"),
        ("SELECT length(zeroblob(60000000))", "60000000"),
        ("WITH RECURSIVE a(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM a LIMIT 99999) SELECT count(*) FROM a", "99999"),
        ("/* a */ ; SELECT 1 ; -- b\n;", "1"), ("SELECT name FROM sqlite_schema WHERE type = 'view'", "'everything'"),
        ("SELECT 1 WHERE 5 IN (\((0..<50_000).map(String.init).joined(separator: ",")))", "1"),
        ("SELECT \(Array(repeating: "id = 1", count: 400).joined(separator: " OR ")) FROM animals LIMIT 1", "1"),
    ])
    func `what only reads is allowed`(sql: String, first: String) async throws {
        #expect(try rows(sql, in: await prepare()).first == first)
    }

    @Test(arguments: [
        ("ATTACH ':memory:' AS x", "attach or detach a database"), ("DETACH temp", "attach or detach a database"),
        ("VACUUM", "change the database"), ("VACUUM INTO ':memory:'", "change the database"),
        ("DELETE FROM animals", "change the database"), ("CREATE TEMP TABLE a (b)", "change the database"),
        ("CREATE TEMP TRIGGER a AFTER INSERT ON animals BEGIN SELECT 1; END", "change the database"),
        ("INSERT INTO words(words) VALUES ('rebuild')", "change the database"), ("ANALYZE", "change the database"),
        ("EXPLAIN DELETE FROM animals", "change the database"), ("BEGIN", "begin or end a transaction"),
        ("RELEASE part", "begin or end a transaction"),
        ("PRAGMA user_version = 5", "run PRAGMA user_version with a value"),
        ("PRAGMA writable_schema = 1", "run PRAGMA writable_schema with a value"),
        ("PRAGMA wal_checkpoint", "run PRAGMA wal_checkpoint, which is none of those that only read"),
        ("PRAGMA query_only(0)", "run PRAGMA query_only with a value"),
        ("PRAGMA hard_heap_limit = 0", "run PRAGMA hard_heap_limit"),
        ("SELECT * FROM pragma_optimize", "run PRAGMA optimize"),
        ("SELECT load_extension('a')", "call load_extension()"),
        ("SELECT fts3_tokenizer('simple')", "call fts3_tokenizer()"),
    ])
    func `what does more than reading is refused, and it is said why`(sql: String, deed: String) async throws {
        let reader = try await prepare()
        let error = error(of: sql, in: reader)
        #expect(error?.kind == .request)
        #expect(error?.message.hasPrefix("the query would \(deed)") == true, "\(error?.message ?? "nothing")")
        // The connection is as it was.
        #expect(try rows("SELECT count(*) FROM animals", in: reader) == ["200"])
    }

    @Test(arguments: [
        "SELECT 1; SELECT 2", "SELECT 1; garbage", "SELECT 1;\0 DELETE FROM animals", "SELECT 1\0", "\0", "", ";",
        "-- a",
        "SELECT ?", "SELECT 1 UPDATE animals SET name = 1", "UPDATE sqlite_schema SET sql = ''", "SELECT 'a",
        "SELECT \(String(repeating: "(", count: 5_000))1", "SELECT 1\(String(repeating: " + 1", count: 600))",
        "SELECT 1\(String(repeating: " UNION ALL SELECT 1", count: 300))",
    ])
    func `what is not one statement is refused`(sql: String) async throws {
        #expect(try await error(of: sql, in: prepare())?.kind == .request)
    }

    @Test(arguments: [
        "SELECT zeroblob(1e8)", "SELECT hex(zeroblob(60000000))",
        "SELECT '\(String(repeating: "a", count: 1_000_000))'",
        "SELECT replace(hex(zeroblob(10000)), '0', hex(zeroblob(10000)))",
    ])
    func `no value and no statement is too long`(sql: String) async throws {
        let error = try await error(of: sql, in: prepare())
        #expect(error?.kind == .limit)
        #expect(error?.message.contains("too ") == true)
        #expect((error?.message.utf8.count ?? 0) < 500)
    }

    @Test(arguments: [
        "WITH RECURSIVE a(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM a) SELECT count(*) FROM a",
        "SELECT count(*) FROM animals a, animals b, animals c, animals d, animals e, animals f",
    ])
    func `what takes too long ends with the limit in words`(sql: String) async throws {
        let reader = try await prepare()
        let error = #expect(throws: PersistenceError.self) { try rows(sql, in: reader, limit: .milliseconds(20)) }
        #expect(error?.kind == .limit)
        #expect(error?.message == "the query ran for longer than 20ms")
        #expect(try rows("SELECT count(*) FROM animals", in: reader) == ["200"])
    }

    @Test func `the time in which others read does not count`() async throws {
        let reader = try await prepare()
        let clock = ManualClock()
        let queryGuard = QueryGuard(limit: .seconds(60), clock: clock)
        try reader.guarding(queryGuard) {
            let rows = try reader.rows("SELECT id FROM animals")
            while try rows.next() != nil { queryGuard.pausing { clock.advance(by: .seconds(40)) } }
        }
        #expect(queryGuard.timeLeft == .seconds(60))
        clock.advance(by: .seconds(60))
        #expect(queryGuard.mustEnd())
        #expect(queryGuard.verdict == .timeIsUp)
    }

    @Test func `another thread stops what runs`() async throws {
        let reader = try await prepare()
        let queryGuard = QueryGuard(limit: nil, clock: ContinuousClock())
        Thread.detachNewThread { queryGuard.stop() }
        let error = #expect(throws: PersistenceError.self) {
            try reader.guarding(queryGuard) {
                let rows = try reader.rows(
                    "WITH RECURSIVE a(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM a) SELECT count(*) FROM a")
                _ = try rows.next()
            }
        }
        #expect(error?.kind == .interrupted)
        #expect(try rows("SELECT 1", in: reader) == ["1"])
    }

    @Test func `what is prepared before is there inside, and all is of one moment`() async throws {
        let reader = try await prepare()
        try reader.connection.executeScript(
            "PRAGMA query_only = OFF; CREATE TEMP VIEW few AS SELECT * FROM animals WHERE id < 3; PRAGMA query_only = ON"
        )
        try reader.guarding(QueryGuard(limit: nil, clock: ContinuousClock())) {
            #expect(try reader.connection.integer("SELECT count(*) FROM few") == 2)
            try fixture.alter("DELETE FROM animals WHERE id = 1")
            #expect(try reader.connection.integer("SELECT count(*) FROM few") == 2)
        }
        #expect(try rows("SELECT count(*) FROM few", in: reader) == ["1"])
    }

    @Test(arguments: 0..<8)
    func `hostile statements change nothing and end with rows or a typed error`(seed: UInt64) async throws {
        let reader = try await prepare()
        let before = try contents()
        var statements = HostileStatements(seed: seed, folder: fixture.folder.url.path)
        for _ in 0..<45 {
            let statement = statements.next()
            guard !statement.needsProcess else { continue }
            do {
                _ = try count(statement.sql, in: reader)
            } catch let error as PersistenceError {
                #expect([.request, .limit].contains(error.kind), "\(statement): \(error)")
                #expect(error.message.utf8.count < 1_000)
            }
        }
        #expect(try contents() == before)
        #expect(try rows("SELECT count(*) FROM animals", in: reader) == ["200"])
    }

    private func count(_ sql: String, in reader: ReadOnlyDatabase) throws -> Int {
        try reader.guarding(QueryGuard(limit: .milliseconds(20), clock: ContinuousClock())) {
            try reader.rows(sql).write(as: .ndjson) { _ in }
        }
    }

    /// The bytes of every file but the one that readers note their locks in.
    private func contents() throws -> [String: Data] {
        let names = try FileManager.default.contentsOfDirectory(atPath: fixture.folder.url.path)
        return try Dictionary(
            uniqueKeysWithValues: names.filter { !$0.hasSuffix("-shm") }.map {
                ($0, try Data(contentsOf: URL(filePath: fixture.folder.path($0))))
            })
    }
}
