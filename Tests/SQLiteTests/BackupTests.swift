import GarnerSQLite
import TestSupport
import Testing

struct BackupTests {
    private let database: Database
    private let writer: Connection
    private let copy: Connection

    init() throws {
        database = try Database()
        writer = try database.writer()
        try writer.executeScript("PRAGMA journal_mode = WAL; CREATE TABLE t (a)")
        copy = try Connection(path: database.folder.path("copy.db"), mode: .readWrite)
        try insert(200)
    }

    private func insert(_ count: Int) throws {
        try writer.executeScript(
            """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
            INSERT INTO t SELECT randomblob(2000) FROM n
            """)
    }

    /// The steps that the copy took; 500 at most.
    private func steps(_ backup: Backup, between: () throws -> Void) throws -> Int {
        var steps = 1
        while steps < 500, try backup.step(pages: 10) {
            steps += 1
            try between()
        }
        return steps
    }

    @Test func `a backup within a snapshot ends although another connection writes after each step`() throws {
        let reader = try database.reader()
        try reader.snapshot {
            #expect(try reader.integer("SELECT count(*) FROM t") == 200)
            let backup = try Backup(of: reader, to: copy)
            let taken = try steps(backup) { try insert(1) }
            #expect(taken == (backup.pageCount + 9) / 10)
            try backup.finish()
        }
        #expect(try copy.integer("SELECT count(*) FROM t") == 200)
        #expect(try copy.text("PRAGMA integrity_check") == "ok")
        #expect(try writer.integer("SELECT count(*) FROM t") ?? 0 > 205)
    }

    @Test func `a backup outside a snapshot begins again whenever another connection has written`() throws {
        let reader = try database.reader()
        let backup = try Backup(of: reader, to: copy)
        var isFirst = true
        let taken = try steps(backup) {
            if isFirst { try insert(1) }
            isFirst = false
        }
        #expect(taken == (backup.pageCount + 9) / 10 + 1)
        try backup.finish()
        #expect(try copy.integer("SELECT count(*) FROM t") == 201)
    }

    @Test func `a copy that is given up is as it was`() throws {
        try copy.executeScript("CREATE TABLE mine (a)")
        do {
            let backup = try Backup(of: writer, to: copy)
            #expect(try backup.step(pages: 10))
        }
        #expect(try copy.integer("SELECT count(*) FROM mine") == 0)
    }

    @Test func `a closed connection is refused`() throws {
        writer.close()
        #expect(sqliteError { _ = try Backup(of: writer, to: copy) } != nil)
    }
}
