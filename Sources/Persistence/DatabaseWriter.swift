package import Catalog
import Database
import JSON
package import Model
import SQLite

/// The only writer of a database. It holds the lock, the only connection that writes, and its own thread.
///
/// Changes that belong together are one transaction: a page's rows, the read's checkpoint and the run's counters.
package actor DatabaseWriter {
    private nonisolated let executor = ConnectionExecutor(label: "garner.store")
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// The page size of a new file, in bytes. An existing file keeps its own.
    package static let pageSize = 8192

    /// The lock; nil for a dry run without a file, and after closing.
    private var lock: WriterLock?
    let connection: Connection
    let now: @Sendable () -> Timestamp
    let hintText: @Sendable (Hint) -> String?
    private nonisolated let interruption: Interruption
    var tables: [Int64: StreamTable] = [:]
    var runs: [Int64: OpenRun] = [:]
    var log: WALCheckpointer
    /// The number of runs beyond its limit that each stream had to keep at the last pruning.
    var passedOver: [Int64: Int] = [:]
    private let synchronous: Synchronous

    /// Takes the writer's lock, opens or creates the file and its folder, and migrates its schema.
    ///
    /// Runs that a dead process left `running` become `interrupted`.
    ///
    /// - Parameters:
    ///   - busyTimeout: The time to wait for a foreign writer's lock.
    ///   - isDryRun: True if all changes are undone at the end. No file is made then.
    ///   - synchronous: The durability of a commit.
    ///   - hintText: Returns the text of a hint, which is stored with a failed run.
    package init(
        path: String, busyTimeout: Duration = .seconds(5), isDryRun: Bool = false,
        synchronous: Synchronous = .full, logLimits: WALLimits = WALLimits(),
        hintText: @escaping @Sendable (Hint) -> String? = \.text, now: @escaping @Sendable () -> Timestamp
    ) throws {
        do {
            if isDryRun, !FileCreation.exists(path) {
                lock = nil
                connection = try Connection(path: ":memory:", mode: .readWrite)
            } else {
                try FileCreation.createFolder(of: path)
                lock = try WriterLock(database: path)
                try FileCreation.createPrivately(path)
                connection = try Connection(path: path, mode: .readWrite, busyTimeout: busyTimeout)
            }
            interruption = Interruption(of: connection)
            self.now = now
            self.hintText = hintText
            self.synchronous = synchronous
            log = WALCheckpointer(logLimits)
            // This check comes before the first write, so that a file of another program stays unchanged.
            _ = try Migrator.verify(connection)
            try connection.executeScript(
                "PRAGMA page_size = \(Self.pageSize); PRAGMA journal_mode = WAL; PRAGMA synchronous = \(synchronous.rawValue); "
                    + log.settings)
            if isDryRun { try connection.beginDryRun() }
            try Migrator(connection: connection, now: now()).migrate()
            try InterruptedRuns(connection: connection, now: now()).end()
        } catch let error as SQLiteError {
            throw PersistenceError(error, path: path)
        }
    }

    /// Closes the file after copying the write-ahead log into it.
    package func close() {
        runs.removeAll()
        tables.removeAll()  // their statements would keep the file open
        log.fold(on: connection)
        connection.close()
        lock = nil
    }

    /// Returns the columns of the key with which a stream's table was made; empty if its rows have numbers only.
    package func inferredKey(of stream: StreamName) async throws -> [String] {
        try await perform { writer in
            try writer.connection.rows(
                """
                SELECT _garner_columns.name FROM _garner_columns JOIN _garner_streams USING (stream_id)
                WHERE _garner_streams.name = ?1 AND key_position IS NOT NULL ORDER BY key_position
                """, [.text(stream.description)]
            ) { $0.text(at: 0) }
        }
    }

    /// Throws if the open file was moved, deleted, replaced or truncated, or cannot be reached.
    package func checkFile() async throws {
        try await perform { writer in
            if let loss = writer.connection.fileLoss { throw PersistenceError(loss, of: writer.connection.path) }
        }
    }

    /// Begins a run of the stream.
    ///
    /// - Parameters:
    ///   - identity: The text from which the read is made. An unfinished read with the same text is continued, unless
    ///     `restarting`. Then every page is requested, without memories and cursors.
    ///   - credential: A text that differs between credentials. The memory of a page belongs to one credential.
    ///   - settle: The change to the stream's schedule at the end of the run; nil for none.
    /// - Returns: The run's id. A loss of power may undo its beginning until its first page is stored.
    /// - Throws: `AlreadyServedError` if each of its requests has a run. Nothing is changed then.
    package func begin(
        _ stream: Stream, identity: String, credential: String = "", occasion: RunOccasion = .manual(),
        restarting: Bool = false, settle: SettleSchedule? = nil
    ) async throws -> Int64 {
        try await perform { writer in
            try writer.beginNow(stream, identity, credential, occasion, restarting, settle)
        }
    }

    /// Opens the run's read: the rest of an unfinished read, or a new one.
    ///
    /// - Throws: An error if the stream's table cannot be as the stream is configured. The run has begun then; cursors
    ///   and the unfinished read are unchanged.
    package func openRead(of run: Int64) async throws -> ReadStart {
        try await perform { writer in try writer.openReadNow(run) }
    }

    /// Returns the remaining slices of the run's read, in the order in which they are read.
    ///
    /// - Parameter last: The slice after which to begin, 0 for the first one.
    package func slices(of run: Int64, after last: Int64 = 0, limit: Int) async throws -> [Slice] {
        try await perform { writer in try writer.slicesNow(run, after: last, limit: limit) }
    }

    /// Returns the memory of a page, by which the server can tell whether the page has changed.
    ///
    /// - Parameter added: The text that is stored with each record. A page that was stored with another text must be
    ///   read again.
    package func memory(of position: String, added: String? = nil, for run: Int64) async throws -> CachedPage? {
        try await perform { writer in
            guard let open = writer.runs[run], !open.isUnconditional else { return nil }
            return try writer.table(of: open).memory(at: position, scope: open.scope(adding: added))
        }
    }

    /// Stores a page, the position in the read and the run's counters.
    ///
    /// The last page of the last slice also ends the run, in the same transaction, unless its stream has attachments.
    package func commit(_ page: PageCommit, to run: Int64) async throws -> RunProgress {
        try await perform { writer in try writer.commitNow(page, run) }
    }

    /// Returns the records, from a place on, whose file in `field` is to be requested.
    package func dueFiles(of run: Int64, in field: String, from place: FilePlace, limit: Int) async throws -> [DueFile]
    {
        try await perform { writer in try writer.dueFilesNow(run, field, from: place, limit: limit) }
    }

    /// Stores a received file or the reason for its absence, with the run's counters.
    package func keep(_ outcome: AttachmentOutcome, for run: Int64) async throws -> RunCounts {
        try await perform { writer in try writer.keepNow(outcome, run) }
    }

    /// Ends a run whose read has no page left, such as a read of children without any parent, or has only files left.
    package func finish(_ run: Int64) async throws -> RunRecord {
        try await perform { writer in try writer.finishNow(run) }
    }

    /// Ends a run well although its read has more pages, which are left out.
    package func cutShort(_ run: Int64) async throws -> RunRecord {
        try await perform { writer in try writer.cutShortNow(run) }
    }

    /// Ends a run that failed or was cancelled. Its commits stay.
    ///
    /// - Parameters:
    ///   - wasStopped: True if the end of the program ends it, so that its nominal instant may be run again.
    ///   - rest: The treatment of the unread rest of its read.
    package func end(
        run: Int64, as status: RunRecord.Status, wasStopped: Bool = false, requests: [RequestRecord] = [],
        failure: RunFailure? = nil, rest: RestOfRead = .kept
    ) async throws -> RunRecord {
        try await perform { writer in try writer.endNow(run, status, wasStopped, requests, failure, rest) }
    }

    /// Restarts a slice whose stored position cannot be read. If it is the only slice, the read begins again.
    package func restart(_ slice: Slice, of run: Int64) async throws {
        try await perform { writer in try writer.restartNow(slice, run) }
    }

    /// Runs a transaction that does not wait for the disk: a later commit makes it durable, or it is repeated after a
    /// loss of power.
    func transactionWithoutSync<R>(_ body: () throws -> R) throws -> R {
        switch synchronous {
        case .full: try connection.transactionWithoutSync(body)
        case .normal: try connection.transaction(body)
        }
    }

    /// Runs `body` on the store's thread. A cancellation of the task interrupts its statement.
    nonisolated func perform<R: Sendable>(
        _ body: @Sendable (isolated DatabaseWriter) throws -> R
    ) async throws -> R {
        let ticket = interruption.ticket()
        return try await withTaskCancellationHandler {
            try await run(ticket, body)
        } onCancel: {
            interruption.interrupt(ticket)
        }
    }

    private func run<R: Sendable>(
        _ ticket: Interruption.Ticket, _ body: @Sendable (isolated DatabaseWriter) throws -> R
    ) throws -> R {
        do {
            let result = try interruption.running(ticket) { try body(self) }
            checkpointLog()
            return result
        } catch let error as SQLiteError {
            if error.kind == .interrupted, Task.isCancelled { throw CancellationError() }
            throw PersistenceError(error, path: connection.path)
        }
    }
}
