import GarnerDatabase
import GarnerSQLite
import GarnerTasks

/// Reads a database from many tasks at once: a pool of read-only connections, each with its own thread.
///
/// A read sees one unchanging state, whatever is written meanwhile. It waits in order while all connections are busy.
///
///     let reader = DatabaseReader(path: path)
///     let states = try await reader.read { try $0.scheduleStates() }
package actor DatabaseReader {
    private var idle: [PooledConnection]
    private let waiters = Waiters<PooledConnection>()
    private var queue: [Waiters<PooledConnection>.ID] = []

    /// Creates the pool. It opens a connection when a read first needs it.
    package init(path: String, maximumConnections: Int = 4) {
        idle = (0..<max(maximumConnections, 1)).map { _ in PooledConnection(path: path) }
    }

    /// Runs `body` on a connection's thread, on one state of the database. `body` can only read.
    ///
    /// Throws `CancellationError`, also in the midst of a query, and `PersistenceError` for all that is wrong with the database.
    package func read<R: Sendable>(_ body: @Sendable (ReadOnlyDatabase) throws -> R) async throws -> R {
        let connection = try await borrow()
        defer { giveBack(connection) }
        return try await connection.read(body)
    }

    /// The number of reads that wait for a connection.
    package var waitingReads: Int { queue.count }

    private func borrow() async throws -> PooledConnection {
        try Task.checkCancellation()
        // The connection that was used last has the most of the database in its cache.
        if let connection = idle.popLast() { return connection }
        let id = waiters.add()
        queue.append(id)
        return try await waiters.value(for: id) { await self.cancelled($0) }
    }

    private func giveBack(_ connection: PooledConnection) {
        if queue.isEmpty {
            idle.append(connection)
        } else {
            waiters.resume(queue.removeFirst(), with: .success(connection))
        }
    }

    /// Ends the waiting of a read that has no connection yet.
    private func cancelled(_ id: Waiters<PooledConnection>.ID) {
        queue.removeAll { $0 == id }
        waiters.resume(id, with: .failure(CancellationError()))
    }
}

/// A connection of the pool. One read uses it at a time.
private actor PooledConnection {
    private nonisolated let executor = ConnectionExecutor(label: "garner.reader")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let path: String
    private var database: ReadOnlyDatabase?

    init(path: String) { self.path = path }

    func read<R: Sendable>(_ body: @Sendable (ReadOnlyDatabase) throws -> R) async throws -> R {
        let database = try opened()
        let queryGuard = QueryGuard()
        return try await withTaskCancellationHandler {
            try perform(body, on: database, queryGuard)
        } onCancel: {
            queryGuard.stop()
        }
    }

    private func perform<R>(
        _ body: (ReadOnlyDatabase) throws -> R, on database: ReadOnlyDatabase, _ queryGuard: QueryGuard
    ) throws -> R {
        do {
            return try database.guarding(queryGuard, limits: .none) { try body(database) }
        } catch {
            throw queryGuard.verdict == .stopped ? CancellationError() : error
        }
    }

    private func opened() throws -> ReadOnlyDatabase {
        if let database, !database.isOutdated { return database }
        let new = try ReadOnlyDatabase(path: path)
        database = new
        return new
    }
}
