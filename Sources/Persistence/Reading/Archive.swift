package import Catalog
package import SQLite

/// The stored data as readers see it: a connection that cannot write, on one unchanging state per question.
package final class Archive {
    package let connection: Connection

    /// Opens an existing database that is Garner's.
    package init(path: String) throws {
        guard FileCreation.exists(path) else {
            throw PersistenceError(
                .missing, "there is no database \(path) yet",
                hint: "run 'garner sync' first, or name another with --database")
        }
        do {
            connection = try Connection(path: path, mode: .readOnly)
            let version = try Migrator.verify(connection)
            guard version > 0 else {
                throw PersistenceError(.missing, "the database \(path) is empty", hint: "run 'garner sync' first")
            }
            guard version == Migrator.newestVersion else {
                throw PersistenceError(
                    .foreign,
                    "\(path) was made by an older garner (schema \(version); this one reads \(Migrator.newestVersion))",
                    hint: "run 'garner sync' once, which brings it up to date")
            }
        } catch let error as SQLiteError {
            throw PersistenceError(error, path: path)
        }
    }

    private init(connection: Connection) { self.connection = connection }

    /// Opens the database, or an empty one in memory where there is none yet.
    package static func openOrEmpty(path: String, now: Timestamp) throws -> Archive {
        do {
            return try Archive(path: path)
        } catch let error as PersistenceError where error.kind == .missing {
            let connection = try Connection(path: ":memory:", mode: .readWrite)
            try Migrator(connection: connection, now: now).migrate()
            return Archive(connection: connection)
        }
    }

    /// Runs `body` on one state of the database; errors of SQLite become errors of this module.
    package func reading<R>(_ body: () throws -> R) throws -> R {
        do {
            return try connection.snapshot(body)
        } catch let error as SQLiteError {
            throw PersistenceError(error, path: connection.path)
        }
    }
}
