import NIOCore

/// A channel that lines come in on, and go out.
struct LineConnection: Sendable {
    let channel: any Channel
    /// They end when the other side has gone.
    let lines: LineHandler.Lines

    /// Before the channel is active, so that no byte is missed.
    static func install(on channel: any Channel, longestLine: Int, limit: Int) -> EventLoopFuture<LineConnection> {
        channel.eventLoop.makeCompletedFuture {
            let (lines, continuation) = LineHandler.Lines.makeStream()
            try channel.pipeline.syncOperations.addHandler(
                LineHandler(longestLine: longestLine, limit: limit, continuation))
            return LineConnection(channel: channel, lines: lines)
        }
    }

    /// Returns when the system has taken all of the line.
    func write(_ line: ByteBuffer) async throws { try await channel.writeAndFlush(line).get() }

    /// Runs `body`, then closes the channel; a cancellation closes it at once, which ends whatever waits for it.
    func closing<Result>(after body: () async throws -> Result) async rethrows -> Result {
        defer { channel.close(promise: nil) }
        return try await withTaskCancellationHandler {
            try await body()
        } onCancel: {
            channel.close(promise: nil)
        }
    }

    /// Closes the channel when `body` takes longer than it may, which ends what `body` waits for.
    ///
    /// - Parameter last: done before that, such as a last word.
    /// - Returns: what `body` returns; nil where it took too long.
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
