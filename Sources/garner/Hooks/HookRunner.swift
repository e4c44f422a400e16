import Catalog
import Fetcher
import Logging
import Persistence
import ServiceLifecycle
import Sync
import Synchronization

/// Tells programs and servers how runs end, beside the schedule: whoever tells it of a run never waits.
///
/// What fails is in the log and nowhere else.
final class HookRunner: Service, Sendable {
    private enum Event: Sendable {
        case changed
        case closed(grace: Duration?)
        case graceEnded
    }

    private struct State {
        var line: HookLine<HookJob>
        var isClosed = false
    }

    private let perform: @Sendable (HookJob) async -> Void
    private let clock: any Clock<Duration>
    private let logger: Logger
    private let grace: Duration
    private let state: Mutex<State>
    private let events: AsyncStream<Event>
    private let mailbox: AsyncStream<Event>.Continuation

    /// - Parameters:
    ///   - capacity: how many runs wait to be told of; of more, the oldest are dropped.
    ///   - grace: how long a shutdown waits for what is queued and under way.
    convenience init(
        _ setup: Setup, transports: Transports, logger: Logger, capacity: Int = 256, grace: Duration = .seconds(5)
    ) {
        let caller = HookCaller(
            transports: transports, timing: setup.timing, environment: setup.environment, logger: logger)
        self.init(clock: setup.clock, logger: logger, capacity: capacity, grace: grace) { await caller.perform($0) }
    }

    init(
        clock: any Clock<Duration>, logger: Logger, capacity: Int, grace: Duration,
        perform: @escaping @Sendable (HookJob) async -> Void
    ) {
        self.perform = perform
        self.clock = clock
        self.logger = logger
        self.grace = grace
        state = Mutex(State(line: HookLine(capacity: capacity, maximumConcurrentJobs: 4)))
        (events, mailbox) = AsyncStream.makeStream()
    }

    func began(_ stream: Catalog.Stream, nominal: Timestamp?) {
        if let job = HookJob(beginning: stream, nominal: nominal) { add(job) }
    }

    func ended(_ outcome: RunOutcome, of stream: Catalog.Stream, nominal: Timestamp?) {
        if let job = HookJob(ending: outcome, of: stream, nominal: nominal) { add(job) }
    }

    /// No more runs will come: `run()` returns when all have been told of.
    func finish() { close(grace: nil) }

    /// Returns after `finish()`, after a graceful shutdown, or when it is cancelled; programs do not outlive it.
    func run() async {
        await withGracefulShutdownHandler {
            await withDiscardingTaskGroup { group in
                for await event in events {
                    switch event {
                    case .changed, .closed(nil): break
                    case .closed(let grace?):
                        group.addTask { [clock, mailbox] in
                            if (try? await clock.sleep(for: grace)) != nil { mailbox.yield(.graceEnded) }
                        }
                    case .graceEnded:
                        let count = state.withLock { $0.line.clear() }
                        logger.warning(
                            "Hooks did not end within the grace period and are cancelled",
                            metadata: ["waiting": "\(count)"])
                        group.cancelAll()
                    }
                    while let next = state.withLock({ $0.line.next() }) {
                        group.addTask {
                            await self.perform(next.job)
                            self.state.withLock { $0.line.finish(next.stream) }
                            self.mailbox.yield(.changed)
                        }
                    }
                    if state.withLock({ $0.isClosed && $0.line.isIdle }) { break }
                }
                group.cancelAll()
            }
        } onGracefulShutdown: {
            self.close(grace: self.grace)
        }
    }

    private func add(_ job: HookJob) {
        let (dropped, isClosed) = state.withLock { state in
            state.isClosed ? (job, true) : (state.line.add(job, of: job.stream.name)?.job, false)
        }
        if let dropped {
            let reason = isClosed ? "the program ends" : "too many runs wait for their hooks"
            logger.warning("Hooks dropped", metadata: dropped.metadata.merging(["reason": "\(reason)"]) { $1 })
        }
        mailbox.yield(.changed)
    }

    private func close(grace: Duration?) {
        state.withLock { $0.isClosed = true }
        mailbox.yield(.closed(grace: grace))
    }
}

extension HookJob {
    var metadata: Logger.Metadata {
        var metadata: Logger.Metadata = ["stream": "\(stream.name)", "status": "\(status)"]
        if let record = run?.record { metadata["run"] = "\(record.id)" }
        return metadata
    }
}
