package import NIOCore
package import NIOHTTPTypes

/// Adds a connection of a server for HTTP to the open ones, and notes when it is answered and when it waits for its client.
package final class ConnectionCounter: ChannelDuplexHandler, RemovableChannelHandler {
    package typealias InboundIn = HTTPRequestPart
    package typealias InboundOut = HTTPRequestPart
    package typealias OutboundIn = HTTPResponsePart
    package typealias OutboundOut = HTTPResponsePart

    private let connections: OpenConnections
    private var number: Int?
    /// The number of whole requests without a whole answer.
    private var unanswered = 0

    package init(in connections: OpenConnections) { self.connections = connections }

    package func handlerAdded(context: ChannelHandlerContext) {
        let channel = context.channel
        // Not at once: the connection that is closed may be this one, which is being set up.
        number = connections.add { channel.eventLoop.execute { channel.close(promise: nil) } }
    }

    package func handlerRemoved(context: ChannelHandlerContext) {
        if let number { connections.remove(number) }
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .end = unwrapInboundIn(data) { note(unanswered + 1) }
        context.fireChannelRead(data)
    }

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) { note(max(0, unanswered - 1)) }
        context.write(data, promise: promise)
    }

    private func note(_ unanswered: Int) {
        self.unanswered = unanswered
        if let number { connections.note(number, isAnswered: unanswered > 0) }
    }
}
