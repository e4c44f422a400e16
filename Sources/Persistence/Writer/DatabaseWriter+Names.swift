package import GarnerCatalog
import GarnerDatabase
import GarnerModel
import GarnerSQLite

extension DatabaseWriter {
    /// Returns true if a stream has no table, while the database has a stream that is not in the file: it may be the same under its old name.
    ///
    /// The connection knows its schema. Each new connection reads the whole of it.
    package func mayBeRenamed(_ stream: StreamConfiguration, among streams: [StreamConfiguration]) async throws -> Bool
    {
        try await perform(inGroup: true) {
            let table = try connection.text(
                "SELECT table_name FROM _garner_streams WHERE name = ?1", .text(stream.name.description))
            if let table, try connection.hasTable(table) { return false }
            let names: [StreamName] = try connection.rows(
                "SELECT name FROM _garner_streams WHERE stream_id NOT IN (SELECT stream_id FROM _garner_children)"
            ) { StreamName(full: $0.text(at: 0)) }
            guard !names.isEmpty else { return false }
            return !Set(streams.map(\.name)).isSuperset(of: names)
        }
    }
}
