import GarnerLibC
package import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import Synchronization
import GarnerTasks

/// A server that takes requests of the command line on the socket beside a database, and passes them to a handler.
///
/// Only the holder of the database's writer lock may create one. In a service group, place it before the services
/// that fulfil requests: it is then shut down after them, when all runs that clients wait for have ended.
package struct ControlServer: Service {
    /// Replies as `ControlReply` says, then returns. It is cancelled when the client has gone, and at the end
    /// of a shutdown. A cancellation ends only the wait: the work begun for the request continues.
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

    /// Returns after a graceful shutdown or a cancellation. If the socket cannot be created, the service runs without it and
    /// logs that.
    package func run() async {
        try? await race(serve) {
            try await gracefulShutdown()
            try await clock.sleep(for: limits.farewell)
        }
    }

    /// Serves until no client may connect any more and all clients have gone.
    private func serve() async {
        let clients = ClientCount()
        await withDiscardingTaskGroup { group in
            var told: String?
            while !Task.isCancelled, !Task.isShuttingDownGracefully {
                do {
                    try await accept(into: &group, clients)
                } catch {
                    // An error that lasts for hours is logged once.
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
            throw SocketError(path: database + ".sock", reason: "the database is not there")
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

private final class ClientCount: Sendable {
    private let count = Mutex(0)

    /// Adds a client. Returns the new number of clients, or nil if that exceeds the limit.
    func enter(atMost limit: Int) -> Int? {
        count.withLock { count in
            guard count < limit else { return nil }
            count += 1
            return count
        }
    }

    func leave() { count.withLock { $0 -= 1 } }
}

/// A listening socket and the file by which clients find it.
struct ListeningSocket {
    let descriptor: Int32
    private let path: String
    private let file: (device: dev_t, number: ino_t)

    /// Listens, and replaces what a dead service left: only the holder of the database's lock is alive.
    ///
    /// Other users cannot connect, not even for an instant.
    init(_ socket: ControlSocket) throws(SocketError) {
        let path = socket.path
        socket.privateFolder?.create()
        guard socket.isTrusted else { throw SocketError(path: path, reason: "its folder is writable by others") }
        guard Self.isFree(path) else { throw SocketError(path: path, reason: "there is another file of that name") }
        let descriptor = Self.make()
        guard descriptor >= 0 else { throw SocketError(path: path, reason: String(cString: strerror(errno))) }
        guard Self.bind(descriptor, to: path), chmod(path, 0o600) == 0, listen(descriptor, 64) == 0,
            let file = Self.identity(of: path)
        else {
            let code = errno
            close(descriptor)
            throw SocketError(path: path, reason: String(cString: strerror(code)))
        }
        self.descriptor = descriptor
        self.path = path
        self.file = file
    }

    /// Removes the file, unless another process has replaced it.
    func unlinkFile() {
        if let found = Self.identity(of: path), found == file { unlink(path) }
    }

    /// Returns true if the path is free now. Removes only a socket.
    private static func isFree(_ path: String) -> Bool {
        var status = stat()
        guard lstat(path, &status) == 0 else { return errno == ENOENT }
        return status.st_mode & S_IFMT == S_IFSOCK && unlink(path) == 0
    }

    /// Creates a socket that child programs do not inherit.
    private static func make() -> Int32 {
        #if canImport(Glibc)
            return socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        #else
            let descriptor = socket(AF_UNIX, SOCK_STREAM, 0)
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            return descriptor
        #endif
    }

    private static func bind(_ descriptor: Int32, to path: String) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else {
            errno = ENAMETOOLONG
            return false
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        // The mask applies to the whole process. With this one, a folder that another thread makes meanwhile
        // stays usable.
        let mask = umask(0o077)
        defer { umask(mask) }
        return withUnsafeBytes(of: &address) { bytes in
            guard let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return false }
            return GarnerLibC.bind(descriptor, address, socklen_t(bytes.count)) == 0
        }
    }

    private static func identity(of path: String) -> (device: dev_t, number: ino_t)? {
        var status = stat()
        return lstat(path, &status) == 0 ? (status.st_dev, status.st_ino) : nil
    }
}

/// The reason why there is no socket to listen on.
struct SocketError: Error, CustomStringConvertible {
    let path: String
    let reason: String

    var description: String { "\(path) cannot be made: \(reason)" }
}
