import Synchronization

/// The system's clock, which knows how many tasks sleep on it.
final class CountingClock: Clock, Sendable {
    private let count = Mutex(0)
    private let clock = ContinuousClock()

    var now: ContinuousClock.Instant { clock.now }
    var minimumResolution: Duration { clock.minimumResolution }

    var sleepers: Int { count.withLock { $0 } }

    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
        count.withLock { $0 += 1 }
        defer { count.withLock { $0 -= 1 } }
        try await clock.sleep(until: deadline, tolerance: tolerance)
    }
}
