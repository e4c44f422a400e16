import Synchronization

/// Gives each phase of a service streams of its own: an `AsyncStream` ends for good with the task that reads it.
final class SignalRelay: Sendable {
    private struct State {
        var hasEnded = false
        var ending: AsyncStream<Void>.Continuation?
        var reloads: AsyncStream<Void>.Continuation?
    }

    private let state = Mutex(State())

    /// True once the service is to end.
    var hasEnded: Bool { state.withLock(\.hasEnded) }

    /// Begins a phase. Its `ending` has an element at once if the service is to end already.
    func phase() -> (ending: AsyncStream<Void>, reloads: AsyncStream<Void>) {
        let (ending, end) = AsyncStream<Void>.makeStream()
        let (reloads, reload) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        state.withLock { state in
            (state.ending, state.reloads) = (end, reload)
            if state.hasEnded { end.yield() }
        }
        return (ending, reloads)
    }

    /// Passes the signals on until the task is cancelled.
    func run(ending: AsyncStream<Void>, reloads: AsyncStream<Void>) async {
        async let reloading: Void = {
            for await _ in reloads { state.withLock { $0.reloads }?.yield() }
        }()
        for await _ in ending {
            state.withLock { state in
                state.hasEnded = true
                return state.ending
            }?.yield()
        }
        await reloading
    }
}
