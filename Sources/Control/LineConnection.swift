import NIOCore

/// A channel that receives and sends lines.
struct LineConnection: Sendable {
    let channel: any Channel
    /// The received lines. They end when the other side has gone.
    let lines: LineHandler.Lines

    /// Installs the handler. Call this before the channel is active, so that no byte is missed.
    static func install(on channel: any Channel, longestLine: Int, limit: Int) -> EventLoopFuture<LineConnection> {
        channel.eventLoop.makeCompletedFuture {
            let (lines, continuation) = LineHandler.Lines.makeStream()
            try channel.pipeline.syncOperations.addHandler(
                LineHandler(longestLine: longestLine, limit: limit, continuation))
            return LineConnection(channel: channel, lines: lines)
        }
    }

    /// Returns when the system has accepted the whole line.
    func write(_ line: ByteBuffer) async throws { try await channel.writeAndFlush(line).get() }

    /// Runs `body`, then closes the channel. A cancellation closes it at once, which ends every wait for it.
    func closing<Result>(after body: () async throws -> Result) async rethrows -> Result {
        defer { channel.close(promise: nil) }
        return try await withTaskCancellationHandler {
            try await body()
        } onCancel: {
            channel.close(promise: nil)
        }
    }

    /// Runs `body`, and closes the channel if it takes too long, which ends its waits.
    ///
    /// - Parameter last: Runs before the channel is closed, for example to send a last reply.
    /// - Returns: The result of `body`; nil if it took too long.
    func within<Result>(
        _ limit: Duration, on clock: any Clock<Duration>, last: @escaping @Sendable () async -> Void = {},
        _ body: () async throws -> Result
    ) async throws -> Result? {
        try await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                guard (try? await clock.sleep(for: limit)) != nil else { return false }
                await last()
                try? await channel.close()
                return true
            }
            let result: Swift.Result<Result, any Error>
            do { result = .success(try await body()) } catch { result = .failure(error) }
            group.cancelAll()
            let isLate = await group.next() ?? false
            return isLate ? .success(nil) : result.map(Optional.some)
        }.get()
    }
}

/// Splits the bytes received on a channel into lines, of a bounded length and number.
final class LineHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias Lines = AsyncThrowingStream<ByteBuffer, any Error>

    private let longestLine: Int
    private var remaining: Int
    private let lines: Lines.Continuation
    private var pending = ByteBuffer()
    /// The number of bytes of `pending` known to have no line break. Each byte is examined once, however a line
    /// is split.
    private var searched = 0

    /// - Parameters:
    ///   - longestLine: The limit in bytes, without the line break. A longer line ends the lines with
    ///     `ControlError.tooLong`.
    ///   - limit: The number of lines. Later lines are dropped.
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

    /// Ends the lines with the channel, so that a waiting reader is resumed.
    func channelInactive(context: ChannelHandlerContext) { lines.finish() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    /// Returns the length of the line at the beginning of `pending`, or nil if the line is incomplete.
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
        lines.finish(throwing: ControlError.tooLong(longestLine))
    }
}

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A coding of values as lines of JSON.
package enum ControlLine {
    /// Returns the value with a final line break. The JSON itself contains none.
    static func encoded(_ value: some Encodable) throws -> ByteBuffer {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return ByteBuffer(bytes: try encoder.encode(value) + [UInt8(ascii: "\n")])
    }

    /// Returns the value as a line without its line break.
    package static func text(_ value: some Encodable) throws -> String {
        String(decoding: try encoded(value).readableBytesView.dropLast(), as: UTF8.self)
    }

    package static func decoded<Value: Decodable>(_ type: Value.Type, text: String) throws(ControlError) -> Value {
        try decoded(type, ByteBuffer(string: text))
    }

    static func decoded<Value: Decodable>(_ type: Value.Type, _ line: ByteBuffer) throws(ControlError) -> Value {
        do {
            return try JSONDecoder().decode(type, from: Data(line.readableBytesView))
        } catch let error as DecodingError {
            throw .misunderstood(reason(for: error))
        } catch {
            throw .misunderstood("\(error)")
        }
    }

    private static func reason(for error: DecodingError) -> String {
        switch error {
        case .keyNotFound(let key, _): "'\(key.stringValue)' is missing"
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            context.codingPath.last.map { "'\($0.stringValue)' is not what it must be" } ?? "not a JSON object"
        @unknown default: "not a JSON object"
        }
    }
}

/// The limits that both ends enforce.
package struct ControlLimits: Sendable {
    /// The longest line in bytes, without the line break.
    package var longestLine = 64 << 10
    /// The number of clients served at once. As many more are told that there are too many; any beyond those
    /// are disconnected.
    package var maximumClients = 32
    /// The time within which a request must arrive.
    package var request = Duration.seconds(10)
    /// The time within which the first reply must arrive: longer than a request's, which may be refused for its own.
    package var firstReply = Duration.seconds(15)
    /// The time for which a client may leave a reply unread.
    package var write = Duration.seconds(20)
    /// The time that replies have to be delivered when the service stops.
    package var farewell = Duration.seconds(1)
    /// The first wait of a client before it asks a busy service again. Each wait is twice the previous one.
    package var firstWait = Duration.milliseconds(50)
    package var longestWait = Duration.seconds(2)
    /// The time after which a client that does not wait for a run gives up on a busy service.
    package var patience = Duration.seconds(30)
    /// The time after a failure until the socket is created again.
    package var retry = Duration.seconds(30)

    package init() {}
}
