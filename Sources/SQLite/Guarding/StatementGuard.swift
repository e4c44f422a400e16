import Synchronization

/// How long statements that others wrote may run, what they were refused, and the way to stop them from another thread.
///
/// `Connection.guarding` puts it on; what it found out can be asked afterwards.
package final class StatementGuard: Sendable {
    /// Why a statement had to end.
    package enum Verdict: Sendable, Equatable {
        /// It had run for as long as it may.
        case timeIsUp
        /// Someone asked for it.
        case stopped
        /// It would have done more than read; the words go behind "the query would".
        case refused(String)
    }

    private struct State {
        var pausedAt: Duration?
        var pauses = Duration.zero
        var verdict: Verdict?
        var running: (interruption: Interruption, ticket: Interruption.Ticket)?
    }

    /// nil: as long as it takes.
    package let limit: Duration?
    private let elapsed: @Sendable () -> Duration
    private let state = Mutex(State())

    /// The time begins to run.
    package init(limit: Duration?, clock: some Clock<Duration>) {
        self.limit = limit
        let start = clock.now
        elapsed = { start.duration(to: clock.now) }
    }

    /// The first reason to end there was.
    package var verdict: Verdict? { state.withLock { $0.verdict } }

    /// How long the statements may still run, without the pauses; nil where there is no limit.
    package var timeLeft: Duration? {
        guard let limit else { return nil }
        let elapsed = elapsed()
        return state.withLock { limit - (($0.pausedAt ?? elapsed) - $0.pauses) }
    }

    /// Whether the statements have to end, because of the time or since someone asked for it.
    package func mustEnd() -> Bool {
        if let timeLeft, timeLeft <= .zero { note(.timeIsUp) }
        switch verdict {
        case .timeIsUp, .stopped: return true
        case .refused, nil: return false
        }
    }

    /// Runs `body`, such as a write to a pipe that a person reads from, without counting its time.
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

    /// Ends the statement that runs, and those that follow; from any thread.
    package func stop() {
        note(.stopped)
        interrupt()
    }

    /// Makes what does not ask `mustEnd` look up, such as an integrity check.
    package func interrupt() {
        if let running = state.withLock({ $0.running }) { running.interruption.interrupt(running.ticket) }
    }

    func note(_ verdict: Verdict) {
        state.withLock { if $0.verdict == nil { $0.verdict = verdict } }
    }

    /// Runs `body`, during which `stop` interrupts the connection.
    func running<R>(on connection: Connection, _ body: () throws -> R) throws -> R {
        let interruption = Interruption(of: connection)
        let ticket = interruption.ticket()
        state.withLock { $0.running = (interruption, ticket) }
        defer { state.withLock { $0.running = nil } }
        return try interruption.running(ticket, body)
    }
}
