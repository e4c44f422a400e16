import GarnerPersistence
import Synchronization

/// Tells open pages when the database has changed. It asks the database once a second for all of them together, and not at
/// all while nobody listens.
final class EventHub: Sendable {
    static let interval = Duration.seconds(1)

    private struct State {
        var listeners: [Int: AsyncThrowingStream<[UInt8], any Error>.Continuation] = [:]
        var lastID = 0
        var watch: Task<Void, Never>?
    }

    private let reader: DatabaseReader
    private let clock: any Clock<Duration>
    /// The number of pages that may listen at once.
    private let maximumListeners: Int
    private let state = Mutex(State())

    init(database: String, clock: any Clock<Duration>, maximumListeners: Int) {
        // The marks of one connection can be compared with each other only.
        reader = DatabaseReader(path: database, maximumConnections: 1)
        self.clock = clock
        self.maximumListeners = maximumListeners
    }

    /// Returns the server-sent events of one page, an event for each change; nil if too many pages listen already.
    func events() -> AsyncThrowingStream<[UInt8], any Error>? {
        let (events, continuation) = AsyncThrowingStream<[UInt8], any Error>.makeStream(
            bufferingPolicy: .bufferingNewest(2))
        let id = state.withLock { state -> Int? in
            guard state.listeners.count < maximumListeners else { return nil }
            state.lastID += 1
            state.listeners[state.lastID] = continuation
            if state.watch == nil { state.watch = Task { await self.watch() } }
            return state.lastID
        }
        guard let id else { return nil }
        continuation.onTermination = { [weak self] _ in self?.remove(id) }
        continuation.yield(Self.beginning)
        return events
    }

    /// The number of pages that listen.
    var count: Int { state.withLock(\.listeners.count) }

    private func remove(_ id: Int) {
        state.withLock { state in
            state.listeners[id] = nil
            guard state.listeners.isEmpty else { return }
            state.watch?.cancel()
            state.watch = nil
        }
    }

    private func watch() async {
        var known = try? await reader.read { try $0.changeMark() }
        var quiet = 0
        while (try? await clock.sleep(for: Self.interval)) != nil {
            guard let mark = try? await reader.read({ try $0.changeMark() }) else { continue }
            quiet = mark == known ? quiet + 1 : 0
            // A line now and then shows whether a page still listens.
            if mark != known { tell(Self.change) } else if quiet.isMultiple(of: 15) { tell(Self.comment) }
            known = mark
        }
    }

    private func tell(_ event: [UInt8]) {
        for listener in state.withLock({ Array($0.listeners.values) }) { listener.yield(event) }
    }

    private static let beginning = Array("retry: 5000\n\n".utf8)
    private static let change = Array("data: changed\n\n".utf8)
    private static let comment = Array(": nothing new\n\n".utf8)
}

extension Dashboard {
    /// The server-sent events that tell a page when to come again.
    func eventStream() -> WebResponse {
        guard let events = events.events() else {
            return .text("Too many pages listen already.\n", status: 503).adding("Retry-After", "60")
        }
        return WebResponse(type: "text/event-stream", .parts(events))
    }
}
