package import GarnerModel
import GarnerPersistence
import GarnerSQLite

/// Joins the shards of a database into one file: the way back from PostgreSQL.
package enum JoinedShards {
    /// Writes the file, which appears when it is complete. Returns how many bytes it has, and what has come from each shard.
    ///
    /// - Parameters:
    ///   - copies: Files with the pages of the shards, in the order of their numbers, which nobody else uses.
    ///   - database: The path of the database, with its configuration what the file must not replace.
    package static func write(
        _ copies: [String], to path: String, besides database: String, configuration: String?, now: Timestamp
    ) throws -> (bytes: Int, carried: [(sources: [String], outcome: StreamTransfer.Outcome)]) {
        guard !FileCreation.exists(path) else {
            throw PersistenceError(
                .cannotCreate, "\(path) exists already", hint: "name another file, or remove it if nobody needs it")
        }
        let file = try CopyFile(
            path, replaces: false, besides: OwnFiles(of: database, configuration: configuration))
        do {
            var carried: [(sources: [String], outcome: StreamTransfer.Outcome)] = []
            for copy in copies {
                let sources = try StreamTransfer.sources(of: ReadOnlyDatabase(path: copy))
                let outcome = try StreamTransfer.carry(
                    Set(sources), from: copy, into: file.aside, addingOthers: true, shard: nil, now: now)
                carried.append((sources, outcome))
            }
            let connection = try Connection(path: file.aside, mode: .readWrite)
            // Without a log, it is a single file.
            try connection.executeScript("PRAGMA journal_mode = DELETE")
            let bytes = try connection.integer("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")
            connection.close()
            try file.publish()
            return (Int(bytes ?? 0), carried)
        } catch {
            file.discard()
            throw (error as? SQLiteError).map { PersistenceError($0, path: path) } ?? error
        }
    }
}
