import GarnerFetcher
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One request, between the session's events and the reader of the response.
///
/// A caller that waits for the head gets the head or an error exactly once. Cancellation does not wait for the session.
final class SessionAttempt: Sendable {
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
    /// The body until the response takes it, so that the request ends when nobody can read it any more.
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
        case true?: end(throwing: TransportError.bodyTooLarge)
        case false?: chunks.yield(BodyChunk(data))
        }
    }

    /// Handles the session's own end of the task.
    func complete(_ error: (any Error)?) {
        let hasHead = state.withLock { if case .receiving = $0 { true } else { false } }
        if let error {
            end(throwing: TransportError.of(error, insteadOf: hasHead ? .incompleteBody : .closed))
        } else if hasHead {
            end(throwing: nil)
        } else {
            end(throwing: TransportError.closed)
        }
    }

    func cancel() { end(throwing: CancellationError()) }

    /// Ends the request; nil means that the body is complete.
    private func end(throwing error: (any Error)?) {
        let last = state.withLock { state in
            defer { state = .over }
            return state
        }
        switch last {
        case .fresh, .over: break
        case .waiting(let continuation): continuation.resume(throwing: error ?? TransportError.closed)
        case .receiving: chunks.finish(throwing: error)
        }
        if error != nil { task.cancel() }
    }
}

/// A body that throws when its reader is cancelled. The stream itself would just end, like a complete body.
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
    /// Creates a head. `HTTPURLResponse` joins fields of the same name and keeps no order, so the fields are sorted to
    /// be reproducible.
    fileprivate init(_ response: HTTPURLResponse) {
        let fields = response.allHeaderFields.map { (name: "\($0.key)", value: "\($0.value)") }
        self.init(status: response.statusCode, headers: HeaderFields(fields.sorted { $0.name < $1.name }))
    }
}

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Forwards a session's events to the attempt of each task.
///
/// `@unchecked Sendable` is safe because the only property is a mutex.
final class SessionEvents: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    private let attempts = Mutex<[Int: SessionAttempt]>([:])

    func add(_ attempt: SessionAttempt) {
        attempts.withLock { $0[attempt.task.taskIdentifier] = attempt }
    }

    private func attempt(of task: URLSessionTask) -> SessionAttempt? {
        attempts.withLock { $0[task.taskIdentifier] }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        guard let attempt = attempt(of: dataTask), let response = response as? HTTPURLResponse else {
            return completionHandler(.cancel)
        }
        attempt.receive(response)
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        attempt(of: dataTask)?.receive(data)
    }

    /// Returns the redirect itself as the response.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        #if canImport(FoundationNetworking)
            // This event comes after the body of the 401, which is complete but waits for a decision.
            attempt(of: task)?.complete(nil)
            completionHandler(.cancelAuthenticationChallenge, nil)
        #else
            let isOfTLS = challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodServerTrust
            completionHandler(isOfTLS ? .performDefaultHandling : .rejectProtectionSpace, nil)
        #endif
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let attempt = attempts.withLock { $0.removeValue(forKey: task.taskIdentifier) }
        attempt?.complete(error)
    }
}
