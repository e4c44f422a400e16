import Database
import SQLite
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

    @Test func `is committed as a whole`() throws {
        let result = try connection.transaction {
            #expect(connection.isInTransaction)
            try connection.execute("INSERT INTO t VALUES (1, 1)")
            return 5
        }
        #expect(result == 5)
        #expect(!connection.isInTransaction)
        #expect(try database.reader().integer("SELECT count(*) FROM t") == 1)
    }

    @Test func `leaves nothing after an error`() throws {
        #expect(throws: Stop.self) {
            try connection.transaction {
                try connection.execute("INSERT INTO t VALUES (1, 1)")
                throw Stop()
            }
        }
        #expect(!connection.isInTransaction)
        #expect(try connection.integer("SELECT count(*) FROM t") == 0)
    }

    @Test func `holds the write lock from its start`() throws {
        let other = try database.writer(busyTimeout: .zero)
        try connection.transaction {
            #expect(sqliteError { try other.transaction {} }?.kind == .busy)
        }
        try other.transaction {}
    }

    @Test func `does not begin while another writes`() throws {
        let other = try database.writer()
        try other.executeScript("BEGIN IMMEDIATE")
        var ran = false
        #expect(sqliteError { try connection.transaction { ran = true } }?.kind == .busy)
        #expect(!ran)
        #expect(!connection.isInTransaction)
    }

    /// A reader that stays keeps a rollback journal's COMMIT from its exclusive lock.
    @Test func `is rolled back where its commit is busy`() throws {
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

    @Test func `ends where a full disk has rolled it back`() throws {
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

    @Test func `does not try to undo what SQLite has undone`() throws {
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

    @Test func `within another is a part of it, which is undone alone`() throws {
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

    @Test func `within one that fails leaves nothing`() throws {
        #expect(throws: Stop.self) {
            try connection.transaction {
                try connection.transaction { try connection.execute("INSERT INTO t VALUES (1, 1)") }
                throw Stop()
            }
        }
        #expect(try connection.integer("SELECT count(*) FROM t") == 0)
    }

    @Test func `of a rehearsal is never committed`() throws {
        try connection.beginDryRun()
        try connection.transaction { try connection.execute("INSERT INTO t VALUES (1, 1)") }
        #expect(try connection.integer("SELECT count(*) FROM t") == 1)
        connection.close()
        #expect(try database.reader().integer("SELECT count(*) FROM t") == 0)
    }

    @Test func `of a rehearsal that SQLite has undone is refused`() throws {
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
