package import Catalog
import NIOCore
import NIOPosix

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Asks the service of a database over its socket.
package struct ControlClient: Sendable {
    private let path: String
    private let clock: any Clock<Duration>
    private let limits: ControlLimits

    /// Connects once, to see whether someone listens; nil where nobody does.
    package init?(
        reaching database: String, temporaryFolder: String = "/tmp", clock: any Clock<Duration>,
        limits: ControlLimits = ControlLimits()
    ) async {
        guard let socket = ControlSocket(database: database, temporaryFolder: temporaryFolder), socket.isTrusted else {
            return nil
        }
        path = socket.path
        self.clock = clock
        self.limits = limits
        do {
            try await connect().channel.close(promise: nil)
        } catch {
            guard Self.meansFull(error) else { return nil }
        }
    }

    /// Asks for a run, and waits only until the service has taken note.
    ///
    /// All that goes wrong is thrown as `ControlRefusal`, here and below.
    package func trigger(_ wish: RunWish) async throws -> TakenWish {
        var wish = wish
        wish.waits = false
        return switch try await askInTurn(.trigger(wish)) {
        case .accepted: .accepted
        case .joined(let run): .joined(run: run)
        case .ended(let run): .ended(run: run)
        case .done, .refused: throw ControlRefusal.misunderstood("it answers something else")
        }
    }

    /// Asks for a run, waits until it is over, and returns its number.
    ///
    /// A cancellation ends the waiting; the run goes on.
    package func run(_ wish: RunWish) async throws -> Int64 {
        var wish = wish
        wish.waits = true
        guard case .ended(let run) = try await askInTurn(.trigger(wish)) else {
            throw ControlRefusal.misunderstood("it answers something else")
        }
        return run
    }

    /// Returns when it is stored that the stream is paused.
    package func pause(_ stream: StreamName) async throws { _ = try await askInTurn(.pause(stream)) }

    /// Returns when it is stored that the stream is paused no longer.
    package func resume(_ stream: StreamName) async throws { _ = try await askInTurn(.resume(stream)) }

    /// Asks again while the service has no place for another client.
    ///
    /// The same request twice is one, so that one that may have arrived can be repeated.
    private func askInTurn(_ request: ControlRequest) async throws -> ControlReply {
        let waitsForRun = if case .trigger(let wish) = request { wish.waits } else { false }
        var (waited, wait) = (Duration.zero, limits.firstWait)
        while true {
            do {
                return try await ask(request)
            } catch let refusal as ControlRefusal where refusal.isForWantOfPlace {
                // Those before it may wait for hours, as it would.
                let isPatient = waitsForRun && refusal.kind == ControlRefusal.busy.kind
                guard isPatient || waited < limits.patience else { throw refusal }
            }
            try await clock.sleep(for: wait)
            waited += wait
            wait = min(wait * 2, limits.longestWait)
        }
    }

    /// The last reply, which is not `refused`: that is thrown.
    func ask(_ request: ControlRequest) async throws -> ControlReply {
        let line = try ControlLine.encoded(request)
        guard line.readableBytes <= limits.longestLine else { throw ControlRefusal.tooLong(limits.longestLine) }
        let connection: LineConnection
        do {
            connection = try await connect()
        } catch {
            throw Self.meansFull(error) ? ControlRefusal.busy : .unreachable("\(error)")
        }
        return try await connection.closing {
            // Where it hung up already, what it said before is still to be read.
            try? await connection.write(line)
            return try await lastReply(to: request, on: connection)
        }
    }

    private func connect() async throws -> LineConnection {
        let longestLine = limits.longestLine
        return try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(unixDomainSocketPath: path) { channel in
                LineConnection.install(on: channel, longestLine: longestLine, limit: Self.mostReplies)
            }
    }

    /// Tells that a service listens whose queue of connections is full (unix(7), EAGAIN).
    private static func meansFull(_ error: any Error) -> Bool { (error as? IOError)?.errnoCode == EAGAIN }

    /// The first, and the last.
    private static let mostReplies = 2

    private func lastReply(to request: ControlRequest, on connection: LineConnection) async throws -> ControlReply {
        var lines = connection.lines.makeAsyncIterator()
        let first = try await connection.within(limits.firstReply, on: clock) { try await next(&lines) }
        guard var last = first else { throw ControlRefusal.noReply }
        if last == nil { throw ControlRefusal.hungUp }
        while let reply = last, !reply.isLast(to: request) { last = try await next(&lines) }
        switch last {
        case .refused(let refusal): throw refusal
        case .some(let reply): return reply
        case nil: throw ControlRefusal.lost
        }
    }

    /// nil when the service has hung up.
    private func next(_ lines: inout LineHandler.Lines.AsyncIterator) async throws -> ControlReply? {
        let line = try await lines.next(isolation: #isolation)
        try Task.checkCancellation()
        return try line.map { line in try ControlLine.decoded(ControlReply.self, line) }
    }
}

extension ControlReply {
    /// Whether nothing comes after it.
    fileprivate func isLast(to request: ControlRequest) -> Bool {
        switch self {
        case .ended, .done, .refused: true
        case .accepted, .joined: if case .trigger(let wish) = request { !wish.waits } else { true }
        }
    }
}
