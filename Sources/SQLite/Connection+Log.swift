import CSQLite

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

// The write-ahead log: what was committed and is not in the database file yet.
extension Connection {
    /// The size of the log's file; 0 where there is none.
    package var logBytes: Int {
        guard isOpen, let database = sqlite3_db_filename(handle, "main"), database.pointee != 0,
            let log = sqlite3_filename_wal(database)
        else { return 0 }
        var status = stat()
        return stat(log, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Folds the log into the database and empties it; false where a reader or another writer is in the way.
    ///
    /// What can be folded in is, even then; only a log that nobody reads can begin anew
    /// (sqlite.org/c3ref/wal_checkpoint_v2.html).
    ///
    /// - Parameter patience: how long they are waited for.
    package func checkpoint(waiting patience: Duration) throws(SQLiteError) -> Bool {
        guard isOpen else { throw .closed(path, "a checkpoint") }
        setBusyTimeout(patience)
        defer { setBusyTimeout(busyTimeout) }
        let code = sqlite3_wal_checkpoint_v2(handle, "main", SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
        if code == SQLITE_OK { return true }
        let failure = error()
        guard failure.kind == .busy else { throw failure }
        return false
    }
}
