import GarnerLibC
import NIOCore
import NIOPosix
package import NIOSSL

/// An HTTP/1.1 server on 127.0.0.1 that answers as a test says, byte by byte if need be.
package final class LoopbackServer: Sendable {
    package typealias Handler = @Sendable (LoopbackRequest) async -> LoopbackReply

    package let port: Int
    private let handler: Handler
    private let tls: NIOSSLContext?
    private let log = Watched(Log())

    /// Runs `body` beside a server that answers with `handler`, and ends the server after it.
    ///
    /// - Parameters:
    ///   - tls: what the server shows of itself; nil: it speaks plain HTTP.
    ///   - host: the address that it has; 0.0.0.0 for 127.0.0.2 and so on, too.
    package static func serve<Result: Sendable>(
        tls: NIOSSLContext? = nil, host: String = "127.0.0.1", _ handler: @escaping Handler,
        _ body: @escaping @Sendable (LoopbackServer) async throws -> Result
    ) async throws -> Result {
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.autoRead, value: false)
            .bind(host: host, port: 0) { channel in
                // Wrapped only when it is served: a wrapped connection that a server which ends leaves unserved is a trap.
                channel.eventLoop.makeSucceededFuture(channel)
            }
        let server = LoopbackServer(port: listener.channel.localAddress?.port ?? 0, handler: handler, tls: tls)
        return try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask {
                try? await server.accept(from: listener)
                return nil
            }
            group.addTask { try await body(server) }
            defer { group.cancelAll() }
            while let result = try await group.next() {
                if let result { return result }
            }
            throw CancellationError()
        }
    }

    private init(port: Int, handler: @escaping Handler, tls: NIOSSLContext?) {
        self.port = port
        self.handler = handler
        self.tls = tls
    }

    /// The URL of the server, without a slash at the end.
    package var url: String { "\(tls == nil ? "http" : "https")://127.0.0.1:\(port)" }

    /// The requests so far, in the order of their heads.
    package var requests: [LoopbackRequest] { log.value.requests }

    /// The number of connections that were accepted so far.
    package var connectionCount: Int { log.value.connections }

    /// Returns as soon as that many connections have ended, from whichever side, or the task is cancelled.
    package func connectionsEnded(_ count: Int = 1) async {
        await log.until { $0.ended >= count }
    }

    /// Returns as soon as that many requests have come, or the task is cancelled.
    package func requestsArrived(_ count: Int = 1) async {
        await log.until { $0.requests.count >= count }
    }

    private typealias Connection = NIOAsyncChannel<ByteBuffer, ByteBuffer>

    private struct Log: Sendable {
        var requests: [LoopbackRequest] = []
        var connections = 0
        var ended = 0
    }

    private func accept(from listener: NIOAsyncChannel<any Channel, Never>) async throws {
        try await withThrowingDiscardingTaskGroup { group in
            try await listener.executeThenClose { connections in
                for try await channel in connections {
                    let number = log.change { log in
                        defer { log.connections += 1 }
                        return log.connections
                    }
                    group.addTask {
                        try? await self.serve(channel, number: number)
                        self.log.change { $0.ended += 1 }
                    }
                }
            }
        }
    }

    private func serve(_ channel: any Channel, number: Int) async throws {
        if let tls { try await startTLS(tls, on: channel) }
        let connection = try await channel.eventLoop.submit { try Connection(wrappingChannelSynchronously: channel) }
            .get()
        try await connection.executeThenClose { inbound, outbound in
            try await channel.setOption(.autoRead, value: true).get()
            var received: [UInt8] = []
            for try await part in inbound {
                received += part.readableBytesView
                guard let (head, body) = Self.complete(received) else { continue }
                guard let request = note(head, body, connection: number) else { return }
                received = []
                let reply = await handler(request)
                guard try await perform(reply.steps, on: connection.channel, outbound) else { return }
            }
        }
    }

    /// Head and body of a request; nil where more of it is to come. A TLS handshake counts as a request, so that a test
    /// can answer it wrongly.
    private static func complete(_ received: [UInt8]) -> (head: String, body: String)? {
        if received.first == tlsHandshake { return ("TLS handshake 1", "") }
        guard let end = received.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound else { return nil }
        let head = String(decoding: received[..<end], as: UTF8.self)
        let length = LoopbackRequest(head: head, number: 0, connection: 0)?.bodyLength ?? 0
        return received.count - end < length ? nil : (head, String(decoding: received[end...], as: UTF8.self))
    }

    /// Logs the request and returns it; nil if the text is not a request.
    private func note(_ head: String, _ body: String, connection: Int) -> LoopbackRequest? {
        log.change { log in
            var request = LoopbackRequest(head: head, number: log.requests.count, connection: connection)
            request?.body = body
            if let request { log.requests.append(request) }
            return request
        }
    }

    /// The content type of a ClientHello's record (RFC 8446, 5.1).
    private static let tlsHandshake: UInt8 = 22

    /// Performs the steps; returns true if the connection stays open.
    private func perform(
        _ steps: [LoopbackReply.Step], on channel: any Channel, _ outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    ) async throws -> Bool {
        for step in steps {
            switch step {
            // The client's next bytes have to wait for the handler that reads them.
            case .bytes(let bytes) where steps.contains(where: \.startsTLS):
                try await channel.setOption(.autoRead, value: false).get()
                try await outbound.write(ByteBuffer(bytes: bytes))
            case .bytes(let bytes): try await outbound.write(ByteBuffer(bytes: bytes))
            case .startTLS(let context):
                try await startTLS(context, on: channel)
                try await channel.setOption(.autoRead, value: true).get()
            case .pause(let duration): try await ContinuousClock().sleep(for: duration)
            case .close: return false
            case .reset:
                try await (channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
                return false
            case .cut:
                try await channel.eventLoop.submit {
                    try channel.pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self)
                        .close(promise: nil)
                }.get()
                return false
            case .stall: return true
            case .endless(let bytes): while true { try await outbound.write(ByteBuffer(bytes: bytes)) }
            }
        }
        return true
    }

    private func startTLS(_ context: NIOSSLContext, on channel: any Channel) async throws {
        try await channel.eventLoop.submit {
            try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context), position: .first)
        }.get()
    }
}

extension LoopbackReply.Step {
    fileprivate var startsTLS: Bool {
        if case .startTLS = self { true } else { false }
    }
}
