import GarnerCatalog
import Synchronization
import GarnerTasks

/// Enforces the timeouts of an attempt. It needs one sleeping task per attempt, for any number of chunks.
struct Timeouts: Sendable {
    let limits: Limits
    let clock: any Clock<Duration>

    /// Runs `work`, which reports the head and each chunk to `activity`. Cancels it and throws the first timeout that passes.
    func guarding<Result: Sendable>(
        _ work: @escaping @Sendable (_ activity: ActivityTracker) async throws -> Result
    ) async throws -> Result {
        let activity = ActivityTracker(limits: limits, stopwatch: Stopwatch(clock))
        return try await race({ try await work(activity) }, { try await activity.waitForDeadline() })
    }

    /// Sends a request, and returns what `receive` makes of the response. Throws `FetchError.Kind` if the transport fails.
    func sending<Result: Sendable>(
        _ request: Request, over transport: any Transport,
        _ receive: @escaping @Sendable (Response, ActivityTracker) async throws -> Result
    ) async throws -> Result {
        do {
            return try await guarding { activity in
                let response = try await transport.send(request)
                activity.note()
                return try await receive(response, activity)
            }
        } catch let failure as TransportError {
            throw FetchError.Kind(failure, limits: limits)
        }
    }
}

/// The time of the last arrival, shared by the reader of a response and the task that waits for its timeouts.
final class ActivityTracker: Sendable {
    private let deadlines: Mutex<AttemptTimeouts>
    private let stopwatch: Stopwatch

    init(limits: Limits, stopwatch: Stopwatch) {
        deadlines = Mutex(AttemptTimeouts(limits: limits))
        self.stopwatch = stopwatch
    }

    /// Notes that the head or a chunk has arrived.
    func note() {
        let time = stopwatch.elapsed
        deadlines.withLock { $0.arrived(at: time) }
    }

    /// Stops the timeouts that wait for the server until the next `note()`.
    func hold() { deadlines.withLock { $0.hold() } }

    /// Waits for the next timeout and throws it. It never returns; its generic result lets it share the work's task group.
    func waitForDeadline<Result>() async throws -> Result {
        while true {
            let time = stopwatch.elapsed
            let (next, nextLook) = deadlines.withLock { ($0.next, $0.nextLook(at: time)) }
            if time >= next.time { throw FetchError.Kind.deadline(next.deadline, limit: next.limit) }
            try await stopwatch.sleep(until: nextLook)
        }
    }
}

/// Determines which timeout ends an attempt, and when, from the activity so far. Times count from the attempt's start.
struct AttemptTimeouts: Sendable {
    private let limits: Limits
    /// The time when the head or the last chunk arrived; nil before the head.
    private var lastArrival: Duration?
    /// True if the server waits for us rather than we for it.
    private var isHeld = false

    init(limits: Limits) { self.limits = limits }

    /// Notes an arrival. It also ends a hold: from then on, the server is expected to send again.
    mutating func arrived(at time: Duration) {
        lastArrival = time
        isHeld = false
    }

    /// Suspends all timeouts but that of the whole attempt until the next arrival.
    mutating func hold() { isHeld = true }

    /// The timeout that passes first, with its limit and time.
    var next: (deadline: FetchError.Deadline, limit: Duration, time: Duration) {
        if isHeld { return (.total, limits.total, limits.total) }
        let nearest: (deadline: FetchError.Deadline, limit: Duration, time: Duration) =
            if let lastArrival {
                (.idle, limits.idle, lastArrival + limits.idle)
            } else {
                // The transport limits the time to connect without telling its end: this estimate is never too early.
                (.firstByte, limits.connect + limits.firstByte, limits.connect + limits.firstByte)
            }
        return limits.total <= nearest.time ? (.total, limits.total, limits.total) : nearest
    }

    /// Returns the time for the next check: the next timeout, or earlier, as a head may start a shorter `idle` timeout.
    func nextLook(at time: Duration) -> Duration { min(next.time, time + limits.idle) }
}
