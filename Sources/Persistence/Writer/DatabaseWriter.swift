import GarnerCatalog
import GarnerDatabase
import GarnerJSON
package import GarnerModel
package import GarnerSQLite

/// The only writer of a database. It holds the lock, the only connection that writes, and its own thread.
///
/// Changes that belong together are one transaction: a page's rows, the read's checkpoint and the run's counters.
package actor DatabaseWriter {
    private nonisolated let executor = ConnectionExecutor(label: "garner.store")
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// The page size of a new file, in bytes. An existing file keeps its own.
    package static let pageSize = 8192
    /// The page size of a new file that is only a copy, since each changed page goes over a network.
    package static let copyPageSize = 4096

    /// The lock; nil for a dry run without a file, and after closing.
    private var lock: WriterLock?
    let connection: Connection
    let now: @Sendable () -> Timestamp
    let hintText: @Sendable (Hint) -> String?
    /// The clock for the time that a query for values of partitions may take, and an open transaction may wait for a page.
    let clock: any Clock<Duration>
    private nonisolated let interruption: Interruption
    var tables: [StreamID: StreamTable] = [:]
    var runs: [RunID: OpenRun] = [:]
    /// The last answer to whether streams are gone from the file; nil if it may have changed.
    var strangers: Strangers?
    var log: WALCheckpointer
    /// The number of runs beyond its limit that each stream had to keep at the last pruning.
    var passedOver: [StreamID: Int] = [:]
    var waits: DiskWaits
    var cache = PageCache()
    /// Notes the changes of published tables; nil if none are published.
    var recorder: OutboxRecorder?
    /// The pages or files that share the open transaction; nil if there is none.
    var group: PageGroup?
    nonisolated let waiting = WaitingPages()
    /// The receiver of each commit, if the file is only a copy.
    let commits: (any CommitReceiver)?
    /// Why what was committed is not safe; nil if it is. Nothing is stored after it.
    private var loss: (any Error)?

    /// Takes the writer's lock, opens or creates the file and its folder, and migrates its schema.
    ///
    /// Runs that a dead process left `running` become `interrupted`.
    ///
    /// - Parameters:
    ///   - isDryRun: True if all changes are undone at the end. No file is made then.
    ///   - token: The token of a process that publishes the tables, new for each process, in the form of a UUID; nil if nobody does.
    ///     It is stored before any change.
    ///   - mostNotes: `Outbox.mostNotes`, or fewer.
    ///   - synchronous: The pages whose commits wait for the disk.
    ///   - clock: The clock for the time that a query for values of partitions may take, and an open transaction may wait for a page.
    ///   - hintText: Returns the text of a hint, which is stored with a failed run.
    ///   - commits: The receiver of each commit, if the file is only a copy. Then no commit waits for the disk: what would wait for it
    ///     waits for the receiver.
    ///   - beginning: What a new file has from its database, of which it is a part; nil for a file of its own, or one that is there.
    package init(
        path: String, busyTimeout: Duration = .seconds(5), isDryRun: Bool = false, publishingAs token: String? = nil,
        mostNotes: Int = Outbox.mostNotes, synchronous: Synchronous = .normal, walLimits: WALLimits = WALLimits(),
        clock: any Clock<Duration> = ContinuousClock(), hintText: @escaping @Sendable (Hint) -> String? = \.text,
        commits: (any CommitReceiver)? = nil, beginning: ShardBeginning? = nil,
        now: @escaping @Sendable () -> Timestamp
    ) throws {
        Connection.stopCountingMemory()
        do {
            if isDryRun, !FileCreation.exists(path) {
                lock = nil
                connection = try Connection(path: ":memory:", mode: .readWrite)
            } else {
                try FileCreation.createFolder(of: path)
                try FileCreation.requireNoLog(besides: path)
                lock = try WriterLock(database: path)
                try FileCreation.createPrivately(path)
                connection = try Connection(path: path, mode: .readWrite, busyTimeout: busyTimeout)
            }
            interruption = Interruption(of: connection)
            self.now = now
            self.hintText = hintText
            self.clock = clock
            self.commits = commits
            waits = DiskWaits(synchronous)
            log = WALCheckpointer(walLimits)
            // This check comes before the first write, so that a file of another program stays unchanged.
            _ = try Migrator.verify(connection)
            let pageSize = commits == nil ? Self.pageSize : Self.copyPageSize
            try connection.executeScript(
                "PRAGMA page_size = \(pageSize); PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; " + log.settings)
            if let commits, !isDryRun { try connection.observeCommits { commits.committed($0) } }
            if isDryRun { try connection.beginDryRun() }
            let migrator = Migrator(connection: connection, now: now())
            if let beginning {
                let opened = connection
                // One commit: a shard that has pages is not begun any more, and would have the numbers of another one.
                try opened.transaction {
                    try migrator.migrate()
                    try beginning.write(on: opened)
                }
            } else {
                try migrator.migrate()
            }
            if let token, !isDryRun {
                recorder = try Outbox.begin(token, on: connection, limit: mostNotes, now: now)
            } else if !isDryRun {
                try Outbox.noteUnnoted(on: connection)
            }
            try InterruptedRuns(connection: connection, now: now()).end()
        } catch let error as SQLiteError {
            throw PersistenceError(error, path: path)
        }
    }

    /// Closes the file after copying the write-ahead log into it.
    package func close() {
        endGroup()
        runs.removeAll()
        tables.removeAll()  // their statements would keep the file open
        log.checkpoint(on: connection)
        connection.close()
        lock = nil
    }

    /// Returns the columns of the key with which a stream's table was made; empty if its rows have numbers only.
    package func inferredKey(of stream: StreamName) async throws -> [String] {
        try await perform {
            try connection.rows(
                """
                SELECT _garner_columns.name FROM _garner_columns JOIN _garner_streams USING (stream_id)
                WHERE _garner_streams.name = ?1 AND key_position IS NOT NULL ORDER BY key_position
                """, [.text(stream.description)]
            ) { $0.text(at: 0) }
        }
    }

    /// Throws if the open file was moved, deleted, replaced or truncated, or cannot be reached.
    package func checkFile() async throws {
        try await perform {
            if let loss = connection.fileLoss { throw PersistenceError(loss, of: connection.path) }
        }
    }

    /// Returns the memory of a page, by which the server can tell whether the page has changed.
    ///
    /// - Parameter added: The text that is stored with each record. A page that was stored with another text must be
    ///   read again.
    package func memory(of position: String, added: String? = nil, for run: RunID) async throws -> CachedPage? {
        try await perform(inGroup: true) { try storedMemory(of: position, added: added, for: run) }
    }

    func storedMemory(of position: String, added: String?, for run: RunID) throws -> CachedPage? {
        guard let open = runs[run], !open.isUnconditional else { return nil }
        return try table(of: open).memory(at: position, scope: open.scope(adding: added))
    }

    /// True if the file is only a copy.
    package nonisolated var isCopy: Bool { commits != nil }

    /// Returns when all that was committed before the call is safe: at once, unless the file is only a copy.
    ///
    /// Each function of the writer that commits what somebody is told of has called it before it returns.
    package func safe() async throws {
        guard let commits else { return }
        if let loss { throw loss }
        do {
            try await commits.safe()
        } catch {
            loss = error
            throw error
        }
    }

    /// Runs `body`. A cancellation of the task interrupts its statement. A commit that waits for the disk is safe when it returns.
    ///
    /// - Parameters:
    ///   - inGroup: True if pages that share an open transaction need not be committed before.
    ///   - isInterruptible: False if its statement must run to its end.
    func perform<R: Sendable>(
        inGroup: Bool = false, isInterruptible: Bool = true, _ body: () throws -> R
    ) async throws -> R {
        if let loss { throw loss }
        if !inGroup { endGroup() }
        let ticket = interruption.ticket()
        let (result, isAwaited) =
            isInterruptible
            ? try await withTaskCancellationHandler {
                try run(ticket, body)
            } onCancel: {
                interruption.interrupt(ticket)
            } : try run(ticket, body)
        if isAwaited { try await safe() }
        return result
    }

    /// Returns also whether it has committed what is awaited. That is asked here, since another call may run before the caller goes on.
    private func run<R>(
        _ ticket: Interruption.Ticket, _ body: () throws -> R
    ) throws -> (result: R, isAwaited: Bool) {
        do {
            let result = try interruption.running(ticket, body)
            let isAwaited = connection.takeAwaitedCommit()
            checkpointLog()
            if runs.isEmpty { cache.shrink(on: connection) }
            return (result, isAwaited)
        } catch let error as SQLiteError {
            if error.kind == .interrupted, Task.isCancelled { throw CancellationError() }
            throw PersistenceError(error, path: connection.path)
        }
    }
}

extension DatabaseWriter {
    /// Returns the hasher for the records of a run's pages; nil if no hashes are kept for its stream.
    package func recordHasher(for run: RunID) async throws -> RecordHasher? {
        try await perform(inGroup: true) {
            guard let open = runs[run] else { return nil }
            return try table(of: open).recordHasher
        }
    }

    /// Returns the definitions of the views by their names.
    package func viewDefinitions() async throws -> [String: String] {
        try await perform { try connection.viewDefinitions() }
    }

    /// Runs `body` in a transaction that does not check foreign keys. A check of each run would read the notes of changes of all streams.
    ///
    /// - Parameter body: Returns its result, and the streams whose tables are no longer as the writer knows them: they are published anew.
    package func maintaining<R: Sendable>(
        _ body: @Sendable (Connection) throws -> (result: R, changed: [StreamID])
    ) async throws -> R {
        try await perform {
            strangers = nil
            try connection.set(checksForeignKeys: false)
            let outcome = Result {
                try connection.transaction {
                    let outcome = try body(connection)
                    recorder?.markWhole(outcome.changed)
                    return outcome
                }
            }
            try connection.set(checksForeignKeys: true)
            let (result, changed) = try outcome.get()
            for id in changed {
                tables[id] = nil
                passedOver[id] = nil
            }
            return result
        }
    }

    func checkpointLog() {
        // A dry run is one transaction from its beginning to its end.
        guard !connection.isInTransaction, let warning = log.checkpointIfNeeded(on: connection, isIdle: runs.isEmpty)
        else { return }
        for id in runs.keys { runs[id]?.logWarning = warning }
    }
}
