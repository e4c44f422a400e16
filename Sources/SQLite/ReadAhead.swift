import CReadAhead
import CSQLite

/// The VFS of connections that only read: long scans come in many pages at a time, and past the cache.
enum ReadAhead {
    /// What a connection is opened with; registered with SQLite by the first.
    static var name: UnsafePointer<CChar> {
        get throws(SQLiteError) {
            guard registration == SQLITE_OK else {
                throw SQLiteError(code: registration, message: String(cString: sqlite3_errstr(registration)))
            }
            return garner_read_ahead
        }
    }

    /// SQLite asks for what it may see in place of a copy where it may map a file, be it by a byte (sqlite.org/mmap.html).
    static let enabling = "PRAGMA mmap_size = 1"

    /// SQLite looks for each page in the index of the log then, be it in the cache: in a log of 100 MB, that is a fifth of a
    /// cached lookup's time.
    static let largestLogBytes = 32 << 20

    private static let registration = garner_read_ahead_register()
}
