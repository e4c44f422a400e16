package import Catalog
import Database
import JSON
package import Model
import SQLite

/// The one writer of a database: it holds the lock, the only connection that writes, and a thread of its own.
///
/// Everything that belongs together is one transaction: a page's rows, the read's checkpoint, the run's counters.
package actor DatabaseWriter {
    private nonisolated let executor = ConnectionExecutor(label: "garner.store")
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Of a new file, in bytes: a file keeps the one that it was made with.
    package static let pageSize = 8192

    /// nil for a rehearsal without a file, and when it is closed.
    private var lock: WriterLock?
    let connection: Connection
    let now: @Sendable () -> Timestamp
    private nonisolated let interruption: Interruption
    var tables: [Int64: StreamTable] = [:]
    var runs: [Int64: OpenRun] = [:]
    var log: WALCheckpointer
    /// By stream, how many runs beyond those that it keeps have to stay, as they last were.
    var passedOver: [Int64: Int] = [:]
    private let synchronous: Synchronous

    /// Takes the writer's lock, opens or creates the file and its folder, and brings its schema up to date.
    ///
    /// Runs that a dead process left `running` become `interrupted`.
    ///
    /// - Parameters:
    ///   - busyTimeout: how long a foreign writer's lock is waited for.
    ///   - isDryRun: whether all is undone at the end; no file is made then.
    ///   - synchronous: whether a commit waits for the disk.
    package init(
        path: String, busyTimeout: Duration = .seconds(5), isDryRun: Bool = false,
        synchronous: Synchronous = .full, logLimits: WALLimits = WALLimits(),
        now: @escaping @Sendable () -> Timestamp
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
            self.synchronous = synchronous
            log = WALCheckpointer(logLimits)
            // Before anything is written: a file of another program stays as it is.
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

    /// Closes the file, which folds the write-ahead log into it.
    package func close() {
        runs.removeAll()
        tables.removeAll()  // their statements would keep the file open
        log.fold(on: connection)
        connection.close()
        lock = nil
    }

    /// The columns of the key that a stream's table was made with; none where its rows have numbers.
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

    /// Throws where the file was moved, deleted, replaced or cut short since it was opened, or cannot be reached any more.
    package func checkFile() async throws {
        try await perform { writer in
            if let loss = writer.connection.fileLoss { throw PersistenceError(loss, of: writer.connection.path) }
        }
    }

    /// Records that a run of the stream begins.
    ///
    /// - Parameters:
    ///   - identity: what the read is made from. An unfinished read made from the same is continued, unless `restarting`;
    ///     then every page is asked for, whatever is remembered of it and however far its cursors have come.
    ///   - credential: tells one credential from another: what is remembered of a page is of what it was shown.
    ///   - settle: what becomes of the stream's schedule when the run ends; nil: it stays as it is.
    /// - Returns: The run's number. A loss of power may undo its beginning, until its first page is stored.
    /// - Throws: `AlreadyServed` where a run has begun for each of its requests; nothing is changed then.
    package func begin(
        _ stream: Stream, identity: String, credential: String = "", occasion: RunOccasion = .manual(),
        restarting: Bool = false, settle: SettleSchedule? = nil
    ) async throws -> Int64 {
        try await perform { writer in
            try writer.beginNow(stream, identity, credential, occasion, restarting, settle)
        }
    }

    /// Says what the run's read is made of: what is left of the one that it continues, or all.
    ///
    /// - Throws: what keeps the stream's table from being as the stream is configured; the run has begun all the same, and
    ///   cursors and the read that was not finished are as they were.
    package func openRead(of run: Int64) async throws -> ReadStart {
        try await perform { writer in try writer.openReadNow(run) }
    }

    /// What is left of the run's read, in the order in which it is read.
    ///
    /// - Parameter last: the slice behind which to begin, 0 for the first.
    package func slices(of run: Int64, after last: Int64 = 0, limit: Int) async throws -> [Slice] {
        try await perform { writer in try writer.slicesNow(run, after: last, limit: limit) }
    }

    /// What is remembered of a page, for a run to ask the server whether it has changed.
    ///
    /// - Parameter added: what is stored with each of its records: a page that was stored with something else must come whole.
    package func memory(of position: String, added: String? = nil, for run: Int64) async throws -> CachedPage? {
        try await perform { writer in
            guard let open = writer.runs[run], !open.isUnconditional else { return nil }
            return try writer.table(of: open).memory(at: position, scope: open.scope(adding: added))
        }
    }

    /// Stores a page with its place in the read and the run's counters.
    ///
    /// With the last page of the last slice the run ends, in the same transaction, unless its stream has attachments.
    package func commit(_ page: PageCommit, to run: Int64) async throws -> RunProgress {
        try await perform { writer in try writer.commitNow(page, run) }
    }

    /// The records of the run's stream, from a place on, whose file in `field` is to be asked for.
    package func dueFiles(of run: Int64, in field: String, from place: FilePlace, limit: Int) async throws -> [DueFile]
    {
        try await perform { writer in try writer.dueFilesNow(run, field, from: place, limit: limit) }
    }

    /// Stores a file that came in, or notes why it did not, with the run's counters.
    package func keep(_ outcome: AttachmentOutcome, for run: Int64) async throws -> RunCounts {
        try await perform { writer in try writer.keepNow(outcome, run) }
    }

    /// Ends a run whose read has nothing left, as that of the children of no parent, or only files.
    package func finish(_ run: Int64) async throws -> RunRecord {
        try await perform { writer in try writer.finishNow(run) }
    }

    /// Ends a run well although its read has more, which is left out.
    package func cutShort(_ run: Int64) async throws -> RunRecord {
        try await perform { writer in try writer.cutShortNow(run) }
    }

    /// Ends a run that failed or was cancelled. What it committed stays.
    ///
    /// - Parameters:
    ///   - wasStopped: whether the end of the program ends it, so that its nominal instant may be run again.
    ///   - rest: what becomes of what is left of its read.
    package func end(
        run: Int64, as status: RunRecord.Status, wasStopped: Bool = false, requests: [RequestRecord] = [],
        failure: RunFailure? = nil, rest: RestOfRead = .kept
    ) async throws -> RunRecord {
        try await perform { writer in try writer.endNow(run, status, wasStopped, requests, failure, rest) }
    }

    /// Begins a slice anew whose stored position can no longer be read; where it is all of the read, that begins anew.
    package func restart(_ slice: Slice, of run: Int64) async throws {
        try await perform { writer in try writer.restartNow(slice, run) }
    }

    /// For what a later commit that waits covers, or what is simply done again where a loss of power has undone it.
    func transactionWithoutSync<R>(_ body: () throws -> R) throws -> R {
        switch synchronous {
        case .full: try connection.transactionWithoutSync(body)
        case .normal: try connection.transaction(body)
        }
    }

    /// Runs `body` on the store's thread; its statement is interrupted when the task is cancelled.
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
