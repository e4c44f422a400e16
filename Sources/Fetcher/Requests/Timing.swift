import Catalog
package import Model

/// The sources of time and randomness, injected so that tests control them.
package struct Timing: Sendable {
    /// The monotonic clock for timeouts and delays.
    package let clock: any Clock<Duration>
    /// The time of the wall clock.
    package let now: @Sendable () -> Timestamp
    /// A random number in 0..<1.
    package let random: @Sendable () -> Double

    package init(
        clock: any Clock<Duration>, now: @escaping @Sendable () -> Timestamp, random: @escaping @Sendable () -> Double
    ) {
        self.clock = clock
        self.now = now
        self.random = random
    }
}

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Timing {
    /// The system's clocks and random numbers, for composition roots: `garner`'s own, and the entry points for other
    /// programs.
    package static var system: Timing {
        Timing(
            clock: ContinuousClock(),
            now: { Timestamp(millisecondsSince1970: Int64((Date().timeIntervalSince1970 * 1000).rounded(.down))) },
            random: { Double.random(in: 0..<1) })
    }
}

/// Measures the time since its creation, on any clock.
struct Stopwatch: Sendable {
    private let read: @Sendable () -> Duration
    private let wait: @Sendable (Duration) async throws -> Void

    init<C: Clock<Duration>>(_ clock: C) {
        let start = clock.now
        read = { start.duration(to: clock.now) }
        wait = { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
    }

    /// The time since the creation.
    var elapsed: Duration { read() }

    /// Sleeps until that much time has passed since the creation.
    func sleep(until elapsed: Duration) async throws { try await wait(elapsed) }
}
