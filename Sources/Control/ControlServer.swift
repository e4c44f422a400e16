package import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import Synchronization

/// Takes requests from the command line on the socket beside a database, and hands them to whoever can fulfil them.
///
/// To be made by whoever holds the database's writer lock. In a group of services it belongs before those that fulfil
/// requests: it is shut down after them then, when all that was waited for has ended.
package struct ControlServer: Service {
    /// Replies as `ControlReply` says, then returns. It is cancelled when the client has gone, and at the end of a shutdown:
    /// what was begun for it goes on, only waiting ends.
    package typealias Handler =
        @Sendable (ControlRequest, _ reply: @escaping @Sendable (ControlReply) async -> Void) async -> Void

    private let database: String
    private let temporaryFolder: String
    private let clock: any Clock<Duration>
    private let limits: ControlLimits
    private let logger: Logger
    private let handle: Handler

    package init(
        database: String, temporaryFolder: String = "/tmp", logger: Logger, clock: any Clock<Duration>,
        limits: ControlLimits = ControlLimits(), handle: @escaping Handler
    ) {
        self.database = database
        self.temporaryFolder = temporaryFolder
        self.clock = clock
        self.limits = limits
        self.logger = logger
        self.handle = handle
    }

    /// Returns after a graceful shutdown or a cancellation. Without a socket the service goes on unasked, and says so in
    /// the log.
    package func run() async {
        await withTaskGroup { group in
            group.addTask { await serve() }
            group.addTask {
                guard (try? await gracefulShutdown()) != nil else { return }
                try? await clock.sleep(for: limits.farewell)
            }
            await group.next()
            group.cancelAll()
        }
    }

    /// Ends when nobody may connect any more and all clients have gone.
    private func serve() async {
        let clients = ClientCount()
        await withDiscardingTaskGroup { group in
            var told: String?
            while !Task.isCancelled, !Task.isShuttingDownGracefully {
                do {
                    try await accept(into: &group, clients)
                } catch {
                    // What goes on for hours is said once.
                    if "\(error)" != told {
                        logger.warning("Commands cannot reach this service", metadata: ["error": "\(error)"])
                    }
                    told = "\(error)"
                }
                guard !Task.isShuttingDownGracefully else { break }
                try? await cancelWhenGracefulShutdown { try await clock.sleep(for: limits.retry) }
            }
        }
    }

    private func accept(into group: inout DiscardingTaskGroup, _ clients: ClientCount) async throws {
        guard let place = ControlSocket(database: database, temporaryFolder: temporaryFolder) else {
            throw SocketProblem(path: database + ".sock", reason: "the database is not there")
        }
        let socket = try ListeningSocket(place)
        defer { socket.unlinkFile() }
        let longestLine = limits.longestLine
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(socket.descriptor) { channel in
                LineConnection.install(on: channel, longestLine: longestLine, limit: 1)
            }
        logger.debug("Listening", metadata: ["socket": "\(place.path)"])
        try await withGracefulShutdownHandler {
            try await listener.executeThenClose { connections in
                for try await connection in connections {
                    guard let count = clients.enter(atMost: 2 * limits.maximumClients) else {
                        connection.channel.close(promise: nil)
                        continue
                    }
                    let client = ControlConnection(connection: connection, clock: clock, limits: limits, handle: handle)
                    group.addTask {
                        await client.serve(isBusy: count > limits.maximumClients)
                        clients.leave()
                    }
                }
            }
        } onGracefulShutdown: {
            listener.channel.close(promise: nil)
        }
    }
}

/// How many are connected.
private final class ClientCount: Sendable {
    private let count = Mutex(0)

    /// How many there are with this one; nil where that is too many.
    func enter(atMost limit: Int) -> Int? {
        count.withLock { count in
            guard count < limit else { return nil }
            count += 1
            return count
        }
    }

    func leave() { count.withLock { $0 -= 1 } }
}
