import Connections
import Hummingbird
import HummingbirdCore
import GarnerLibC
import Logging
import NIOCore
import NIOHTTP1

/// A connection to a browser: Hummingbird's, under the `ConnectionRules`.
struct DashboardChannel: ServerChildChannel {
    private let connection: HTTP1Channel

    /// - Parameter idleTime: The time after which a connection that sends nothing is closed.
    init(idleTime: TimeAmount, among connections: OpenConnections, responder: @escaping HTTPChannelHandler.Responder) {
        connection = HTTP1Channel(
            responder: responder,
            configuration: .init(
                additionalChannelHandlers: [ConnectionCounter(in: connections)], idleTimeout: idleTime))
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        connection.setup(channel: channel, logger: logger).flatMapThrowing { value in
            let pipeline = channel.pipeline.syncOperations
            let decoder = try pipeline.context(handlerType: ByteToMessageHandler<HTTPRequestDecoder>.self).handler
            try pipeline.addHandler(ConnectionRules(), position: .after(decoder))
            return value
        }
    }

    func handle(value: HTTP1Channel.Value, logger: Logger) async {
        await connection.handle(value: value, logger: logger)
    }
}

/// The rules of HTTP/1 on versions, on the end of a connection and on the host of a request (RFC 9112), which what follows in
/// the pipeline does not see any more.
///
/// A client of HTTP/1.0 knows no chunks. It gets a body as it is, whose end is the end of the connection. So where a body is cut
/// off, the connection is reset: a client that saw it end would take a part for the whole.
final class ConnectionRules: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private struct Exchange {
        let version: HTTPVersion
        /// True if no request follows on the connection.
        let isLast: Bool
    }

    /// The requests whose answers have not ended, in their order.
    private var exchanges: [Exchange] = []
    private var isReadingLast = false
    private var hasReadLast = false
    /// True between the head and the end of an answer.
    private var isAnswering = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // Nothing that follows the last request is one.
        guard !hasReadLast else { return }
        switch unwrapInboundIn(data) {
        case .head(var head):
            isReadingLast = head.version == .http1_0 || !head.isKeepAlive
            if isReadingLast { head.headers.replaceOrAdd(name: "connection", value: "close") }
            Self.takeHost(from: head.uri, into: &head.headers)
            exchanges.append(Exchange(version: head.version, isLast: isReadingLast))
            context.fireChannelRead(wrapInboundOut(.head(head)))
        case .body: context.fireChannelRead(data)
        case .end:
            hasReadLast = isReadingLast
            context.fireChannelRead(data)
        }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head):
            isAnswering = true
            if let exchange = exchanges.first {
                // The encoder sends chunks to HTTP/1.1 only.
                head.version = exchange.version
                if exchange.isLast { head.headers.replaceOrAdd(name: "connection", value: "close") }
            }
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .body: context.write(data, promise: promise)
        case .end:
            isAnswering = false
            if !exchanges.isEmpty { exchanges.removeFirst() }
            context.write(data, promise: promise)
        }
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard isAnswering, exchanges.first?.version == .http1_0,
            let channel = context.channel as? any SocketOptionProvider
        else { return context.close(mode: mode, promise: promise) }
        // It takes effect at once, as this is the channel's event loop. To close the output alone would be an end.
        _ = channel.setSoLinger(linger(l_onoff: 1, l_linger: 0))
        context.close(mode: .all, promise: promise)
    }

    /// Replaces the `Host` by the one of an absolute address, as section 3.2.2 demands. Of several, none is replaced, since such a
    /// request is refused.
    private static func takeHost(from target: String, into headers: inout HTTPHeaders) {
        guard let authority = authority(of: target), headers[canonicalForm: "host"].count < 2 else { return }
        headers.replaceOrAdd(name: "host", value: authority)
    }

    /// Returns `host:port` of `http://host:port/path`; nil for a path.
    private static func authority(of target: String) -> String? {
        let bytes = target.utf8
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: "://".utf8),
            !bytes[..<colon].contains(where: { "/?#".utf8.contains($0) })
        else { return nil }
        return String(Substring(bytes[colon...].dropFirst(3).prefix { !"/?#".utf8.contains($0) }))
    }
}
