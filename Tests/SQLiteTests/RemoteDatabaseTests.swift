import Foundation
import GarnerDatabase
import GarnerSQLite
import Synchronization
import TestSupport
import Testing

/// Reads databases whose pages are in no file.
struct RemoteDatabaseTests {
    private let database: Database
    private let kept = KeptDatabase()
    private let writer: Connection

    init() throws {
        database = try Database()
        writer = try database.writer()
        try writer.executeScript("PRAGMA page_size = 4096; PRAGMA journal_mode = WAL")
        try writer.observeCommits { [kept] in kept.receive($0) }
        try writer.executeScript(
            """
            CREATE TABLE t (n INTEGER PRIMARY KEY, text TEXT); CREATE INDEX texts ON t (text);
            WITH RECURSIVE g(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM g WHERE i < 5000)
            INSERT INTO t SELECT i, 'row ' || i || hex(zeroblob(100)) FROM g
            """)
    }

    private func reader(_ path: String) throws -> Connection { try Connection(path: path, mode: .readOnly) }

    private func rows(_ sql: String, _ connection: Connection) throws -> [[Value]] {
        try connection.rows(sql) { row in (0..<row.columnCount).map { row.value(at: $0) } }
    }

    @Test(arguments: [
        "SELECT * FROM t ORDER BY n", "SELECT count(*), sum(n) FROM t", "SELECT * FROM t WHERE n = 4711",
        "SELECT n FROM t ORDER BY text DESC LIMIT 10", "SELECT * FROM sqlite_schema", "PRAGMA integrity_check",
        "PRAGMA page_count", "PRAGMA page_size", "PRAGMA schema_version", "SELECT a.n FROM t a JOIN t b USING (text)",
    ])
    func `a query has the answer that the file gives`(sql: String) throws {
        let (reader, file) = (try reader(kept.register()), try database.reader())
        #expect(try rows(sql, reader) == rows(sql, file))
    }

    @Test func `each transaction sees the newest version, and one alone`() throws {
        let reader = try reader(kept.register())
        var random = SplitMix64(seed: 1)
        var versions: Set<Int64> = []
        for round in 0...60 {
            try writer.transaction {
                for _ in 0..<20 {
                    try writer.execute(
                        "INSERT OR REPLACE INTO t (n, text) VALUES (?1, ?2)",
                        .integer(Int64.random(in: 1...6_000, using: &random)), .text("\(round)"))
                }
            }
            if round == 20 { try writer.executeScript("ALTER TABLE t ADD COLUMN more; CREATE INDEX more ON t (more)") }
            if round == 40 { try writer.executeScript("DELETE FROM t WHERE n % 3 = 0; VACUUM") }
            let all = "SELECT * FROM t ORDER BY n"
            let expected = try rows(all, writer)
            try reader.snapshot {
                #expect(try reader.integer("SELECT count(*) FROM t") == Int64(expected.count))
                // What is committed meanwhile is not seen.
                try writer.execute("INSERT INTO t (text) VALUES ('later')")
                #expect(try rows(all, reader) == expected)
            }
            try versions.insert(#require(try reader.integer("PRAGMA data_version")))
        }
        #expect(versions.count == 61)
        #expect(try reader.text("PRAGMA integrity_check") == "ok")
    }

    @Test func `pages that come in order are asked for ahead, and kept while the version is the same`() throws {
        let reads = Watched<[(UInt32, Int)]>([])
        let reader = try reader(kept.register { first, count in reads.change { $0.append((first, count)) } })
        let before = reads.value.count
        #expect(try reader.integer("SELECT sum(length(text)) FROM t NOT INDEXED") ?? 0 > 0)
        let pages = Int(kept.pageCount)
        let counts = reads.value.dropFirst(before).map(\.1)
        #expect(pages > 250 && counts.count < 30, "\(pages) \(counts)")
        #expect(counts.max().map { $0 >= 64 && $0 <= 256 } == true)
        let scanned = reads.value.count
        try reader.executeScript("PRAGMA shrink_memory")
        _ = try reader.integer("SELECT sum(length(text)) FROM t NOT INDEXED")
        #expect(reads.value.count == scanned)
        try writer.execute("UPDATE t SET text = 'new' WHERE n = 1")
        _ = try reader.integer("SELECT sum(length(text)) FROM t NOT INDEXED")
        #expect(reads.value.count > scanned)
    }

    @Test func `a look-up asks for few pages`() throws {
        let reads = Watched(0)
        let reader = try reader(kept.register { _, count in reads.change { $0 += count } })
        let before = reads.value
        #expect(try reader.text("SELECT text FROM t WHERE n = 2500")?.hasPrefix("row 2500") == true)
        #expect(reads.value - before <= 4)
    }

    @Test func `a source that fails in the midst of a read is told as it is, and may go on later`() throws {
        struct Outage: Error, Equatable {}
        let reads = Watched(0)
        let path = kept.register { [kept] _, _ in
            reads.change { $0 += 1 }
            if reads.value == 4 { kept.failure = Outage() }
        }
        let reader = try reader(path)
        #expect(RemoteDatabase.failure(at: path) == nil)
        let error = sqliteError { _ = try rows("SELECT * FROM t ORDER BY text", reader) }
        #expect(error?.kind == .io)
        #expect(RemoteDatabase.failure(at: path) is Outage)
        #expect(sqliteError { _ = try reader.integer("SELECT count(*) FROM t") }?.kind == .io)
        #expect(RemoteDatabase.failure(at: path) is Outage)
        kept.failure = nil
        #expect(try reader.integer("SELECT count(*) FROM t") == 5_000)
        #expect(RemoteDatabase.failure(at: path) == nil)
    }

    @Test func `a source that cannot be opened, or gives no pages, is an error`() throws {
        struct Refusal: Error {}
        let path = RemoteDatabase.prefix + "refused"
        RemoteDatabase.register(RemoteDatabase(open: { throw Refusal() }, isWritten: { false }), as: path)
        #expect(sqliteError { _ = try reader(path) }?.kind == .cannotOpen)
        #expect(RemoteDatabase.failure(at: path) is Refusal)
        #expect(sqliteError { _ = try reader(RemoteDatabase.prefix + "unknown") }?.kind == .cannotOpen)
        let short = KeptDatabase()
        short.receive(CommittedPages(images: [1: [1, 2, 3]], pageCount: 9, pageSize: 4096))
        let shortPath = short.register()
        #expect(sqliteError { _ = try reader(shortPath) }?.kind == .io)
        #expect(RemoteDatabase.failure(at: shortPath) != nil)
        let odd = KeptDatabase()
        odd.receive(CommittedPages(images: [1: [1, 2, 3]], pageCount: 1, pageSize: 3))
        #expect(sqliteError { _ = try reader(odd.register()) }?.kind == .io)
    }

    @Test func `a database that has nothing is an empty one`() throws {
        let reader = try reader(KeptDatabase().register())
        #expect(try reader.integer("SELECT count(*) FROM sqlite_schema") == 0)
    }

    @Test func `nothing can be written`() throws {
        let path = kept.register()
        #expect(sqliteError { _ = try Connection(path: path, mode: .readWrite) }?.kind == .readOnly)
        let reader = try reader(path)
        try reader.executeScript("PRAGMA query_only = OFF")
        for sql in ["DELETE FROM t", "CREATE TABLE x (a)", "PRAGMA user_version = 3", "VACUUM"] {
            #expect(sqliteError { try reader.executeScript(sql) } != nil, "\(sql)")
        }
        #expect(try reader.text("PRAGMA journal_mode = WAL") == "delete")
        // SQLite's own tables for a query are in memory or in a file of the system.
        try reader.executeScript("CREATE TEMP TABLE x AS SELECT * FROM t")
        #expect(try reader.integer("SELECT count(*) FROM x") == 5_000)
    }

    @Test func `no file is asked for what concerns a file`() throws {
        let path = kept.register(isWritten: true)
        let reader = try reader(path)
        #expect(reader.fileLoss == nil && reader.placeLoss == nil && reader.logBytes == 0 && reader.isOpenElsewhere)
        try reader.syncLog()
        #expect(RemoteDatabase.at(path)?.isWritten == true)
        #expect(RemoteDatabase.at(database.path) == nil && RemoteDatabase.failure(at: database.path) == nil)
        #expect(RemoteDatabase.size(at: path) == Int(kept.pageCount) * 4096)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func `a copy of it is a file`() throws {
        let source = try reader(kept.register())
        let copy = try Connection(path: database.folder.path("copy.db"), mode: .readWrite)
        let backup = try Backup(of: source, to: copy)
        while try backup.step(pages: 100) {}
        try backup.finish()
        #expect(try rows("SELECT * FROM t", copy) == rows("SELECT * FROM t", writer))
        #expect(try copy.text("PRAGMA integrity_check") == "ok")
    }
}
