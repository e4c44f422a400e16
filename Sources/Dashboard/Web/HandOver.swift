import Dispatch
import Synchronization

/// Hands pieces from a thread that may block to a task that may not.
///
/// Only so many pieces wait: the thread stands still until one was taken. If the last reference of the task's side goes,
/// nothing is taken for a minute, or all takes longer than an hour, the thread's next piece is refused.
final class HandOver: Sendable {
    private struct State {
        var pieces: [[UInt8]] = []
        var waiter: CheckedContinuation<[UInt8]?, any Error>?
        /// The end; nil until it is known.
        var ending: Result<Void, any Error>?
        var isAbandoned = false
    }

    /// The error of a piece that nobody takes.
    struct Abandoned: Error {}

    private let state = Mutex(State())
    /// The number of pieces that there is room for. A semaphore must not end with less than it began with, so it begins
    /// with none.
    private let room = DispatchSemaphore(value: 0)
    /// The longest time that the thread stands still.
    private let patience: DispatchTimeInterval
    /// The time after which no piece is passed on, however slowly they are taken.
    private let deadline: DispatchTime

    init(
        pieces: Int = 4, patience: DispatchTimeInterval = .seconds(60), limit: DispatchTimeInterval = .seconds(3600)
    ) {
        self.patience = patience
        deadline = .now() + limit
        for _ in 0..<max(pieces, 1) { room.signal() }
    }

    /// Passes a piece on, when there is room. Throws `Abandoned` if nobody takes it. It blocks the calling thread.
    func put(_ piece: [UInt8]) throws {
        guard room.wait(timeout: .now() + patience) == .success, .now() < deadline else {
            abandon()
            throw Abandoned()
        }
        let (waiter, isAbandoned) = state.withLock { state -> (CheckedContinuation<[UInt8]?, any Error>?, Bool) in
            if state.isAbandoned { return (nil, true) }
            guard let waiter = state.waiter else {
                state.pieces.append(piece)
                return (nil, false)
            }
            state.waiter = nil
            return (waiter, false)
        }
        if isAbandoned { throw Abandoned() }
        guard let waiter else { return }
        room.signal()
        waiter.resume(returning: piece)
    }

    /// Notes that no piece follows.
    func end(_ ending: Result<Void, any Error>) {
        let waiter = state.withLock { state -> CheckedContinuation<[UInt8]?, any Error>? in
            state.ending = ending
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(with: ending.map { nil })
    }

    /// Returns the next piece; nil after the last one. One task calls it at a time.
    func next() async throws -> [UInt8]? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let now = state.withLock { state -> Result<[UInt8]?, any Error>? in
                    if !state.pieces.isEmpty { return .success(state.pieces.removeFirst()) }
                    if state.isAbandoned { return .failure(CancellationError()) }
                    if let ending = state.ending { return ending.map { nil } }
                    state.waiter = continuation
                    return nil
                }
                guard let now else { return }
                if case .success(.some) = now { room.signal() }
                continuation.resume(with: now)
            }
        } onCancel: {
            abandon()
        }
    }

    /// Refuses all that follows.
    func abandon() {
        let waiter = state.withLock { state -> CheckedContinuation<[UInt8]?, any Error>? in
            state.isAbandoned = true
            state.pieces.removeAll()
            defer { state.waiter = nil }
            return state.waiter
        }
        room.signal()
        waiter?.resume(throwing: CancellationError())
    }
}
