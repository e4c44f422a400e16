import GarnerModel
import Synchronization
import TestSupport

/// A clock on which waits are over at once. Waits of an hour or more, and of exactly a second, are deadlines that never come.
final class SleeplessClock: Clock, Sendable {
    typealias Instant = ManualClock.Instant

    /// The wall clock's time at the beginning.
    private let start: Timestamp
    private let state = Mutex(Instant())

    init(from start: Timestamp) { self.start = start }

    var now: Instant { state.withLock(\.self) }
    var minimumResolution: Duration { .nanoseconds(1) }

    /// The wall clock's time.
    var time: Timestamp { start.advanced(by: now.offset) }

    func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let wait = now.duration(to: deadline)
        if wait >= .seconds(3600) || wait == .seconds(1) { return try await Task.sleep(for: .seconds(86_400)) }
        state.withLock { $0 = max($0, deadline) }
        await Task.yield()
        try Task.checkCancellation()
    }
}
