import GarnerCatalog
import GarnerDatabase
import GarnerModel
import GarnerSQLite

// Limits the number of a stream's stored runs.
extension DatabaseWriter {
    /// The number of runs that are forgotten at once.
    private static let portion = 50

    /// Forgets the oldest runs beyond those that the stream keeps, with their requests, before a run begins.
    ///
    /// It waits until a portion can be forgotten, since all references to runs must be read for that.
    func forgetOldRuns(of stream: StreamConfiguration) throws {
        guard stream.keepRuns > 0, !connection.isInTransaction else { return }
        let known = "SELECT stream_id FROM _garner_streams WHERE name = ?1"
        guard let streamID: StreamID = try connection.id(known, .text(stream.name.description)) else { return }
        let count = try connection.integer("SELECT count(*) FROM _garner_runs WHERE stream_id = ?1", .id(streamID))
        // The run that begins counts too.
        let older = stream.keepRuns - 1
        let surplus = Int(count ?? 0) - older
        guard surplus - (passedOver[streamID] ?? 0) >= min(Self.portion, stream.keepRuns / 20 + 1),
            let last: RunID = try connection.id(
                "SELECT run_id FROM _garner_runs WHERE stream_id = ?1 ORDER BY run_id DESC LIMIT 1 OFFSET ?2",
                .id(streamID), .integer(Int64(older)))
        else { return }
        let runs = try PrunableRuns(connection: connection).runs(of: streamID, through: last, limit: Self.portion)
        try forget(runs)
        passedOver[streamID] = runs.count == Self.portion ? 0 : surplus - runs.count
    }

    private func forget(_ runs: [RunID]) throws {
        guard !runs.isEmpty else { return }
        // The runs are known to have no references. A check of foreign keys would read all notes of changes again.
        try connection.set(checksForeignKeys: false)
        let result = Result {
            try connection.transactionWithoutSync {
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
