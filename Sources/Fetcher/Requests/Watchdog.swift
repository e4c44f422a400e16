import Catalog
import Synchronization

/// Ends an attempt at the first of its deadlines: one sleeping task per attempt, whatever number of chunks.
struct Watchdog: Sendable {
    let limits: Limits
    let clock: any Clock<Duration>

    /// Runs `work`, which tells `arrivals` of the head and of each chunk; cancels it at the deadline and throws that.
    func guarding<Result: Sendable>(
        _ work: @escaping @Sendable (_ arrivals: Arrivals) async throws -> Result
    ) async throws -> Result {
        let arrivals = Arrivals(limits: limits, stopwatch: Stopwatch(clock))
        return try await withThrowingTaskGroup(of: Result.self) { group in
            group.addTask { try await work(arrivals) }
            group.addTask { try await arrivals.waitForDeadline() }
            // The group ends the other one, and waits for it.
            defer { group.cancelAll() }
            guard let first = try await group.next() else { throw CancellationError() }
            return first
        }
    }
}

/// What the reader of a response and its watchdog share.
final class Arrivals: Sendable {
    private let deadlines: Mutex<AttemptDeadlines>
    private let stopwatch: Stopwatch

    init(limits: Limits, stopwatch: Stopwatch) {
        deadlines = Mutex(AttemptDeadlines(limits: limits))
        self.stopwatch = stopwatch
    }

    func note() {
        let time = stopwatch.elapsed
        deadlines.withLock { $0.arrived(at: time) }
    }

    /// Until the next `note()` nothing is expected of the server.
    func hold() { deadlines.withLock { $0.hold() } }

    /// Returns never; generic so that it fits beside the work in one group.
    func waitForDeadline<Result>() async throws -> Result {
        while true {
            let time = stopwatch.elapsed
            let (next, nextLook) = deadlines.withLock { ($0.next, $0.nextLook(at: time)) }
            if time >= next.time { throw FetchError.Kind.deadline(next.deadline, limit: next.limit) }
            try await stopwatch.sleep(until: nextLook)
        }
    }
}
