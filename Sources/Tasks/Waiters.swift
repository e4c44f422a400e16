import Synchronization

/// Callers that wait until somebody gives them a value or an error.
///
///     let id = waiters.add()
///     queue.append(id)  // `resume` may come from here on
///     return try await waiters.value(for: id) { await self.cancelled($0) }
package final class Waiters<Value: Sendable>: Sendable {
    /// Identifies a caller. One that comes later has a greater number.
    package typealias ID = UInt64

    private enum Waiter: Sendable {
        case added
        case waiting(CheckedContinuation<Value, any Error>)
        case resumed(Result<Value, any Error>)
    }

    private struct State: Sendable {
        var lastID: ID = 0
        var waiters: [ID: Waiter] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    /// The number of callers in `value(for:cancelled:)` or before it.
    package var count: Int { state.withLock { $0.waiters.count } }

    /// Returns the number of a caller that may have to wait.
    package func newID() -> ID {
        state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
    }

    /// Adds a caller. It must then await `value(for:cancelled:)` once.
    package func add(_ id: ID) { state.withLock { $0.waiters[id] = .added } }

    /// Adds a caller with a new number. It must then await `value(for:cancelled:)` once.
    package func add() -> ID {
        let id = newID()
        add(id)
        return id
    }

    /// Returns the value of `resume`, or throws its error, as soon as it comes.
    ///
    /// - Parameter cancelled: Runs if the calling task is cancelled, in a task of its own. It decides whether to resume.
    package func value(for id: ID, cancelled: @escaping @Sendable (ID) async -> Void) async throws -> Value {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result: Result<Value, any Error>? = state.withLock { state in
                    guard case .resumed(let result)? = state.waiters[id] else {
                        state.waiters[id] = .waiting(continuation)
                        return nil
                    }
                    state.waiters[id] = nil
                    return result
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            Task { await cancelled(id) }
        }
    }

    /// Gives a caller its value. Returns false if it has one.
    @discardableResult
    package func resume(_ id: ID, with result: Result<Value, any Error>) -> Bool {
        let waiter = state.withLock { state -> Waiter? in
            switch state.waiters[id] {
            case .added:
                state.waiters[id] = .resumed(result)
                return .added
            case .waiting(let continuation):
                state.waiters[id] = nil
                return .waiting(continuation)
            case .resumed, nil:
                return nil
            }
        }
        if case .waiting(let continuation)? = waiter { continuation.resume(with: result) }
        return waiter != nil
    }
}
