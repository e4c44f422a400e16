import NIOCore
import NIOPosix

/// Asks the service of a database over its socket.
package struct ControlClient: Sendable {
    private let path: String
    private let clock: any Clock<Duration>
    private let limits: ControlLimits

    /// Connects once, to see whether someone listens; nil where nobody does.
    package init?(
        reaching database: String, temporaryFolder: String = "/tmp", clock: any Clock<Duration> = ContinuousClock(),
        limits: ControlLimits = ControlLimits()
    ) async {
        guard let socket = ControlSocket(database: database, temporaryFolder: temporaryFolder), socket.isTrusted else {
            return nil
        }
        path = socket.path
        self.clock = clock
        self.limits = limits
        guard let connection = try? await connect() else { return nil }
        try? await connection.executeThenClose { _, _ in }
    }

    /// Asks for one thing, and waits for what becomes of it.
    ///
    /// - Returns: the last reply, which is not `refused`: that is thrown as `ControlRefusal`, as is all that goes wrong on the way.
    ///   A cancellation ends the waiting; what was asked for goes on.
    package func ask(_ request: ControlRequest) async throws -> ControlReply {
        let line = try ControlLine.encoded(request)
        guard line.readableBytes <= limits.longestLine else { throw ControlRefusal.tooLong(limits.longestLine) }
        let connection: Connection
        do { connection = try await connect() } catch { throw ControlRefusal.unreachable("\(error)") }
        return try await connection.executeThenClose { inbound, outbound in
            var lines = LineReader(inbound, limit: limits.longestLine)
            // Where it hung up already, what it said before is still to be read.
            try? await outbound.write(line)
            return try await lastReply(&lines, to: request, connection.channel)
        }
    }

    private typealias Connection = NIOAsyncChannel<ByteBuffer, ByteBuffer>

    private func connect() async throws -> Connection {
        try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(unixDomainSocketPath: path) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try Connection(wrappingChannelSynchronously: channel)
                }
            }
    }

    private func lastReply(
        _ lines: inout LineReader, to request: ControlRequest, _ channel: any Channel
    ) async throws -> ControlReply {
        let first = try await channel.closing(after: limits.firstReply, on: clock) { try await next(&lines) }
        guard let first else { throw ControlRefusal.noReply }
        var last = first
        while let reply = last, !reply.isLast(to: request) { last = try await next(&lines) }
        switch last {
        case .refused(let refusal): throw refusal
        case .some(let reply): return reply
        case nil: throw ControlRefusal.lost
        }
    }

    /// nil when the service has hung up.
    private func next(_ lines: inout LineReader) async throws -> ControlReply? {
        let line: ByteBuffer?
        do {
            line = try await lines.next()
        } catch let refusal as ControlRefusal {
            throw refusal
        } catch {
            // However the connection broke.
            line = nil
        }
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
