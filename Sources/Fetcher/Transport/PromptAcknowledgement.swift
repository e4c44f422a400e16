import NIOCore
import NIOHTTP1

#if canImport(Glibc)
    import Glibc
#endif

/// Acknowledges the head of a response at once.
///
/// A server that sends head and body separately holds the body back until the head is acknowledged (RFC 896), which
/// systems put off by 40 ms and more (RFC 1122, 4.2.3.2). Linux can be asked not to, each time anew (tcp(7), TCP_QUICKACK).
final class PromptAcknowledgement: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart

    /// The channel is an HTTP client's.
    static func add(to channel: any Channel) -> EventLoopFuture<Void> {
        channel.eventLoop.submit {
            let decoder = try channel.pipeline.syncOperations.context(
                handlerType: ByteToMessageHandler<HTTPResponseDecoder>.self)
            try channel.pipeline.syncOperations.addHandler(PromptAcknowledgement(), position: .after(decoder.handler))
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        #if canImport(Glibc)
            if case .head = unwrapInboundIn(data) {
                let option = ChannelOptions.Types.SocketOption(
                    level: .tcp, name: NIOBSDSocket.Option(rawValue: TCP_QUICKACK))
                // What is no socket has no such option, and needs none.
                try? context.channel.syncOptions?.setOption(option, value: 1)
            }
        #endif
        context.fireChannelRead(data)
    }
}
