import CSQLite

extension Connection {
    /// Runs `body` as one transaction that holds the write lock from its start: all of it is committed, or nothing.
    ///
    /// Inside another transaction it is a part of that one, which is undone alone when it fails.
    package func transaction<R>(_ body: () throws -> R) throws -> R {
        if !isInTransaction { try waitAgain() }
        return try inTransaction(body)
    }

    /// The same, but its commit does not wait for the disk, which is for a connection whose other commits do.
    ///
    /// A loss of power may undo it until a commit that waits comes after it: "the WAL file is synchronized" as a whole
    /// then (sqlite.org/pragma.html#pragma_synchronous).
    package func transactionWithoutWaiting<R>(_ body: () throws -> R) throws -> R {
        // "Safety level may not be changed inside a transaction"
        guard !isInTransaction else { return try inTransaction(body) }
        try executeScript("PRAGMA synchronous = NORMAL")
        isHurried = true
        // Where that fails, the next transaction does it, or fails.
        defer { try? waitAgain() }
        return try inTransaction(body)
    }

    private func waitAgain() throws(SQLiteError) {
        guard isHurried else { return }
        try executeScript("PRAGMA synchronous = FULL")
        isHurried = false
    }

    private func inTransaction<R>(_ body: () throws -> R) throws -> R {
        let isPart = isInTransaction
        guard isPart || !isRehearsing else {
            throw SQLiteError(code: SQLITE_ABORT, message: "the rehearsal was rolled back by an earlier error")
        }
        try execute(isPart ? "SAVEPOINT part" : "BEGIN IMMEDIATE")
        do {
            let result = try body()
            try execute(isPart ? "RELEASE part" : "COMMIT")
            return result
        } catch {
            if isPart, isInTransaction {
                sqlite3_exec(handle, "ROLLBACK TO part; RELEASE part", nil, nil, nil)
            } else {
                rollBack()
            }
            throw error
        }
    }

    /// Begins a transaction that is never committed: closing the connection undoes it.
    package func beginRehearsal() throws(SQLiteError) {
        try execute("BEGIN IMMEDIATE")
        isRehearsing = true
    }

    /// Runs `body` on one unchanging state of the database.
    package func snapshot<R>(_ body: () throws -> R) throws -> R {
        try execute("BEGIN")
        defer { rollBack() }
        return try body()
    }

    /// "Errors can cause an automatic rollback" (sqlite.org/lang_transaction.html): then there is nothing to roll back.
    private func rollBack() {
        guard isInTransaction else { return }
        sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
    }
}

extension Connection {
    /// Lets `body` change the schema table itself, and reads the schema anew afterwards.
    ///
    /// "If the argument is RESET then schema writing is disabled and the in-memory schema is reloaded"
    /// (sqlite.org/pragma.html#pragma_writable_schema). Defensive mode forbids it otherwise.
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
