import Catalog
import JSON
import SQLite

/// Removes what is only history of operation: streams, rows, cursors and the latest runs stay.
package struct DatabasePruning {
    private let path: String
    private let request: PruneRequest
    private let cancellation: Cancellation

    package init(of path: String, _ request: PruneRequest, cancellation: Cancellation = Cancellation()) {
        (self.path, self.request, self.cancellation) = (path, request, cancellation)
    }

    /// What `run` would remove; reads only.
    package func preview() throws -> PruneOutcome {
        let archive = try Archive(path: path)
        return try archive.reading {
            try cancellation.running(on: archive.connection) {
                var outcome = try sweep(Sweeper(connection: archive.connection, removes: false, cancellation))
                outcome.databaseBytes = try Pages(of: archive.connection).bytes
                outcome.leftovers = Leftovers(besideDatabase: path).found()
                return outcome
            }
        }
    }

    /// Removes in many small transactions, so that none holds up others for long; what is removed when it is cancelled
    /// stays so.
    package func run() throws -> PruneOutcome {
        // Before the lock file is made: there must be a database of this version.
        _ = try Archive(path: path)
        let lock = try WriterLock(database: path)
        defer { withExtendedLifetime(lock) {} }
        do {
            let connection = try Connection(path: path, mode: .readWrite)
            defer { connection.close() }
            // What may go is what nothing refers to. To look for that again at every row would read all notes of changes.
            try connection.executeScript(
                "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = OFF")
            return try cancellation.running(on: connection) {
                let before = try Pages(of: connection)
                var outcome = try sweep(Sweeper(connection: connection, removes: true, cancellation))
                if request.vacuums { try Vacuum(connection: connection).run() }
                let after = try Pages(of: connection)
                outcome.freedBytes = max(0, before.usedBytes - after.usedBytes)
                outcome.databaseBytes = after.bytes
                outcome.leftovers = Leftovers(besideDatabase: path).remove()
                return outcome
            }
        } catch let error as SQLiteError {
            throw PersistenceError(error, path: path)
        }
    }

    private func sweep(_ sweeper: Sweeper) throws -> PruneOutcome {
        var outcome = PruneOutcome()
        if let before = request.runsBefore {
            let runs = try PrunableRuns(connection: sweeper.connection).runs(before: before)
            for batch in runs.map(String.init).batches(of: 200) {
                let those = batch.asList
                let isOne = "run_id IN (SELECT value FROM json_each(?1))"
                outcome.requests += try sweeper.sweep("_garner_requests", ["request_id"], isOne, [those])
                // The key begins with the stream.
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
        return outcome
    }

    private func sweepFiles(_ sweeper: Sweeper, _ outcome: inout PruneOutcome) throws {
        let stale = try StaleLinks(connection: sweeper.connection)
        let isLoose = """
            NOT EXISTS (SELECT 1 FROM _garner_attachments AS link WHERE link.sha256 = _garner_blobs.sha256
            AND NOT (\(stale.condition("link."))))
            """
        outcome.fileBytes = Int(
            try sweeper.connection.firstRow(
                "SELECT coalesce(sum(length), 0) FROM _garner_blobs WHERE \(isLoose)", stale.values
            ) { $0.integer(at: 0) } ?? 0)
        _ = try sweeper.sweep(
            "_garner_attachments", ["stream_id", "field", "url"], stale.condition(""), stale.values)
        let loose = try sweeper.connection.rows("SELECT sha256 FROM _garner_blobs WHERE \(isLoose)", stale.values) {
            JSONString.quoted($0.text(at: 0))
        }
        for batch in loose.batches(of: 16) {
            outcome.files += try sweeper.sweep(
                "_garner_blobs", ["sha256"], "sha256 IN (SELECT value FROM json_each(?1))", [batch.asList])
        }
    }
}

/// How much of a file is used.
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
    /// A JSON array of what is JSON already.
    fileprivate var asList: Value { .text("[\(joined(separator: ","))]") }
}
