package import GarnerCatalog
package import GarnerFetcher
package import Logging
package import GarnerModel
import GarnerPersistence
import ServiceLifecycle
package import GarnerSync
import Synchronization

/// Runs hooks in the background when runs begin and end. Reporting a run never waits.
///
/// A failed hook is logged and has no other effect.
package final class HookRunner: Service, Sendable {
    private enum Event: Sendable {
        case changed
        case closed(grace: Duration?)
        case graceEnded
    }

    private struct State {
        var queue: HookQueue<HookBatch>
        var isClosed = false
    }

    private let perform: @Sendable (HookBatch) async -> Void
    private let clock: any Clock<Duration>
    private let logger: Logger
    private let grace: Duration
    private let state: Mutex<State>
    private let events: AsyncStream<Event>
    private let inputs: AsyncStream<Event>.Continuation

    /// - Parameters:
    ///   - capacity: The number of runs that can wait for their hooks. Beyond it, the oldest are dropped.
    ///   - grace: The time that a shutdown waits for queued and active hooks.
    package convenience init(
        _ context: RuntimeContext, transports: Transports, logger: Logger, capacity: Int = 256,
        grace: Duration = .seconds(5)
    ) {
        let caller = HookCaller(
            transports: transports, timing: context.timing, environment: context.environment, logger: logger)
        self.init(clock: context.clock, logger: logger, capacity: capacity, grace: grace) {
            await caller.perform($0)
        }
    }

    init(
        clock: any Clock<Duration>, logger: Logger, capacity: Int, grace: Duration,
        perform: @escaping @Sendable (HookBatch) async -> Void
    ) {
        self.perform = perform
        self.clock = clock
        self.logger = logger
        self.grace = grace
        state = Mutex(State(queue: HookQueue(capacity: capacity, maximumConcurrentJobs: 4)))
        (events, inputs) = AsyncStream.makeStream()
    }

    package func began(_ stream: StreamConfiguration, nominal: Timestamp?) {
        if let job = HookBatch(beginning: stream, nominal: nominal) { add(job) }
    }

    package func ended(_ outcome: RunOutcome, of stream: StreamConfiguration, nominal: Timestamp?) {
        if let job = HookBatch(ending: outcome, of: stream, nominal: nominal) { add(job) }
    }

    func isStale(_ stream: StreamConfiguration, due: Timestamp?) {
        if let job = HookBatch(stale: stream, due: due) { add(job) }
    }

    /// Ends the input: `run()` returns when the hooks of all reported runs are done.
    package func finish() { close(grace: nil) }

    /// Returns after `finish()`, a graceful shutdown or a cancellation. Hook programs do not outlive it.
    package func run() async {
        await withGracefulShutdownHandler {
            await withDiscardingTaskGroup { group in
                for await event in events {
                    switch event {
                    case .changed, .closed(nil): break
                    case .closed(let grace?):
                        group.addTask { [clock, inputs] in
                            if (try? await clock.sleep(for: grace)) != nil { inputs.yield(.graceEnded) }
                        }
                    case .graceEnded:
                        let count = state.withLock { $0.queue.clear() }
                        logger.warning(
                            "Hooks did not end within the grace period and are cancelled",
                            metadata: ["waiting": "\(count)"])
                        group.cancelAll()
                    }
                    while !Task.isCancelled, let next = state.withLock({ $0.queue.next() }) {
                        group.addTask {
                            await self.perform(next.job)
                            self.state.withLock { $0.queue.finish(next.stream) }
                            self.inputs.yield(.changed)
                        }
                    }
                    if state.withLock({ $0.isClosed && $0.queue.isIdle }) { break }
                }
                group.cancelAll()
            }
        } onGracefulShutdown: {
            self.close(grace: self.grace)
        }
    }

    private func add(_ job: HookBatch) {
        let (dropped, isClosed) = state.withLock { state in
            state.isClosed ? (job, true) : (state.queue.add(job, of: job.stream.name)?.job, false)
        }
        if let dropped {
            let reason = isClosed ? "the program ends" : "too many runs wait for their hooks"
            logger.warning("Hooks dropped", metadata: dropped.metadata.merging(["reason": "\(reason)"]) { $1 })
        }
        inputs.yield(.changed)
    }

    private func close(grace: Duration?) {
        state.withLock { $0.isClosed = true }
        inputs.yield(.closed(grace: grace))
    }
}

extension HookBatch {
    var metadata: Logger.Metadata {
        var metadata: Logger.Metadata = ["stream": "\(stream.name)", "status": "\(status)"]
        if let record = run?.record { metadata["run"] = "\(record.id)" }
        return metadata
    }
}
