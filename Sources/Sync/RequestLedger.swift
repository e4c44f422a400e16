import GarnerFetcher
import GarnerPersistence
import Synchronization

/// The requests of a run that are not yet stored with a page.
final class RequestLedger: Sendable {
    private let pending = Mutex<[RequestRecord]>([])
    private let wait = Mutex<Duration?>(nil)
    /// The time until the server accepts requests again, from the last response; nil if it still accepts some.
    private let exhaustion = Mutex<Duration?>(nil)
    private let respectsRetryAfter: Bool

    private let tell: (@Sendable (RequestRecord) -> Void)?

    /// - Parameter tell: Called with each request as soon as it has ended.
    init(respectsRetryAfter: Bool = true, tell: (@Sendable (RequestRecord) -> Void)? = nil) {
        self.respectsRetryAfter = respectsRetryAfter
        self.tell = tell
    }

    /// The time for which the source asks for no requests, after all of these.
    var retryAfter: Duration? { [wait.withLock(\.self), exhaustion.withLock(\.self)].compactMap(\.self).max() }

    func note(_ request: RequestEntry) {
        noteWait(request.earliestNext)
        noteLimit(request)
        add(RequestRecord(request))
    }

    /// Records the failed request, if one was sent.
    func note(_ error: FetchError) {
        noteWait(after: error)
        guard let request = error.request, request.attempts > 0 else { return }
        noteLimit(request)
        add(RequestRecord(request, errorKind: error.kind.name))
    }

    /// Records a request that was sent, and whose answer nobody needs.
    func note(unused answer: PageAnswer) {
        guard answer.request.attempts > 0 else { return }
        noteLimit(answer.request)
        add(RequestRecord(answer.request, errorKind: answer.errorKind))
    }

    private func add(_ record: RequestRecord) {
        pending.withLock { $0.append(record) }
        tell?(record)
    }

    /// Removes and returns all pending requests.
    func take() -> [RequestRecord] {
        pending.withLock { pending in
            defer { pending = [] }
            return pending
        }
    }

    /// Records the wait that the source asks for with an error.
    func noteWait(after error: FetchError) {
        if case .rateLimited(let wait) = error.kind { return noteWait(wait) }
        noteWait(respectsRetryAfter ? error.kind.retryAfter : nil)
    }

    private func noteLimit(_ request: RequestEntry) {
        // A statement by another server, after a redirect, does not apply to the source.
        guard let report = request.rateLimit, request.redirectedTo == nil else { return }
        exhaustion.withLock { $0 = report.remaining == 0 ? report.reset : nil }
    }

    private func noteWait(_ duration: Duration?) {
        guard let duration else { return }
        wait.withLock { $0 = max($0 ?? .zero, duration) }
    }

    /// Returns requests that were not stored after all.
    func putBack(_ requests: [RequestRecord]) { pending.withLock { $0 = requests + $0 } }
}

extension RequestRecord {
    init(_ entry: RequestEntry, errorKind: String? = nil) {
        self.init(
            sentAt: entry.sentAt, url: entry.url, status: entry.status, attempts: entry.attempts, bytes: entry.bytes,
            duration: entry.duration, isNotModified: entry.isNotModified,
            rateLimitRemaining: entry.rateLimit?.remaining, errorKind: errorKind)
    }
}
