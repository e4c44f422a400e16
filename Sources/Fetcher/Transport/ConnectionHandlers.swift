import Catalog
import LibC
import NIOCore
import NIOHTTP1
import NIOHTTPCompression

/// Refuses a body whose compression ratio exceeds the limit, and a status below 100, which the HTTP client would take for one
/// that precedes the answer. It stands after the decompression.
///
/// The HTTP client limits either a body's size or its ratio, and inflates all received bytes before it checks the
/// ratio. This handler counts the bytes as they arrive, and passes on none beyond the limit.
final class ResponseLimit: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart

    private let ratio: Int
    /// The number of decompressed bytes that is always allowed.
    private let harmless: Int
    private let compressed: CompressedByteCounter
    private var inflated = 0
    private var isRefused = false

    /// Creates a limit. Without a configured ratio, the standard one applies, which no ordinary page comes near unless
    /// it is short: a thousand empty records may compress to 60 bytes.
    private init(ratio: Int?, compressed: CompressedByteCounter) {
        self.ratio = ratio ?? Limits.standardRatio
        harmless = ratio == nil ? Limits.lengthOfAnyRatio : 0
        self.compressed = compressed
    }

    /// Adds the limit to an HTTP client's channel.
    static func add(to channel: any Channel, ratio: Int?) -> EventLoopFuture<Void> {
        channel.eventLoop.submit {
            let pipeline = channel.pipeline.syncOperations
            let decompressor = try pipeline.handler(type: NIOHTTPResponseDecompressor.self)
            let counter = CompressedByteCounter()
            try pipeline.addHandler(counter, position: .before(decompressor))
            try pipeline.addHandler(ResponseLimit(ratio: ratio, compressed: counter), position: .after(decompressor))
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            (inflated, isRefused) = (0, head.status.code < 100)
            if isRefused { return context.fireErrorCaught(HTTPParserError.invalidStatus) }
            context.fireChannelRead(data)
        case .body(let bytes) where !isRefused:
            inflated += bytes.readableBytes
            let (allowed, isAnyAllowed) = compressed.count.multipliedReportingOverflow(by: ratio)
            if isAnyAllowed || inflated <= max(allowed, harmless) { return context.fireChannelRead(data) }
            isRefused = true
            context.fireErrorCaught(TransportError.excessiveRatio)
        case .body: break
        case .end: if !isRefused { context.fireChannelRead(data) }
        }
    }
}

/// Counts a body's bytes before the decompression, and makes the channel read compressed bytes in small portions.
private final class CompressedByteCounter: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart

    /// Buffers of up to 256 KiB instead of NIO's 64, so that large pages come in fewer pieces
    /// (docs/decisions/0016-one-thread-for-small-answers.md).
    private static let usualBuffers = AdaptiveRecvByteBufferAllocator(minimum: 64, initial: 2048, maximum: 1 << 18)

    private(set) var count = 0
    private var readsLittle = false

    func handlerAdded(context: ChannelHandlerContext) {
        try? context.channel.syncOptions?.setOption(.recvAllocator, value: Self.usualBuffers)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            count = 0
            readLittle(head.headers.contains(name: "Content-Encoding"), of: context.channel)
        case .body(let bytes): count += bytes.readableBytes
        case .end: break
        }
        context.fireChannelRead(data)
    }

    /// Makes the channel read little at a time. Each portion is decompressed at once, to up to 1032 times its size,
    /// before the reader can apply back-pressure.
    private func readLittle(_ little: Bool, of channel: any Channel) {
        guard readsLittle != little, let options = channel.syncOptions else { return }
        readsLittle = little
        let allocator: any RecvByteBufferAllocator =
            little ? FixedSizeRecvByteBufferAllocator(capacity: 1 << 14) : Self.usualBuffers
        // A channel that is not a socket ignores these options, and the limits still apply.
        try? options.setOption(.recvAllocator, value: allocator)
        try? options.setOption(.maxMessagesPerRead, value: UInt(little ? 1 : 4))
    }
}

/// Follows the exchanges on a connection. It acknowledges the beginning of a response at once, and notices a request whose
/// connection ends although it has served others.
///
/// A server that sends head and body separately holds the body back until the head is acknowledged (RFC 896). Systems
/// delay that by 40 ms and more (RFC 1122, 4.2.3.2). Linux can be told not to, anew for each head (tcp(7),
/// TCP_QUICKACK). A short response comes whole and needs no such call, which would take 3 % of the thread's time.
final class ExchangeHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    private enum Phase {
        case idle, awaitingHead
        /// The head has come. Its acknowledgement is still to be asked for.
        case afterHead
        case inBody
    }

    private var phase = Phase.idle
    /// True if the connection has brought a response.
    private var hasAnswered = false

    /// Adds the handler to an HTTP client's channel.
    static func add(to channel: any Channel) -> EventLoopFuture<Void> {
        channel.eventLoop.submit {
            let decoder = try channel.pipeline.syncOperations.context(
                handlerType: ByteToMessageHandler<HTTPResponseDecoder>.self)
            try channel.pipeline.syncOperations.addHandler(ExchangeHandler(), position: .after(decoder.handler))
        }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .head = unwrapOutboundIn(data) { phase = .awaitingHead }
        context.write(data, promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head: phase = .afterHead
        case .body: break
        case .end: (phase, hasAnswered) = (.idle, true)
        }
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        #if canImport(Glibc)
            if phase == .awaitingHead || phase == .afterHead {
                let option = ChannelOptions.Types.SocketOption(
                    level: .tcp, name: NIOBSDSocket.Option(rawValue: TCP_QUICKACK))
                // A channel that is not a socket has no such option, and needs none.
                try? context.channel.syncOptions?.setOption(option, value: 1)
            }
        #endif
        if phase == .afterHead { phase = .inBody }
        context.fireChannelReadComplete()
    }

    /// Passes an error on. If it comes from what the server sent behind an earlier response, the connection is lost.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.fireErrorCaught(isLeftOver ? TransportError.lostConnection : error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        if isLeftOver { context.fireErrorCaught(TransportError.lostConnection) }
        context.fireChannelInactive()
    }

    private var isLeftOver: Bool { hasAnswered && phase == .awaitingHead }
}

/// Writes requests in the form that a proxy expects: "When making a request to a proxy, other than a CONNECT […]
/// request […], a client MUST send the target URI in "absolute-form"" (RFC 9112, 3.2.2).
final class RelayHandler: ChannelOutboundHandler {
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    private let proxy: Proxy

    private init(_ proxy: Proxy) { self.proxy = proxy }

    /// Adds the handler to an HTTP client's channel.
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
