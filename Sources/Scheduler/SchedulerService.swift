package import Catalog
package import Logging
import ServiceLifecycle
package import Sync
import Synchronization

/// Sleeps until the timetable wants to be woken, and performs what it decides.
package struct SchedulerService: Service {
    /// A wait is cut into slices of this length; after each the wall clock is read again, in case it was set.
    package static let longestSlice = Duration.seconds(30)

    /// Runs what begins to its end, which has been stored when this returns, where it could be stored.
    package typealias Perform = @Sendable (Start, StopRequest) async -> (RunResult, StreamMemory)

    /// What is to be kept of a decision, in the order in which it is given.
    package enum Note: Sendable, Equatable {
        case skip(Skip, StreamMemory)
        case remember(StreamName, StreamMemory)
        /// Nothing is run for these requests.
        case refuse(StreamName, requests: [String])
    }

    private enum Mail: Sendable {
        case event(Timetable.Event)
        case pulse(@Sendable () -> Void)
    }

    private let timetable: Timetable
    private let memories: [StreamName: StreamMemory]
    private let clock: any Clock<Duration>
    private let now: @Sendable () -> Timestamp
    private let grace: Duration
    private let logger: Logger
    private let perform: Perform
    private let keep: @Sendable (Note) async -> Void
    private let letters: AsyncStream<Mail>
    private let mailbox: AsyncStream<Mail>.Continuation
    private let cancelled = CancelledRuns()

    /// - Parameters:
    ///   - memories: What earlier processes left of each stream, also of those that are not served now.
    ///   - clock: The monotonic clock for waits.
    ///   - now: The wall clock.
    ///   - grace: How long runs in flight may go on after a graceful shutdown before their tasks are cancelled.
    package init(
        _ timetable: Timetable,
        memories: [StreamName: StreamMemory],
        clock: any Clock<Duration>,
        now: @escaping @Sendable () -> Timestamp,
        grace: Duration = .seconds(10),
        logger: Logger,
        perform: @escaping Perform,
        keep: @escaping @Sendable (Note) async -> Void
    ) {
        self.timetable = timetable
        self.memories = memories
        self.clock = clock
        self.now = now
        self.grace = grace
        self.logger = logger
        self.perform = perform
        self.keep = keep
        (letters, mailbox) = AsyncStream.makeStream()
    }

    /// Whether a shutdown had to end runs that did not end within the grace.
    package var hasCancelledRuns: Bool { cancelled.areThere.load(ordering: .relaxed) }

    /// Tells the timetable of something that came from outside, such as a trigger; from any task, also before `run()`.
    package func send(_ event: Timetable.Event) { mailbox.yield(.event(event)) }

    /// Returns when everything that was sent before has been decided on; at once when the service has ended.
    package func pulse() async {
        await withCheckedContinuation { continuation in
            let result = mailbox.yield(.pulse { continuation.resume() })
            if case .terminated = result { continuation.resume() }
        }
    }

    /// Returns after a graceful shutdown or a cancellation, once every run has ended and every note is kept.
    package func run() async {
        let stop = StopRequest()
        await withTaskCancellationOrGracefulShutdownHandler {
            await withTaskGroup { group in
                let (notes, ledger) = AsyncStream.makeStream(of: Note.self)
                group.addTask { for await note in notes { await keep(note) } }
                await attend(ledger, stop: stop)
                ledger.finish()
            }
        } onCancelOrGracefulShutdown: {
            stop.request()
            mailbox.yield(.event(.stopRequested))
        }
        mailbox.finish()
        for await case .pulse(let answer) in letters { answer() }
        logger.info("Scheduler stopped")
    }

    private func attend(_ ledger: AsyncStream<Note>.Continuation, stop: StopRequest) async {
        await withDiscardingTaskGroup { group in
            var (timetable, runs) = (timetable, RunsInFlight())
            var (wakeAlarm, graceAlarm) = (Alarm(on: clock), Alarm(on: clock))
            var wakeInstant: Timestamp?
            var news: [Timetable.Event] = stop.isRequested ? [] : [.started(memories: memories)]
            var letters = letters.makeAsyncIterator()
            logger.info("Scheduler started")
            attending: repeat {
                for action in news.flatMap({ timetable.handle($0, at: now()) }) {
                    switch action {
                    case .run(let start):
                        runs.begin(start.id, in: &group) {
                            let (result, memory) = await perform(start, stop)
                            mailbox.yield(.event(.finished(start.id, result, memory)))
                        }
                    case .cancel(let run): runs.cancel(run)
                    case .skip(let skip, let memory):
                        log(skip)
                        ledger.yield(.skip(skip, memory))
                    case .clockWasAhead(let stream, let instant): log(stream, aheadUntil: instant)
                    case .remember(let stream, let memory): ledger.yield(.remember(stream, memory))
                    case .refuse(let stream, let requests): ledger.yield(.refuse(stream, requests: requests))
                    case .wake(let instant):
                        // The alarm is set for it already; after a slice it is set anew.
                        guard instant != wakeInstant else { continue }
                        wakeInstant = instant
                        let delay = min(max(.zero, now().duration(to: instant)), Self.longestSlice)
                        wakeAlarm.set(after: delay, in: &group) { mailbox.yield(.event(.woke)) }
                    case .startGrace:
                        wakeAlarm.silence()
                        graceAlarm.set(after: grace, in: &group) { mailbox.yield(.event(.graceEnded)) }
                    case .cancelRuns:
                        logger.warning("Runs did not end within the grace period and are cancelled")
                        cancelled.areThere.store(true, ordering: .relaxed)
                        group.cancelAll()
                    case .finish:
                        break attending
                    }
                }
                news = []
                switch await letters.next() {
                case .event(let event):
                    log(event)
                    if event == .woke { wakeInstant = nil }
                    if case .finished(let run, _, _) = event { runs.cancel(run) }
                    // A stop goes before what was in the mailbox already, so that nothing starts after it.
                    news = stop.isRequested ? [.stopRequested, event] : [event]
                case .pulse(let answer): answer()
                case nil: break attending
                }
            } while true
            wakeAlarm.silence()
            graceAlarm.silence()
            runs.forget()
        }
    }

    private func log(_ event: Timetable.Event) {
        switch event {
        case .started, .woke, .graceEnded, .wanted, .paused, .resumed, .reloaded: break
        case .finished(let run, let result, _):
            logger.debug("Run over", metadata: ["place": "\(run)", "result": "\(result.ending)"])
        case .stopRequested: logger.info("Scheduler stops; runs in flight may end")
        }
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
