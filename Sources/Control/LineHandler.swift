import NIOCore

/// Cuts what comes in on a channel into lines, of a bounded length and number.
final class LineHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias Lines = AsyncThrowingStream<ByteBuffer, any Error>

    private let longestLine: Int
    private var remaining: Int
    private let lines: Lines.Continuation
    private var pending = ByteBuffer()
    /// How much of `pending` has no line break: every byte is looked at once, however many parts a line comes in.
    private var searched = 0

    /// - Parameters:
    ///   - longestLine: in bytes, without its break. What is longer ends the lines with `ControlRefusal.tooLong`.
    ///   - limit: of lines; what comes after them is dropped.
    init(longestLine: Int, limit: Int, _ lines: Lines.Continuation) {
        self.longestLine = longestLine
        remaining = limit
        self.lines = lines
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard remaining > 0 else { return }
        var part = unwrapInboundIn(data)
        pending.writeBuffer(&part)
        while remaining > 0, let length = nextLength() {
            guard length <= longestLine, let line = pending.readSlice(length: length) else { return refuse() }
            pending.moveReaderIndex(forwardBy: 1)
            remaining -= 1
            lines.yield(line)
        }
        if searched > longestLine { refuse() }
        if remaining == 0 { pending.clear() }
    }

    /// The end of the lines is the end of the channel, so that whoever waits for a line hears of it.
    func channelInactive(context: ChannelHandlerContext) { lines.finish() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    /// Of the line at the beginning of `pending`; nil where it has no end yet.
    private func nextLength() -> Int? {
        let unseen = pending.readableBytesView.dropFirst(searched)
        guard let lineBreak = unseen.firstIndex(of: UInt8(ascii: "\n")) else {
            searched = pending.readableBytes
            return nil
        }
        searched = 0
        return lineBreak - pending.readerIndex
    }

    private func refuse() {
        remaining = 0
        lines.finish(throwing: ControlRefusal.tooLong(longestLine))
    }
}
