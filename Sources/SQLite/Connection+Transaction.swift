import CGarnerSQLite
package import GarnerDatabase
import Synchronization

extension Connection {
    /// Runs `body` in a transaction that holds the write lock from its start. Everything is committed, or nothing.
    ///
    /// Inside another transaction it is a savepoint: if it fails, it alone is undone, or all of the transaction where that is not safe.
    package func transaction<R>(_ body: () throws -> R) throws -> R {
        try isInTransaction ? part(body) : whole(waitingForDisk: true, body)
    }

    /// Runs `body` in a transaction whose commit does not wait for the disk, on a connection whose other commits do.
    ///
    /// A power loss may undo it until the next commit that waits: then "the WAL file is synchronized" as a whole
    /// (sqlite.org/pragma.html#pragma_synchronous).
    package func transactionWithoutSync<R>(_ body: () throws -> R) throws -> R {
        try isInTransaction ? part(body) : whole(waitingForDisk: false, body)
    }

    /// Begins a transaction that lasts until `commit` or `rollBack`, or until an error ends it.
    ///
    /// - Parameter waits: False if its commit does not wait for the disk.
    package func begin(waitingForDisk waits: Bool) throws {
        guard !isDryRun else {
            throw SQLiteError(code: SQLITE_ABORT, message: "the dry run was rolled back by an earlier error")
        }
        if let commitObserver {
            commitObserver.isUnawaited = !waits
        } else if waits {
            // "Safety level may not be changed inside a transaction"
            try restoreSync()
        } else {
            try executeScript("PRAGMA synchronous = NORMAL")
            skipsSync = true
        }
        do {
            try execute("BEGIN IMMEDIATE")
        } catch {
            try? restoreSync()
            throw error
        }
        do {
            try observation?.observer.didBegin(on: self)
        } catch {
            rollBack()
            throw error
        }
    }

    /// Commits the transaction that `begin` has begun, or undoes it if that fails.
    package func commit() throws {
        do {
            try observation?.observer.willCommit(on: self)
            try execute("COMMIT")
        } catch {
            rollBack()
            throw error
        }
        observation?.observer.didCommit()
        // If that fails, the next transaction repeats it, or fails.
        try? restoreSync()
    }

    /// Rolls back, unless SQLite has: "Errors can cause an automatic rollback" (sqlite.org/lang_transaction.html).
    package func rollBack() {
        // The version of an undone schema is that of the next change, too.
        knownTriggers = KnownTriggers()
        if isInTransaction { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
        observation?.observer.didRollBack()
        try? restoreSync()
    }

    private func restoreSync() throws(SQLiteError) {
        commitObserver?.isUnawaited = false
        guard skipsSync else { return }
        try executeScript("PRAGMA synchronous = FULL")
        skipsSync = false
    }

    private func whole<R>(waitingForDisk waits: Bool, _ body: () throws -> R) throws -> R {
        do {
            try begin(waitingForDisk: waits)
            let result = try body()
            try commit()
            return result
        } catch {
            rollBack()
            throw error
        }
    }

    /// Runs `body` in a savepoint.
    ///
    /// If it fails after SQLite has written some of its changes to the log, for want of memory, the whole transaction is undone. What is
    /// committed behind an undone savepoint may have no checksums in the log then (SQLite 3.40): it is lost when the process is killed.
    private func part<R>(_ body: () throws -> R) throws -> R {
        try execute("SAVEPOINT part")
        let written = pagesWrittenEarly
        do {
            let result = try body()
            try execute("RELEASE part")
            return result
        } catch {
            knownTriggers = KnownTriggers()
            if isInTransaction {
                let isSafe = isDryRun || pagesWrittenEarly == written
                sqlite3_exec(handle, isSafe ? "ROLLBACK TO part; RELEASE part" : "ROLLBACK", nil, nil, nil)
            }
            throw error
        }
    }

    /// The number of pages that were written before the end of their transaction since the connection was opened.
    private var pagesWrittenEarly: Int32 {
        var (count, highest) = (Int32(0), Int32(0))
        sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_SPILL, &count, &highest, 0)
        return count
    }

    /// Begins a transaction that is never committed. Closing the connection undoes it.
    package func beginDryRun() throws(SQLiteError) {
        try execute("BEGIN IMMEDIATE")
        isDryRun = true
    }

    /// Runs `body` on one consistent state of the database.
    package func snapshot<R>(_ body: () throws -> R) throws -> R {
        try inOneState {
            try execute("BEGIN")
            defer { rollBack() }
            return try body()
        }
    }
}

extension Connection {
    /// Runs `body`, which may change the schema table itself, and then reloads the schema.
    ///
    /// "If the argument is RESET then schema writing is disabled and the in-memory schema is reloaded"
    /// (sqlite.org/pragma.html#pragma_writable_schema). Defensive mode, which forbids such changes, is off meanwhile.
    package func writingSchema(_ body: () throws -> Void) throws {
        garner_sqlite_configure(handle, SQLITE_DBCONFIG_DEFENSIVE, 0)
        defer {
            sqlite3_exec(handle, "PRAGMA writable_schema = RESET", nil, nil, nil)
            garner_sqlite_configure(handle, SQLITE_DBCONFIG_DEFENSIVE, 1)
            forgetStatements()
        }
        try executeScript("PRAGMA writable_schema = ON")
        try body()
    }
}

extension Connection {
    /// Returns all rows of a query, each decoded by `decode`.
    package func rows<R>(_ sql: String, _ values: [Value] = [], decode: (Statement) throws -> R) throws -> [R] {
        let statement = try statement(sql)
        try statement.bind(values)
        defer { statement.reset() }
        var rows: [R] = []
        while try statement.step() { rows.append(try decode(statement)) }
        return rows
    }

    /// Returns the first row of a query, decoded by `decode`; nil if there is none.
    package func firstRow<R>(_ sql: String, _ values: [Value] = [], decode: (Statement) throws -> R) throws -> R? {
        let statement = try statement(sql)
        try statement.bind(values)
        defer { statement.reset() }
        return try statement.step() ? try decode(statement) : nil
    }

    /// Returns true if the database has this table. Names that differ only in the case of ASCII letters are the same.
    package func hasTable(_ name: String) throws -> Bool { try hasColumn(nil, of: name) }

    /// Returns true if the database has this table, with this column. Names that differ only in the case of ASCII letters are the same.
    ///
    /// - Parameter column: The column; nil for any.
    package func hasColumn(_ column: String?, of table: String) throws -> Bool {
        // SQLite has a hash of the names, but no index: a search of `sqlite_schema` reads all of it. A statement that runs sees to
        // it that the hash is that of the file.
        _ = try integer("SELECT 1 FROM sqlite_schema LIMIT 1")
        return schemas.contains { has(table, column, in: $0) }
    }

    func has(_ table: String, _ column: String? = nil, in schema: String) -> Bool {
        sqlite3_table_column_metadata(handle, schema, table, column, nil, nil, nil, nil, nil) == SQLITE_OK
    }

    /// Returns true if the database has a table, view, index or trigger of this name.
    package func hasObject(_ name: String) throws -> Bool {
        try integer("SELECT 1 FROM sqlite_schema WHERE name = ?1 COLLATE NOCASE", .text(name)) != nil
    }

    /// The names of all tables, for `name IN …`.
    package static let tableNames = "(SELECT name FROM sqlite_schema WHERE type = 'table')"

    /// Returns the first column of the first row as an integer; nil if it is NULL or there is no row.
    package func integer(_ sql: String, _ values: Value...) throws -> Int64? {
        try firstRow(sql, values) { $0.optionalInteger(at: 0) } ?? nil
    }

    /// Returns the first column of the first row as text; nil if it is NULL or there is no row.
    package func text(_ sql: String, _ values: Value...) throws -> String? {
        try firstRow(sql, values) { $0.optionalText(at: 0) } ?? nil
    }
}

/// Interrupts the statement of a cancelled task, and no other task's.
package final class Interruption: Sendable {
    package struct Ticket: Hashable, Sendable {
        fileprivate let number: Int
    }

    private struct State {
        var running: Ticket?
        var lastNumber = 0
    }

    private let state = Mutex(State())
    // Safe because sqlite3_interrupt may be called from any thread (sqlite.org/c3ref/interrupt.html). It is called only
    // while a ticket is running, which is before the connection closes.
    private nonisolated(unsafe) let handle: OpaquePointer

    package init(of connection: Connection) {
        handle = connection.handle
    }

    package func ticket() -> Ticket {
        state.withLock {
            $0.lastNumber += 1
            return Ticket(number: $0.lastNumber)
        }
    }

    /// Runs `body`. Meanwhile `interrupt(ticket)` interrupts the connection's statements.
    package func running<R>(_ ticket: Ticket, _ body: () throws -> R) throws -> R {
        state.withLock { $0.running = ticket }
        defer { state.withLock { $0.running = nil } }
        return try body()
    }

    package func interrupt(_ ticket: Ticket) {
        state.withLock {
            if $0.running == ticket { sqlite3_interrupt(handle) }
        }
    }
}
