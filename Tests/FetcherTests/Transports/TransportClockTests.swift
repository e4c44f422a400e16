import Testing

@testable import GarnerFetcher

/// The clock of timeouts, whose short waits are timers of the event loop.
@Suite(.timeLimit(.minutes(5)))
struct TransportClockTests {
    private let clock = TransportClock()

    @Test(arguments: [Duration.zero, .milliseconds(-5), .milliseconds(20)])
    func `it sleeps until an instant, and no longer for one that has passed`(wait: Duration) async throws {
        let end = clock.now.advanced(by: wait)
        try await clock.sleep(until: end)
        #expect(clock.now >= end)
    }

    @Test(arguments: [Duration.seconds(100), .seconds(1000)])
    func `a cancelled task sleeps no longer`(wait: Duration) async throws {
        let sleeper = Task { try await clock.sleep(for: wait) }
        try await clock.sleep(for: .milliseconds(20))
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
    }

    @Test func `a task that was cancelled before does not sleep`() async throws {
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await clock.sleep(for: .seconds(100))
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
