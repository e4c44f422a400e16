import Catalog
import Persistence
import ServiceLifecycle
import Sync
import Synchronization

/// Who asked for runs of a service, how each was to differ from the usual, and who waits for the end.
final class ManualRuns: Sendable {
    /// What became of a request.
    enum End: Sendable {
        case run(Int64)
        case failed(RunFailure)
        /// The service stopped before.
        case stopped
    }

    /// The same name may stand for wishes of several streams.
    private struct Key: Hashable {
        let stream: StreamName
        let id: String
    }

    private struct Request {
        let wish: Wish
        /// Whether its run has begun.
        var isUnderWay = false
        var asking: [AsyncStream<End>.Continuation] = []
    }

    /// How a run differs from the usual.
    struct Wish: Sendable, Equatable {
        var restarts = false
        var maximumPages: Int?

        /// What serves both: all of it from the beginning where one asked for that, and as far as the one that goes farther.
        func joined(with other: Wish) -> Wish {
            let pages = maximumPages.flatMap { own in other.maximumPages.map { max(own, $0) } }
            return Wish(restarts: restarts || other.restarts, maximumPages: pages)
        }
    }

    private struct State {
        var requests: [Key: Request] = [:]
        var isClosed = false
    }

    private let state = Mutex(State())

    /// What asking for a run leads to.
    struct Ticket {
        /// Nobody has made the same request before, and the timetable has to be told of it.
        let isNew: Bool
        /// No other request waits for the same run.
        let isAlone: Bool
        /// What becomes of it, when it is over.
        let end: AsyncStream<End>
    }

    /// nil where no request is taken any more.
    func want(_ request: RunRequest, of stream: StreamName) -> Ticket? {
        let (end, asker) = AsyncStream.makeStream(of: End.self)
        return state.withLock { state in
            guard !state.isClosed else { return nil }
            let key = Key(stream: stream, id: request.id)
            let wish = Wish(restarts: request.restarts, maximumPages: request.maximumPages)
            let isNew = state.requests[key] == nil
            let isAlone = !state.requests.contains { $0.key.stream == stream && !$0.value.isUnderWay }
            state.requests[key, default: Request(wish: wish)].asking.append(asker)
            return Ticket(isNew: isNew, isAlone: isNew && isAlone, end: end)
        }
    }

    /// The run that serves these requests begins.
    ///
    /// - Returns: what it is to do for all of them.
    func begin(_ ids: [String], of stream: StreamName) -> Wish {
        state.withLock { state in
            var joined: Wish?
            for key in ids.map({ Key(stream: stream, id: $0) }) {
                guard let request = state.requests[key] else { continue }
                state.requests[key]?.isUnderWay = true
                joined = joined?.joined(with: request.wish) ?? request.wish
            }
            return joined ?? Wish()
        }
    }

    func end(_ ids: [String], of stream: StreamName, _ end: End) {
        let ended = state.withLock { state in
            ids.compactMap { state.requests.removeValue(forKey: Key(stream: stream, id: $0)) }
        }
        Self.tell(ended, end)
    }

    /// Whether requests are taken no more.
    var isClosed: Bool { state.withLock(\.isClosed) }

    /// No request is taken any more: to be called before the scheduler stops, which refuses what comes later.
    func close() { state.withLock { $0.isClosed = true } }

    /// No request is taken any more, and nobody waits for one that has not ended.
    func stop() {
        let left = state.withLock { state in
            state.isClosed = true
            defer { state.requests = [:] }
            return Array(state.requests.values)
        }
        Self.tell(left, .stopped)
    }

    private static func tell(_ requests: [Request], _ end: End) {
        for asker in requests.flatMap(\.asking) {
            asker.yield(end)
            asker.finish()
        }
    }
}

extension ManualRuns: Service {
    /// To be shut down behind what runs: what has not ended by then does not end any more.
    func run() async {
        try? await gracefulShutdown()
        stop()
    }
}
