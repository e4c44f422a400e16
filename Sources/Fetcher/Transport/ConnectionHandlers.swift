import GarnerCatalog
import GarnerLibC
import NIOCore
import NIOHTTP1

/// Decompresses bodies within the limits. It refuses a status below 100, which the HTTP client would take for an early one.
///
/// The HTTP client's own decompression takes one gzip member only, limits either a body's size or its ratio, and inflates all
/// received bytes before it checks that.
final class BodyDecompressor: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart

    /// Buffers of up to 256 KiB instead of NIO's 64, so that large pages come in fewer pieces
    /// (docs/decisions/0016-one-thread-for-small-answers.md).
    private static let usualBuffers = AdaptiveRecvByteBufferAllocator(minimum: 64, initial: 2048, maximum: 1 << 18)

    /// The largest body after decompression, in bytes.
    private let largest: Int
    private let ratio: Int
    /// The number of decompressed bytes that any body may have, whatever its ratio.
    private let harmless: Int
    /// The state of a compressed body; nil for any other.
    private var inflater: Inflater?
    private var (received, inflated) = (0, 0)
    private var isRefused = false
    private var readsLittle = false

    /// Creates a decompressor. Without a configured ratio, the standard one applies, which no ordinary page comes near unless
    /// it is short: a thousand empty records may compress to 60 bytes.
    init(largest: Int, ratio: Int?) {
        self.largest = largest
        self.ratio = ratio ?? Limits.standardRatio
        harmless = ratio == nil ? Limits.lengthOfAnyRatio : 0
    }

    /// Adds the handler to an HTTP client's channel.
    static func add(to channel: any Channel, largest: Int, ratio: Int?) -> EventLoopFuture<Void> {
        channel.eventLoop.submit {
            let pipeline = channel.pipeline.syncOperations
            let exchanges = try pipeline.handler(type: ExchangeHandler.self)
            try pipeline.addHandler(BodyDecompressor(largest: largest, ratio: ratio), position: .after(exchanges))
        }
    }

    func handlerAdded(context: ChannelHandlerContext) {
        try? context.channel.syncOptions?.setOption(.recvAllocator, value: Self.usualBuffers)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            (inflater, received, inflated, isRefused) = (nil, 0, 0, head.status.code < 100)
            if isRefused { return context.fireErrorCaught(HTTPParserError.invalidStatus) }
            let coding = ContentCoding(head.headers["Content-Encoding"])
            // A response without a body has no compressed one, whatever its head says (RFC 9110, 15.3.5 and 15.4.5).
            if let coding, coding != .identity, ![204, 304].contains(head.status.code) {
                inflater = Inflater(takesRawDeflate: coding == .deflate)
            }
            readLittle(inflater != nil, of: context.channel)
            context.fireChannelRead(data)
        case _ where isRefused: break
        case .body(let bytes):
            guard let inflater else { return context.fireChannelRead(data) }
            inflate(bytes, by: inflater, context)
        case .end(let trailers) where trailers.map(Self.tellOfError) == true: refuse(.incompleteBody, context)
        case .end:
            do throws(InflateError) {
                try inflater?.finish()
                context.fireChannelRead(data)
            } catch {
                refuse(.decompression(reason: error.reason), context)
            }
        }
    }

    /// Returns true for trailers with an error that ended the body early: `X-Error`, `X-Stream-Error`, or a status of gRPC other than 0.
    private static func tellOfError(_ trailers: HTTPHeaders) -> Bool {
        trailers.contains { field in
            let name = field.name.lowercased()
            if name == "grpc-status" { return !["", "0", "OK"].contains(field.value.uppercased()) }
            return name.hasPrefix("x-") && ["error", "errors"].contains(where: name.hasSuffix)
                && !StatusMembers.saysNoError(field.value)
        }
    }

    private func inflate(_ bytes: ByteBuffer, by inflater: Inflater, _ context: ChannelHandlerContext) {
        received += bytes.readableBytes
        let (product, isAnyAllowed) = received.multipliedReportingOverflow(by: ratio)
        let allowed = isAnyAllowed ? Int.max : max(product, harmless)
        var pieces: [ByteBuffer] = []
        var refusal: TransportError?
        let result = bytes.withUnsafeReadableBytes { bytes in
            Result { () throws(InflateError) in
                try inflater.inflate(bytes) { piece in
                    inflated += piece.count
                    if inflated > allowed { refusal = .excessiveRatio }
                    if inflated > largest { refusal = .bodyTooLarge }
                    if refusal == nil { pieces.append(ByteBuffer(bytes: piece)) }
                    return refusal == nil
                }
            }
        }
        if case .failure(let error) = result { refusal = .decompression(reason: error.reason) }
        // Not before the inflater has returned: what the channel does with a piece may bring the next bytes.
        for piece in pieces { context.fireChannelRead(wrapInboundOut(.body(piece))) }
        if let refusal { refuse(refusal, context) }
    }

    private func refuse(_ refusal: TransportError, _ context: ChannelHandlerContext) {
        isRefused = true
        context.fireErrorCaught(refusal)
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
    private let arrivals: ByteArrivals

    init(arrivals: ByteArrivals = ByteArrivals()) { self.arrivals = arrivals }

    /// Adds the handler to an HTTP client's channel.
    static func add(to channel: any Channel) -> EventLoopFuture<Void> {
        channel.eventLoop.submit {
            let pipeline = channel.pipeline.syncOperations
            let decoder = try pipeline.context(handlerType: ByteToMessageHandler<HTTPResponseDecoder>.self).handler
            let arrivals = ByteArrivals()
            try pipeline.addHandler(arrivals, position: .before(decoder))
            try pipeline.addHandler(ExchangeHandler(arrivals: arrivals), position: .after(decoder))
        }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .head = unwrapOutboundIn(data) { (phase, arrivals.haveCome) = (.awaitingHead, false) }
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
        context.fireErrorCaught(isLeftOver ? loss : error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        if isLeftOver { context.fireErrorCaught(loss) }
        context.fireChannelInactive()
    }

    private var isLeftOver: Bool { hasAnswered && phase == .awaitingHead }

    private var loss: TransportError { .lostConnection(answerBegan: arrivals.haveCome) }
}

/// Notes that bytes have come, before they are parsed.
final class ByteArrivals: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    fileprivate(set) var haveCome = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        haveCome = true
        context.fireChannelRead(data)
    }
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
