import CGarnerSQLite
package import GarnerDatabase
import Dispatch

/// One connection to a database file, for one thread at a time.
///
/// It owns its handle and its prepared statements. Both are released when it is closed or deallocated.
package final class Connection {
    package enum Mode: Sendable {
        /// Creates the file if it does not exist.
        case readWrite
        case readOnly
        /// For a file that nobody can change: no lock is taken, and no log is looked for.
        case immutable
    }

    package let path: String
    /// True if the path is that of no file (`RemoteDatabase`).
    let isRemote: Bool
    /// The parts of a database that is no file.
    let parts: [RemotePart]
    /// The names of its parts in SQL, which are attached behind the first one; of a file, `main` alone.
    package internal(set) var schemas = ["main"]
    let handle: OpaquePointer
    private var statements: StatementCache
    let observed: UnsafeMutablePointer<ObservedChange>
    private(set) var isOpen = true
    package private(set) var runsTriggers = true
    private var checksForeignKeys = true
    /// The longest time that a statement waits for another connection's lock.
    let busyTimeout: Duration
    /// True during a dry run, in which nothing may be committed.
    var isDryRun = false
    /// True while commits do not wait for the disk.
    var skipsSync = false
    private var virtualTables = 0
    var knownTriggers = KnownTriggers()
    /// The observer of its changes; nil if there is none.
    var observation: Observation?
    /// Tells the pages of each commit; nil if nobody is told.
    var commitObserver: CommitObserver?
    /// The descriptor by which `isOpenElsewhere` asks; nil until it is found.
    var foundDescriptor: FoundDescriptor?

    /// Opens the file and verifies that it is a database.
    ///
    /// - Parameter busyTimeout: the longest time that a statement waits for another connection's lock.
    package convenience init(path: String, mode: Mode, busyTimeout: Duration = .seconds(5)) throws(SQLiteError) {
        try self.init(
            path: path, mode: mode, busyTimeout: busyTimeout,
            parts: mode == .readOnly && RemoteDatabase.isPath(path) ? RemoteDatabase.open(path) : [])
    }

    /// - Parameter parts: Those of a database that is no file.
    init(path: String, mode: Mode, busyTimeout: Duration = .seconds(5), parts: [RemotePart]) throws(SQLiteError) {
        _ = Self.keepsSavepointsInMemory
        isRemote = RemoteDatabase.isPath(path)
        self.parts = parts
        guard !isRemote || mode == .readOnly else {
            throw SQLiteError(code: SQLITE_READONLY, message: "\(path) can only be read")
        }
        let mode = !isRemote && mode == .readOnly && FrozenFile(path: path).isFrozen ? .immutable : mode
        // "NOMUTEX: the new database connection will use the multi-thread threading mode" (sqlite.org/c3ref/open.html).
        // The owner of this object guarantees one thread at a time.
        let flags =
            SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
            | (mode == .readWrite ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY)
            | (mode == .immutable ? SQLITE_OPEN_URI : 0)
        let name = mode == .immutable ? FrozenFile(path: path).address : path
        var opened: OpaquePointer?
        let system = try isRemote ? RemoteVFS.name : GarnerVFS.name
        let place = parts.first.map { RemoteFile.Place(path: path, part: $0) }
        let code =
            isRemote
            ? RemoteFile.$next.withValue(place) { sqlite3_open_v2(name, &opened, flags, system) }
            : sqlite3_open_v2(name, &opened, flags, system)
        guard code == SQLITE_OK, let opened else {
            let message = opened.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(code))
            // "Whether or not an error occurs when it is opened, resources associated with the database connection
            // handle should be released by passing it to sqlite3_close()" (sqlite.org/c3ref/open.html).
            defer { sqlite3_close_v2(opened) }
            let text = "\(path): \(message)"
            throw opened.map { SQLiteError(code: code, of: $0, message: text) }
                ?? SQLiteError(code: code, message: text)
        }
        self.path = path
        self.busyTimeout = busyTimeout
        handle = opened
        statements = StatementCache(capacity: 64)
        observed = .allocate(capacity: 1)
        observed.initialize(to: ObservedChange())
        try inOneState { () throws(SQLiteError) in
            try configure(mode: mode)
            if parts.count > 1 { try attachParts() }
        }
    }

    deinit {
        close()
        observed.deinitialize(count: 1)
        observed.deallocate()
    }

    /// Finalizes every statement and closes the handle; a second call does nothing.
    package func close() {
        guard isOpen else { return }
        isOpen = false
        statements.removeAll()
        sqlite3_close_v2(handle)
    }

    /// Returns a statement from the cache, reset and without bindings. It is valid until the next call with the same
    /// text.
    package func statement(_ sql: String) throws(SQLiteError) -> Statement {
        if let cached = statements.statement(for: sql) {
            cached.reset()
            cached.clearBindings()
            return cached
        }
        let statement = try Statement(sql, on: self)
        statements.add(statement, for: sql)
        return statement
    }

    /// Runs one statement to its end.
    package func execute(_ sql: String, _ values: Value...) throws(SQLiteError) {
        let statement = try statement(sql)
        try statement.bind(values)
        defer { statement.reset() }
        while try statement.step() {}
    }

    /// Runs all statements of a script.
    package func executeScript(_ sql: String) throws(SQLiteError) {
        guard isOpen else { throw .closed(path, sql) }
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw error(sql: sql) }
    }

    /// Turns triggers on or off. They are on at first. A change makes SQLite prepare every statement again.
    package func set(runsTriggers: Bool) throws(SQLiteError) {
        guard runsTriggers != self.runsTriggers else { return }
        let value: Int32 = runsTriggers ? 1 : 0
        guard garner_sqlite_configure(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, value) == SQLITE_OK else { throw error() }
        self.runsTriggers = runsTriggers
    }

    /// Turns foreign key checks on or off. They are on at first. A change makes SQLite prepare every statement again.
    package func set(checksForeignKeys: Bool) throws(SQLiteError) {
        guard checksForeignKeys != self.checksForeignKeys else { return }
        let value: Int32 = checksForeignKeys ? 1 : 0
        guard garner_sqlite_configure(handle, SQLITE_DBCONFIG_ENABLE_FKEY, value) == SQLITE_OK else { throw error() }
        self.checksForeignKeys = checksForeignKeys
    }

    /// Removes every statement from the cache, since a schema change makes them stale.
    package func forgetStatements() { statements.removeAll() }

    /// Returns a name that no other virtual table of the connection has or had.
    func nameOfNextVirtualTable() -> String {
        virtualTables += 1
        return "_garner_rows_\(virtualTables)"
    }

    package var isInTransaction: Bool { isOpen && sqlite3_get_autocommit(handle) == 0 }

    package var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }

    /// The number of rows that the last completed statement inserted, updated or deleted.
    package var changes: Int { Int(sqlite3_changes64(handle)) }

    package func error(sql: String? = nil) -> SQLiteError {
        SQLiteError(
            code: sqlite3_extended_errcode(handle), of: handle, message: String(cString: sqlite3_errmsg(handle)),
            sql: sql)
    }

    func setBusyTimeout(_ timeout: Duration) {
        sqlite3_busy_timeout(handle, Int32(clamping: Int64(timeout / .milliseconds(1))))
    }

    private func configure(mode: Mode) throws(SQLiteError) {
        setBusyTimeout(busyTimeout)
        for (option, value) in [
            (SQLITE_DBCONFIG_DEFENSIVE, 1), (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0), (SQLITE_DBCONFIG_DQS_DML, 0),
            (SQLITE_DBCONFIG_DQS_DDL, 0), (SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0),
            (SQLITE_DBCONFIG_ENABLE_FKEY, 1),
        ] as [(Int32, Int32)] {
            guard garner_sqlite_configure(handle, option, value) == SQLITE_OK else { throw error() }
        }
        // Opening reads nothing. The first read shows whether this is a database.
        try executeScript("SELECT count(*) FROM sqlite_schema")
        if mode != .readWrite {
            try executeScript("PRAGMA query_only = ON")
            if logBytes <= GarnerVFS.largestLogForReadAhead { try executeScript(GarnerVFS.enablingReadAhead) }
        }
        observeChanges()
    }
}

/// Runs the actor that owns a connection on its own thread, since SQLite's calls block.
package final class ConnectionExecutor: SerialExecutor {
    private let queue: DispatchQueue

    package init(label: String) {
        queue = DispatchQueue(label: label)
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}

/// Returns a name as an SQL identifier. The name may contain anything but NUL.
package func quoted(_ name: String) -> String {
    let quote = UInt8(ascii: "\"")
    var bytes = [quote]
    // Bytes, not Characters: a quote and a following combining mark are one Character, which does not equal a quote.
    for byte in name.utf8 {
        if byte == quote { bytes.append(quote) }
        bytes.append(byte)
    }
    bytes.append(quote)
    return String(decoding: bytes, as: UTF8.self)
}
