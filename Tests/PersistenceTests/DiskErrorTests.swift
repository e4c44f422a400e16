import Foundation
import GarnerPersistence
import GarnerSQLite
import Testing

/// The errors that report a failing disk.
struct DiskErrorTests {
    /// SQLITE_CANTOPEN, and what `sqlite3_system_errno` adds.
    private static let openings: [(Int32, PersistenceError.Kind)] = [
        (EIO, .inputOutput), (ENOSPC, .inputOutput), (EDQUOT, .inputOutput), (EACCES, .permission),
        (ENOENT, .permission), (0, .permission),
    ]

    @Test(arguments: openings)
    func `a file that cannot be opened is a question of permission only where it is`(
        systemCode: Int32, kind: PersistenceError.Kind
    ) {
        let error = SQLiteError(code: 14, message: "unable to open database file", systemCode: systemCode)
        #expect(PersistenceError(error, path: "garner.db").kind == kind)
    }

    @Test func `a full disk is named as the reason where a log cannot be made`() {
        let error = PersistenceError(
            SQLiteError(code: 14, message: "cannot open", systemCode: ENOSPC), path: "garner.db")
        #expect(error.message.hasSuffix("cannot open (\(String(cString: strerror(ENOSPC))))"))
    }

    @Test func `a connection says why the system could not open its file`() throws {
        let error = #expect(throws: SQLiteError.self) {
            try Connection(path: "/dev/null/garner.db", mode: .readWrite)
        }
        #expect(error?.systemCode == ENOTDIR)
    }
}
