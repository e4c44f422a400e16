import Foundation
import GarnerDatabase
import GarnerSQLite
import Testing

struct TransactionTests {
    let connection: Connection
    private let database: Database

    init() throws {
        database = try Database()
        connection = try database.writer()
        try connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, a)")
    }

    private struct Stop: Error {}

    @Test func `a transaction is committed as a whole`() throws {
        let result = try connection.transaction {
            #expect(connection.isInTransaction)
            try connection.execute("INSERT INTO t VALUES (1, 1)")
            return 5
        }
        #expect(result == 5)
        #expect(!connection.isInTransaction)
        #expect(try database.reader().integer("SELECT count(*) FROM t") == 1)
    }

    @Test func `a transaction leaves nothing after an error`() throws {
        #expect(throws: Stop.self) {
            try connection.transaction {
                try connection.execute("INSERT INTO t VALUES (1, 1)")
                throw Stop()
            }
        }
        #expect(!connection.isInTransaction)
        #expect(try connection.integer("SELECT count(*) FROM t") == 0)
    }

    /// SQLite would move what is set aside to a file if its memory had a limit, and cannot.
    @Test func `a nested transaction may set more aside than any limit of SQLite's`() throws {
        try connection.executeScript("PRAGMA journal_mode = WAL")
        try connection.execute(
            """
            WITH n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) INSERT INTO t SELECT i, zeroblob(4000) FROM n
            """)
        try connection.transaction {
            try connection.transaction {
                try connection.execute("UPDATE t SET a = zeroblob(3999) WHERE id < 2500")
                try connection.execute("UPDATE t SET a = zeroblob(3998)")
            }
        }
        #expect(try connection.integer("SELECT sum(length(a)) FROM t") == 5000 * 3998)
    }

    /// SQLite 3.40 commits without checksums behind a savepoint that was undone after its pages had been written twice.
    @Test func `what is committed behind an undone savepoint is there after a kill`() throws {
        try connection.executeScript("PRAGMA journal_mode = WAL")
        let fill = """
            WITH n (i) AS (SELECT ?1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
            INSERT OR REPLACE INTO t SELECT (i * 37) % 1000, zeroblob(400) FROM n
            """
        try connection.execute(fill, .integer(1), .integer(999))
        _ = try connection.checkpoint(waiting: .zero)
        try connection.setCache(kibibytes: 40, logPages: 0)
        // As the writer does with a page that is refused: what came before it is committed, unless it was undone, too.
        try connection.begin(waitingForDisk: true)
        try connection.execute("UPDATE t SET a = 'told' WHERE id = 500")
        #expect(throws: Stop.self) {
            try connection.transaction {
                try connection.execute(fill, .integer(400), .integer(475))
                try connection.execute(fill, .integer(450), .integer(475))
                throw Stop()
            }
        }
        if !connection.isInTransaction { try connection.begin(waitingForDisk: true) }
        try connection.execute("UPDATE t SET a = 'told' WHERE id = 501")
        try connection.commit()
        for name in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: database.path + name, toPath: database.path + ".killed" + name)
        }
        let killed = try Connection(path: database.path + ".killed", mode: .readWrite)
        #expect(try killed.text("SELECT a FROM t WHERE id = 501") == "told")
    }

    @Test func `a transaction holds the write lock from its start`() throws {
        let other = try database.writer(busyTimeout: .zero)
        try connection.transaction {
            #expect(sqliteError { try other.transaction {} }?.kind == .busy)
        }
        try other.transaction {}
    }

    @Test func `a transaction does not begin while another connection writes`() throws {
        let other = try database.writer()
        try other.executeScript("BEGIN IMMEDIATE")
        var ran = false
        #expect(sqliteError { try connection.transaction { ran = true } }?.kind == .busy)
        #expect(!ran)
        #expect(!connection.isInTransaction)
    }

    /// A reader that stays keeps a rollback journal's COMMIT from its exclusive lock.
    @Test func `a transaction whose commit is busy is rolled back`() throws {
        let reader = try database.reader()
        try reader.snapshot {
            _ = try reader.integer("SELECT count(*) FROM t")
            #expect(
                sqliteError { try connection.transaction { try connection.execute("INSERT INTO t VALUES (1, 1)") } }?
                    .kind == .busy)
            #expect(!connection.isInTransaction)
        }
        #expect(try connection.integer("SELECT count(*) FROM t") == 0)
        try connection.transaction { try connection.execute("INSERT INTO t VALUES (1, 1)") }
    }

    @Test func `a transaction ends after a full disk has rolled it back`() throws {
        try connection.executeScript("PRAGMA max_page_count = 10")
        let error = sqliteError {
            try connection.transaction {
                for _ in 0..<100 { try connection.execute("INSERT INTO t (a) VALUES (zeroblob(4096))") }
            }
        }
        #expect(error?.kind == .full)
        #expect(!connection.isInTransaction)
        #expect(try connection.integer("SELECT count(*) FROM t") == 0)
        try connection.transaction { try connection.execute("INSERT INTO t VALUES (1, 1)") }
    }

    @Test func `a transaction does not roll back what SQLite has rolled back`() throws {
        let error = sqliteError {
            try connection.transaction {
                try connection.execute("INSERT INTO t VALUES (1, 1)")
                try connection.execute("INSERT OR ROLLBACK INTO t VALUES (1, 2)")
            }
        }
        #expect(error?.code == 1555)
        #expect(!connection.isInTransaction)
        #expect(try connection.integer("SELECT count(*) FROM t") == 0)
    }

    @Test func `a nested transaction is part of the outer one and can be undone alone`() throws {
        func insert(_ id: Int64, thenFail fails: Bool) throws {
            try connection.transaction {
                try connection.execute("INSERT INTO t (id) VALUES (?1)", .integer(id))
                if fails { throw Stop() }
            }
        }
        try connection.transaction {
            try connection.execute("INSERT INTO t VALUES (1, 1)")
            try insert(2, thenFail: false)
            #expect(throws: Stop.self) { try insert(3, thenFail: true) }
            #expect(connection.isInTransaction)
        }
        #expect(try connection.rows("SELECT id FROM t") { $0.integer(at: 0) } == [1, 2])
    }

    @Test func `a nested transaction leaves nothing when the outer one fails`() throws {
        #expect(throws: Stop.self) {
            try connection.transaction {
                try connection.transaction { try connection.execute("INSERT INTO t VALUES (1, 1)") }
                throw Stop()
            }
        }
        #expect(try connection.integer("SELECT count(*) FROM t") == 0)
    }

    @Test func `a transaction of a dry run is never committed`() throws {
        try connection.beginDryRun()
        try connection.transaction { try connection.execute("INSERT INTO t VALUES (1, 1)") }
        #expect(try connection.integer("SELECT count(*) FROM t") == 1)
        connection.close()
        #expect(try database.reader().integer("SELECT count(*) FROM t") == 0)
    }

    @Test func `a transaction of a dry run that SQLite has rolled back is refused`() throws {
        try connection.beginDryRun()
        _ = sqliteError { try connection.execute("INSERT OR ROLLBACK INTO t VALUES (1, 1), (1, 1)") }
        #expect(!connection.isInTransaction)
        var ran = false
        #expect(sqliteError { try connection.transaction { ran = true } } != nil)
        #expect(!ran)
    }

    @Test func `a snapshot changes nothing`() throws {
        try connection.snapshot { try connection.execute("INSERT INTO t VALUES (1, 1)") }
        #expect(try connection.integer("SELECT count(*) FROM t") == 0)
    }
}
