import Catalog
import NIOCore
import NIOHTTP1
import NIOHTTPCompression

/// Refuses a body of which one compressed byte becomes more bytes than allowed. It stands behind the decompression.
///
/// The HTTP client limits either a body's size or its ratio, and inflates all that it has received before it looks at
/// the ratio. This one counts as the bytes come, and passes none on that are too many.
final class InflationLimit: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart

    private let ratio: Int
    /// So many bytes are never too many.
    private let harmless: Int
    private let compressed: CompressedByteCounter
    private var inflated = 0
    private var isRefused = false

    /// Without a ratio of its own, a stream has one that no page comes near, unless it is short: there, a thousand records
    /// without anything in them may be 60 bytes.
    private init(ratio: Int?, compressed: CompressedByteCounter) {
        self.ratio = ratio ?? Limits.standardRatio
        harmless = ratio == nil ? Limits.lengthOfAnyRatio : 0
        self.compressed = compressed
    }

    /// The channel is an HTTP client's.
    static func add(to channel: any Channel, ratio: Int?) -> EventLoopFuture<Void> {
        channel.eventLoop.submit {
            let pipeline = channel.pipeline.syncOperations
            let decompressor = try pipeline.handler(type: NIOHTTPResponseDecompressor.self)
            let counter = CompressedByteCounter()
            try pipeline.addHandler(counter, position: .before(decompressor))
            try pipeline.addHandler(InflationLimit(ratio: ratio, compressed: counter), position: .after(decompressor))
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            (inflated, isRefused) = (0, false)
            context.fireChannelRead(data)
        case .body(let bytes) where !isRefused:
            inflated += bytes.readableBytes
            let (allowed, isAnyAllowed) = compressed.count.multipliedReportingOverflow(by: ratio)
            if isAnyAllowed || inflated <= max(allowed, harmless) { return context.fireChannelRead(data) }
            isRefused = true
            context.fireErrorCaught(TransportFailure.excessiveRatio)
        case .body: break
        case .end: if !isRefused { context.fireChannelRead(data) }
        }
    }
}

/// Counts the bytes of a body before the decompression, and lets few of those that are compressed come at a time.
private final class CompressedByteCounter: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart

    private(set) var count = 0
    private var readsLittle = false

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

    /// What was read at once is decompressed at once, up to 1032 bytes from each, before the reader can hold it back.
    private func readLittle(_ little: Bool, of channel: any Channel) {
        guard readsLittle != little, let options = channel.syncOptions else { return }
        readsLittle = little
        let allocator: any RecvByteBufferAllocator =
            little ? FixedSizeRecvByteBufferAllocator(capacity: 1 << 14) : AdaptiveRecvByteBufferAllocator()
        // A channel that is no socket reads as it does, within the same limits.
        try? options.setOption(.recvAllocator, value: allocator)
        try? options.setOption(.maxMessagesPerRead, value: UInt(little ? 1 : 4))
    }
}
