import Catalog
import NIOCore
import NIOHTTP1

/// Writes requests as a proxy wants them: "When making a request to a proxy, other than a CONNECT […] request […], a
/// client MUST send the target URI in "absolute-form"" (RFC 9112, 3.2.2).
final class RelayHandler: ChannelOutboundHandler {
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    private let proxy: Proxy

    private init(_ proxy: Proxy) { self.proxy = proxy }

    /// The channel is an HTTP client's.
    static func add(to channel: any Channel, for proxy: Proxy) -> EventLoopFuture<Void> {
        channel.eventLoop.submit {
            let pipeline = channel.pipeline.syncOperations
            let encoder = try pipeline.handler(type: HTTPRequestEncoder.self)
            try pipeline.addHandler(RelayHandler(proxy), position: .after(encoder))
        }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .head(var head) = unwrapOutboundIn(data) else { return context.write(data, promise: promise) }
        if let host = head.headers.first(name: "Host") { head.uri = "http://\(host)\(head.uri)" }
        if let credentials = proxy.credentials {
            head.headers.replaceOrAdd(name: "Proxy-Authorization", value: "Basic \(credentials.encoded.reveal())")
        }
        context.write(wrapOutboundOut(.head(head)), promise: promise)
    }
}
