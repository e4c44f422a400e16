import CSQLite

/// Copies one database over another, some pages at a time, while others read and write the one that is copied.
///
/// Where the source stays in one `snapshot`, all steps see the same state of it, whoever writes meanwhile. Outside of one,
/// "if the source database is modified by another process … the backup will be automatically restarted by the next call to
/// sqlite3_backup_step()" (sqlite.org/c3ref/backup_finish.html).
package final class Backup {
    // Both stay open for as long as this object.
    private let source: Connection
    private let copy: Connection
    private var handle: OpaquePointer?

    package init(of source: Connection, to copy: Connection) throws(SQLiteError) {
        for connection in [source, copy] where !connection.isOpen { throw .closed(connection.path, "a backup") }
        guard let handle = sqlite3_backup_init(copy.handle, "main", source.handle, "main") else { throw copy.error() }
        (self.source, self.copy, self.handle) = (source, copy, handle)
    }

    deinit { sqlite3_backup_finish(handle) }

    /// Copies so many pages; false when none is left.
    package func step(pages: Int) throws(SQLiteError) -> Bool {
        let code = sqlite3_backup_step(handle, Int32(clamping: pages))
        switch code {
        case SQLITE_OK: return true
        case SQLITE_DONE: return false
        default: throw SQLiteError(code: code, message: String(cString: sqlite3_errstr(code)))
        }
    }

    /// Of the source, as the latest step found it.
    package var pageCount: Int { handle.map { Int(sqlite3_backup_pagecount($0)) } ?? 0 }

    /// Commits the copy, after which it can be used.
    package func finish() throws(SQLiteError) {
        let code = sqlite3_backup_finish(handle)
        handle = nil
        guard code == SQLITE_OK else { throw SQLiteError(code: code, message: String(cString: sqlite3_errstr(code))) }
    }
}
