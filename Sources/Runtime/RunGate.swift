import GarnerTasks
import Synchronization

/// Admits a number of runs at once, whichever of the databases of a process they are for. Others wait in the order in which they came.
package final class RunGate: Sendable {
    private struct State {
        var free: Int
        /// Some of them may have been cancelled.
        var waiting: [Waiters<Void>.ID] = []
    }

    private let state: Mutex<State>
    private let waiters = Waiters<Void>()

    package init(limit: Int = SourceService.maximumConcurrentRuns) { state = Mutex(State(free: limit)) }

    /// A run that is cancelled waits for no others: it ends at once.
    func run<Result>(_ body: () async -> Result) async -> Result {
        let isAdmitted = (try? await enter()) != nil
        defer { if isAdmitted { leave() } }
        return await body()
    }

    private func enter() async throws {
        let id: Waiters<Void>.ID? = state.withLock { state in
            if state.free > 0 {
                state.free -= 1
                return nil
            }
            let id = waiters.add()
            state.waiting.append(id)
            return id
        }
        guard let id else { return }
        try await waiters.value(for: id) { [waiters] in waiters.resume($0, with: .failure(CancellationError())) }
    }

    private func leave() {
        state.withLock { state in
            while !state.waiting.isEmpty {
                if waiters.resume(state.waiting.removeFirst(), with: .success(())) { return }
            }
            state.free += 1
        }
    }
}

/// The number of runs that are active or wait for their turn.
final class ActiveRuns: Sendable {
    private let number = Atomic(0)

    var areThere: Bool { number.load(ordering: .relaxed) > 0 }

    func counting<Result>(_ body: () async -> Result) async -> Result {
        number.add(1, ordering: .relaxed)
        defer { number.subtract(1, ordering: .relaxed) }
        return await body()
    }
}
