import GarnerPersistence
package import GarnerModel
import GarnerSQLite

/// A copy of a database for PostgreSQL, whose pages have another size.
package struct CopyForShard {
    private let source: String

    package init(of source: String) { self.source = source }

    /// Writes the copy. Nobody else may write to the database meanwhile.
    ///
    /// - Parameter path: The new file, in a folder that nobody else enters.
    /// - Throws: `PersistenceError` if rows would get other numbers, by which other data refers to them.
    package func write(to path: String) throws {
        try copying(to: path) { copy in
            // The size of pages changes in VACUUM, and not in the mode of the write-ahead log.
            try copy.executeScript("PRAGMA journal_mode = DELETE; PRAGMA page_size = \(DatabaseWriter.copyPageSize)")
            if try copy.integer("PRAGMA page_size") != Int64(DatabaseWriter.copyPageSize) {
                try Vacuum(connection: copy).run()
            }
            // Other shards may come, and the file may have been several shards before.
            if try Migrator.verify(copy) == Migrator.newestVersion {
                try copy.transaction { try ShardNumbers(of: 1).begin(on: copy) }
            }
            try copy.executeScript("PRAGMA journal_mode = WAL")
            _ = try copy.checkpoint(waiting: .zero)
        }
    }

    /// The file of a shard.
    package struct File: Sendable {
        package let path: String
        package let sources: [String]
        package let carried: StreamTransfer.Outcome
    }

    /// Writes a file for each shard, with the streams of its sources. What people have made in the database goes to the first one.
    ///
    /// - Parameters:
    ///   - places: The shards of the sources.
    ///   - folder: A folder that nobody else enters.
    package func write(_ places: [String: Int], in folder: String, now: Timestamp) throws -> [Int: File] {
        let whole = folder + "/whole.db"
        let shards = Dictionary(grouping: places.keys) { places[$0] ?? 1 }
        guard shards.keys.contains(where: { $0 != 1 }) else {
            try write(to: whole)
            return [1: File(path: whole, sources: shards[1] ?? [], carried: StreamTransfer.Outcome())]
        }
        try copying(to: whole) { _ in }
        var files: [Int: File] = [:]
        for (shard, sources) in shards.sorted(by: { $0.key < $1.key }) {
            let path = folder + "/shard-\(shard).db"
            let carried = try StreamTransfer.carry(
                Set(sources), from: whole, into: path, addingOthers: files.isEmpty, shard: shard, now: now)
            files[shard] = File(path: path, sources: sources, carried: carried)
        }
        return files
    }

    private func copying(to path: String, _ body: (Connection) throws -> Void) throws {
        try FileCreation.requireDatabase(source)
        do {
            let lock = try WriterLock(database: source)
            defer { withExtendedLifetime(lock) {} }
            let database = try Connection(path: source, mode: .readOnly)
            defer { database.close() }
            let copy = try Connection(path: path, mode: .readWrite)
            defer { copy.close() }
            guard try Migrator.verify(database) > 0 else {
                throw PersistenceError(.missing, "the database \(source) is empty", hint: .syncFirst)
            }
            try copy.executeScript("PRAGMA synchronous = OFF")
            let copying = try Backup(of: database, to: copy)
            while try copying.step(pages: 1024) {}
            try copying.finish()
            try body(copy)
        } catch let error as SQLiteError {
            throw PersistenceError(error, path: source)
        }
    }
}
