import GarnerDatabase
import GarnerModel
import GarnerSQLite

/// A quarantined record that is loaded again.
struct QuarantinedRecord {
    let id: Int64
    /// The latest run in which the source returned it.
    let run: RunID
    private(set) var text: String
    /// The JSON object of the parent's fields.
    private(set) var added: String?

    /// Returns the record without values that must not be stored any more.
    func cleaned(of fields: HiddenFields) -> QuarantinedRecord {
        func cleaned(_ text: String) -> String {
            guard let result = fields.cleanedRecord(Array(text.utf8)), result.isChanged else { return text }
            return String(decoding: result.text ?? Array("null".utf8), as: UTF8.self)
        }
        var record = self
        (record.text, record.added) = (cleaned(text), added.map(cleaned))
        return record
    }

    /// The limits of a batch, so that it fits into memory whatever its records are.
    private static let maximumBatch = 500
    private static let maximumBytes = 4 << 20

    /// Returns a stream's next records in the order in which the source last returned them; at least one if any is left.
    ///
    /// - Parameter chosen: A JSON array of the record numbers to load; nil for all.
    static func batch(
        of streamID: StreamID, after place: QuarantinePlace, among chosen: String?, on connection: Connection
    ) throws -> [QuarantinedRecord] {
        let statement = try Statement(
            """
            SELECT quarantine_id, run_id, record, added FROM _garner_quarantine
            WHERE stream_id = ?1 AND (run_id, quarantine_id) > (?2, ?3)
            AND (?4 IS NULL OR quarantine_id IN (SELECT value FROM json_each(?4)))
            ORDER BY run_id, quarantine_id LIMIT ?5
            """, on: connection)
        try statement.bind([
            .id(streamID), .id(place.run), .integer(place.id), Value(chosen),
            .integer(Int64(maximumBatch)),
        ])
        var records: [QuarantinedRecord] = []
        var bytes = 0
        while bytes < maximumBytes, try statement.step() {
            let record = QuarantinedRecord(
                id: statement.integer(at: 0), run: statement.id(at: 1), text: statement.text(at: 2),
                added: statement.optionalText(at: 3))
            bytes += record.text.utf8.count
            records.append(record)
        }
        statement.reset()
        return records
    }
}

/// The position of a retry.
package struct QuarantinePlace: Sendable, Equatable {
    var run: RunID = 0
    var id: Int64 = 0

    /// Creates the position before all records.
    package init() {}

    init(of record: QuarantinedRecord) { (run, id) = (record.run, record.id) }
}
