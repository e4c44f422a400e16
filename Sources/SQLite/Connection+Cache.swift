import CGarnerSQLite

// The pages of the database that a connection keeps in memory.
extension Connection {
    /// The number of pages that were read since the last call, because they were not in memory.
    package func takeReadPages() -> Int {
        var (count, highest) = (Int32(0), Int32(0))
        guard isOpen, sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_MISS, &count, &highest, 1) == SQLITE_OK else {
            return 0
        }
        return Int(count)
    }

    /// The size of a page of the database, in bytes.
    package var pageSize: Int { (try? integer("PRAGMA page_size")).map { Int($0) } ?? 4096 }

    /// Keeps what a savepoint sets aside in memory, whatever its size. A page of a thousand records in no order of their keys
    /// sets up to 16 MiB aside.
    ///
    /// With a limit of more than 128 KiB, SQLite 3.40 fails with SQLITE_FULL beyond it: it moves all to a file in one write, and
    /// its VFS takes only the lower 17 bits of a write's length (os_unix.c).
    ///
    /// SQLite accepts it before the first connection only (sqlite.org/c3ref/config.html).
    static let keepsSavepointsInMemory =
        garner_sqlite_configure_all(SQLITE_CONFIG_STMTJRNL_SPILL, -1) == SQLITE_OK

    /// Stops counting the memory of SQLite in this process, which takes a lock for each allocation. Only a limit of memory needs
    /// the count, and only programs that run a user's SQL have one; those do not write.
    ///
    /// SQLite accepts it before the first connection only. Later, it changes nothing.
    package static func stopCountingMemory() { _ = countsNoMemory }

    private static let countsNoMemory = garner_sqlite_configure_all(SQLITE_CONFIG_MEMSTATUS, 0) == SQLITE_OK

    /// Sets the memory for pages, and the size of the write-ahead log from which a commit copies it into the database. What
    /// exceeds a smaller memory is freed.
    package func setCache(kibibytes: Int, logPages: Int) throws(SQLiteError) {
        try executeScript("PRAGMA cache_size = -\(kibibytes)")
        if let commitObserver {
            // The pragma would take the observer's hook away.
            commitObserver.logPages = Int32(clamping: logPages)
        } else {
            try executeScript("PRAGMA wal_autocheckpoint = \(logPages)")
        }
    }
}
