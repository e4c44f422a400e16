import GarnerCatalog
package import GarnerDatabase
package import GarnerModel
package import GarnerSQLite

/// A connection that cannot write. Each `reading` sees one unchanging state.
package final class ReadOnlyDatabase {
    package let connection: Connection
    /// The rows of the tables that were counted since the mark of changes was this.
    var rowCounts: (mark: Int64?, byTable: [[UInt8]: RowCount]) = (nil, [:])
    /// The parts of the database, once they are needed.
    private var parts: [ReadOnlyDatabase] = []
    private var queryGuard: (queryGuard: QueryGuard, limits: QueryLimits)?

    /// Opens an existing database.
    ///
    /// - Parameter isAny: True if it may be the database of any program, of any version. Only SQL reads such a database.
    package init(path: String, isAny: Bool = false) throws {
        try FileCreation.requireDatabase(path)
        do {
            connection = try Connection(path: path, mode: .readOnly)
            try connection.uniteBooks()
            if try isAny && connection.integer("SELECT count(*) FROM sqlite_schema") != 0 { return }
            let version = try Migrator.verify(connection)
            guard version > 0 else {
                throw PersistenceError(.missing, "the database \(path) is empty", hint: .syncFirst)
            }
            guard version == Migrator.newestVersion else {
                throw PersistenceError(
                    .foreign,
                    "\(path) was made by an older garner (schema \(version); this one reads \(Migrator.newestVersion))",
                    hint: .syncOnce(effect: "brings it up to date"))
            }
        } catch let error as SQLiteError {
            throw PersistenceError(error, path: path)
        }
    }

    private init(connection: Connection) { self.connection = connection }

    package var path: String { connection.path }

    /// True if the write-ahead log is half full. A reader that goes on keeps it from beginning anew; once full, it takes no page.
    package var mustMakeRoomInLog: Bool { connection.logBytes >= WALLimits().maximum / 2 }

    /// Opens the database, or an empty one in memory if there is none.
    package static func openOrEmpty(path: String, now: Timestamp) throws -> ReadOnlyDatabase {
        do {
            return try ReadOnlyDatabase(path: path)
        } catch let error as PersistenceError where error.kind == .missing {
            let connection = try Connection(path: ":memory:", mode: .readWrite)
            try Migrator(connection: connection, now: now).migrate()
            return ReadOnlyDatabase(connection: connection)
        }
    }

    /// Limits the memory of all databases in this process. Beyond it, queries fail.
    package static func limitMemory(toBytes bytes: Int) { HeapLimit.set(bytes: Int64(bytes)) }

    /// Runs `body` on one state of the database, that of an outer `reading`. Errors of SQLite become this module's.
    package func reading<R>(_ body: () throws -> R) throws -> R {
        do {
            return try connection.isInTransaction ? body() : connection.snapshot(body)
        } catch let error as SQLiteError {
            throw PersistenceError(error, path: connection.path)
        }
    }
}

extension ReadOnlyDatabase {
    /// Returns what `body` finds in each part, in one state of all. A database of one part, such as a file, is that part.
    func inEachPart<R>(_ body: (ReadOnlyDatabase) throws -> R) throws -> [R] {
        try reading {
            guard hasParts else { return [try body(self)] }
            if parts.isEmpty { parts = try connection.connectionsToParts().map { ReadOnlyDatabase(connection: $0) } }
            return try parts.map { part in
                guard let (queryGuard, limits) = queryGuard else { return try part.reading { try body(part) } }
                return try part.guarding(queryGuard, limits: limits) { try body(part) }
            }
        }
    }

    /// Runs statements of users in `body`, on one state of the database, within the limits of the guard.
    ///
    /// Anything but reading is refused. Preparations such as a temporary view must be made before on `connection`. If a
    /// transaction is open, its state is the one that the statements see.
    package func guarding<R>(
        _ queryGuard: QueryGuard, limits: QueryLimits = .reading, _ body: () throws -> R
    ) throws -> R {
        func guarded() throws -> R {
            let outer = self.queryGuard
            self.queryGuard = (queryGuard, limits)
            defer { self.queryGuard = outer }
            return try connection.guarding(queryGuard, limits: limits, body)
        }
        do {
            return try connection.isInTransaction ? guarded() : connection.snapshot(guarded)
        } catch let error as SQLiteError {
            throw Self.explained(PersistenceError(error, path: connection.path), queryGuard)
        } catch let error as PersistenceError {
            throw Self.explained(error, queryGuard)
        }
    }

    /// Returns the error with the reason of the stop, which SQLite's message does not tell.
    private static func explained(_ error: PersistenceError, _ queryGuard: QueryGuard) -> PersistenceError {
        guard [.interrupted, .request, .permission, .limit].contains(error.kind) else { return error }
        switch queryGuard.verdict {
        case .timeIsUp: return .timeIsUp(queryGuard.limit ?? .zero)
        case .stopped: return PersistenceError(.interrupted, "the query was stopped", hint: "run it again")
        case .refused(let deed):
            return PersistenceError(.request, "the query would \(deed)", hint: .onlyRead)
        case nil: return error
        }
    }
}

extension PersistenceError {
    package static func timeIsUp(_ limit: Duration) -> PersistenceError {
        PersistenceError(.limit, "the query ran for longer than \(DurationText.format(limit))", hint: .askForLess)
    }
}
