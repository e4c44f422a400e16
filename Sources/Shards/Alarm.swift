import Dispatch
import GarnerModel
import Synchronization

/// Wakes the one task that waits for a time or for a ring. Its timer needs no thread of the concurrency pool, which others may block.
final class Alarm: Sendable {
    private struct State: Sendable {
        var isRung = false
        /// Tells the present wait from those before.
        var number = 0
        var sleeper: CheckedContinuation<Void, Never>?

        mutating func takeSleeper() -> CheckedContinuation<Void, Never>? {
            defer { sleeper = nil }
            return sleeper
        }
    }

    private let state = Mutex(State())
    private static let queue = DispatchQueue(label: "garner.shards.alarm", qos: .userInitiated)

    /// Ends the wait, or the next one.
    func ring() {
        let sleeper = state.withLock { state in
            state.isRung = state.sleeper == nil
            return state.takeSleeper()
        }
        sleeper?.resume()
    }

    func wait(atMost time: Duration) async {
        let time = min(time, .seconds(3600))
        guard time > .zero else { return }
        await withCheckedContinuation { continuation in
            let number: Int? = state.withLock { state in
                guard !state.isRung else {
                    state.isRung = false
                    return nil
                }
                state.number += 1
                state.sleeper = continuation
                return state.number
            }
            guard let number else { return continuation.resume() }
            let milliseconds = Int(time.wholeMilliseconds) + 1
            Self.queue.asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { [weak self] in self?.end(number) }
        }
    }

    private func end(_ number: Int) {
        state.withLock { $0.number == number ? $0.takeSleeper() : nil }?.resume()
    }
}
