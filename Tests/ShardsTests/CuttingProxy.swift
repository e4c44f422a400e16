import GarnerLibC
import PostgresCluster
import Synchronization

/// A port on loopback that leads to a server's socket, and breaks a connection where it is told to.
final class CuttingProxy: Sendable {
    enum Place: Sendable {
        /// The server does not see the COMMIT.
        case beforeCommit
        /// The client does not see the answer.
        case behindCommit
    }

    private struct State {
        var place: Place?
        var hasCut = false
        var isClosed = false
    }

    private let state = Mutex(State())
    private let port: Int
    private let listener: Int32
    private let target: String

    init(to cluster: PostgresCluster) throws {
        target = "\(cluster.folder)/.s.PGSQL.\(cluster.port)"
        listener = socket(AF_INET, Self.stream, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isBound = withUnsafeMutableBytes(of: &address) { bytes in
            let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self)
            return bind(listener, address, length) == 0 && getsockname(listener, address, &length) == 0
        }
        port = Int(in_port_t(bigEndian: address.sin_port))
        guard isBound, listen(listener, 16) == 0 else { throw NoPort() }
        DetachedThread.start { [weak self] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0, let proxy = self else { return }
                DetachedThread.start { proxy.serve(client) }
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    func url(database: String) -> String { "postgresql://\(PostgresCluster.superuser)@127.0.0.1:\(port)/\(database)" }

    /// Breaks the connection at the next COMMIT.
    func cut(_ place: Place) { state.withLock { $0.place = place } }

    var hasCut: Bool { state.withLock { $0.hasCut } }

    /// True while no connection gets through. It also breaks those that are open, when they send something.
    var isClosed: Bool {
        get { state.withLock { $0.isClosed } }
        set { state.withLock { $0.isClosed = newValue } }
    }

    private func serve(_ client: Int32) {
        let server = socket(AF_UNIX, Self.stream, 0)
        defer {
            close(client)
            close(server)
        }
        guard !isClosed, connect(server) else { return }
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            var waits = [
                pollfd(fd: client, events: Int16(POLLIN), revents: 0),
                pollfd(fd: server, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&waits, 2, -1) > 0 else { return }
            for (source, sink) in [(0, server), (1, client)] where waits[source].revents != 0 {
                let count = read(waits[source].fd, &buffer, buffer.count)
                guard count > 0, !isClosed else { return }
                let bytes = buffer[..<count]
                let place = source == 0 && bytes.contains(Array("COMMIT\0".utf8)) ? takePlace() : nil
                if place == .beforeCommit { return }
                guard send(bytes, to: sink) else { return }
                if place == .behindCommit {
                    _ = read(server, &buffer, buffer.count)
                    return
                }
            }
        }
    }

    private func takePlace() -> Place? {
        state.withLock { state in
            defer { state.place = nil }
            state.hasCut = state.hasCut || state.place != nil
            return state.place
        }
    }

    private func connect(_ server: Int32) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(target.utf8)) }
        return withUnsafeBytes(of: &address) { bytes in
            GarnerLibC.connect(
                server, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self),
                socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
        }
    }

    private func send(_ bytes: ArraySlice<UInt8>, to sink: Int32) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { GarnerLibC.send(sink, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    #if canImport(Darwin)
        private static let stream = SOCK_STREAM
    #else
        private static let stream = Int32(SOCK_STREAM.rawValue)
    #endif
}

private struct NoPort: Error {}
