import NIOCore

/// The lines that come in on a connection, of a bounded length each.
struct LineReader {
    private var parts: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    private var pending = ByteBuffer()
    private let limit: Int

    init(_ inbound: NIOAsyncChannelInboundStream<ByteBuffer>, limit: Int) {
        parts = inbound.makeAsyncIterator()
        self.limit = limit
    }

    /// The bytes of the next line without its break; nil at the end, even if some bytes came without a break.
    ///
    /// Throws `ControlRefusal.tooLong`, and what the connection does.
    mutating func next() async throws -> ByteBuffer? {
        // Every byte is looked at once, however many parts it comes in.
        var searched = 0
        while true {
            let unseen = pending.readableBytesView.dropFirst(searched)
            if let lineBreak = unseen.firstIndex(of: UInt8(ascii: "\n")) {
                let length = lineBreak - pending.readerIndex
                guard length <= limit else { throw ControlRefusal.tooLong(limit) }
                let line = pending.readSlice(length: length)
                pending.moveReaderIndex(forwardBy: 1)
                return line
            }
            searched = pending.readableBytes
            guard searched <= limit else { throw ControlRefusal.tooLong(limit) }
            guard var part = try await parts.next(isolation: #isolation) else { return nil }
            pending.writeBuffer(&part)
        }
    }

    /// Returns when the other side has gone, or the task is cancelled; what still comes is dropped.
    mutating func untilEnd() async {
        pending.clear()
        while let _ = try? await parts.next(isolation: #isolation) {}
    }
}
