import SQLite
import TestSupport
import Testing

struct LogTests {
    private let database: Database
    private let writer: Connection

    init() throws {
        database = try Database()
        writer = try database.writer(busyTimeout: .seconds(60))
        try writer.executeScript("PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (1)")
    }

    @Test func `is folded in and emptied`() throws {
        #expect(writer.logBytes > 0)
        #expect(try writer.checkpoint(waiting: .zero))
        #expect(writer.logBytes == 0)
    }

    @Test(.timeLimit(.minutes(1))) func `stays while somebody reads it, and is waited for no longer than said`() throws
    {
        let reader = try database.reader()
        try reader.snapshot {
            #expect(try reader.integer("SELECT a FROM t") == 1)
            try writer.execute("UPDATE t SET a = 2")
            #expect(try !writer.checkpoint(waiting: .milliseconds(10)))
            #expect(writer.logBytes > 0)
        }
        #expect(try writer.checkpoint(waiting: .zero))
    }

    @Test func `of a database without one has no size`() throws {
        #expect(try Connection(path: ":memory:", mode: .readWrite).logBytes == 0)
        #expect(try Connection(path: database.folder.path("other.db"), mode: .readWrite).logBytes == 0)
    }
}
