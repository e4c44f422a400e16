import GarnerDatabase
import Dispatch
import GarnerLibC
import GarnerPersistence

/// Runs SQL from users. It can only read, sees one state of the database, and has limits of time and memory. A signal
/// ends it.
struct GuardedQuery {
    let setup: Setup
    /// The memory of SQLite in bytes. Beyond it, sorting and grouping use temporary files.
    var heapBytes = 512 << 20
    /// The time limit; nil for no limit.
    let timeout: Duration?

    /// - Parameter isOurs: True if the user wrote no part of the statement, so that it needs no limit of memory.
    func run(on reader: ReadOnlyDatabase, isOurs: Bool = false, _ body: (QueryGuard) throws -> Void) throws {
        if !isOurs { ReadOnlyDatabase.limitMemory(toBytes: heapBytes) }
        let queryGuard = QueryGuard(limit: timeout, clock: setup.clock)
        let signals = Signals { _ in queryGuard.stop() }
        let watchdog = QueryWatchdog(queryGuard) { verdict in
            if verdict == .stopped, let signal = signals.first { Garner.endAtOnce(with: ExitError(code: 128 + signal)) }
            Garner.endAtOnce(with: PersistenceError.timeIsUp(timeout ?? .zero))
        }
        defer {
            watchdog.leave()
            signals.stop()
        }
        do {
            try reader.guarding(queryGuard, limits: isOurs ? .none : .reading) { try body(queryGuard) }
        } catch {
            if let signal = signals.first { throw ExitError(code: 128 + signal) }
            throw error
        }
        if let signal = signals.first { throw ExitError(code: 128 + signal) }
    }
}

/// Ends the program if a statement does not end in time.
///
/// SQLite asks its handlers between the operations of a statement; one operation, such as `instr` of two long texts, can
/// take hours. Ending the program in the middle of it is safe, as only reading is guarded.
final class QueryWatchdog: Sendable {
    /// The time that a statement has to end.
    private static let grace = DispatchTimeInterval.milliseconds(25)
    private static let secondsBetweenLooks = 0.01

    private let hasLeft = DispatchSemaphore(value: 0)

    init(_ queryGuard: QueryGuard, end: @escaping @Sendable (QueryGuard.Verdict) -> Never) {
        let hasLeft = hasLeft
        DetachedThread.start {
            while !queryGuard.mustEnd() {
                guard hasLeft.wait(timeout: .now() + Self.secondsBetweenLooks) == .timedOut else { return }
            }
            queryGuard.interrupt()
            if hasLeft.wait(timeout: .now() + Self.grace) == .timedOut { end(queryGuard.verdict ?? .timeIsUp) }
        }
    }

    /// Notes that the statement has ended.
    func leave() { hasLeft.signal() }
}
