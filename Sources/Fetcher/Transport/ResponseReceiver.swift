import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import Synchronization

/// Passes the response to one request on to the task that reads it: first the head, then the body, chunk by chunk.
///
/// The HTTP client receives no further chunk until the one before has been taken, so at most one waits here.
///
/// The client's own asynchronous interface starts a task on Swift's pool for each request. That wakes another thread,
/// which takes a tenth of the processor time of small pages.
final class ResponseReceiver: HTTPClientResponseDelegate {
    private struct State {
        /// The request; nil after its end.
        var request: HTTPClient.Task<Void>?
        var head: HTTPResponseHead?
        var chunk: ByteBuffer?
        /// Completed when the chunk has been taken. The client then goes on.
        var demand: EventLoopPromise<Void>?
        var end: Result<Void, any Error>?
        var isCancelled = false
        /// The task that waits for the head, a chunk or the end.
        var reader: CheckedContinuation<Void, Never>?

        var hasArrival: Bool { head != nil || chunk != nil || end != nil }
    }

    private let state = Mutex(State())

    /// Sends a request and returns as soon as the head of its response is complete. Cancelling the task closes the connection.
    func send(_ request: HTTPClient.Request, over client: HTTPClient) async throws -> HTTPResponseHead {
        try Task.checkCancellation()
        let sent = client.execute(request: request, delegate: self)
        sent.futureResult.whenComplete { result in
            self.note { ($0.end, $0.request) = (result, nil) }
        }
        state.withLock { if $0.end == nil { $0.request = sent } }
        while true {
            let (head, end) = state.withLock { ($0.head.take(), $0.end) }
            if let head { return head }
            if let end {
                try end.get()
                throw TransportError.closed
            }
            await arrival()
        }
    }

    /// Returns the next chunk of the body, or nil at its end.
    func chunk() async throws -> ByteBuffer? {
        while true {
            let (chunk, demand, end) = state.withLock { ($0.chunk.take(), $0.demand.take(), $0.end) }
            if let chunk {
                demand?.succeed()
                return chunk
            }
            if let end {
                try end.get()
                return nil
            }
            await arrival()
        }
    }

    /// Ends the request, unless it has ended.
    func cancel() {
        let (request, demand) = state.withLock { state in
            state.isCancelled = true
            state.chunk = nil
            return (state.request.take(), state.demand.take())
        }
        request?.cancel()
        // The client notices that only when the chunk has been taken.
        demand?.succeed()
    }

    /// Waits until something has come or the request has ended, which it does soon if the task is cancelled.
    private func arrival() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { reader in
                let isThere = state.withLock { state in
                    if state.hasArrival { return true }
                    state.reader = reader
                    return false
                }
                if isThere { reader.resume() }
            }
        } onCancel: {
            cancel()
        }
    }

    /// Changes the state, and lets the reader look at it.
    @discardableResult
    private func note<Result>(_ change: (inout State) -> Result) -> Result {
        let (result, reader) = state.withLock { (change(&$0), $0.reader.take()) }
        reader?.resume()
        return result
    }

    func didReceiveHead(task: HTTPClient.Task<Void>, _ head: HTTPResponseHead) -> EventLoopFuture<Void> {
        note { $0.head = head }
        return task.eventLoop.makeSucceededVoidFuture()
    }

    func didReceiveBodyPart(task: HTTPClient.Task<Void>, _ chunk: ByteBuffer) -> EventLoopFuture<Void> {
        let demand = task.eventLoop.makePromise(of: Void.self)
        let isWanted = note { state in
            if !state.isCancelled { (state.chunk, state.demand) = (chunk, demand) }
            return !state.isCancelled
        }
        if !isWanted { demand.succeed() }
        return demand.futureResult
    }

    func didFinishRequest(task: HTTPClient.Task<Void>) {}
}
