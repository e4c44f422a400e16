import Catalog
import Control
import Fetcher
import Logging
import Persistence
import Scheduler
import ServiceLifecycle
import Sync

/// The parts of `garner serve`, put together.
struct GarnerService {
    /// Runs at once, of all sources; half as many at one host.
    static let maximumConcurrentRuns = 16

    let setup: Setup
    let configuration: Configuration
    let store: Store
    let transports: Transports
    let usesHooks: Bool
    let logger: Logger

    /// Returns when `ending` has stopped it and every run in flight has ended.
    ///
    /// - Parameters:
    ///   - ending: the first element stops the service.
    ///   - reloads: each element has the configuration read again.
    /// - Returns: Whether all runs ended within their grace.
    func run(until ending: AsyncStream<Void>, reloads: AsyncStream<Void>) async throws -> Bool {
        let streams = LiveConfiguration(configuration)
        let manualRuns = ManualRuns()
        let notifier = ServiceNotifier(environment: setup.environment)
        let hooks = usesHooks ? HookRunner(setup, transports: transports, logger: logger) : nil
        let runner = ScheduledRunner(
            setup: setup, streams: streams, store: store, transports: transports, manualRuns: manualRuns, hooks: hooks,
            logger: logger, clock: setup.clock)
        let archive = try Archive(path: configuration.database)
        let scheduler = SchedulerService(
            Timetable(configuration.scheduledStreams, maximumConcurrentRuns: Self.maximumConcurrentRuns),
            memories: try memories(in: archive), clock: setup.clock, now: setup.now, logger: logger,
            perform: runner.perform, keep: runner.keep)
        for waiting in try archive.waitingRequests() {
            guard let name = StreamName(full: waiting.stream) else { continue }
            _ = manualRuns.want(waiting.request, of: name)
            scheduler.send(.wanted(name, request: waiting.request.id))
        }
        let desk = ServiceDesk(
            streams: streams, store: store, manualRuns: manualRuns, scheduler: scheduler, now: setup.now,
            logger: logger)
        // They are shut down in the reverse order: the runs in flight end while hooks and askers still listen.
        let services: [any Service] =
            [
                ControlServer(
                    database: configuration.database, logger: logger, clock: setup.clock, handle: desk.handle),
                manualRuns,
            ]
            + (hooks.map { [$0] } ?? []) + [
                scheduler,
                Reloading(
                    setup: setup, streams: streams, scheduler: scheduler, notifier: notifier, logger: logger,
                    requests: reloads),
                DatabaseWatch(store: store, clock: setup.clock),
                ServiceAnnouncements(notifier: notifier, scheduler: scheduler, clock: setup.clock),
            ]
        // Its steps would be told with all that each service holds.
        var steps = logger
        steps.logLevel = max(logger.logLevel, .warning)
        try await ServiceGroup(
            configuration: .init(
                services: services.map {
                    .init(service: $0, failureTerminationBehavior: .gracefullyShutdownGroup)
                } + [
                    .init(
                        service: FirstSignal(signals: ending, manualRuns: manualRuns),
                        successTerminationBehavior: .gracefullyShutdownGroup)
                ], logger: steps)
        ).run()
        return !scheduler.hasCancelledRuns
    }

    private func memories(in archive: Archive) throws -> [StreamName: StreamMemory] {
        let records = try archive.scheduleRecords().compactMap { name, record in
            StreamName(full: name).map { ($0, StreamMemory(record)) }
        }
        return Dictionary(records, uniquingKeysWith: { first, _ in first })
    }
}

/// Ends with the first signal, and the group of services with it.
private struct FirstSignal: Service {
    let signals: AsyncStream<Void>
    let manualRuns: ManualRuns

    func run() async {
        await cancelWhenGracefulShutdown {
            for await _ in signals { return manualRuns.close() }
        }
    }
}
