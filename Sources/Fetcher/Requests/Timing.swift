package import Catalog

/// Time and chance, from outside.
package struct Timing: Sendable {
    /// Measures deadlines and delays.
    package let clock: any Clock<Duration>
    /// The wall clock.
    package let now: @Sendable () -> Timestamp
    /// A number in 0..<1.
    package let random: @Sendable () -> Double

    package init(
        clock: any Clock<Duration>, now: @escaping @Sendable () -> Timestamp, random: @escaping @Sendable () -> Double
    ) {
        self.clock = clock
        self.now = now
        self.random = random
    }
}
