import GarnerLibC
package import GarnerModel
import NIOCore
import NIOPosix

/// A way to the service of a database.
package protocol ControlTransport: Sendable {
    /// Returns the last reply. Throws a `refused` reply, and every failure, as `ControlError`.
    func ask(_ request: ControlRequest) async throws -> ControlReply
}

/// A client that sends requests to the service of a database.
package struct ControlClient: Sendable {
    private let transport: any ControlTransport
    private let clock: any Clock<Duration>
    private let limits: ControlLimits

    package init(_ transport: any ControlTransport, clock: any Clock<Duration>, limits: ControlLimits = ControlLimits())
    {
        (self.transport, self.clock, self.limits) = (transport, clock, limits)
    }

    /// Connects once to see if a service listens. Returns nil if none does.
    package init?(
        reaching database: String, temporaryFolder: String = "/tmp", clock: any Clock<Duration>,
        limits: ControlLimits = ControlLimits()
    ) async {
        guard let socket = ControlSocket(database: database, temporaryFolder: temporaryFolder), socket.isTrusted else {
            return nil
        }
        let transport = SocketTransport(path: socket.path, clock: clock, limits: limits)
        guard await transport.isListenedTo() else { return nil }
        self.init(transport, clock: clock, limits: limits)
    }

    /// Requests a run, and waits only until the service has recorded the request.
    ///
    /// Every failure is thrown as `ControlError`, here and below.
    package func trigger(_ request: RunRequest) async throws -> TriggerReply {
        switch try await askInTurn(.trigger(request, waits: false)) {
        case .accepted: .accepted
        case .joined(let run): .joined(run: run)
        case .ended(let run): .ended(run: run)
        case .done, .notices, .published, .refused: throw ControlError.otherAnswer
        }
    }

    /// Requests a run, waits until it has ended, and returns its number.
    ///
    /// A cancellation ends the wait but not the run.
    package func run(_ request: RunRequest) async throws -> RunID {
        guard case .ended(let run) = try await askInTurn(.trigger(request, waits: true)) else {
            throw ControlError.otherAnswer
        }
        return run
    }

    /// Returns once the pause is stored.
    package func pause(_ stream: StreamName) async throws { _ = try await askInTurn(.pause(stream)) }

    /// Returns once the end of the pause is stored.
    package func resume(_ stream: StreamName) async throws { _ = try await askInTurn(.resume(stream)) }

    /// Has quarantined records of a stream loaded again, or dropped, and returns once they are.
    ///
    /// - Parameter record: The number of one of them; nil for all.
    package func quarantine(_ stream: StreamName, record: Int64?, drops: Bool) async throws {
        _ = try await askInTurn(.quarantine(stream, record: record, drops: drops))
    }

    /// Returns what is to be known of the service itself.
    ///
    /// - Parameter file: The file that the command has read, by its whole path; nil if it does not matter.
    package func notices(file: String? = nil) async throws -> [ServiceNotice] {
        guard case .notices(let notices) = try await askInTurn(.notices(file: file)) else {
            throw ControlError.otherAnswer
        }
        return notices
    }

    /// Has the service send what waits to PostgreSQL, and waits until it has.
    ///
    /// - Parameters:
    ///   - tables: Tables that are made again, by their names in the file.
    ///   - takesOver: True if all tables are made again from this file, whatever PostgreSQL has.
    package func publish(_ tables: [String], takesOver: Bool) async throws -> PublicationAnswer {
        guard case .published(let answer) = try await askInTurn(.publish(tables: tables, takesOver: takesOver)) else {
            throw ControlError.otherAnswer
        }
        return answer
    }

    /// Has a worker give back its shard, and returns once it has begun to.
    package func giveBack() async throws { _ = try await askInTurn(.giveBack) }

    /// Sends a request, and repeats it while the service has no room for another client.
    ///
    /// Repeated requests count once, so it is safe to repeat one that may have arrived.
    private func askInTurn(_ request: ControlRequest) async throws -> ControlReply {
        let waitsForRun = if case .trigger(_, let waits) = request { waits } else { false }
        var (waited, wait) = (Duration.zero, limits.firstWait)
        while true {
            do {
                return try await ask(request)
            } catch let refusal as ControlError where refusal.isForWantOfPlace {
                // The clients before it may wait for hours, as this one would.
                let isPatient = waitsForRun && refusal.kind == ControlError.busy.kind
                guard isPatient || waited < limits.patience else { throw refusal }
            }
            try await clock.sleep(for: wait)
            waited += wait
            wait = min(wait * 2, limits.longestWait)
        }
    }

    /// Returns the last reply. Throws a `refused` reply as an error.
    func ask(_ request: ControlRequest) async throws -> ControlReply { try await transport.ask(request) }
}

/// The way over the socket beside the database.
private struct SocketTransport: ControlTransport {
    let path: String
    let clock: any Clock<Duration>
    let limits: ControlLimits

    func isListenedTo() async -> Bool {
        do {
            try await connect().channel.close(promise: nil)
            return true
        } catch {
            return Self.meansFull(error)
        }
    }

    func ask(_ request: ControlRequest) async throws -> ControlReply {
        let line = try ControlLine.encoded(request)
        guard line.readableBytes <= limits.longestLine else { throw ControlError.tooLong(limits.longestLine) }
        let connection: LineConnection
        do {
            connection = try await connect()
        } catch {
            throw Self.meansFull(error) ? ControlError.busy : .unreachable("\(error)")
        }
        return try await connection.closing {
            // If the service has already hung up, its earlier reply can still be read.
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

    /// True if a service listens but its queue of connections is full (unix(7), EAGAIN).
    private static func meansFull(_ error: any Error) -> Bool { (error as? IOError)?.errnoCode == EAGAIN }

    /// The largest number of replies to one request: the first and the last.
    private static let mostReplies = 2

    private func lastReply(to request: ControlRequest, on connection: LineConnection) async throws -> ControlReply {
        var lines = connection.lines.makeAsyncIterator()
        let first = try await connection.within(limits.firstReply, on: clock) { try await next(&lines) }
        guard var last = first else { throw ControlError.noReply }
        if last == nil { throw ControlError.hungUp }
        while let reply = last, !reply.isLast(to: request) { last = try await next(&lines) }
        switch last {
        case .refused(let refusal): throw refusal
        case .some(let reply): return reply
        case nil: throw ControlError.lost
        }
    }

    /// Returns the next reply, or nil if the service has hung up.
    private func next(_ lines: inout LineHandler.Lines.AsyncIterator) async throws -> ControlReply? {
        let line = try await lines.next(isolation: #isolation)
        try Task.checkCancellation()
        return try line.map { line in try ControlLine.decoded(ControlReply.self, line) }
    }
}

extension ControlReply {
    /// Returns true if no further reply to the request follows.
    package func isLast(to request: ControlRequest) -> Bool {
        switch self {
        case .ended, .done, .notices, .published, .refused: true
        case .accepted, .joined:
            switch request {
            case .trigger(_, let waits): !waits
            case .publish, .quarantine: false
            case .pause, .resume, .notices, .giveBack: true
            }
        }
    }
}

/// The server's connection to one client: a request, and the replies to it.
struct ControlConnection: Sendable {
    let connection: LineConnection
    let clock: any Clock<Duration>
    let limits: ControlLimits
    let handle: ControlServer.Handler

    /// Serves the client until its request is fulfilled or refused, or the client has gone.
    func serve(isBusy: Bool) async {
        await connection.closing {
            var lines = connection.lines.makeAsyncIterator()
            do {
                guard let request = try await request(from: &lines) else { return }
                // The request is read first: a client that is answered before it has sent one may miss the answer.
                if isBusy { throw ControlError.busy }
                await fulfil(request, &lines)
            } catch let refusal as ControlError {
                await reply(.refused(refusal))
            } catch {
                // The client has gone. Nobody else needs to know.
            }
        }
    }

    /// Reads the request. Returns nil if the client has gone or has let its time pass.
    private func request(from lines: inout LineHandler.Lines.AsyncIterator) async throws -> ControlRequest? {
        let line = try await connection.within(limits.request, on: clock) {
            await reply(.refused(.noRequest))
        } _: {
            try await lines.next(isolation: #isolation)
        }
        guard case .some(.some(let line)) = line else { return nil }
        return try ControlLine.decoded(ControlRequest.self, line)
    }

    /// Runs the handler, which does not outlive its client.
    private func fulfil(_ request: ControlRequest, _ lines: inout LineHandler.Lines.AsyncIterator) async {
        await withTaskGroup { group in
            group.addTask {
                await handle(request) { await reply($0) }
                connection.channel.close(promise: nil)
            }
            while let _ = try? await lines.next(isolation: #isolation) {}
            group.cancelAll()
        }
    }

    /// Sends a reply. A client that has gone or does not read misses it.
    private func reply(_ reply: ControlReply) async {
        _ = try? await connection.within(limits.write, on: clock) {
            try await connection.write(ControlLine.encoded(reply))
        }
    }
}
