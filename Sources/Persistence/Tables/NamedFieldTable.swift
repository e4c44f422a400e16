import GarnerDatabase
import GarnerModel
import GarnerSQLite

/// The fields of records that the configuration of a stream names, as far as its reads have looked for them.
struct NamedFieldTable {
    let streamID: StreamID
    let connection: Connection

    /// The fields, with true for each that a record had.
    var sightings: [String: Bool] {
        get throws {
            let rows = try connection.rows(
                "SELECT field, is_seen FROM _garner_named_fields WHERE stream_id = ?1", [.id(streamID)]
            ) { ($0.text(at: 0), $0.integer(at: 1) == 1) }
            return Dictionary(rows) { _, last in last }
        }
    }

    func replace(by sightings: [String: Bool]) throws {
        try connection.execute("DELETE FROM _garner_named_fields WHERE stream_id = ?1", .id(streamID))
        for (field, isSeen) in sightings {
            try connection.execute(
                "INSERT INTO _garner_named_fields (stream_id, field, is_seen) VALUES (?1, ?2, ?3)", .id(streamID),
                .text(field), .integer(isSeen ? 1 : 0))
        }
    }
}
