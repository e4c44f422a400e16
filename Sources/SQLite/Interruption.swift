import CSQLite
import Synchronization

/// Stops the statement that a cancelled task runs, and no other's.
package final class Interruption: Sendable {
    package struct Ticket: Hashable, Sendable {
        fileprivate let number: Int
    }

    private struct State {
        var running: Ticket?
        var lastNumber = 0
    }

    private let state = Mutex(State())
    // Safe because sqlite3_interrupt may be called from any thread (sqlite.org/c3ref/interrupt.html), and is only
    // called while a ticket is running, which is before the connection is closed.
    private nonisolated(unsafe) let handle: OpaquePointer

    package init(of connection: Connection) {
        handle = connection.handle
    }

    package func ticket() -> Ticket {
        state.withLock {
            $0.lastNumber += 1
            return Ticket(number: $0.lastNumber)
        }
    }

    /// Runs `body`, during which `interrupt(ticket)` stops the connection's statements.
    package func running<R>(_ ticket: Ticket, _ body: () throws -> R) throws -> R {
        state.withLock { $0.running = ticket }
        defer { state.withLock { $0.running = nil } }
        return try body()
    }

    package func interrupt(_ ticket: Ticket) {
        state.withLock {
            if $0.running == ticket { sqlite3_interrupt(handle) }
        }
    }
}
