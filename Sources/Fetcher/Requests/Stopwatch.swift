/// The time since it was made, on any clock.
struct Stopwatch: Sendable {
    private let read: @Sendable () -> Duration
    private let wait: @Sendable (Duration) async throws -> Void

    init<C: Clock<Duration>>(_ clock: C) {
        let start = clock.now
        read = { start.duration(to: clock.now) }
        wait = { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
    }

    var elapsed: Duration { read() }

    func sleep(until elapsed: Duration) async throws { try await wait(elapsed) }
}
