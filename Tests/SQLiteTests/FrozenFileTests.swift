import Foundation
import GarnerSQLite
import TestSupport
import Testing

/// Databases on a file system that nobody can write to.
struct FrozenFileTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("zoo #1 50%?é.db")
        let writer = try Connection(path: path, mode: .readWrite)
        try writer.executeScript("PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (7)")
        writer.close()
    }

    @Test func `a database beside which no index can be made is read if it cannot change`() throws {
        // As on a file system without writers, the index cannot be made: SQLite follows no link to one.
        try FileManager.default.createSymbolicLink(atPath: path + "-shm", withDestinationPath: "nowhere")
        #expect(throws: SQLiteError.self) { try Connection(path: path, mode: .readOnly) }
        let reader = try Connection(path: path, mode: .immutable)
        #expect(try reader.integer("SELECT a FROM t") == 7)
        #expect(throws: SQLiteError.self) { try reader.execute("INSERT INTO t VALUES (8)") }
    }

    @Test(arguments: [("", true), ("-wal", false), ("-shm", false), ("-journal", false)])
    func `a database with a log or an index beside it may change`(suffix: String, expected: Bool) throws {
        if suffix != "" { try Data("x".utf8).write(to: URL(filePath: path + suffix)) }
        #expect(FrozenFile(path: path) { _ in true }.isFrozen == expected)
        #expect(!FrozenFile(path: path) { _ in false }.isFrozen)
        #expect(!FrozenFile(path: path).isFrozen)
    }

    @Test func `the log is looked for beside the file that a link leads to`() throws {
        let link = folder.path("link.db")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        #expect(FrozenFile(path: link) { _ in true }.isFrozen)
        try Data("x".utf8).write(to: URL(filePath: path + "-wal"))
        #expect(!FrozenFile(path: link) { _ in true }.isFrozen)
    }
}
