import GarnerCatalog
import GarnerModel
import GarnerPersistence
import ServiceLifecycle
import GarnerSync
import Synchronization

/// The manual requests to a service: the scope of each run, and the clients that wait for its end.
final class ManualRuns: Sendable {
    /// The end of a request.
    enum End: Sendable {
        case run(RunID)
        case failed(RunFailure)
        /// The service stopped first.
        case stopped
    }

    /// A request's identity: different streams may have requests with the same ID.
    private struct Key: Hashable {
        let stream: StreamName
        let id: String
    }

    private struct Pending {
        let request: RunRequest
        /// True if its run has begun.
        var isUnderWay = false
        var asking: [AsyncStream<End>.Continuation] = []
    }

    private struct State {
        var requests: [Key: Pending] = [:]
        var isClosed = false
    }

    private let state = Mutex(State())

    /// The answer to a request for a run.
    struct Ticket {
        /// True if the request is new, so that the timetable must be told.
        let isNew: Bool
        /// True if no other request waits for the same run.
        let isAlone: Bool
        /// Delivers the end of the request.
        let end: AsyncStream<End>
    }

    /// Adds a request. Returns nil if requests are no longer accepted.
    func want(_ request: RunRequest) -> Ticket? {
        let (end, asker) = AsyncStream.makeStream(of: End.self)
        return state.withLock { state in
            guard !state.isClosed else { return nil }
            let key = Key(stream: request.stream, id: request.id)
            let isNew = state.requests[key] == nil
            let isAlone = !state.requests.contains { $0.key.stream == request.stream && !$0.value.isUnderWay }
            state.requests[key, default: Pending(request: request)].asking.append(asker)
            return Ticket(isNew: isNew, isAlone: isNew && isAlone, end: end)
        }
    }

    /// Marks the requests as served by a run that begins.
    ///
    /// - Returns: The scope that serves all of them.
    func begin(_ ids: [String], of stream: StreamName) -> RunScope {
        state.withLock { state in
            var joined: RunScope?
            for key in ids.map({ Key(stream: stream, id: $0) }) {
                guard let scope = state.requests[key]?.request.scope else { continue }
                state.requests[key]?.isUnderWay = true
                joined = joined?.union(scope) ?? scope
            }
            return joined ?? RunScope()
        }
    }

    func end(_ ids: [String], of stream: StreamName, _ end: End) {
        let ended = state.withLock { state in
            ids.compactMap { state.requests.removeValue(forKey: Key(stream: stream, id: $0)) }
        }
        Self.tell(ended, end)
    }

    /// True if requests are no longer accepted.
    var isClosed: Bool { state.withLock(\.isClosed) }

    /// Stops accepting requests. Call this before the scheduler stops, which refuses later ones.
    func close() { state.withLock { $0.isClosed = true } }

    /// Stops accepting requests, and ends all waiting for requests that are not served.
    func stop() {
        let left = state.withLock { state in
            state.isClosed = true
            defer { state.requests = [:] }
            return Array(state.requests.values)
        }
        Self.tell(left, .stopped)
    }

    private static func tell(_ requests: [Pending], _ end: End) {
        for asker in requests.flatMap(\.asking) {
            asker.yield(end)
            asker.finish()
        }
    }
}

extension ManualRuns: Service {
    /// Runs until a graceful shutdown. Shut this down after the runs: requests that are open by then stay unserved.
    func run() async {
        try? await gracefulShutdown()
        stop()
    }
}
