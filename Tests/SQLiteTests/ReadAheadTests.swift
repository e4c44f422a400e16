import CGarnerSQLite
import GarnerDatabase
import Foundation
import TestSupport
import Testing

@testable import GarnerSQLite

/// Scans that are longer than what is read at a time.
struct ReadAheadTests {
    private let database: Database
    private let writer: Connection

    init() throws {
        database = try Database()
        writer = try database.writer()
        try writer.executeScript(
            """
            PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE t (n INTEGER PRIMARY KEY, text TEXT);
            \(Self.insertion(of: 1...4_000))
            """)
        try checkpoint()
    }

    @Test func `a long scan goes past the cache`() throws {
        let pages = try #require(try writer.integer("PRAGMA page_count"))
        let reader = try database.reader()
        #expect(try sum(reader) == sum(writer))
        #expect(try missedPages(of: reader) < pages / 8)
        #expect(pages > 300)
    }

    @Test func `beside a long log, the cache is asked first`() throws {
        try writer.executeScript("CREATE TABLE filler (bytes); INSERT INTO filler VALUES (zeroblob(33 << 20))")
        let reader = try database.reader()
        #expect(try sum(reader) == sum(writer))
        #expect(try missedPages(of: reader) > 300)
    }

    @Test func `what a checkpoint changed between two transactions is seen`() throws {
        let reader = try database.reader()
        let changed = [1_940, 1_960, 1_980, 2_000]
        // These pages are in the log, and the scan ends with what stands in the file beside their old state.
        try writer.executeScript("UPDATE t SET text = upper(text) || n WHERE n IN (1940, 1960, 1980, 2000)")
        #expect(try sum(reader, upTo: 2_000) == sum(writer, upTo: 2_000))
        // Now they are in the file. Nothing was committed, by which the reader could tell.
        try checkpoint(SQLITE_CHECKPOINT_PASSIVE)
        for n in changed {
            let text = "SELECT text FROM t WHERE n = \(n)"
            #expect(try reader.text(text) == writer.text(text))
        }
    }

    @Test func `a page stays what it is while others are read`() throws {
        let reader = try database.reader()
        // The first cursor is far enough to be shown what was read ahead, and the second goes beyond that.
        let pairs = """
            SELECT sum(a.n * b.n) FROM t AS a CROSS JOIN t AS b WHERE +a.n BETWEEN 1500 AND 1530
            """
        #expect(try reader.integer(pairs) == writer.integer(pairs))
    }

    @Test func `a snapshot stays what it was while another connection writes and checkpoints`() throws {
        let reader = try database.reader()
        let expected = try sum(writer)
        try reader.snapshot {
            #expect(try sum(reader) == expected)
            for step in 1...5 {
                try writer.executeScript("UPDATE t SET text = text || n WHERE n % 7 = \(step)")
                try writer.executeScript("DELETE FROM t WHERE n < 9 * \(step)")
                try checkpoint(SQLITE_CHECKPOINT_PASSIVE)
                #expect(try sum(reader) == expected)
            }
        }
        #expect(try sum(reader) == sum(writer))
    }

    @Test(arguments: ["WAL", "DELETE"], [1, 2, 3] as [UInt64])
    func `a reader sees what the writer sees, whatever was written`(journal: String, seed: UInt64) throws {
        #expect(try writer.text("PRAGMA journal_mode = \(journal)")?.uppercased() == journal)
        var random = SplitMix64(seed: seed)
        let reader = try database.reader()
        for step in 1...40 {
            let first = Int.random(in: 1...8_000, using: &random)
            let last = first + Int.random(in: 0...600, using: &random)
            switch Int.random(in: 0...4, using: &random) {
            case 0: try writer.executeScript("DELETE FROM t WHERE n BETWEEN \(first) AND \(last)")
            case 1: try writer.executeScript(Self.insertion(of: first...last))
            case 2: try writer.executeScript("UPDATE t SET text = n || \(step) WHERE n BETWEEN \(first) AND \(last)")
            case 3: try checkpoint(SQLITE_CHECKPOINT_PASSIVE)
            default: try checkpoint()
            }
            for question in Self.questions {
                #expect(try reader.integer(question) == writer.integer(question), "step \(step): \(question)")
            }
        }
    }

    /// If the file were mapped into memory, this would end the process.
    @Test func `a file that is cut off under a reader is an error`() throws {
        let reader = try database.reader()
        try reader.snapshot {
            #expect(try reader.integer("SELECT count(*) FROM t WHERE n < 1200") == 1_199)
            let size = try #require(try writer.integer("PRAGMA page_count")) * 4096
            #expect(truncate(database.path, off_t(size / 2)) == 0)
            let error = sqliteError { _ = try sum(reader) }
            #expect(error?.kind == .corrupt)
        }
    }

    private static let questions = [
        "SELECT count(*) FROM t", "SELECT sum(n * 31 + length(text)) FROM t",
        "SELECT sum(a.n * 3 + length(b.text)) FROM t AS a JOIN t AS b ON b.n = a.n + 500",
        "SELECT sum(length(text)) FROM t WHERE n IN (SELECT n * 17 % 4000 FROM t)",
    ]

    private static func insertion(of numbers: ClosedRange<Int>) -> String {
        """
        WITH RECURSIVE n (i) AS (SELECT \(numbers.lowerBound) UNION ALL SELECT i + 1 FROM n WHERE i < \(numbers.upperBound))
        INSERT OR REPLACE INTO t SELECT i, 'a' || i || hex(zeroblob(150 + i % 100)) FROM n;
        """
    }

    private func sum(_ connection: Connection, upTo last: Int64 = .max) throws -> Int64? {
        try connection.integer("SELECT sum(n * 31 + length(text)) FROM t WHERE n <= ?", .integer(last))
    }

    /// The pages that were copied into its cache.
    private func missedPages(of reader: Connection) throws -> Int64 {
        var count: Int32 = 0
        var highest: Int32 = 0
        try #require(sqlite3_db_status(reader.handle, SQLITE_DBSTATUS_CACHE_MISS, &count, &highest, 0) == SQLITE_OK)
        return Int64(count)
    }

    private func checkpoint(_ mode: Int32 = SQLITE_CHECKPOINT_TRUNCATE) throws {
        try #require(sqlite3_wal_checkpoint_v2(writer.handle, "main", mode, nil, nil) == SQLITE_OK)
    }
}
