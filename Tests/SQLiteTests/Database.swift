import GarnerSQLite
import TestSupport

/// A database file of its own.
struct Database {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("test.db")
    }

    func writer(busyTimeout: Duration = .milliseconds(20)) throws(SQLiteError) -> Connection {
        try Connection(path: path, mode: .readWrite, busyTimeout: busyTimeout)
    }

    func reader() throws(SQLiteError) -> Connection {
        try Connection(path: path, mode: .readOnly, busyTimeout: .milliseconds(20))
    }
}

/// The error that `body` throws; nil where it throws none, or one of another type.
func sqliteError(_ body: () throws -> Void) -> SQLiteError? {
    do {
        try body()
        return nil
    } catch {
        return error as? SQLiteError
    }
}
