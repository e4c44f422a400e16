import GarnerCatalog
package import Logging
package import GarnerModel
import ServiceLifecycle
package import GarnerSync
import Synchronization
import GarnerTasks

/// A service that sleeps until the timetable asks to be woken, and performs its actions.
package struct SchedulerService: Service {
    /// The longest single wait. Longer ones are split, and the wall clock is read again after each part in case
    /// it was set.
    package static let longestSlice = Duration.seconds(30)

    /// Performs a run to its end, and stores that end if possible before it returns.
    package typealias Perform = @Sendable (Start, StopRequest) async -> (RunResult, ScheduleState)

    /// A decision to store. Notes are delivered in order.
    package enum Note: Sendable, Equatable {
        case skip(Skip, ScheduleState)
        case remember(StreamName, ScheduleState)
        /// The requests get no run.
        case refuse(StreamName, requests: [String])

        package var stream: StreamName {
            switch self {
            case .skip(let skip, _): skip.stream
            case .remember(let name, _), .refuse(let name, _): name
            }
        }
    }

    private enum Input: Sendable {
        case event(Timetable.Event)
        case pulse(@Sendable () -> Void)
    }

    private let timetable: Timetable
    private let states: [StreamName: ScheduleState]
    private let clock: any Clock<Duration>
    private let now: @Sendable () -> Timestamp
    private let grace: Duration
    private let logger: Logger
    private let perform: Perform
    private let keep: @Sendable (Note) async -> Void
    private let inputs: AsyncStream<Input>
    private let inputContinuation: AsyncStream<Input>.Continuation
    private let cancelled = CancelledRuns()

    /// - Parameters:
    ///   - states: The stored states of all streams, including those that are not served now.
    ///   - clock: The monotonic clock for waits.
    ///   - now: The wall clock.
    ///   - grace: The time that active runs have after a graceful shutdown before their tasks are cancelled.
    package init(
        _ timetable: Timetable,
        states: [StreamName: ScheduleState],
        clock: any Clock<Duration>,
        now: @escaping @Sendable () -> Timestamp,
        grace: Duration = .seconds(10),
        logger: Logger,
        perform: @escaping Perform,
        keep: @escaping @Sendable (Note) async -> Void
    ) {
        self.timetable = timetable
        self.states = states
        self.clock = clock
        self.now = now
        self.grace = grace
        self.logger = logger
        self.perform = perform
        self.keep = keep
        (inputs, inputContinuation) = AsyncStream.makeStream()
    }

    /// True if a shutdown had to cancel runs that did not end within the grace period.
    package var hasCancelledRuns: Bool { cancelled.areThere.load(ordering: .relaxed) }

    /// Sends the timetable an event from outside, such as a trigger. Callable from any task, also before `run()`.
    package func send(_ event: Timetable.Event) { inputContinuation.yield(.event(event)) }

    /// Returns when all events sent before have been handled, or at once if the service has ended.
    package func pulse() async {
        await withCheckedContinuation { continuation in
            let result = inputContinuation.yield(.pulse { continuation.resume() })
            if case .terminated = result { continuation.resume() }
        }
    }

    /// Runs until a graceful shutdown or a cancellation. Returns once every run has ended and every note is stored.
    package func run() async {
        let stop = StopRequest()
        await withTaskCancellationOrGracefulShutdownHandler {
            await withTaskGroup { group in
                let (notes, ledger) = AsyncStream.makeStream(of: Note.self)
                group.addTask { for await note in notes { await keep(note) } }
                await processInputs(ledger, stop: stop)
                ledger.finish()
            }
        } onCancelOrGracefulShutdown: {
            stop.request()
            inputContinuation.yield(.event(.stopRequested))
        }
        inputContinuation.finish()
        for await case .pulse(let answer) in inputs { answer() }
        logger.info("Scheduler stopped")
    }

    private func processInputs(_ ledger: AsyncStream<Note>.Continuation, stop: StopRequest) async {
        await withDiscardingTaskGroup { group in
            var (timetable, runs) = (timetable, ActiveRunTasks())
            var (wakeTimer, graceTimer) = (WakeTimer(on: clock), WakeTimer(on: clock))
            var wakeInstant: Timestamp?
            var latestNow = now()
            var events: [Timetable.Event] = stop.isRequested ? [] : [.started(states: states)]
            var inputs = inputs.makeAsyncIterator()
            logger.info("Scheduler started")
            processing: repeat {
                let moment = now()
                log(moment, after: latestNow)
                latestNow = moment
                for action in events.flatMap({ timetable.handle($0, at: moment) }) {
                    switch action {
                    case .run(let start):
                        runs.begin(start.id, in: &group) {
                            let (result, state) = await perform(start, stop)
                            inputContinuation.yield(.event(.finished(start.id, result, state)))
                        }
                    case .cancel(let run): runs.cancel(run)
                    case .skip(let skip, let state):
                        log(skip)
                        ledger.yield(.skip(skip, state))
                    case .clockWasAhead(let stream, let instant): log(stream, aheadUntil: instant)
                    case .remember(let stream, let state): ledger.yield(.remember(stream, state))
                    case .refuse(let stream, let requests): ledger.yield(.refuse(stream, requests: requests))
                    case .wake(let instant):
                        // The timer is already set for this instant. After a partial wait it is set again.
                        guard instant != wakeInstant else { continue }
                        wakeInstant = instant
                        let delay = min(max(.zero, now().duration(to: instant)), Self.longestSlice)
                        wakeTimer.set(after: delay, in: &group) { inputContinuation.yield(.event(.woke)) }
                    case .startGrace:
                        wakeTimer.cancel()
                        graceTimer.set(after: grace, in: &group) { inputContinuation.yield(.event(.graceEnded)) }
                    case .cancelRuns:
                        logger.warning("Runs did not end within the grace period and are cancelled")
                        cancelled.areThere.store(true, ordering: .relaxed)
                        group.cancelAll()
                    case .finish:
                        break processing
                    }
                }
                events = []
                switch await inputs.next() {
                case .event(let event):
                    log(event)
                    if event == .woke { wakeInstant = nil }
                    if case .finished(let run, _, _) = event { runs.cancel(run) }
                    // A stop precedes inputs that are already in the stream, so that nothing starts after it.
                    events = stop.isRequested ? [.stopRequested, event] : [event]
                case .pulse(let answer): answer()
                case nil: break processing
                }
            } while true
            wakeTimer.cancel()
            graceTimer.cancel()
            runs.forget()
        }
    }

    private func log(_ event: Timetable.Event) {
        switch event {
        case .started, .woke, .graceEnded, .wanted, .paused, .resumed, .reloaded: break
        case .finished(let run, let result, _):
            logger.debug("Run over", metadata: ["place": "\(run)", "result": "\(result.ending)"])
        case .stopRequested: logger.info("Scheduler stops; active runs may finish within the grace period")
        }
    }

    /// Tells of a clock that was set back, since the streams then wait until it has caught up.
    private func log(_ moment: Timestamp, after earlier: Timestamp) {
        guard moment.duration(to: earlier) >= .seconds(1) else { return }
        logger.warning(
            "The clock was set back; what has run does not run again before the time at which it was set",
            metadata: ["set_at": "\(earlier)", "set_to": "\(moment)"])
    }

    private func log(_ stream: StreamName, aheadUntil instant: Timestamp) {
        logger.warning(
            "The clock was ahead, or was set back; the schedule goes on from now",
            metadata: ["stream": "\(stream)", "decided_until": "\(instant)"])
    }

    private func log(_ skip: Skip) {
        logger.warning(
            "Run skipped",
            metadata: [
                "stream": "\(skip.stream)", "nominal": "\(skip.nominals.upperBound)", "count": "\(skip.count)",
                "reason": "\(skip.reason)",
            ])
    }
}

private final class CancelledRuns: Sendable {
    let areThere = Atomic(false)
}

/// A sleep in a task group that can be replaced or cancelled before it ends.
struct WakeTimer {
    private let clock: any Clock<Duration>
    private var canceller: AsyncStream<Never>.Continuation?

    init(on clock: any Clock<Duration>) {
        self.clock = clock
    }

    /// Replaces the previous sleep, whose `fire` may still be called once if it has already ended.
    mutating func set(
        after delay: Duration, in group: inout DiscardingTaskGroup, fire: @escaping @Sendable () -> Void
    ) {
        cancel()
        let (cancel, canceller) = AsyncStream.makeStream(of: Never.self)
        self.canceller = canceller
        // A child of a group cannot be cancelled by itself, but the race inside it can.
        group.addTask { [clock] in
            try? await race {
                try await clock.sleep(for: delay)
                fire()
            } _: {
                for await _ in cancel {}
            }
        }
    }

    mutating func cancel() {
        canceller?.finish()
        canceller = nil
    }
}

/// The tasks of the active runs. Each can be cancelled by itself.
struct ActiveRunTasks {
    /// The continuations by run; finishing one cancels its run.
    private var cancellers: [ActiveRunID: AsyncStream<Never>.Continuation] = [:]

    mutating func begin(
        _ run: ActiveRunID, in group: inout DiscardingTaskGroup, _ body: @escaping @Sendable () async -> Void
    ) {
        let (cancellation, canceller) = AsyncStream.makeStream(of: Never.self)
        cancellers[run] = canceller
        // A child of a group cannot be cancelled by itself, but the race inside it can.
        group.addTask { try? await race(body) { for await _ in cancellation {} } }
    }

    /// Cancels a run. If it has ended already, this only ends the task that waited for the cancellation.
    mutating func cancel(_ run: ActiveRunID) { cancellers.removeValue(forKey: run)?.finish() }

    mutating func forget() {
        for canceller in cancellers.values { canceller.finish() }
        cancellers = [:]
    }
}
