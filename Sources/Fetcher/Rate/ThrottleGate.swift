package import GarnerCatalog
import Synchronization
import GarnerTasks

/// A queue in which the requests to one source wait for their turn.
package final class ThrottleGate: Sendable {
    /// Permission for one request, valid until `leave`.
    struct Ticket: Hashable, Sendable {
        fileprivate let id: UInt64
    }

    private struct State {
        var throttle: Throttle
        var timer: (time: Duration, task: Task<Void, Never>)?
    }

    private let stopwatch: Stopwatch
    private let state: Mutex<State>
    private let waiters = Waiters<Ticket>()

    /// Creates a gate. `maximumWait` is the longest time that a request waits for a limit; see `Throttle`.
    package init(
        rateLimit: RateLimit?, maximumConcurrency: Int, maximumWait: Duration, clock: any Clock<Duration>
    ) {
        stopwatch = Stopwatch(clock)
        let throttle = Throttle(
            rateLimit: rateLimit, maximumConcurrency: maximumConcurrency, maximumWait: maximumWait)
        state = Mutex(State(throttle: throttle))
    }

    /// The number of callers waiting in `enter`.
    var waiterCount: Int { waiters.count }

    /// Waits until the request may be sent. The caller must call `leave` afterwards, whatever becomes of the request.
    ///
    /// Throws `ThrottleError.waitTooLong`, either at once or as soon as a response shows it, and `CancellationError`. A
    /// caller cancelled after its turn has come still gets the ticket.
    func enter() async throws -> Ticket {
        try Task.checkCancellation()
        let id = waiters.newID()
        var hasStarted = false
        perform { throttle, now in
            let actions = throttle.request(id: id, at: now)
            hasStarted = actions.contains(.start(id))
            if !hasStarted { waiters.add(id) }
            return actions
        }
        if hasStarted { return Ticket(id: id) }
        return try await waiters.value(for: id) { self.cancelled($0) }
    }

    /// Ends a request. `report` and `retryAfter` come from its response; both are nil if there was none.
    func leave(_ ticket: Ticket, report: RateLimitReport? = nil, retryAfter: Duration? = nil) {
        perform { $0.finished(id: ticket.id, report: report, retryAfter: retryAfter, at: $1) }
    }

    private func cancelled(_ id: UInt64) {
        guard waiters.resume(id, with: .failure(CancellationError())) else { return }
        perform { $0.cancelled(id: id, at: $1) }
    }

    /// Performs what the throttle decides at the present time.
    private func perform(_ decide: (_ throttle: inout Throttle, _ now: Duration) -> [Throttle.Action]) {
        state.withLock { state in
            let now = stopwatch.elapsed
            perform(decide(&state.throttle, now), at: now, &state)
        }
    }

    private func perform(_ actions: [Throttle.Action], at now: Duration, _ state: inout State) {
        var wake: Duration?
        for action in actions {
            switch action {
            case .start(let id): waiters.resume(id, with: .success(Ticket(id: id)))
            case .refuse(let id, let until):
                waiters.resume(id, with: .failure(ThrottleError.waitTooLong(until - now)))
            case .wakeAt(let time): wake = time
            }
        }
        setTimer(at: wake, &state)
    }

    /// Sets or cancels the timer, which keeps this object alive only while callers wait.
    private func setTimer(at time: Duration?, _ state: inout State) {
        guard state.timer?.time != time else { return }
        state.timer?.task.cancel()
        state.timer = time.map { time in
            // Callers come and go, so none of their tasks can sleep for the others.
            let task = Task {
                do { try await stopwatch.sleep(until: time) } catch { return }
                woke(by: time)
            }
            return (time, task)
        }
    }

    private func woke(by time: Duration) {
        state.withLock { state in
            // The timer was replaced in the meantime.
            guard state.timer?.time == time else { return }
            state.timer = nil
            let now = stopwatch.elapsed
            perform(state.throttle.woke(at: now), at: now, &state)
        }
    }
}

/// The state that all requests to one source share while the program runs: the queue and the retry budgets.
package final class SourceTraffic: Sendable {
    let gate: ThrottleGate
    private let rateLimit: RateLimit?
    private let maximumConcurrency: Int
    private let budgets = Mutex<[Origin: RetryBudget]>([:])

    /// Creates the state from any stream of the source, since all have the same limits.
    package init(of stream: StreamConfiguration, clock: any Clock<Duration>) {
        (rateLimit, maximumConcurrency) = (stream.rateLimit, stream.maxConcurrency)
        // A configured slow rate implies that long waits are acceptable.
        let longestWait = max(stream.retry.maxDelay, stream.rateLimit?.per ?? .zero)
        gate = ThrottleGate(
            rateLimit: stream.rateLimit, maximumConcurrency: stream.maxConcurrency, maximumWait: longestWait,
            clock: clock)
    }

    /// Returns true if the stream's source still has the same limits.
    func fits(_ stream: StreamConfiguration) -> Bool {
        rateLimit == stream.rateLimit && maximumConcurrency == stream.maxConcurrency
    }

    /// Counts the first attempt of a request.
    func noteFirstAttempt(to origin: Origin) { budgets.withLock { $0[origin, default: RetryBudget()].deposit() } }

    /// Returns true if a request may be sent again, and then charges the retry to the budget.
    func mayRetry(_ origin: Origin) -> Bool { budgets.withLock { $0[origin, default: RetryBudget()].withdraw() } }
}

/// The retries that a host still gets: one for every five first attempts, so that trouble adds little to its usual load.
///
/// The budget combines a share of the requests and a reserve, as in Finagle's `RetryBudget` (20 %), with a bounded
/// count of tokens, as in gRPC's retry throttling (proposal A6). Like the latter, it is independent of time.
struct RetryBudget: Equatable, Sendable {
    /// The balance in fifths of a retry.
    private var balance = 10 * Self.retry

    private static let retry = 5
    private static let maximum = 100 * retry

    /// Credits a first attempt.
    mutating func deposit() { balance = min(balance + 1, Self.maximum) }

    /// Returns true if a retry is allowed, and then deducts it.
    mutating func withdraw() -> Bool {
        guard balance >= Self.retry else { return false }
        balance -= Self.retry
        return true
    }
}

/// Sends each request when its turn has come, and reports the server's limits to the source's gate.
struct ThrottleMiddleware: Middleware {
    let gate: ThrottleGate
    /// True if the server's `Retry-After` applies to all requests to the source.
    let respectsRetryAfter: Bool
    /// The boundary of the source's own server. The limits that others report after a redirect are not the source's.
    let boundary: SecretBoundary

    func send<Answer: Sendable>(_ request: Request, next: Next<Answer>) async throws -> Answer {
        let ticket: ThrottleGate.Ticket
        do {
            ticket = try await gate.enter()
        } catch ThrottleError.waitTooLong(let wait) {
            throw FetchError.Kind.rateLimited(wait: wait)
        }
        let isOwn = boundary.isInside(request.address)
        do {
            let reply = try await next(request)
            gate.leave(ticket, report: isOwn ? request.trace.entry.rateLimit : nil)
            return reply
        } catch {
            let kind = error as? FetchError.Kind
            // The wait for an answer that is being made concerns no other request.
            let wait = respectsRetryAfter && isOwn && kind?.isPromise != true ? kind?.retryAfter : nil
            gate.leave(ticket, report: isOwn ? request.trace.entry.rateLimit : nil, retryAfter: wait)
            throw error
        }
    }
}
