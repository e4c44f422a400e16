package import Catalog
package import Logging
import ServiceLifecycle
package import Sync

/// Sleeps until the timetable wants to be woken, and performs what it decides.
package struct SchedulerService: Service {
    /// A wait is cut into slices of this length; after each the wall clock is read again, in case it was set.
    package static let longestSlice = Duration.seconds(30)

    package typealias Perform = @Sendable (StreamName, _ nominal: Timestamp, StopRequest) async -> RunResult

    private let timetable: Timetable
    private let lastNominal: [StreamName: Timestamp]
    private let clock: any Clock<Duration>
    private let now: @Sendable () -> Timestamp
    private let grace: Duration
    private let logger: Logger
    private let perform: Perform
    private let skipped: @Sendable (Skip) async -> Void

    /// - Parameters:
    ///   - parents: By stream, the one whose records it is asked for with.
    ///   - lastNominal: The latest nominal instant of each stream that was run to its end or skipped.
    ///   - clock: The monotonic clock for waits.
    ///   - now: The wall clock.
    ///   - grace: How long runs in flight may go on after a graceful shutdown before their tasks are cancelled.
    package init(
        streams: [(StreamName, Schedule)],
        parents: [StreamName: StreamName] = [:],
        lastNominal: [StreamName: Timestamp],
        maximumConcurrentRuns: Int = 8,
        clock: any Clock<Duration>,
        now: @escaping @Sendable () -> Timestamp,
        grace: Duration = .seconds(10),
        logger: Logger,
        perform: @escaping Perform,
        skipped: @escaping @Sendable (Skip) async -> Void
    ) {
        timetable = Timetable(streams, parents: parents, maximumConcurrentRuns: maximumConcurrentRuns)
        self.lastNominal = lastNominal
        self.clock = clock
        self.now = now
        self.grace = grace
        self.logger = logger
        self.perform = perform
        self.skipped = skipped
    }

    /// Returns after a graceful shutdown or a cancellation, once every run and every skip's record has ended.
    package func run() async {
        let stop = StopRequest()
        let (events, mailbox) = AsyncStream.makeStream(of: Timetable.Event.self)
        await withTaskCancellationOrGracefulShutdownHandler {
            mailbox.yield(.started(lastNominal: lastNominal))
            await attend(to: events, mailbox: mailbox, stop: stop)
        } onCancelOrGracefulShutdown: {
            stop.request()
            mailbox.yield(.stopRequested)
        }
    }

    private func attend(
        to events: AsyncStream<Timetable.Event>, mailbox: AsyncStream<Timetable.Event>.Continuation, stop: StopRequest
    ) async {
        await withDiscardingTaskGroup { group in
            var timetable = timetable
            var (wakeAlarm, graceAlarm) = (Alarm(on: clock), Alarm(on: clock))
            var wakeInstant: Timestamp?
            attending: for await event in events {
                note(event)
                if event == .woke { wakeInstant = nil }
                // A stop goes before what was in the mailbox already, so that nothing starts after it.
                let news = stop.isRequested ? [.stopRequested, event] : [event]
                for action in news.flatMap({ timetable.handle($0, at: now()) }) {
                    switch action {
                    case .run(let stream, let nominal):
                        group.addTask {
                            let result = await perform(stream, nominal, stop)
                            mailbox.yield(.finished(stream, nominal: nominal, result))
                        }
                    case .skip(let skip):
                        note(skip)
                        group.addTask { await skipped(skip) }
                    case .wake(let instant):
                        // The alarm is set for it already; after a slice it is set anew.
                        guard instant != wakeInstant else { continue }
                        wakeInstant = instant
                        let delay = min(max(.zero, now().duration(to: instant)), Self.longestSlice)
                        wakeAlarm.set(after: delay, in: &group) { mailbox.yield(.woke) }
                    case .startGrace:
                        wakeAlarm.silence()
                        graceAlarm.set(after: grace, in: &group) { mailbox.yield(.graceEnded) }
                    case .cancelRuns:
                        logger.warning("Runs did not end within the grace period and are cancelled")
                        group.cancelAll()
                    case .finish:
                        break attending
                    }
                }
            }
            wakeAlarm.silence()
            graceAlarm.silence()
        }
        logger.info("Scheduler stopped")
    }

    private func note(_ event: Timetable.Event) {
        switch event {
        case .started: logger.info("Scheduler started")
        case .finished(let stream, let nominal, let result):
            logger.debug(
                "Run ended", metadata: ["stream": "\(stream)", "nominal": "\(nominal)", "result": "\(result)"])
        case .stopRequested: logger.info("Scheduler stops; runs in flight may end")
        case .woke, .graceEnded: break
        }
    }

    private func note(_ skip: Skip) {
        logger.warning(
            "Run skipped",
            metadata: [
                "stream": "\(skip.stream)", "nominal": "\(skip.nominals.upperBound)", "count": "\(skip.count)",
                "reason": "\(skip.reason)",
            ])
    }
}
