package import GarnerPersistence
import GarnerCatalog
import GarnerDatabase
import GarnerJSON
package import GarnerModel
import GarnerSQLite
import Synchronization

/// Removes old records of operation. Streams, rows, cursors and the latest runs stay.
package struct DatabasePruning {
    private let path: String
    private let request: PruneRequest
    private let commits: (any CommitReceiver)?
    private let cancellation: Cancellation

    /// - Parameter commits: The receiver of each commit, if the file is only a copy. The caller waits for it.
    package init(
        of path: String, _ request: PruneRequest, commits: (any CommitReceiver)? = nil,
        cancellation: Cancellation = Cancellation()
    ) {
        (self.path, self.request, self.commits, self.cancellation) = (path, request, commits, cancellation)
    }

    /// Returns what `run` would remove, without changing the file.
    package func preview() throws -> PruneOutcome {
        let reader = try ReadOnlyDatabase(path: path)
        return try reader.reading {
            try cancellation.running(on: reader.connection) {
                var outcome = PruneOutcome()
                try sweep(Sweeper(connection: reader.connection, removes: false, cancellation), &outcome)
                outcome.dropped = try request.hiddenFields.compactMap {
                    try DroppedFields($0, on: reader.connection)?.found()
                }.filter { !$0.isEmpty }
                outcome.databaseBytes = try Pages(of: reader.connection).bytes
                outcome.leftovers = Leftovers(besideDatabase: path).found()
                return outcome
            }
        }
    }

    /// Removes the data in many small transactions, so that none blocks others for long. A cancellation does not undo
    /// it.
    ///
    /// - Parameter earlier: What was removed from other files of the database, to which this is added.
    package func run(after earlier: PruneOutcome = PruneOutcome()) throws -> PruneOutcome {
        // This comes before the lock file, since there must be a database of this version.
        _ = try ReadOnlyDatabase(path: path)
        let lock = try WriterLock(database: path)
        defer { withExtendedLifetime(lock) {} }
        do {
            let connection = try Connection(path: path, mode: .readWrite)
            defer { connection.close() }
            // The data to remove has no references. A check at every row would read all notes of changes.
            try connection.executeScript(
                "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = OFF")
            if let commits { try connection.observeCommits { commits.committed($0) } }
            return try cancellation.running(on: connection) {
                let before = try Pages(of: connection)
                // "When secure_delete is on, SQLite overwrites deleted content with zeros."
                if !request.hiddenFields.isEmpty { try connection.executeScript("PRAGMA secure_delete = ON") }
                var outcome = earlier
                try sweep(Sweeper(connection: connection, removes: true, cancellation), &outcome)
                try removeHiddenFields(on: connection, &outcome)
                if request.vacuums || !request.hiddenFields.isEmpty {
                    let hint = request.hiddenFields.isEmpty ? Hint.forgetChangesToVacuum : .dropToForgetBytes
                    try Vacuum(connection: connection, hint: hint).run()
                }
                if !request.hiddenFields.isEmpty { try emptyLog(of: connection) }
                let after = try Pages(of: connection)
                outcome.freedBytes = (outcome.freedBytes ?? 0) + max(0, before.usedBytes - after.usedBytes)
                outcome.databaseBytes += after.bytes
                let leftovers = Leftovers(besideDatabase: path).remove()
                outcome.leftovers.files += leftovers.files
                outcome.leftovers.bytes += leftovers.bytes
                outcome.leftovers.problem = outcome.leftovers.problem ?? leftovers.problem
                return outcome
            }
        } catch let error as SQLiteError {
            throw PersistenceError(error, path: path)
        }
    }

    /// Removes the values of each stream in a transaction of its own. Triggers of others do not run: they could keep them.
    private func removeHiddenFields(on connection: Connection, _ outcome: inout PruneOutcome) throws {
        guard !request.hiddenFields.isEmpty else { return }
        try connection.set(runsTriggers: false)
        defer { try? connection.set(runsTriggers: true) }
        for hidden in request.hiddenFields {
            try cancellation.check()
            let dropped = try connection.transaction { try DroppedFields(hidden, on: connection)?.remove() }
            if let dropped, !dropped.isEmpty { outcome.dropped.append(dropped) }
        }
    }

    /// Copies the write-ahead log into the database and empties it, since it has pages as they were.
    private func emptyLog(of connection: Connection) throws {
        guard try connection.checkpoint(waiting: request.patience) else {
            throw PersistenceError(
                .locked,
                "the values are removed, but the write-ahead log of \(path) still has them, since a program reads the database",
                hint: .pruneDroppedAgain)
        }
    }

    private func sweep(_ sweeper: Sweeper, _ outcome: inout PruneOutcome) throws {
        if let before = request.runsBefore {
            let runs = try PrunableRuns(connection: sweeper.connection).runs(before: before)
            for batch in runs.map(String.init).batches(of: 200) {
                let those = batch.asList
                try sweeper.forgetFollowedChanges(of: those)
                let isOne = "run_id IN (SELECT value FROM json_each(?1))"
                outcome.requests += try sweeper.sweep("_garner_requests", ["request_id"], isOne, [those])
                // The key begins with the stream's number.
                outcome.changes += try sweeper.sweep(
                    "_garner_changes", ["stream_id", "run_id", "record_key"],
                    "stream_id IN (SELECT stream_id FROM _garner_streams) AND \(isOne)", [those])
                _ = try sweeper.sweep("_garner_triggers", ["stream_id", "request_id"], isOne, [those])
                outcome.runs += try sweeper.sweep("_garner_runs", ["run_id"], isOne, [those])
            }
        }
        if let before = request.requestsBefore {
            outcome.requests += try sweeper.sweep(
                "_garner_requests", ["request_id"], "sent_at < ?1", [.text(before.description)])
        }
        if let before = request.historyBefore {
            try sweeper.forgetPeriods(before: before.description)
            for table in try PrunableVersions.all(on: sweeper.connection) {
                outcome.versions += try sweeper.sweep(
                    table.name, table.key, "\"_garner_valid_to\" < ?1", [.text(before.description)])
            }
        }
        if request.removesFiles { try sweepFiles(sweeper, &outcome) }
    }

    private func sweepFiles(_ sweeper: Sweeper, _ outcome: inout PruneOutcome) throws {
        let stale = try StaleLinks(connection: sweeper.connection)
        let isLoose = """
            NOT EXISTS (SELECT 1 FROM _garner_attachments AS link WHERE link.sha256 = _garner_blobs.sha256
            AND NOT (\(stale.condition("link."))))
            """
        outcome.fileBytes += Int(
            try sweeper.connection.firstRow(
                "SELECT coalesce(sum(length), 0) FROM _garner_blobs WHERE \(isLoose)", stale.values
            ) { $0.integer(at: 0) } ?? 0)
        _ = try sweeper.sweep(
            "_garner_attachments", ["stream_id", "field", "url"], stale.condition(""), stale.values)
        let loose = try sweeper.connection.rows("SELECT sha256 FROM _garner_blobs WHERE \(isLoose)", stale.values) {
            JSONText.quoted($0.text(at: 0))
        }
        for batch in loose.batches(of: 16) {
            outcome.files += try sweeper.sweep(
                "_garner_blobs", ["sha256"], "sha256 IN (SELECT value FROM json_each(?1))", [batch.asList])
        }
    }
}

/// The used and the free pages of a file.
private struct Pages {
    let bytes: Int
    let usedBytes: Int

    init(of connection: Connection) throws {
        let size = Int(try connection.integer("PRAGMA page_size") ?? 0)
        let count = Int(try connection.integer("PRAGMA page_count") ?? 0)
        let free = Int(try connection.integer("PRAGMA freelist_count") ?? 0)
        bytes = count.multipliedReportingOverflow(by: size).partialValue
        usedBytes = (count - free).multipliedReportingOverflow(by: size).partialValue
    }
}

extension [String] {
    fileprivate func batches(of size: Int) -> [ArraySlice<String>] {
        stride(from: 0, to: count, by: size).map { self[$0..<Swift.min($0 + size, count)] }
    }
}

extension ArraySlice<String> {
    /// A JSON array of texts that are JSON already.
    fileprivate var asList: Value { .text("[\(joined(separator: ","))]") }
}

/// The parts of a database's own history to remove.
package struct PruneRequest: Sendable {
    /// The instant before which a removed run has ended. Its requests and its notes of changes are removed too.
    package var runsBefore: Timestamp?
    /// The instant before which a removed request was sent.
    package var requestsBefore: Timestamp?
    /// The instant before which a removed version of a row was replaced.
    package var historyBefore: Timestamp?
    /// True if files are removed that no record points to.
    package var removesFiles = false
    /// True if the database file is rewritten without its free pages.
    package var vacuums = false
    /// The fields whose values are removed, with all traces in the files; one value for each stream.
    package var hiddenFields: [HiddenFields] = []
    /// The longest time to wait for programs that read the write-ahead log.
    package var patience = Duration.seconds(10)

    package init() {}
}

/// The data that was removed, or would be.
package struct PruneOutcome: Sendable, Equatable {
    package var runs = 0
    package var requests = 0
    package var changes = 0
    package var versions = 0
    package var files = 0
    /// The size of the files.
    package var fileBytes = 0
    /// The removed values of fields, for each stream that had some.
    package var dropped: [DroppedOutcome] = []
    /// The unfinished files that killed copies and exports left in the database's folder.
    package var leftovers = Leftovers.Outcome()
    /// The free space for new rows, or the space that the file lost; nil for a preview.
    package var freedBytes: Int?
    /// The size of the database file.
    package var databaseBytes = 0

    package init() {}
}

/// Rewrites a database file without its free pages.
struct Vacuum {
    let connection: Connection
    /// The advice if it cannot be done.
    var hint = Hint.forgetChangesToVacuum

    /// Throws if rows would get new numbers by which other data refers to them.
    ///
    /// "The VACUUM command may change the ROWIDs for entries in any tables that do not have an explicit INTEGER PRIMARY
    /// KEY" (sqlite.org/lang_vacuum.html): it numbers rows from 1, which changes nothing if no row was ever removed.
    func run() throws {
        let keyless = try connection.rows(
            """
            SELECT stream_id, table_name FROM _garner_streams AS stream
            WHERE table_name IN \(Connection.tableNames)
            AND NOT EXISTS (SELECT 1 FROM _garner_columns AS c WHERE c.stream_id = stream.stream_id AND key_position > 0)
            AND (EXISTS (SELECT 1 FROM _garner_changes AS change WHERE change.stream_id = stream.stream_id)
                OR EXISTS (SELECT 1 FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL TABLE% USING fts5%'))
            """
        ) { $0.text(at: 1) }
        for table in keyless {
            let hasGaps = "SELECT count(*) <> coalesce(max(_rowid_), 0) FROM \(quoted(table))"
            guard try connection.integer(hasGaps) == 1 else { continue }
            throw PersistenceError(
                .request, "VACUUM would renumber the rows of \(table), which its recorded changes refer to",
                hint: hint)
        }
        try connection.executeScript("VACUUM")
    }
}

/// A cancellation that also ends the running statement.
package final class Cancellation: Sendable {
    private struct State {
        var isCancelled = false
        var interrupt: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    package init() {}

    package var isCancelled: Bool { state.withLock { $0.isCancelled } }

    package func cancel() {
        let interrupt = state.withLock {
            $0.isCancelled = true
            return $0.interrupt
        }
        interrupt?()
    }

    package func check() throws {
        if isCancelled { throw CancellationError() }
    }

    /// Runs `body`. Its statements on the connection end at a cancellation.
    func running<R>(on connection: Connection, _ body: () throws -> R) throws -> R {
        let interruption = Interruption(of: connection)
        let ticket = interruption.ticket()
        state.withLock { $0.interrupt = { interruption.interrupt(ticket) } }
        defer { state.withLock { $0.interrupt = nil } }
        do {
            return try interruption.running(ticket) {
                try check()
                return try body()
            }
        } catch let error as SQLiteError where error.kind == .interrupted && isCancelled {
            throw CancellationError()
        }
    }
}
