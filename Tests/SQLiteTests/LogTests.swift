import GarnerSQLite
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

    @Test func `a checkpoint moves the write-ahead log into the file and empties it`() throws {
        #expect(writer.logBytes > 0)
        #expect(try writer.checkpoint(waiting: .zero))
        #expect(writer.logBytes == 0)
    }

    @Test(.timeLimit(.minutes(5))) func `a checkpoint waits for a reader no longer than it is told to`() throws {
        let reader = try database.reader()
        try reader.snapshot {
            #expect(try reader.integer("SELECT a FROM t") == 1)
            try writer.execute("UPDATE t SET a = 2")
            #expect(try !writer.checkpoint(waiting: .milliseconds(10)))
            #expect(writer.logBytes > 0)
        }
        #expect(try writer.checkpoint(waiting: .zero))
    }

    @Test func `a database without a write-ahead log has no log size`() throws {
        #expect(try Connection(path: ":memory:", mode: .readWrite).logBytes == 0)
        #expect(try Connection(path: database.folder.path("other.db"), mode: .readWrite).logBytes == 0)
    }
}
