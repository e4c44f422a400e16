package import Catalog

/// Where the requests to one source wait for their turn.
package actor ThrottleGate {
    /// The right to one request, until `leave`.
    struct Ticket: Hashable, Sendable {
        fileprivate let id: UInt64
    }

    private let stopwatch: Stopwatch
    private var throttle: Throttle
    private var lastID: UInt64 = 0
    private var waiters: [UInt64: CheckedContinuation<Void, any Error>] = [:]
    private var alarm: (time: Duration, task: Task<Void, Never>)?

    /// `maximumWait` is the longest that a request sleeps for a limit; see `Throttle`.
    package init(
        rateLimit: RateLimit?, maximumConcurrency: Int, maximumWait: Duration, clock: any Clock<Duration>
    ) {
        stopwatch = Stopwatch(clock)
        throttle = Throttle(
            rateLimit: rateLimit, maximumConcurrency: maximumConcurrency, maximumWait: maximumWait)
    }

    /// How many wait in `enter`.
    var waiterCount: Int { waiters.count }

    /// Returns when the request may be sent; then `leave` has to follow, whatever becomes of the request.
    ///
    /// Throws `ThrottleError.waitTooLong`, at once or as soon as a response shows it, and `CancellationError`. Whoever is
    /// cancelled after the turn has come gets the ticket all the same.
    func enter() async throws -> Ticket {
        try Task.checkCancellation()
        lastID += 1
        let id = lastID
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                waiters[id] = continuation
                perform(throttle.request(id: id, at: stopwatch.elapsed))
            }
        } onCancel: {
            // A handler cannot wait, so that a task has to. It runs after the lines above, even if they are yet to come:
            // until the continuation is kept, this actor is busy with them.
            Task { await self.cancelled(id) }
        }
        return Ticket(id: id)
    }

    /// The report and `Retry-After` are those of the response, nil where there was none.
    func leave(_ ticket: Ticket, report: RateLimitReport? = nil, retryAfter: Duration? = nil) {
        perform(throttle.finished(id: ticket.id, report: report, retryAfter: retryAfter, at: stopwatch.elapsed))
    }

    private func cancelled(_ id: UInt64) {
        guard let waiter = waiters.removeValue(forKey: id) else { return }
        perform(throttle.cancelled(id: id, at: stopwatch.elapsed))
        waiter.resume(throwing: CancellationError())
    }

    /// Whoever is taken out of `waiters` is resumed, here or in `cancelled`, and nowhere else.
    private func perform(_ actions: [Throttle.Action]) {
        var wake: Duration?
        for action in actions {
            switch action {
            case .start(let id): waiters.removeValue(forKey: id)?.resume()
            case .refuse(let id, let until):
                let error = ThrottleError.waitTooLong(until - stopwatch.elapsed)
                waiters.removeValue(forKey: id)?.resume(throwing: error)
            case .wakeAt(let time): wake = time
            }
        }
        setAlarm(at: wake)
    }

    /// An alarm rings only while someone waits: it keeps this actor alive no longer than the waiters do.
    private func setAlarm(at time: Duration?) {
        guard alarm?.time != time else { return }
        alarm?.task.cancel()
        alarm = time.map { time in
            // Those who wait come and go, so that none of their tasks could be the one that sleeps.
            let task = Task {
                do { try await stopwatch.sleep(until: time) } catch { return }
                woke(by: time)
            }
            return (time, task)
        }
    }

    private func woke(by time: Duration) {
        // Replaced meanwhile.
        guard alarm?.time == time else { return }
        alarm = nil
        perform(throttle.woke(at: stopwatch.elapsed))
    }
}
