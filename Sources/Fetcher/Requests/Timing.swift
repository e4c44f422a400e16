import GarnerCatalog
package import GarnerModel

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
    /// The system's clocks and random numbers, for composition roots: `garner`'s own, and entry points of other programs.
    package static var system: Timing {
        Timing(
            clock: TransportClock(),
            now: { Timestamp(millisecondsSince1970: Int64((Date().timeIntervalSince1970 * 1000).rounded(.down))) },
            random: { Double.random(in: 0..<1) })
    }
}
