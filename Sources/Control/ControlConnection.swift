import NIOCore

/// One client of the server: its request, and the replies to it.
struct ControlConnection: Sendable {
    let channel: any Channel
    let clock: any Clock<Duration>
    let limits: ControlLimits
    let handle: ControlServer.Handler

    /// Ends when the request is fulfilled or refused, or the client has gone.
    func serve(isBusy: Bool) async {
        do {
            let connection = try await channel.eventLoop.submit {
                try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
            }.get()
            try await connection.executeThenClose { inbound, outbound in
                try await channel.setOption(.autoRead, value: true).get()
                var lines = LineReader(inbound, limit: limits.longestLine)
                do {
                    guard let request = try await request(from: &lines, outbound) else { return }
                    // Not before it has said what it wants: who is answered without having asked may miss the answer.
                    if isBusy { throw ControlRefusal.busy }
                    await fulfil(request, lines, outbound)
                } catch let refusal as ControlRefusal {
                    await reply(.refused(refusal), outbound)
                }
            }
        } catch {
            // The client has gone, which nobody else needs to know.
            channel.close(promise: nil)
        }
    }

    /// nil where the client has gone, or let its time pass.
    private func request(
        from lines: inout LineReader, _ outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    ) async throws -> ControlRequest? {
        let line = try await channel.closing(after: limits.request, on: clock) {
            await reply(.refused(.noRequest), outbound)
        } unless: {
            try await lines.next()
        }
        guard case .some(.some(let line)) = line else { return nil }
        return try ControlLine.decoded(ControlRequest.self, line)
    }

    private func fulfil(
        _ request: ControlRequest, _ lines: consuming LineReader, _ outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    ) async {
        await withTaskGroup { group in
            group.addTask {
                await handle(request) { await reply($0, outbound) }
                channel.close(promise: nil)
            }
            await lines.untilEnd()
            group.cancelAll()
        }
    }

    /// A client that has gone, or does not read, misses it.
    private func reply(_ reply: ControlReply, _ outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>) async {
        _ = try? await channel.closing(after: limits.write, on: clock) {
            try await outbound.write(ControlLine.encoded(reply))
        }
    }
}
