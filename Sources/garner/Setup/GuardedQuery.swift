import Persistence
import SQLite

/// Runs the SQL of users: it only reads, one state of the database, within limits of time and memory, until a signal.
struct GuardedQuery {
    /// All that SQLite may take; sorting and grouping of what is longer goes through temporary files.
    private static let heapBytes: Int64 = 512 << 20

    let setup: Setup
    /// nil: as long as it takes.
    let timeout: Duration?

    /// - Parameter isOurs: whether no part of the statement was written by the user, so that only signals end it.
    func run(on archive: Archive, isOurs: Bool = false, _ body: (StatementGuard) throws -> Void) throws {
        if !isOurs { HeapLimit.set(bytes: Self.heapBytes) }
        let statementGuard = StatementGuard(limit: timeout, clock: setup.clock)
        let signals = Signals { _ in statementGuard.stop() }
        let watchdog = Watchdog(statementGuard) { verdict in
            if verdict == .stopped, let signal = signals.first { Garner.endAtOnce(with: Ending(code: 128 + signal)) }
            Garner.endAtOnce(with: PersistenceError.timeIsUp(timeout ?? .zero))
        }
        defer {
            watchdog.leave()
            signals.stop()
        }
        do {
            try archive.guarding(statementGuard, limits: isOurs ? .none : .reading) { try body(statementGuard) }
        } catch {
            if let signal = signals.first { throw Ending(code: 128 + signal) }
            throw error
        }
        if let signal = signals.first { throw Ending(code: 128 + signal) }
    }
}
