import GarnerCatalog
import Synchronization

/// Receives the events of one fetch, one at a time: redirects and challenges, then the head, the chunks and the end.
///
/// A fetch may make several attempts. The delegate sees only the attempt whose head it gets, and the fetch does not
/// repeat that one. While a method of the delegate runs, the fetch reads nothing.
///
/// The fetch checks the status before it passes on the head, and the limits before each chunk. If the request names
/// accepted media types, the fetch also checks the media type before the head; otherwise the delegate has to. The
/// delegate always judges the contents. Only `didComplete` says whether the body is complete. Every method has a
/// default implementation.
///
///     struct Printer: FetchDelegate {
///         func didReceive(_ chunk: BodyChunk) async { print(chunk.count) }
///         func didComplete(_ error: (any Error)?) async { print(error.map { "\($0)" } ?? "complete") }
///     }
///     await fetcher.deliver(to: Printer())
public protocol FetchDelegate: Sendable {
    /// Receives the head of a successful response, and decides whether to read its body. Redirects, refusals and
    /// failures do not come here. The default allows the body.
    ///
    /// - Parameter url: The URL that the response came from, after all redirects; without secrets.
    func didReceive(_ head: ResponseHead, from url: String) async -> FetchDisposition

    /// Receives the next piece of the body, decompressed. The pieces come in order. The default ignores them.
    func didReceive(_ chunk: BodyChunk) async

    /// Returns true to follow a redirect that the rules allow. If it returns false, the fetch fails. The default
    /// follows.
    ///
    /// - Parameters:
    ///   - url: The URL that redirects, without secrets.
    ///   - target: The URL that it leads to, without secrets.
    func willRedirect(from url: String, to target: String) async -> Bool

    /// Returns credentials for a 401 of the base URL's origin, or nil to fail with that error. The default returns nil.
    ///
    /// It is called at most once in a fetch. It is not called for another origin after a redirect. It is not called if
    /// the stream uses OAuth 2 either: its tokens are the answer.
    func didReceive(_ challenge: AuthenticationChallenge) async -> Credentials?

    /// Receives the end of the fetch, exactly once and as the last call.
    ///
    /// - Parameter error: Nil if the body is complete. Otherwise a `FetchError`, a `CancellationError` or an error of
    ///   the token storage. The chunks that have come are then an unverified part of the body.
    func didComplete(_ error: (any Error)?) async
}

extension FetchDelegate {
    public func didReceive(_ head: ResponseHead, from url: String) async -> FetchDisposition { .allow }

    public func didReceive(_ chunk: BodyChunk) async {}

    public func willRedirect(from url: String, to target: String) async -> Bool { true }

    public func didReceive(_ challenge: AuthenticationChallenge) async -> Credentials? { nil }

    public func didComplete(_ error: (any Error)?) async {}
}

/// The delegate's decision about a response whose head it has seen.
public enum FetchDisposition: Sendable {
    /// The fetch goes on to read the body.
    case allow
    /// The fetch closes the connection and ends with a `CancellationError`.
    case cancel
}

/// Passes the events of one fetch on to a delegate, and remembers whether the delegate has seen a head.
final class DelegateSession: Sendable {
    private let delegate: any FetchDelegate
    private let redaction: Redaction
    private let state = Mutex(false)

    init(with delegate: any FetchDelegate, redaction: Redaction) {
        self.delegate = delegate
        self.redaction = redaction
    }

    /// True if the delegate has seen a head. From then on, no request is repeated.
    var hasBegun: Bool { state.withLock(\.self) }

    func begin(with head: ResponseHead, of request: Request) async -> FetchDisposition {
        state.withLock { $0 = true }
        return await delegate.didReceive(head, from: url(of: request))
    }

    func pass(on chunk: BodyChunk) async { await delegate.didReceive(chunk) }

    func allowsRedirect(from request: Request, to target: Request) async -> Bool {
        await delegate.willRedirect(from: url(of: request), to: url(of: target))
    }

    /// Asks the delegate for credentials; returns nil if it has none.
    func credentials(for challenge: AuthenticationChallenge) async -> Credentials? {
        await delegate.didReceive(challenge)
    }

    private func url(of request: Request) -> String { redaction.redacted("\(request.address)") }
}

/// An attempt that delivers the response to a delegate as it arrives, within all timeouts.
///
/// While the delegate handles a chunk, nothing more is read. That pauses the `idle` timeout, but not `total`.
struct Delivery: Sendable {
    let attempt: RequestAttempt
    let delegateSession: DelegateSession

    /// Sends the request. Throws what `RequestAttempt` throws. Once the delegate has seen the head, a `FetchError.Kind`
    /// becomes an `InterruptedFetchError`.
    func perform(_ request: Request) async throws {
        do {
            try await attempt.perform(request) { response, activity in
                try await deliver(response, to: request, activity)
            }
        } catch let kind as FetchError.Kind where delegateSession.hasBegun {
            throw InterruptedFetchError(kind: kind)
        }
    }

    private func deliver(_ response: Response, to request: Request, _ activity: ActivityTracker) async throws {
        switch try await attempt.open(response, to: request, activity: activity) {
        // Without a validator, nothing is "not modified"; and an ignored response has nothing to deliver.
        case .notModified, .nothingNew, .ignored, .ended: return
        case .body(var incoming), .promise(var incoming):
            if let accepted = request.documentTypes {
                _ = try await attempt.requireType(among: accepted, of: response.head, &incoming)
            }
            let reader = try BodyReader(head: response.head, limit: attempt.limits.body)
            activity.hold()
            let disposition = await delegateSession.begin(with: response.head, of: request)
            try Task.checkCancellation()
            guard disposition == .allow else { throw CancellationError() }
            activity.note()
            var count = 0
            while let chunk = try await reader.chunk(after: count, of: &incoming) {
                count += chunk.count
                let total = count
                request.trace.note { $0.bytes = total }
                activity.hold()
                await delegateSession.pass(on: chunk)
                try Task.checkCancellation()
                activity.note()
            }
        }
    }
}

/// The end of a fetch whose head the delegate has seen. No middleware handles this error, so none repeats the request.
struct InterruptedFetchError: Error {
    let kind: FetchError.Kind
}
