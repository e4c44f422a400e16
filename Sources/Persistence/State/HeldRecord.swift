import SQLite

/// A record in quarantine as it is loaded again.
struct HeldRecord {
    let id: Int64
    /// The latest run in which the source had it.
    let run: Int64
    let text: String
    /// A JSON object of the parent's fields.
    let added: String?

    /// So that a batch fits into memory whatever its records are.
    private static let maximumBatch = 500
    private static let maximumBytes = 4 << 20

    /// The next of a stream in the order in which the source had them last; at least one where there is one.
    ///
    /// - Parameter chosen: a JSON array of the numbers that are meant; nil: all.
    static func batch(
        of streamID: Int64, after place: QuarantinePlace, among chosen: String?, on connection: Connection
    ) throws -> [HeldRecord] {
        let statement = try Statement(
            """
            SELECT quarantine_id, run_id, record, added FROM _garner_quarantine
            WHERE stream_id = ?1 AND (run_id, quarantine_id) > (?2, ?3)
            AND (?4 IS NULL OR quarantine_id IN (SELECT value FROM json_each(?4)))
            ORDER BY run_id, quarantine_id LIMIT ?5
            """, on: connection)
        try statement.bind([
            .integer(streamID), .integer(place.run), .integer(place.id), Value(chosen),
            .integer(Int64(maximumBatch)),
        ])
        var records: [HeldRecord] = []
        var bytes = 0
        while bytes < maximumBytes, try statement.step() {
            let record = HeldRecord(
                id: statement.integer(at: 0), run: statement.integer(at: 1), text: statement.text(at: 2),
                added: statement.optionalText(at: 3))
            bytes += record.text.utf8.count
            records.append(record)
        }
        statement.reset()
        return records
    }
}

/// How far a retry has come.
package struct QuarantinePlace: Sendable, Equatable {
    var run: Int64 = 0
    var id: Int64 = 0

    /// Before all records.
    package init() {}

    init(of record: HeldRecord) { (run, id) = (record.run, record.id) }
}
