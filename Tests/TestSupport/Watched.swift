import Synchronization

/// A value that tasks can wait for.
package final class Watched<Value: Sendable>: Sendable {
    private struct Waiter {
        let condition: @Sendable (Value) -> Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State: Sendable {
        var value: Value
        var waiters: [Int: Waiter] = [:]
        var cancelled: Set<Int> = []
        var lastID = 0

        mutating func takeMet() -> [Waiter] {
            let met = waiters.filter { $0.value.condition(value) }
            for id in met.keys { waiters[id] = nil }
            return Array(met.values)
        }
    }

    private let state: Mutex<State>

    package init(_ value: Value) { state = Mutex(State(value: value)) }

    package var value: Value {
        get { state.withLock { $0.value } }
        set { change { $0 = newValue } }
    }

    /// Changes the value, and wakes those whose condition it now meets.
    @discardableResult
    package func change<Result: Sendable>(_ change: (inout Value) -> Result) -> Result {
        let (result, met) = state.withLock { state in
            let result = change(&state.value)
            return (result, state.takeMet())
        }
        for waiter in met { waiter.continuation.resume() }
        return result
    }

    /// Returns as soon as the value meets `condition`, or the task is cancelled.
    package func until(_ condition: @escaping @Sendable (Value) -> Bool) async {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.cancelled.remove(id) != nil || condition(state.value) { return true }
                    state.waiters[id] = Waiter(condition: condition, continuation: continuation)
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                let waiter = state.waiters.removeValue(forKey: id)
                if waiter == nil { state.cancelled.insert(id) }
                return waiter
            }
            waiter?.continuation.resume()
        }
    }
}

/// Waits until `condition` holds, or until the task is cancelled.
package func eventually(within limit: Duration = .seconds(180), _ condition: @Sendable () throws -> Bool) async throws {
    let clock = ContinuousClock()
    let deadline = clock.now + limit
    while try !condition() {
        guard clock.now < deadline else { throw NeverCame() }
        try await clock.sleep(for: .milliseconds(5))
    }
}

private struct NeverCame: Error {}
