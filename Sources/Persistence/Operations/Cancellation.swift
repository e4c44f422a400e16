import SQLite
import Synchronization

/// A wish to stop, which also ends the statement that is running.
package final class Cancellation: Sendable {
    private struct State {
        var isCancelled = false
        var interrupt: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    package init() {}

    package var isCancelled: Bool { state.withLock { $0.isCancelled } }

    package func cancel() {
        let interrupt = state.withLock {
            $0.isCancelled = true
            return $0.interrupt
        }
        interrupt?()
    }

    package func check() throws {
        if isCancelled { throw CancellationError() }
    }

    /// Runs `body`, whose statements on the connection end when this is cancelled.
    func running<R>(on connection: Connection, _ body: () throws -> R) throws -> R {
        let interruption = Interruption(of: connection)
        let ticket = interruption.ticket()
        state.withLock { $0.interrupt = { interruption.interrupt(ticket) } }
        defer { state.withLock { $0.interrupt = nil } }
        do {
            return try interruption.running(ticket) {
                try check()
                return try body()
            }
        } catch let error as SQLiteError where error.kind == .interrupted && isCancelled {
            throw CancellationError()
        }
    }
}
