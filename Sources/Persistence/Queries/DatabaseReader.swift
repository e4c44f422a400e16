import Catalog
package import Database
package import Model
import SQLite

/// The stored data as readers see it: a connection that cannot write, on one unchanging state per question.
package final class DatabaseReader {
    let connection: Connection

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
    package static func openOrEmpty(path: String, now: Timestamp) throws -> DatabaseReader {
        do {
            return try DatabaseReader(path: path)
        } catch let error as PersistenceError where error.kind == .missing {
            let connection = try Connection(path: ":memory:", mode: .readWrite)
            try Migrator(connection: connection, now: now).migrate()
            return DatabaseReader(connection: connection)
        }
    }

    /// Limits the memory of all databases in this process. Beyond it, queries fail.
    package static func limitMemory(toBytes bytes: Int) { HeapLimit.set(bytes: Int64(bytes)) }

    /// Runs `body` on one state of the database; errors of SQLite become errors of this module.
    package func reading<R>(_ body: () throws -> R) throws -> R {
        do {
            return try connection.snapshot(body)
        } catch let error as SQLiteError {
            throw PersistenceError(error, path: connection.path)
        }
    }
}

extension DatabaseReader {
    /// Runs statements that users wrote in `body`, on one state of the database, and no longer than the guard says.
    ///
    /// What they do besides reading is refused. What they need that is no reading itself, such as a temporary view, is
    /// made before on `connection`; a transaction that is open already is the state that they see.
    package func guarding<R>(
        _ queryGuard: QueryGuard, limits: QueryLimits = .reading, _ body: () throws -> R
    ) throws -> R {
        func guarded() throws -> R { try connection.guarding(queryGuard, limits: limits, body) }
        do {
            return try connection.isInTransaction ? guarded() : connection.snapshot(guarded)
        } catch let error as SQLiteError {
            throw Self.explained(PersistenceError(error, path: connection.path), queryGuard)
        } catch let error as PersistenceError {
            throw Self.explained(error, queryGuard)
        }
    }

    /// What SQLite says where a statement was stopped does not tell who did it.
    private static func explained(_ error: PersistenceError, _ queryGuard: QueryGuard) -> PersistenceError {
        guard [.interrupted, .request, .permission, .limit].contains(error.kind) else { return error }
        switch queryGuard.verdict {
        case .timeIsUp: return .timeIsUp(queryGuard.limit ?? .zero)
        case .stopped: return PersistenceError(.interrupted, "the query was stopped", hint: "run it again")
        case .refused(let deed):
            return PersistenceError(
                .request, "the query would \(deed)", hint: "queries only read; write with 'garner sync'")
        case nil: return error
        }
    }
}

extension PersistenceError {
    package static func timeIsUp(_ limit: Duration) -> PersistenceError {
        PersistenceError(
            .limit, "the query ran for longer than \(DurationText.format(limit))",
            hint: "ask for less, or give it more time with --timeout")
    }
}
