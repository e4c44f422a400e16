import GarnerFetcher
import GarnerModel
import GarnerPersistence
import Synchronization

/// The number of requests that a read may have under way.
///
/// It begins with one. Where fetching takes longer than storing, it doubles after each four pages. When the server asks for
/// fewer requests, it is one for the rest of the run.
final class AheadWindow: Sendable {
    /// The bytes of waiting answers from which no further page is requested.
    static let maximumBytes = 8 << 20
    private static let pagesBeforeDoubling = 4

    private struct State {
        var size = 1
        var pages = 0
        var limit: Int
    }

    private let state: Mutex<State>

    init(limit: Int) { state = Mutex(State(limit: max(limit, 1))) }

    var size: Int { state.withLock(\.size) }

    /// True if pages may be requested before those in front of them are stored.
    var isOpen: Bool { state.withLock { $0.limit > 1 } }

    /// Notes a page of the read.
    ///
    /// - Parameter wasLate: True if it came after the page before it was stored.
    func notePage(wasLate: Bool) {
        state.withLock { state in
            state.pages += 1
            guard wasLate, state.pages >= Self.pagesBeforeDoubling else { return }
            (state.pages, state.size) = (0, min(state.size * 2, state.limit))
        }
    }

    func close() { state.withLock { ($0.size, $0.limit) = (1, 1) } }
}

/// Requests pages of a slice before the pages that lead to them have come.
///
/// An answer counts only if the page before it leads to the position that was requested. What it means is decided then, in the
/// order of the pages, as if it had been requested then.
final class PagesAhead: Sendable {
    /// The request of one page, under way or answered.
    final class Request: Sendable {
        let position: PagePosition
        /// The stored memory of the page; nil if there is none.
        let memory: ParsedCachedPage?
        fileprivate let task: Task<PageAnswer, any Error>
        private let answer: Answer

        fileprivate final class Answer: Sendable {
            let bytes = Mutex<Int?>(nil)
        }

        fileprivate init(
            _ position: PagePosition, _ memory: ParsedCachedPage?,
            _ send: @escaping @Sendable () async throws -> PageAnswer
        ) {
            let answer = Answer()
            (self.position, self.memory, self.answer) = (position, memory, answer)
            task = Task(executorPreference: TransportThread.shared) {
                let result = try await send()
                answer.bytes.withLock { $0 = result.request.bytes }
                return result
            }
        }

        /// The size of the answer; nil until it has come.
        fileprivate var answeredBytes: Int? { answer.bytes.withLock(\.self) }
    }

    private struct State {
        /// The requests in the order of their pages, without the one for the page that is awaited.
        var requests: [Request] = []
        /// The page behind those requests, whose memory was looked up; nil if none was.
        var expected: (position: PagePosition, memory: ParsedCachedPage?)?
        /// The requests that were cancelled, and may not have ended.
        var cancelled: [Request] = []
        var isClosed = false
        /// The number of awaited pages that have come.
        var arrivals = 0
    }

    private let source: FetcherSource
    private let window: AheadWindow
    private let ledger: RequestLedger
    private let context: ReadContext
    /// The hasher for the records of pages; nil if no hashes are kept.
    private let hasher: RecordHasher?
    private let state = Mutex(State())

    init(
        _ source: FetcherSource, _ window: AheadWindow, _ ledger: RequestLedger, _ context: ReadContext,
        _ hasher: RecordHasher?
    ) {
        (self.source, self.window, self.ledger, self.context) = (source, window, ledger, context)
        self.hasher = hasher
    }

    /// The number of awaited pages that have come.
    var arrivals: Int { state.withLock(\.arrivals) }

    /// The request and the memory of a page to which the page before has led.
    struct Taken: Sendable {
        /// The request that was sent for it; nil if none was.
        let request: Request?
        let memory: ParsedCachedPage?
    }

    /// Returns what is known of the page at this position; nil if nothing is. Requests for other positions are of no use then.
    ///
    /// No cancelled request is under way afterwards.
    func take(_ next: PagePosition) async -> Taken? {
        let (taken, useless) = state.withLock { state -> (Taken?, [Request]) in
            var useless = state.cancelled
            state.cancelled = []
            if let first = state.requests.first, first.position.key == next.key {
                return (Taken(request: state.requests.removeFirst(), memory: first.memory), useless)
            }
            useless += state.requests
            let expected = state.requests.isEmpty ? state.expected : nil
            (state.requests, state.expected) = ([], nil)
            guard let expected, expected.position.key == next.key else { return (nil, useless) }
            return (Taken(request: nil, memory: expected.memory), useless)
        }
        await drop(useless)
        return taken
    }

    /// Returns the page at the position to which the page before has led.
    ///
    /// - Parameter follows: Returns true if the page at the position to which this one leads is to be requested at once. It must have no
    ///   stored memory.
    func page(
        at next: PagePosition, _ request: Request?, remembered memory: ParsedCachedPage?,
        following follows: (PagePosition) -> Bool
    ) async throws -> Page {
        var page = try await awaited(next, request, memory)
        state.withLock { $0.arrivals += 1 }
        // A cursor is good for one read, and a POST may do more than read: what they lead to waits until this page is stored.
        if window.isOpen, !page.mayNotComeAgain, let following = page.next, following.key != next.key,
            follows(following)
        {
            send(following, nil, isFirst: true)
        }
        // Here, the page before is being stored.
        if let hasher, page.memory != nil, page.later == nil, case .records(let records) = page.content {
            page.recordHashes = hasher.hashes(of: records)
        }
        return page
    }

    func hasRequested(_ position: PagePosition) -> Bool {
        state.withLock { $0.requests.first?.position.key == position.key }
    }

    private func awaited(_ next: PagePosition, _ request: Request?, _ memory: ParsedCachedPage?) async throws -> Page {
        if let request {
            let answer = try await withTaskCancellationHandler {
                try await request.task.value
            } onCancel: {
                request.task.cancel()
            }
            do {
                if answer.counts(at: next) { return try await source.current.page(from: answer, at: next, context) }
                ledger.note(unused: answer)
            } catch let error as FetchError where error.isUnauthorized {
                // The secrets may have been replaced since.
                ledger.note(error)
            }
        }
        return try await source.fetching { [self] in
            try await $0.page(at: next, remembered: memory, context, onPushback: { self.close() })
        }
    }

    /// Requests the pages that are expected behind the next one, as many as the window allows.
    ///
    /// - Parameters:
    ///   - earlier: the position before the next one.
    ///   - isVisited: tells whether the read had a position already.
    func request(
        behind earlier: PagePosition, _ next: PagePosition, remembered memory: ParsedCachedPage?,
        isVisited: (PagePosition) -> Bool, lookUp: (PagePosition) async throws -> ParsedCachedPage?
    ) async throws {
        while hasRoom {
            if let expected = state.withLock({ $0.expected.take() }) {
                send(expected.position, expected.memory)
            } else {
                let expected = expectedPosition(behind: earlier, next, remembered: memory, isVisited: isVisited)
                guard let expected else { return }
                send(expected, try await lookUp(expected))
            }
        }
    }

    /// Returns the position of the page behind those that were requested; nil if nothing tells it, or if `expect` has named it.
    func expectedPosition(
        behind earlier: PagePosition, _ next: PagePosition, remembered memory: ParsedCachedPage?,
        isVisited: (PagePosition) -> Bool
    ) -> PagePosition? {
        let (requests, isKnown) = state.withLock { ($0.requests, $0.expected != nil) }
        guard !isKnown else { return nil }
        let (last, lastMemory) = requests.last.map { ($0.position, $0.memory) } ?? (next, memory)
        let before = requests.isEmpty ? earlier : requests.dropLast().last?.position ?? next
        guard
            let expected = source.current.expectedPosition(
                after: last, behind: before, remembered: lastMemory, context)
        else { return nil }
        let key = expected.key
        guard !isVisited(expected), key != earlier.key, key != next.key,
            !requests.contains(where: { $0.position.key == key })
        else { return nil }
        return expected
    }

    /// Notes the memory of the page at the position that `expectedPosition` has returned.
    func expect(_ position: PagePosition, remembered memory: ParsedCachedPage?) {
        state.withLock { $0.expected = (position, memory) }
    }

    private var hasRoom: Bool {
        let size = window.size
        guard size > 1 else { return false }
        return state.withLock { state in
            let bytes = state.requests.reduce(0) { $0 + ($1.answeredBytes ?? 0) }
            return !state.isClosed && state.requests.count + 1 < size && bytes < AheadWindow.maximumBytes
        }
    }

    /// - Parameter isFirst: True if it is sent only where no other request was.
    private func send(_ position: PagePosition, _ memory: ParsedCachedPage?, isFirst: Bool = false) {
        state.withLock { state in
            guard !state.isClosed, !isFirst || state.requests.isEmpty,
                !state.requests.contains(where: { $0.position.key == position.key })
            else { return }
            let (source, close) = (source, { @Sendable [weak self] in self?.close() ?? () })
            state.requests.append(
                Request(position, memory) {
                    try await source.current.answer(at: position, remembered: memory, onPushback: close)
                })
        }
    }

    /// Requests no more pages ahead, and keeps of those that were requested the ones whose answers have come.
    func close() {
        window.close()
        state.withLock { state in
            state.isClosed = true
            let kept = state.requests.prefix { $0.answeredBytes != nil }.count
            for request in state.requests[kept...] { request.task.cancel() }
            state.cancelled += state.requests[kept...]
            if kept < state.requests.count { state.expected = nil }
            state.requests.removeSubrange(kept...)
        }
    }

    /// Ends all requests.
    func end() async {
        let useless = state.withLock { state in
            state.isClosed = true
            defer { (state.requests, state.expected, state.cancelled) = ([], nil, []) }
            return state.requests + state.cancelled
        }
        await drop(useless)
    }

    /// Cancels requests, and notes those that were sent.
    private func drop(_ requests: [Request]) async {
        for request in requests { request.task.cancel() }
        for request in requests {
            if let answer = try? await request.task.value { ledger.note(unused: answer) }
        }
    }
}
