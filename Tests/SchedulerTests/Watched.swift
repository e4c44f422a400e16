import Synchronization

/// Shared state whose changes can be waited for.
final class Watched<State: Sendable>: Sendable {
    private struct Contents: Sendable {
        var state: State
        var watchers: [Int: AsyncStream<Void>.Continuation] = [:]
        var watchersSoFar = 0
    }

    private let contents: Mutex<Contents>

    init(_ state: State) {
        contents = Mutex(Contents(state: state))
    }

    var state: State {
        contents.withLock { $0.state }
    }

    func update<Result: Sendable>(_ change: (inout State) -> Result) -> Result {
        let (result, watchers) = contents.withLock { contents in
            let result = change(&contents.state)
            return (result, Array(contents.watchers.values))
        }
        for watcher in watchers { watcher.yield() }
        return result
    }

    /// Returns when the condition holds, or when the task is cancelled.
    func until(_ condition: (State) -> Bool) async {
        let (changes, watcher) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let id = contents.withLock { contents in
            contents.watchersSoFar += 1
            contents.watchers[contents.watchersSoFar] = watcher
            return contents.watchersSoFar
        }
        defer { contents.withLock { _ = $0.watchers.removeValue(forKey: id) } }
        watcher.yield()
        for await _ in changes where condition(state) { return }
    }
}
