import GarnerModel
import GarnerPersistence
import GarnerSQLite

/// A copy of a database for PostgreSQL, whose pages have another size.
package struct CopyForShard {
    private let source: String

    package init(of source: String) { self.source = source }

    /// Writes the copy, and returns how many bytes it has. Nobody else may write to the database meanwhile.
    ///
    /// - Parameter path: The new file, in a folder that nobody else enters.
    /// - Throws: `PersistenceError` if rows would get other numbers, by which other data refers to them.
    package func write(to path: String) throws -> Int {
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
            // The size of pages changes in VACUUM, and not in the mode of the write-ahead log.
            try copy.executeScript("PRAGMA journal_mode = DELETE; PRAGMA page_size = \(DatabaseWriter.copyPageSize)")
            if try copy.integer("PRAGMA page_size") != Int64(DatabaseWriter.copyPageSize) {
                try Vacuum(connection: copy).run()
            }
            try copy.executeScript("PRAGMA journal_mode = WAL")
            let bytes = try copy.integer("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size") ?? 0
            _ = try copy.checkpoint(waiting: .zero)
            return Int(bytes)
        } catch let error as SQLiteError {
            throw PersistenceError(error, path: source)
        }
    }
}
