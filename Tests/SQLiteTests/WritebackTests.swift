import CSQLite
import CVFS
import Foundation
import Testing

@testable import SQLite

/// What is written early to the disk. Only Linux can be asked for it.
#if os(Linux)
    struct WritebackTests {
        private let database: Database
        private let connection: Connection
        private static let megabytes = 5

        init() throws {
            database = try Database()
            connection = try database.writer()
            try connection.executeScript(
                "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE t (bytes)")
        }

        @Test func `the log is written to the disk while it grows`() throws {
            try write()
            let (log, descriptor) = try asked(SQLITE_FCNTL_JOURNAL_POINTER)
            #expect(try path(of: descriptor) == connection.path + "-wal")
            #expect(log > connection.logBytes - (2 << 20))
            #expect(log < connection.logBytes)
            #expect(log % 4096 == 0)
            #expect(try asked(SQLITE_FCNTL_FILE_POINTER).end == 0)
        }

        @Test func `the database is written to the disk while the log is copied into it`() throws {
            try write()
            #expect(try connection.checkpoint(waiting: .zero))
            let size = try #require(
                try connection.integer("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"))
            let (asked, descriptor) = try asked(SQLITE_FCNTL_FILE_POINTER)
            #expect(try path(of: descriptor) == connection.path)
            #expect(asked > Int(size) - (2 << 20))
            #expect(asked < Int(size))
        }

        @Test func `a little is written when SQLite asks for it`() throws {
            try connection.execute("INSERT INTO t VALUES (zeroblob(500000))")
            #expect(try asked(SQLITE_FCNTL_JOURNAL_POINTER).end == 0)
        }

        @Test func `a log that was moved away is left alone`() throws {
            try write()
            let before = try asked(SQLITE_FCNTL_JOURNAL_POINTER).end
            let path = connection.path + "-wal"
            try #require(rename(path, path + ".old") == 0)
            try connection.execute("INSERT INTO t VALUES (zeroblob(3 << 20))")
            #expect(try asked(SQLITE_FCNTL_JOURNAL_POINTER).end == before)
            try #require(rename(path + ".old", path) == 0)
        }

        private func write() throws {
            for _ in 0..<Self.megabytes { try connection.execute("INSERT INTO t VALUES (zeroblob(1 << 20))") }
        }

        /// Returns how far into the database or its log the kernel was asked to write it, in bytes, and the descriptor that is named to it.
        private func asked(_ file: Int32) throws -> (end: Int, descriptor: Int32) {
            var found: UnsafeMutablePointer<sqlite3_file>?
            try #require(sqlite3_file_control(connection.handle, "main", file, &found) == SQLITE_OK)
            let control = try #require(found?.pointee.pMethods?.pointee.xFileControl)
            var (end, descriptor): (sqlite3_int64, Int32) = (-1, -1)
            try #require(control(found, Int32(GARNER_FCNTL_WRITEBACK), &end) == SQLITE_OK)
            try #require(control(found, Int32(GARNER_FCNTL_DESCRIPTOR), &descriptor) == SQLITE_OK)
            return (Int(end), descriptor)
        }

        private func path(of descriptor: Int32) throws -> String {
            try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
        }
    }
#endif
