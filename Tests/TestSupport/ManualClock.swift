/// A clock that stands still until a test moves it.
package final class ManualClock: Clock, Sendable {
    package struct Instant: InstantProtocol, CustomStringConvertible {
        package var offset: Duration

        package init(offset: Duration = .zero) { self.offset = offset }

        package func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        package func duration(to other: Instant) -> Duration { other.offset - offset }
        package static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
        package var description: String { "\(offset)" }
    }

    private struct State: Sendable {
        var now = Instant()
        var lastID = 0
        /// The instant at which each sleeper wants to wake.
        var sleepers: [Int: Instant] = [:]

        var waits: [Duration] { sleepers.values.map { now.duration(to: $0) }.filter { $0 > .zero }.sorted() }
    }

    private let state = Watched(State())

    package init() {}

    package var now: Instant { state.value.now }
    package var minimumResolution: Duration { .nanoseconds(1) }

    /// The remaining waits of all sleepers, shortest first.
    package var waits: [Duration] { state.value.waits }

    /// Wakes everyone whose time has come by then.
    package func advance(by duration: Duration) {
        state.change { $0.now = $0.now.advanced(by: duration) }
    }

    package func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let id = state.change { state in
            state.lastID += 1
            state.sleepers[state.lastID] = deadline
            return state.lastID
        }
        await state.until { $0.now >= deadline }
        state.change { $0.sleepers[id] = nil }
        try Task.checkCancellation()
    }

    /// Returns as soon as the remaining waits of all sleepers, shortest first, fulfil `condition`, or the task is cancelled.
    package func sleepers(fulfil condition: @escaping @Sendable ([Duration]) -> Bool) async {
        await state.until { condition($0.waits) }
    }

    /// Waits until someone sleeps, and moves to where the first one wakes.
    package func advanceToNextWake() async {
        await sleepers { !$0.isEmpty }
        advance(by: waits.first ?? .zero)
    }

    /// Returns as soon as someone sleeps whose wait is that long from now, or the task is cancelled.
    package func sleeper(for duration: Duration) async {
        await sleepers { $0.contains(duration) }
    }
}
