import Fetcher
import Persistence
import Synchronization

/// The requests of a run that no stored page accounts for yet.
final class RequestLedger: Sendable {
    private let pending = Mutex<[RequestRecord]>([])
    private let wait = Mutex<Duration?>(nil)
    /// Until the server takes requests again, as the last answer says; nil where it takes some still.
    private let exhaustion = Mutex<Duration?>(nil)
    private let respectsRetryAfter: Bool

    private let tell: (@Sendable (RequestRecord) -> Void)?

    /// - Parameter tell: hears of each request as soon as it is over.
    init(respectsRetryAfter: Bool = true, tell: (@Sendable (RequestRecord) -> Void)? = nil) {
        self.respectsRetryAfter = respectsRetryAfter
        self.tell = tell
    }

    /// How long the source asks to be left alone after all of these requests.
    var leftAlone: Duration? { [wait.withLock(\.self), exhaustion.withLock(\.self)].compactMap(\.self).max() }

    func note(_ request: RequestEntry) {
        noteWait(request.earliestNext)
        noteLimit(request)
        add(RequestRecord(request))
    }

    /// Notes the request that failed, if one was made.
    func note(_ error: FetchError) {
        noteWait(after: error)
        guard let request = error.request, request.attempts > 0 else { return }
        noteLimit(request)
        add(RequestRecord(request, errorKind: error.kind.name))
    }

    private func add(_ record: RequestRecord) {
        pending.withLock { $0.append(record) }
        tell?(record)
    }

    /// All of them, which then count as accounted for.
    func take() -> [RequestRecord] {
        pending.withLock { pending in
            defer { pending = [] }
            return pending
        }
    }

    /// Notes how long the source asks to be left alone after what it failed with.
    func noteWait(after error: FetchError) {
        if case .rateLimited(let wait) = error.kind { return noteWait(wait) }
        noteWait(respectsRetryAfter ? error.kind.retryAfter : nil)
    }

    private func noteLimit(_ request: RequestEntry) {
        // What another server says behind a redirect does not hold for the source.
        guard let report = request.rateLimit, request.redirectedTo == nil else { return }
        exhaustion.withLock { $0 = report.remaining == 0 ? report.reset : nil }
    }

    private func noteWait(_ duration: Duration?) {
        guard let duration else { return }
        wait.withLock { $0 = max($0 ?? .zero, duration) }
    }

    /// They were not stored after all.
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
