import Database
import Dispatch
import Foundation
import Persistence

/// Runs the SQL of users: it only reads, one state of the database, within limits of time and memory, until a signal.
struct GuardedQuery {
    let setup: Setup
    /// The memory of SQLite in bytes. Beyond it, sorting and grouping use temporary files.
    var heapBytes = 512 << 20
    /// nil: as long as it takes.
    let timeout: Duration?

    /// - Parameter isOurs: whether no part of the statement was written by the user, so that only signals end it.
    func run(on reader: DatabaseReader, isOurs: Bool = false, _ body: (QueryGuard) throws -> Void) throws {
        if !isOurs { DatabaseReader.limitMemory(toBytes: heapBytes) }
        let queryGuard = QueryGuard(limit: timeout, clock: setup.clock)
        let signals = Signals { _ in queryGuard.stop() }
        let watchdog = QueryWatchdog(queryGuard) { verdict in
            if verdict == .stopped, let signal = signals.first { Garner.endAtOnce(with: Ending(code: 128 + signal)) }
            Garner.endAtOnce(with: PersistenceError.timeIsUp(timeout ?? .zero))
        }
        defer {
            watchdog.leave()
            signals.stop()
        }
        do {
            try reader.guarding(queryGuard, limits: isOurs ? .none : .reading) { try body(queryGuard) }
        } catch {
            if let signal = signals.first { throw Ending(code: 128 + signal) }
            throw error
        }
        if let signal = signals.first { throw Ending(code: 128 + signal) }
    }
}

/// Ends the program where a statement goes on after it had to end.
///
/// SQLite asks its handlers between the operations of a statement; one operation, such as `instr` of two long texts, can
/// take hours. Ending the program in the middle of it is safe, as only reading is guarded.
final class QueryWatchdog: Sendable {
    /// How long a statement may take to end.
    private static let grace = DispatchTimeInterval.milliseconds(25)
    private static let secondsBetweenLooks = 0.01

    private let hasLeft = DispatchSemaphore(value: 0)

    init(_ queryGuard: QueryGuard, end: @escaping @Sendable (QueryGuard.Verdict) -> Never) {
        let hasLeft = hasLeft
        Thread.detachNewThread {
            while !queryGuard.mustEnd() {
                guard hasLeft.wait(timeout: .now() + Self.secondsBetweenLooks) == .timedOut else { return }
            }
            queryGuard.interrupt()
            if hasLeft.wait(timeout: .now() + Self.grace) == .timedOut { end(queryGuard.verdict ?? .timeIsUp) }
        }
    }

    /// The statement has ended.
    func leave() { hasLeft.signal() }
}
