import GarnerCatalog
import GarnerModel
import GarnerSQLite

// The form of a table: its key, and how its records are stored. Neither changes once the table is made.
extension TableSchema {
    /// Throws `PersistenceError` if the table was made otherwise than the stream is configured.
    func requireForm(of stream: StreamConfiguration) throws {
        if stream.writeDisposition == .append, !key.isEmpty {
            throw PersistenceError(
                .configuration,
                "the table \(table) has the primary key \(key.map(\.name)), but write_disposition is append",
                hint: .dropToStartAnew(stream: stream.name.description, after: "remove write_disposition; or keep it"))
        }
        if stream.writeDisposition == .merge, key.isEmpty {
            throw PersistenceError(
                .configuration, "the table \(table) has no primary key, but write_disposition is merge",
                hint: .dropToStartAnew(
                    stream: stream.name.description, after: "remove write_disposition; or give the stream a primary_key"
                ))
        }
        if let declared = stream.primaryKey, stream.writeDisposition != .append,
            declared.map(index(ofField:)).map({ $0.map { columns[$0] } }) != key
        {
            let stored = key.map(\.name)
            throw PersistenceError(
                .configuration,
                "the table \(table) has \(stored.isEmpty ? "no primary key" : "the primary key \(stored)"), "
                    + "but \(declared) is configured",
                hint: .dropToStartAnew(
                    stream: stream.name.description,
                    after: stored.isEmpty
                        ? "leave out primary_key; or keep it" : "restore its primary_key; or keep the new one"))
        }
        if stream.dedupes != (contentIndex != nil) {
            throw PersistenceError(
                .configuration,
                "the table \(table) was made \(stream.dedupes ? "without" : "with") dedupe, which is now "
                    + (stream.dedupes ? "true" : "not set"),
                hint: "set it as it was, or drop the table, so that the next sync makes it anew")
        }
        if stream.childTables, key.isEmpty { throw Self.keylessParent(columns.map(\.name)) }
    }
}
