import Fetcher
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One request between the session's events and who reads the response.
///
/// Whoever waits for the head gets it, or why it does not come, exactly once: cancelling does not wait for the session.
final class SessionExchange: Sendable {
    private enum State {
        case fresh
        case waiting(CheckedContinuation<Response, any Error>)
        case receiving(bytes: Int)
        case over
    }

    let task: URLSessionDataTask
    private let maximumBody: Int
    private let state = Mutex(State.fresh)
    private let chunks: AsyncThrowingStream<BodyChunk, any Error>.Continuation
    /// Taken by the response, so that the exchange ends when nobody can read it any more.
    private let body: Mutex<SessionBody?>

    init(of task: URLSessionDataTask, maximumBody: Int) {
        self.task = task
        self.maximumBody = maximumBody
        let (stream, continuation) = AsyncThrowingStream<BodyChunk, any Error>.makeStream()
        chunks = continuation
        body = Mutex(SessionBody(chunks: stream))
        continuation.onTermination = { reason in
            if case .cancelled = reason { task.cancel() }
        }
    }

    func start(_ continuation: CheckedContinuation<Response, any Error>) {
        let isNew = state.withLock { state in
            guard case .fresh = state else { return false }
            state = .waiting(continuation)
            return true
        }
        if isNew { task.resume() } else { continuation.resume(throwing: CancellationError()) }
    }

    func receive(_ response: HTTPURLResponse) {
        let waiting = state.withLock { state -> CheckedContinuation<Response, any Error>? in
            guard case .waiting(let continuation) = state else { return nil }
            state = .receiving(bytes: 0)
            return continuation
        }
        let taken = body.withLock { body in
            defer { body = nil }
            return body
        }
        guard let waiting, let taken else { return }
        waiting.resume(returning: Response(head: ResponseHead(response), body: taken))
    }

    func receive(_ data: Data) {
        let isTooMuch = state.withLock { state -> Bool? in
            guard case .receiving(let bytes) = state else { return nil }
            guard data.count <= maximumBody - bytes else { return true }
            state = .receiving(bytes: bytes + data.count)
            return false
        }
        switch isTooMuch {
        case nil: break
        case true?: end(throwing: TransportFailure.bodyTooLarge)
        case false?: chunks.yield(BodyChunk(data))
        }
    }

    /// The session's own end of the task.
    func complete(_ error: (any Error)?) {
        let hasHead = state.withLock { if case .receiving = $0 { true } else { false } }
        if let error {
            end(throwing: TransportFailure.of(error, insteadOf: hasHead ? .incompleteBody : .closed))
        } else if hasHead {
            end(throwing: nil)
        } else {
            end(throwing: TransportFailure.closed)
        }
    }

    func cancel() { end(throwing: CancellationError()) }

    /// nil: the body is complete.
    private func end(throwing error: (any Error)?) {
        let last = state.withLock { state in
            defer { state = .over }
            return state
        }
        switch last {
        case .fresh, .over: break
        case .waiting(let continuation): continuation.resume(throwing: error ?? TransportFailure.closed)
        case .receiving: chunks.finish(throwing: error)
        }
        if error != nil { task.cancel() }
    }
}

/// A body whose reader is told of a cancellation: the stream itself would only end, as a complete body does.
private struct SessionBody: AsyncSequence, Sendable {
    let chunks: AsyncThrowingStream<BodyChunk, any Error>

    func makeAsyncIterator() -> Iterator { Iterator(chunks: chunks.makeAsyncIterator()) }

    struct Iterator: AsyncIteratorProtocol {
        var chunks: AsyncThrowingStream<BodyChunk, any Error>.AsyncIterator

        mutating func next() async throws -> BodyChunk? { try await next(isolation: nil) }

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> BodyChunk? {
            let chunk = try await chunks.next(isolation: actor)
            if chunk == nil { try Task.checkCancellation() }
            return chunk
        }
    }
}

extension ResponseHead {
    /// `HTTPURLResponse` joins fields of one name, and keeps no order; a sorted one is at least always the same.
    fileprivate init(_ response: HTTPURLResponse) {
        let fields = response.allHeaderFields.map { (name: "\($0.key)", value: "\($0.value)") }
        self.init(status: response.statusCode, headers: HeaderFields(fields.sorted { $0.name < $1.name }))
    }
}
