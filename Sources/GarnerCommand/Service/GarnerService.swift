import GarnerCatalog
import GarnerControl
import Dashboard
import GarnerFetcher
import Logging
import GarnerModel
import GarnerPersistence
import GarnerScheduler
import ServiceLifecycle
import GarnerSync

/// The composition of `garner serve`.
struct GarnerService {
    /// The limit on concurrent runs of all sources; half of it applies to one host.
    static let maximumConcurrentRuns = 16

    let setup: Setup
    let configuration: Configuration
    let writer: DatabaseWriter
    let transports: Transports
    let usesHooks: Bool
    let logger: Logger
    /// The address of the dashboard, and the rules for who may see it; nil for no dashboard.
    var listening: DashboardListening?

    /// Runs until `ending` stops the service and every active run has ended.
    ///
    /// - Parameters:
    ///   - ending: Its first element stops the service.
    ///   - reloads: Each element reloads the configuration.
    /// - Returns: True if all runs ended within their grace period.
    func run(until ending: AsyncStream<Void>, reloads: AsyncStream<Void>) async throws -> Bool {
        let streams = LiveConfiguration(configuration)
        let manualRuns = ManualRuns()
        let notifier = ServiceNotifier(environment: setup.environment)
        let hooks = usesHooks ? HookRunner(setup, transports: transports, logger: logger) : nil
        let runner = ScheduledRunner(
            setup: setup, streams: streams, writer: writer, transports: transports, manualRuns: manualRuns,
            hooks: hooks,
            logger: logger, clock: setup.clock)
        let reader = DatabaseReader(path: configuration.database)
        let stale = hooks.map {
            StaleWatch(
                streams: streams, reader: reader, writer: writer, hooks: $0, clock: setup.clock, now: setup.now)
        }
        let (states, waiting) = try await reader.read { try ($0.scheduleStates(), $0.waitingRequests()) }
        let scheduler = SchedulerService(
            Timetable(configuration.scheduledStreams, maximumConcurrentRuns: Self.maximumConcurrentRuns),
            states: Self.byStream(states), clock: setup.clock, now: setup.now, logger: logger,
            perform: runner.perform, keep: runner.keep)
        for request in waiting {
            _ = manualRuns.want(request)
            scheduler.send(.wanted(request.stream, request: request.id))
        }
        let handler = ControlHandler(
            streams: streams, writer: writer, manualRuns: manualRuns, scheduler: scheduler, now: setup.now,
            logger: logger)
        let dashboard = listening.map { listening in
            DashboardServer(
                setup.dashboard(
                    of: configuration.database, { streams.configuration }, access: listening.access,
                    notices: { streams.notices },
                    actions: ServiceActions(handler: handler, streams: streams, writer: writer, clock: setup.clock),
                    startedAt: setup.now(), demo: listening.demo),
                at: listening.address, logger: logger
            ) { port in listening.announce(port: port, logger) }
        }
        try await dashboard?.requireFreeAddress()
        var controlLimits = ControlLimits()
        controlLimits.maximumClients = DescriptorLimit.current.clients
        // They are shut down in reverse order: active runs end while hooks and clients are still served.
        let services: [any Service] =
            [
                ControlServer(
                    database: configuration.database, logger: logger, clock: setup.clock, limits: controlLimits,
                    handle: handler.handle),
                manualRuns,
            ]
            + (dashboard.map { [$0] } ?? []) + (hooks.map { [$0] } ?? []) + (stale.map { [$0] } ?? []) + [
                scheduler,
                Reloading(
                    setup: setup, streams: streams, scheduler: scheduler, notifier: notifier, logger: logger,
                    requests: reloads),
                DatabaseWatch(writer: writer, clock: setup.clock),
                ServiceAnnouncements(notifier: notifier, scheduler: scheduler, clock: setup.clock),
            ]
        // The group would log its steps with the contents of each service.
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

    private static func byStream(_ states: [String: ScheduleState]) -> [StreamName: ScheduleState] {
        let records = states.compactMap { name, state in StreamName(full: name).map { ($0, state) } }
        return Dictionary(records, uniquingKeysWith: { first, _ in first })
    }
}

/// A service that ends with the first signal, and ends the service group with it.
private struct FirstSignal: Service {
    let signals: AsyncStream<Void>
    let manualRuns: ManualRuns

    func run() async {
        await cancelWhenGracefulShutdown {
            for await _ in signals { return manualRuns.close() }
        }
    }
}

/// A service that ends the program if the database file is lost. Otherwise it would live on and its work would
/// be lost.
struct DatabaseWatch: Service {
    static let interval = Duration.seconds(5)
    /// The wait before the second look. Another program's checkpoint can look like a loss, but ends within this time.
    static let secondThought = Duration.seconds(1)

    let writer: DatabaseWriter
    let clock: any Clock<Duration>

    /// Throws the reason for the loss. Returns when the service ends for another reason.
    func run() async throws {
        try await cancelWhenGracefulShutdown {
            while (try? await clock.sleep(for: Self.interval)) != nil {
                if (try? await writer.checkFile()) != nil { continue }
                guard (try? await clock.sleep(for: Self.secondThought)) != nil else { return }
                do { try await writer.checkFile() } catch is CancellationError { return }
            }
        }
    }
}
