import GarnerLibC
import Synchronization

/// Stands between a program and a server, and ends connections within any byte.
final class CuttingProxy: Sendable {
    /// The place at which a connection is disturbed.
    enum Place: Sendable, CustomStringConvertible {
        /// Behind so many bytes of the program, or of the server.
        case sent(Int), answered(Int)
        /// Within the first `COMMIT` behind so many others, behind so many of its bytes.
        case commit(Int, bytes: Int)
        /// Behind such a `COMMIT`, and so many bytes of its answer.
        case committed(Int, bytes: Int)

        var description: String {
            switch self {
            case .sent(let bytes): "behind \(bytes) bytes"
            case .answered(let bytes): "behind \(bytes) bytes of answers"
            case .commit(let number, let bytes): "behind \(bytes) bytes of COMMIT \(number + 1)"
            case .committed(let number, let bytes): "behind COMMIT \(number + 1) and \(bytes) bytes of its answer"
            }
        }
    }

    /// The way in which it is disturbed there.
    enum End: Sendable {
        case close, reset
        /// Nothing passes for a time, and then all does.
        case pause(Duration)
        /// The program's side is closed, and the server hears of it later.
        case lingering(Duration)
        /// Something is done, such as killing the program.
        case call(@Sendable () -> Void)
    }

    struct Cut: Sendable {
        let place: Place
        let end: End
    }

    private struct State {
        var cuts: [Cut] = []
        var isAway = false
        var isEnded = false
        /// The disturbances that came to pass.
        var done = 0
        var connections = 0
    }

    let port: Int
    private let listener: Int32
    private let target: Int
    private let state = Mutex(State())

    /// - Parameter target: The server's port on loopback.
    init(to target: Int) throws {
        self.target = target
        listener = try Socket.make()
        guard Socket.bind(listener, port: 0), listen(listener, 64) == 0, let port = Socket.port(of: listener) else {
            throw Socket.Failure(code: errno)
        }
        self.port = port
        DetachedThread.start { self.accept() }
    }

    /// Disturbs the next connections, each once.
    func plan(_ cuts: [Cut]) { state.withLock { $0.cuts = cuts } }

    /// True if no connection comes through.
    var isAway: Bool {
        get { state.withLock(\.isAway) }
        set { state.withLock { $0.isAway = newValue } }
    }

    /// The disturbances that came to pass.
    var done: Int { state.withLock(\.done) }
    var connections: Int { state.withLock(\.connections) }

    func end() { state.withLock { $0.isEnded = true } }

    private func accept() {
        while !state.withLock(\.isEnded) {
            guard Socket.isReadable([listener], milliseconds: 50)[0] else { continue }
            let client = Socket.accept(listener)
            guard client >= 0 else { continue }
            let (isAway, cut) = state.withLock { state in
                state.connections += 1
                return (state.isAway, state.isAway || state.cuts.isEmpty ? nil : state.cuts.removeFirst())
            }
            guard !isAway, let server = Socket.connect(port: target) else {
                Socket.end(client)
                continue
            }
            DetachedThread.start { self.pass(client, server, cut) }
        }
        Socket.end(listener)
    }

    /// Passes bytes until one side ends, or the cut is reached.
    private func pass(_ client: Int32, _ server: Int32, _ cut: Cut?) {
        var (client, cut) = (client, cut)
        var gate = cut.map { Gate(place: $0.place) }
        defer {
            Socket.end(client)
            Socket.end(server)
        }
        while true {
            let readable = Socket.isReadable([client, server], milliseconds: 200)
            // A server that is away keeps no connection.
            if state.withLock({ $0.isAway || $0.isEnded }) { return }
            for (isFromClient, isReadable) in [(true, readable[0]), (false, readable[1])] where isReadable {
                let bytes = Socket.read(isFromClient ? client : server)
                guard !bytes.isEmpty else { return }
                let other = isFromClient ? server : client
                guard let end = cut?.end, let count = gate?.passing(bytes, isFromClient: isFromClient) else {
                    guard Socket.write(bytes[...], to: other) else { return }
                    continue
                }
                guard Socket.write(bytes[..<count], to: other) else { return }
                state.withLock { $0.done += 1 }
                switch end {
                case .close: return
                case .reset:
                    Socket.reset(client)
                    client = -1
                    return
                case .pause(let duration):
                    Socket.sleep(duration)
                    guard Socket.write(bytes[count...], to: other) else { return }
                    (cut, gate) = (nil, nil)
                case .lingering(let duration):
                    Socket.shutDown(client)
                    Socket.sleep(duration)
                    return
                case .call(let body):
                    body()
                    return
                }
            }
        }
    }
}

/// Finds the byte behind which a connection is disturbed.
private struct Gate {
    let place: CuttingProxy.Place
    var sent = 0
    var answered = 0
    var commits = 0
    /// The bytes of answers before the `COMMIT` that counts.
    var answeredBefore: Int?

    /// Returns how many of these bytes pass before the disturbance; nil if it is not there yet.
    mutating func passing(_ bytes: [UInt8], isFromClient: Bool) -> Int? {
        defer { if isFromClient { sent += bytes.count } else { answered += bytes.count } }
        switch place {
        case .sent(let count): return isFromClient && sent + bytes.count > count ? max(count - sent, 0) : nil
        case .answered(let count):
            return !isFromClient && answered + bytes.count > count ? max(count - answered, 0) : nil
        case .commit(let number, let count):
            guard isFromClient, let start = commit(number, in: bytes) else { return nil }
            return min(start + count, bytes.count)
        case .committed(let number, let count):
            if isFromClient {
                if answeredBefore == nil, commit(number, in: bytes) != nil { answeredBefore = answered }
                return nil
            }
            guard let before = answeredBefore, answered - before + bytes.count > count else { return nil }
            return max(count - (answered - before), 0)
        }
    }

    /// The place of the `COMMIT` behind so many others. libpq sends each in a piece of its own.
    private mutating func commit(_ number: Int, in bytes: [UInt8]) -> Int? {
        var start = 0
        while let found = bytes[start...].firstRange(of: Array("COMMIT".utf8)) {
            if commits == number { return found.lowerBound }
            commits += 1
            start = found.upperBound
        }
        return nil
    }
}

/// Sockets on loopback, which no program that is started inherits for long.
private enum Socket {
    struct Failure: Error { let code: Int32 }

    static func make() throws -> Int32 {
        #if canImport(Darwin)
            let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        guard descriptor >= 0 else { throw Failure(code: errno) }
        prepare(descriptor)
        return descriptor
    }

    private static func prepare(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        #if canImport(Darwin)
            var on: Int32 = 1
            setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
        #endif
    }

    private static func withAddress<R>(
        port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> R
    ) -> R {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
        address.sin_port = in_port_t(port).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, size) }
        }
    }

    static func bind(_ descriptor: Int32, port: Int) -> Bool {
        withAddress(port: port) { GarnerLibC.bind(descriptor, $0, $1) } == 0
    }

    static func port(of descriptor: Int32) -> Int? {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
        }
        return code == 0 ? Int(in_port_t(bigEndian: address.sin_port)) : nil
    }

    static func accept(_ listener: Int32) -> Int32 {
        let descriptor = GarnerLibC.accept(listener, nil, nil)
        if descriptor >= 0 { prepare(descriptor) }
        return descriptor
    }

    /// Returns nil if nobody listens.
    static func connect(port: Int) -> Int32? {
        guard let descriptor = try? make() else { return nil }
        guard withAddress(port: port, { GarnerLibC.connect(descriptor, $0, $1) }) == 0 else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    /// Waits until one of the sockets has bytes or has ended.
    static func isReadable(_ descriptors: [Int32], milliseconds: Int32) -> [Bool] {
        var waits = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        _ = poll(&waits, nfds_t(waits.count), milliseconds)
        return waits.map { $0.revents != 0 }
    }

    /// Returns nothing at the end of the stream.
    static func read(_ descriptor: Int32) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
            count = max(GarnerLibC.read(descriptor, buffer.baseAddress, buffer.count), 0)
        }
    }

    static func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Bool {
        var left = bytes
        while !left.isEmpty {
            #if canImport(Darwin)
                let count = left.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, 0) }
            #else
                let count = left.withUnsafeBytes {
                    send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
            #endif
            guard count > 0 else { return false }
            left = left.dropFirst(count)
        }
        return true
    }

    /// Ends both directions, also where another process has the socket, too.
    static func shutDown(_ descriptor: Int32) { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }

    static func end(_ descriptor: Int32) {
        shutDown(descriptor)
        close(descriptor)
    }

    /// Throws away what was not read.
    static func reset(_ descriptor: Int32) {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        close(descriptor)
    }

    static func sleep(_ duration: Duration) { usleep(UInt32(max(duration / .microseconds(1), 0))) }
}
