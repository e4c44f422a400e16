/// A clock that moves only when told to.
final class ManualClock: Clock, Sendable {
    struct Instant: InstantProtocol {
        var offset = Duration.zero

        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct Sleepers: Sendable {
        var now = Instant()
        var sleeping: [Int: (deadline: Instant, sleeper: CheckedContinuation<Void, any Error>)] = [:]
        var sleepsSoFar = 0
    }

    private let sleepers = Watched(Sleepers())

    var now: Instant { sleepers.state.now }
    var minimumResolution: Duration { .zero }
    /// When the sleepers wake, as distances from now.
    var sleeps: [Duration] {
        let state = sleepers.state
        return state.sleeping.values.map { state.now.duration(to: $0.deadline) }.sorted()
    }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let id = sleepers.update { state in
            state.sleepsSoFar += 1
            return state.sleepsSoFar
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (sleeper: CheckedContinuation<Void, any Error>) in
                let isOver = sleepers.update { state in
                    guard deadline > state.now, !Task.isCancelled else { return true }
                    state.sleeping[id] = (deadline, sleeper)
                    return false
                }
                if isOver { sleeper.resume() }
            }
            try Task.checkCancellation()
        } onCancel: {
            let sleep = sleepers.update { $0.sleeping.removeValue(forKey: id) }
            sleep?.sleeper.resume(throwing: CancellationError())
        }
    }

    func advance(by duration: Duration) {
        let woken = sleepers.update { state in
            state.now = state.now.advanced(by: duration)
            let due = state.sleeping.filter { $0.value.deadline <= state.now }
            for id in due.keys { state.sleeping[id] = nil }
            return due.values.map(\.sleeper)
        }
        for sleeper in woken { sleeper.resume() }
    }

    /// Waits until something sleeps, and moves to where the first sleeper wakes.
    func advanceToNextWake() async {
        await sleepers.until { !$0.sleeping.isEmpty }
        advance(by: sleeps.first ?? .zero)
    }

    /// Waits until something sleeps for exactly `duration` from now.
    func untilSomethingSleeps(for duration: Duration) async {
        await sleepers.until { state in
            state.sleeping.values.contains { state.now.duration(to: $0.deadline) == duration }
        }
    }
}
