import Catalog
import SQLite

// How many runs of a stream are kept.
extension Store {
    /// So many are forgotten at once.
    private static let portion = 50

    /// Forgets runs beyond those that the stream keeps, with their requests; to be called before a run begins.
    ///
    /// Where many are kept, it waits until there are some to forget, as what refers to runs has to be read for that.
    func forgetOldRuns(of stream: Stream) throws {
        guard stream.keepRuns > 0, !connection.isInTransaction else { return }
        let known = "SELECT stream_id FROM _garner_streams WHERE name = ?1"
        guard let streamID = try connection.integer(known, .text(stream.name.description)),
            // The run that begins is one of those that are kept.
            let last = try connection.integer(
                "SELECT run_id FROM _garner_runs WHERE stream_id = ?1 ORDER BY run_id DESC LIMIT 1 OFFSET ?2",
                .integer(streamID), .integer(Int64(stream.keepRuns - 1)))
        else { return }
        let seen = sweptRuns[streamID] ?? 0
        let patience = min(Self.portion, stream.keepRuns / 20 + 1)
        let isWorthIt = try connection.integer(
            "SELECT 1 FROM _garner_runs WHERE stream_id = ?1 AND run_id > ?2 AND run_id <= ?3 LIMIT 1 OFFSET ?4",
            .integer(streamID), .integer(seen), .integer(last), .integer(Int64(patience - 1)))
        guard isWorthIt != nil else { return }
        let runs = try PrunableRuns(connection: connection)
            .runs(of: streamID, after: seen, through: last, limit: Self.portion)
        try forget(runs)
        // Those that were passed over stay at least as long as this process.
        sweptRuns[streamID] = runs.count == Self.portion ? runs.last : last
    }

    private func forget(_ runs: [Int64]) throws {
        guard !runs.isEmpty else { return }
        // That nothing refers to them was just found out. To look for it again at each one would read all notes of changes.
        try connection.set(checksForeignKeys: false)
        defer { try? connection.set(checksForeignKeys: true) }
        try transactionWithoutWaiting {
            let list = Value.text("[\(runs.map(String.init).joined(separator: ","))]")
            for table in ["_garner_requests", "_garner_triggers", "_garner_runs"] {
                try connection.execute(
                    "DELETE FROM \(table) WHERE run_id IN (SELECT value FROM json_each(?1))", list)
            }
        }
    }
}
