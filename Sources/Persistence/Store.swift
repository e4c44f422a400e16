package import Catalog
import JSON
import SQLite

/// The one writer of a database: it holds the lock, the only connection that writes, and a thread of its own.
///
/// Everything that belongs together is one transaction: a page's rows, the read's checkpoint, the run's counters.
package actor Store {
    private nonisolated let executor = ConnectionExecutor(label: "garner.store")
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// nil for a rehearsal without a file.
    private let lock: WriterLock?
    let connection: Connection
    let now: @Sendable () -> Timestamp
    private nonisolated let interruption: Interruption
    private var tables: [Int64: StreamTable] = [:]
    private var runs: [Int64: OpenRun] = [:]

    /// Takes the writer's lock, opens or creates the file, and brings its schema up to date.
    ///
    /// Runs that a dead process left `running` become `interrupted`.
    ///
    /// - Parameters:
    ///   - busyTimeout: how long a foreign writer's lock is waited for.
    ///   - isRehearsal: whether all is undone at the end; no file is made then.
    package init(
        path: String, busyTimeout: Duration = .seconds(5), isRehearsal: Bool = false,
        now: @escaping @Sendable () -> Timestamp
    ) throws {
        do {
            if isRehearsal, !FileCreation.exists(path) {
                lock = nil
                connection = try Connection(path: ":memory:", mode: .readWrite)
            } else {
                lock = try WriterLock(database: path)
                try FileCreation.createPrivately(path)
                connection = try Connection(path: path, mode: .readWrite, busyTimeout: busyTimeout)
            }
            interruption = Interruption(of: connection)
            self.now = now
            // Before anything is written: a file of another program stays as it is.
            _ = try Migrator.verify(connection)
            try connection.executeScript("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
            if isRehearsal { try connection.beginRehearsal() }
            try Migrator(connection: connection, now: now()).migrate()
            try connection.execute(
                "UPDATE _garner_runs SET status = 'interrupted', ended_at = ?1 WHERE status = 'running'",
                .text(now().description))
        } catch let error as SQLiteError {
            throw PersistenceError(error, path: path)
        }
    }

    /// Closes the file, which folds the write-ahead log into it.
    package func close() {
        runs.removeAll()
        tables.removeAll()  // their statements would keep the file open
        connection.close()
    }

    /// Records that a run of the stream begins, and says where its read goes on.
    ///
    /// - Parameters:
    ///   - identity: what the read is made from. An unfinished read made from the same is continued, unless `restarting`;
    ///     then every page is asked for, whatever is remembered of it.
    ///   - credential: tells one credential from another: what is remembered of a page is of what it was shown.
    package func begin(
        _ stream: Stream, identity: String, credential: String = "", nominal: Timestamp? = nil,
        restarting: Bool = false
    ) async throws -> RunStart {
        try await perform { store in try store.beginNow(stream, identity, credential, nominal, restarting) }
    }

    /// What is remembered of a page, for a run to ask the server whether it has changed.
    package func memory(of position: String, for run: Int64) async throws -> RememberedPage? {
        try await perform { store in
            guard let open = store.runs[run], !open.isUnconditional else { return nil }
            return try store.table(of: open).memory(at: position, scope: open.scope)
        }
    }

    /// Stores a page with its checkpoint and the run's counters; gives what the run has done so far.
    package func commit(_ page: PageCommit, to run: Int64) async throws -> RunCounts {
        try await perform { store in try store.commitNow(page, run).counts }
    }

    /// As `commit`, for a page that no other follows: the run ends in the same transaction.
    package func commitLast(_ page: PageCommit, to run: Int64) async throws -> (RunCounts, RunRecord) {
        try await perform { store in
            let (counts, record) = try store.commitNow(page, run)
            guard let record else { throw Self.unknownRun(run) }
            return (counts, record)
        }
    }

    /// Ends a run that stored its last page otherwise: failed or cancelled. What it committed stays.
    ///
    /// - Parameter givesUpRead: whether the next run begins with the first page.
    package func end(
        run: Int64, as status: RunRecord.Status, requests: [RequestRecord] = [], failure: RunFailure? = nil,
        givesUpRead: Bool = false
    ) async throws -> RunRecord {
        try await perform { store in try store.endNow(run, status, requests, failure, givesUpRead) }
    }

    /// Gives up the unfinished read that a run was to go on with: the run begins one of its own.
    package func restart(_ run: Int64) async throws {
        try await perform { store in try store.restartNow(run) }
    }

    /// Records that nominal instants passed without a run, and why.
    package func skip(_ stream: Stream, nominal: Timestamp, reason: String) async throws {
        try await perform { store in try store.skipNow(stream, nominal, reason) }
    }

    /// Runs `body` on the store's thread; its statement is interrupted when the task is cancelled.
    private nonisolated func perform<R: Sendable>(
        _ body: @Sendable (isolated Store) throws -> R
    ) async throws -> R {
        let ticket = interruption.ticket()
        return try await withTaskCancellationHandler {
            try await run(ticket, body)
        } onCancel: {
            interruption.interrupt(ticket)
        }
    }

    private func run<R: Sendable>(
        _ ticket: Interruption.Ticket, _ body: @Sendable (isolated Store) throws -> R
    ) throws -> R {
        do {
            return try interruption.running(ticket) { try body(self) }
        } catch let error as SQLiteError {
            if error.kind == .interrupted, Task.isCancelled { throw CancellationError() }
            throw PersistenceError(error, path: connection.path)
        }
    }
}

/// Where a run begins.
package struct RunStart: Sendable {
    package let id: Int64
    /// Where an unfinished read goes on; nil for a new read.
    package let resumeAt: String?
}

/// A run between its begin and its end.
private struct OpenRun {
    let id: Int64
    let stream: Stream
    let streamID: Int64
    var readID: Int64
    let identity: String
    /// What the memory of pages holds for.
    let scope: String
    let isUnconditional: Bool
    var counts = RunCounts()

    func having(_ counts: RunCounts) -> OpenRun {
        var run = self
        run.counts = counts
        return run
    }
}

// MARK: - On the store's thread

extension Store {
    private func beginNow(
        _ stream: Stream, _ identity: String, _ credential: String, _ nominal: Timestamp?, _ restarting: Bool
    ) throws -> RunStart {
        try connection.transaction {
            let streamID = try StreamRegistry(connection: connection).register(stream)
            let checkpoint =
                restarting
                ? nil : try Checkpoint(of: streamID, identity: Self.digest(of: identity), now: now(), on: connection)
            if checkpoint == nil { try Checkpoint.remove(of: streamID, on: connection) }
            try giveUpRuns(of: streamID)
            try RequestRecord.forgetOldest(of: streamID, on: connection)
            let id = try RunTable(connection: connection)
                .insert(streamID: streamID, read: checkpoint?.readID, nominal: nominal, startedAt: now())
            tables[streamID] = try StreamTable(of: stream, streamID: streamID, on: connection)
            runs[id] = OpenRun(
                id: id, stream: stream, streamID: streamID, readID: checkpoint?.readID ?? id,
                identity: Self.digest(of: identity), scope: Self.digest(of: "\(identity)\n\(credential)"),
                isUnconditional: restarting)
            return RunStart(id: id, resumeAt: checkpoint?.nextPosition)
        }
    }

    /// A run whose end could not be recorded, as on a full disk, is over when the stream's next one begins.
    private func giveUpRuns(of streamID: Int64) throws {
        runs = runs.filter { $0.value.streamID != streamID }
        try connection.execute(
            "UPDATE _garner_runs SET status = 'interrupted', ended_at = ?2 WHERE stream_id = ?1 AND status = 'running'",
            .integer(streamID), .text(now().description))
    }

    private func skipNow(_ stream: Stream, _ nominal: Timestamp, _ reason: String) throws {
        try connection.transaction {
            let streamID = try StreamRegistry(connection: connection).register(stream)
            let runs = RunTable(connection: connection)
            let id = try runs.insert(streamID: streamID, read: nil, nominal: nominal, startedAt: now())
            _ = try runs.end(id, as: .skipped, RunCounts(), at: now(), warning: reason)
        }
    }

    private func restartNow(_ id: Int64) throws {
        guard let run = runs[id] else { throw Self.unknownRun(id) }
        try connection.transaction {
            try Checkpoint.remove(of: run.streamID, on: connection)
            try connection.execute("UPDATE _garner_runs SET read_id = run_id WHERE run_id = ?1", .integer(id))
        }
        runs[id]?.readID = id
    }

    private func commitNow(_ page: PageCommit, _ id: Int64) throws -> (counts: RunCounts, ended: RunRecord?) {
        guard let run = runs[id] else { throw Self.unknownRun(id) }
        var counts = run.counts
        do {
            let ended = try connection.transaction {
                let table = try table(of: run)
                for request in page.requests { try request.insert(run: id, on: connection) }
                counts.add(
                    try table.store(page, run: id, read: run.readID, scope: run.scope, now: now()), page.requests)
                return try follow(page.continuation, run, table, &counts)
            }
            runs[id] = ended == nil ? run.having(counts) : nil
            return (counts, ended)
        } catch {
            // What the table had learnt may have been rolled back.
            tables[run.streamID] = nil
            throw error
        }
    }

    private func follow(
        _ continuation: PageCommit.Continuation, _ run: OpenRun, _ table: StreamTable, _ counts: inout RunCounts
    ) throws -> RunRecord? {
        switch continuation {
        case .next(let position):
            try saveCheckpoint(position, of: run)
            try RunTable(connection: connection).update(run.id, counts)
            return nil
        case .complete:
            try Checkpoint.remove(of: run.streamID, on: connection)
            try RunTable(connection: connection).update(run.id, counts)
            let warnings = [try deleteMissing(run, table, &counts)] + (try generalWarnings(run, table))
            try noteBaseline(run)
            return try end(run, as: .succeeded, counts, isComplete: true, warnings: warnings)
        case .cutShort(let warning):
            try Checkpoint.remove(of: run.streamID, on: connection)
            try table.forgetOtherPages(than: run.readID)
            try noteBaseline(run)
            let warnings = [warning] + (try generalWarnings(run, table))
            return try end(run, as: .succeeded, counts, warnings: warnings)
        case .stopped(let position):
            try saveCheckpoint(position, of: run)
            return try end(run, as: .cancelled, counts)
        }
    }

    /// From the first read that ended on, changes are noted row by row.
    private func noteBaseline(_ run: OpenRun) throws {
        try connection.execute(
            "UPDATE _garner_streams SET baseline_run = ?1 WHERE stream_id = ?2 AND baseline_run IS NULL",
            .integer(run.id), .integer(run.streamID))
    }

    private func saveCheckpoint(_ position: String, of run: OpenRun) throws {
        try Checkpoint(readID: run.readID, identity: run.identity, nextPosition: position)
            .save(of: run.streamID, at: now(), on: connection)
    }

    /// nil, or a warning that nothing was deleted.
    private func deleteMissing(_ run: OpenRun, _ table: StreamTable, _ counts: inout RunCounts) throws -> String? {
        switch try table.deleteMissing(read: run.readID, run: run.id, now: now()) {
        case .none: return nil
        case .deleted(let count):
            counts.deleted += count
            return nil
        case .resumed:
            return "missing rows are deleted by the next read that is not interrupted"
        case .keyless: return "delete_missing needs a primary key, and the table has none; nothing was deleted"
        case .unsure(let quarantined):
            return
                "\(quarantined) records were quarantined, so that it cannot be told which rows are missing; none was deleted"
        case .braked(let missing, let rows):
            return "\(missing) of \(rows) rows are missing from the source, more than max_delete_ratio "
                + "(\(run.stream.maxDeleteRatio)) allows; none was deleted"
        }
    }

    /// What is to be known of any read that ended well.
    private func generalWarnings(_ run: OpenRun, _ table: StreamTable) throws -> [String] {
        var warnings: [String] = []
        if run.readID != run.id {
            let begun = try connection.text(
                "SELECT started_at FROM _garner_runs WHERE run_id = ?1", .integer(run.readID))
            warnings.append(
                "this run went on with the read of run \(run.readID)\(begun.map { " from \($0)" } ?? ""), "
                    + "whose pages were not asked for again")
        }
        if table.notes.contains(.duplicateKeys) {
            warnings.append("objects of the source have a key twice; of each the last one was stored")
        }
        if table.notes.contains(.replacedSurrogates) {
            warnings.append(
                "texts of the source hold halves of characters (lone surrogates); each was stored as U+FFFD")
        }
        if table.appendsUnasked {
            warnings.append(
                "the table \(run.stream.table) has no primary key, so that every run adds all records again; "
                    + "set primary_key, or write_disposition: append if that is meant")
        }
        return warnings
    }

    private static func digest(of identity: String) -> String {
        var hash = StableHash()
        hash.add(identity.utf8)
        return String(UInt64(bitPattern: hash.value), radix: 16)
    }

    private func end(
        _ run: OpenRun, as status: RunRecord.Status, _ counts: RunCounts, isComplete: Bool = false,
        warnings: [String?] = [], failure: RunFailure? = nil
    ) throws -> RunRecord {
        let texts = warnings.compactMap(\.self)
        return try RunTable(connection: connection)
            .end(
                run.id, as: status, counts, at: now(), isComplete: isComplete,
                warning: texts.isEmpty ? nil : texts.joined(separator: "; "), failure: failure)
    }

    private func endNow(
        _ id: Int64, _ status: RunRecord.Status, _ requests: [RequestRecord], _ failure: RunFailure?,
        _ givesUpRead: Bool
    ) throws -> RunRecord {
        guard let run = runs[id] else { throw Self.unknownRun(id) }
        var counts = run.counts
        counts.add(requests)
        let record = try connection.transaction {
            for request in requests { try request.insert(run: id, on: connection) }
            if givesUpRead { try Checkpoint.remove(of: run.streamID, on: connection) }
            return try end(run, as: status, counts, failure: failure)
        }
        runs[id] = nil
        return record
    }

    private func table(of run: OpenRun) throws -> StreamTable {
        if let table = tables[run.streamID] { return table }
        let table = try StreamTable(of: run.stream, streamID: run.streamID, on: connection)
        tables[run.streamID] = table
        return table
    }

    private static func unknownRun(_ id: Int64) -> PersistenceError {
        PersistenceError(.bug, "run \(id) is not open", hint: "this is a bug in Garner; please report it")
    }
}

extension RunCounts {
    fileprivate mutating func add(_ requests: [RequestRecord]) {
        for request in requests {
            self.requests += request.attempts
            bytes += request.bytes
            notModified += request.isNotModified ? 1 : 0
        }
    }

    fileprivate mutating func add(_ stored: RunCounts, _ requests: [RequestRecord]) {
        pages += 1
        add(requests)
        inserted += stored.inserted
        updated += stored.updated
        unchanged += stored.unchanged
        quarantined += stored.quarantined
    }
}
