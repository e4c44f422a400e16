import NIOCore

/// One client of the server: its request, and the replies to it.
struct ControlConnection: Sendable {
    let connection: LineConnection
    let clock: any Clock<Duration>
    let limits: ControlLimits
    let handle: ControlServer.Handler

    /// Ends when the request is fulfilled or refused, or the client has gone.
    func serve(isBusy: Bool) async {
        await connection.closing {
            var lines = connection.lines.makeAsyncIterator()
            do {
                guard let request = try await request(from: &lines) else { return }
                // Not before it has said what it wants: who is answered without having asked may miss the answer.
                if isBusy { throw ControlRefusal.busy }
                await fulfil(request, &lines)
            } catch let refusal as ControlRefusal {
                await reply(.refused(refusal))
            } catch {
                // The client has gone, which nobody else needs to know.
            }
        }
    }

    /// nil where the client has gone, or let its time pass.
    private func request(from lines: inout LineHandler.Lines.AsyncIterator) async throws -> ControlRequest? {
        let line = try await connection.within(limits.request, on: clock) {
            await reply(.refused(.noRequest))
        } _: {
            try await lines.next(isolation: #isolation)
        }
        guard case .some(.some(let line)) = line else { return nil }
        return try ControlLine.decoded(ControlRequest.self, line)
    }

    /// The handler does not outlive its client.
    private func fulfil(_ request: ControlRequest, _ lines: inout LineHandler.Lines.AsyncIterator) async {
        await withTaskGroup { group in
            group.addTask {
                await handle(request) { await reply($0) }
                connection.channel.close(promise: nil)
            }
            while let _ = try? await lines.next(isolation: #isolation) {}
            group.cancelAll()
        }
    }

    /// A client that has gone, or does not read, misses it.
    private func reply(_ reply: ControlReply) async {
        _ = try? await connection.within(limits.write, on: clock) {
            try await connection.write(ControlLine.encoded(reply))
        }
    }
}
