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
        guard let streamID = try connection.integer(known, .text(stream.name.description)) else { return }
        let count = try connection.integer("SELECT count(*) FROM _garner_runs WHERE stream_id = ?1", .integer(streamID))
        // The run that begins is one of those that are kept.
        let older = stream.keepRuns - 1
        let surplus = Int(count ?? 0) - older
        guard surplus - (passedOver[streamID] ?? 0) >= min(Self.portion, stream.keepRuns / 20 + 1),
            let last = try connection.integer(
                "SELECT run_id FROM _garner_runs WHERE stream_id = ?1 ORDER BY run_id DESC LIMIT 1 OFFSET ?2",
                .integer(streamID), .integer(Int64(older)))
        else { return }
        let runs = try PrunableRuns(connection: connection).runs(of: streamID, through: last, limit: Self.portion)
        try forget(runs)
        passedOver[streamID] = runs.count == Self.portion ? 0 : surplus - runs.count
    }

    private func forget(_ runs: [Int64]) throws {
        guard !runs.isEmpty else { return }
        // That nothing refers to them was just found out. To look for it again at each one would read all notes of changes.
        try connection.set(checksForeignKeys: false)
        let result = Result {
            try transactionWithoutWaiting {
                let list = Value.text("[\(runs.map(String.init).joined(separator: ","))]")
                for table in ["_garner_requests", "_garner_runs"] {
                    try connection.execute(
                        "DELETE FROM \(table) WHERE run_id IN (SELECT value FROM json_each(?1))", list)
                }
            }
        }
        try connection.set(checksForeignKeys: true)
        try result.get()
    }
}
