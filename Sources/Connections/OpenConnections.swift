package import Logging
import Synchronization

/// The open connections of a server. There are never more than `limit`: whoever connects must not take the descriptors that the
/// rest of the program needs.
///
/// If there is one too many, the one that has waited longest for its client is closed. A connection whose request is being
/// answered waits for nobody.
package final class OpenConnections: Sendable {
    /// The most connections that browsers get, whatever the system allows.
    package static let most = 256

    private struct Connection {
        let close: @Sendable () -> Void
        /// The turn in which it began to wait for its client; nil while it is answered.
        var waitsSince: Int?
    }

    private struct State {
        var connections: [Int: Connection] = [:]
        var turn = 0
        var hasTold = false

        mutating func nextTurn() -> Int {
            turn += 1
            return turn
        }
    }

    package let limit: Int
    private let logger: Logger
    private let state = Mutex(State())

    package init(limit: Int, logger: Logger) {
        self.limit = max(1, limit)
        self.logger = logger
    }

    /// The number of open connections.
    package var count: Int { state.withLock { $0.connections.count } }

    /// Adds a connection, which waits for its client. Returns its number.
    ///
    /// - Parameter close: Closes it, now or later. It is called at most once.
    package func add(closing close: @escaping @Sendable () -> Void) -> Int {
        let (number, surplus, tells) = state.withLock { state -> (Int, Connection?, Bool) in
            let number = state.nextTurn()
            state.connections[number] = Connection(close: close, waitsSince: number)
            guard state.connections.count > limit else { return (number, nil, false) }
            defer { state.hasTold = true }
            return (number, Self.removeLongestWaiting(from: &state), !state.hasTold)
        }
        if tells {
            logger.warning(
                "Too many connections; the one that has been idle for the longest is closed for each new one",
                metadata: ["limit": "\(limit)"])
        }
        surplus?.close()
        return number
    }

    /// Notes that a connection is answered, or waits for its client.
    package func note(_ number: Int, isAnswered: Bool) {
        state.withLock { state in
            let turn = state.nextTurn()
            state.connections[number]?.waitsSince = isAnswered ? nil : turn
        }
    }

    package func remove(_ number: Int) {
        state.withLock { state in
            state.connections[number] = nil
            // A later rush is told of again.
            if state.connections.count <= limit / 2 { state.hasTold = false }
        }
    }

    /// The new connection waits itself, so there is one.
    private static func removeLongestWaiting(from state: inout State) -> Connection? {
        let waiting = state.connections.compactMap { number, connection in connection.waitsSince.map { (number, $0) } }
        return waiting.min { $0.1 < $1.1 }.flatMap { state.connections.removeValue(forKey: $0.0) }
    }
}
