import Synchronization

/// Limits the running time and the actions of statements from users, and stops them from another thread.
///
/// `ReadOnlyDatabase.guarding` applies it. Afterwards, `verdict` says why a statement ended.
package final class QueryGuard: Sendable {
    /// The reason why a statement had to end.
    package enum Verdict: Sendable, Equatable {
        /// The time limit passed.
        case timeIsUp
        /// A caller asked for the end.
        case stopped
        /// The statement would do more than read. The text follows the words "the query would".
        case refused(String)
    }

    private struct State {
        var pausedAt: Duration?
        var pauses = Duration.zero
        var verdict: Verdict?
        var interruption: (@Sendable () -> Void)?
        var tablesRead: Set<String> = []
    }

    /// The time limit; nil for none.
    package let limit: Duration?
    private let elapsed: @Sendable () -> Duration
    private let state = Mutex(State())

    /// Creates a guard without a time limit, which needs no clock.
    package init() {
        limit = nil
        elapsed = { .zero }
    }

    /// Creates a guard. Its time starts to run.
    package init(limit: Duration?, clock: some Clock<Duration>) {
        self.limit = limit
        let start = clock.now
        elapsed = { start.duration(to: clock.now) }
    }

    /// The first reason to end; nil if there is none.
    package var verdict: Verdict? { state.withLock { $0.verdict } }

    /// The rest of the time limit, not counting pauses; nil without a limit.
    package var timeLeft: Duration? {
        guard let limit else { return nil }
        let elapsed = elapsed()
        return state.withLock { limit - (($0.pausedAt ?? elapsed) - $0.pauses) }
    }

    /// Returns true if the statements have to end, because the time has passed or a caller asked for it.
    package func mustEnd() -> Bool {
        if let timeLeft, timeLeft <= .zero { note(.timeIsUp) }
        switch verdict {
        case .timeIsUp, .stopped: return true
        case .refused, nil: return false
        }
    }

    /// Runs `body` without counting its time, such as a write to a pipe that a person reads from.
    package func pausing<R>(_ body: () throws -> R) rethrows -> R {
        let start = elapsed()
        state.withLock { $0.pausedAt = start }
        defer {
            let end = elapsed()
            state.withLock {
                $0.pausedAt = nil
                $0.pauses += end - start
            }
        }
        return try body()
    }

    /// Ends the current statement and those that follow. Any thread may call this.
    package func stop() {
        note(.stopped)
        interrupt()
    }

    /// Interrupts operations that do not call `mustEnd`, such as an integrity check.
    package func interrupt() {
        if let interruption = state.withLock({ $0.interruption }) { interruption() }
    }

    package func note(_ verdict: Verdict) {
        state.withLock { if $0.verdict == nil { $0.verdict = verdict } }
    }

    /// The tables that the statements read, also through views, as far as they have been prepared.
    package var tablesRead: Set<String> { state.withLock { $0.tablesRead } }

    package func note(tableRead name: String) {
        _ = state.withLock { $0.tablesRead.insert(name) }
    }

    /// Runs `body`. Meanwhile `stop` and `interrupt` call `interruption`, from any thread.
    package func running<R>(
        interruptedBy interruption: @escaping @Sendable () -> Void, _ body: () throws -> R
    ) rethrows -> R {
        let outer = state.withLock { state in
            defer { state.interruption = interruption }
            return state.interruption
        }
        defer { state.withLock { $0.interruption = outer } }
        return try body()
    }
}

/// Size limits for the queries of users and for their values.
package enum QueryLimits: Sendable {
    /// The database's own limits, for our queries.
    case none
    /// Limits far above what people and well-meaning programs write.
    case reading

    /// The largest text of one query, in bytes.
    package static let maximumTextBytes = 1_000_000
}
