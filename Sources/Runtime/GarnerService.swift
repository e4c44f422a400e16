package import GarnerCatalog
import GarnerControl
package import GarnerFetcher
package import Logging
import GarnerModel
package import GarnerPersistence
import GarnerScheduler
package import ServiceLifecycle
import GarnerSync

/// The composition of a service that keeps a database in step with its sources.
package struct GarnerService {
    /// The limit on concurrent runs of all sources; half of it applies to one host.
    package static let maximumConcurrentRuns = 16

    package typealias Reload = @Sendable (Configuration) throws(ReloadRefusal) -> Configuration
    package typealias Others = @Sendable (ControlHandler, LiveConfiguration) async throws -> [any Service]

    let context: RuntimeContext
    let configuration: Configuration
    let writer: DatabaseWriter
    let transports: Transports
    let usesHooks: Bool
    let logger: Logger
    let observer: any ServiceObserver
    let maximumClients: Int
    let reload: Reload
    let others: Others

    /// - Parameters:
    ///   - maximumClients: The number of clients of the control socket that are served at once.
    ///   - reload: Loads the successor of the configuration in force.
    ///   - others: Makes the services that answer people until the last run has ended, such as a dashboard.
    package init(
        _ context: RuntimeContext, _ configuration: Configuration, writer: DatabaseWriter, transports: Transports,
        usesHooks: Bool, logger: Logger, observer: any ServiceObserver, maximumClients: Int,
        reload: @escaping Reload, others: @escaping Others
    ) {
        self.context = context
        self.configuration = configuration
        self.writer = writer
        self.transports = transports
        self.usesHooks = usesHooks
        self.logger = logger
        self.observer = observer
        self.maximumClients = maximumClients
        self.reload = reload
        self.others = others
    }

    /// Runs until `ending` stops the service and every active run has ended.
    ///
    /// - Parameters:
    ///   - ending: Its first element stops the service.
    ///   - reloads: Each element reloads the configuration.
    /// - Returns: True if all runs ended within their grace period.
    package func run(until ending: AsyncStream<Void>, reloads: AsyncStream<Void>) async throws -> Bool {
        let streams = LiveConfiguration(configuration)
        let manualRuns = ManualRuns()
        let (clock, now) = (context.timing.clock, context.timing.now)
        let hooks = usesHooks ? HookRunner(context, transports: transports, logger: logger) : nil
        let runner = ScheduledRunner(
            context: context, streams: streams, writer: writer, transports: transports, manualRuns: manualRuns,
            hooks: hooks, logger: logger)
        let reader = DatabaseReader(path: configuration.database)
        let stale = hooks.map {
            StaleWatch(
                streams: streams, reader: reader, writer: writer, hooks: $0, clock: clock, now: now)
        }
        let (states, waiting) = try await reader.read { try ($0.scheduleStates(), $0.waitingRequests()) }
        let scheduler = SchedulerService(
            Timetable(configuration.scheduledStreams, maximumConcurrentRuns: Self.maximumConcurrentRuns),
            states: Self.byStream(states), clock: clock, now: now, logger: logger,
            perform: runner.perform, keep: runner.keep)
        for request in waiting {
            _ = manualRuns.want(request)
            scheduler.send(.wanted(request.stream, request: request.id))
        }
        let handler = ControlHandler(
            streams: streams, writer: writer, manualRuns: manualRuns, scheduler: scheduler, now: now,
            logger: logger)
        let others = try await self.others(handler, streams)
        var controlLimits = ControlLimits()
        controlLimits.maximumClients = maximumClients
        // They are shut down in reverse order: active runs end while hooks and clients are still served.
        let services: [any Service] =
            [
                ControlServer(
                    database: configuration.database, logger: logger, clock: clock, limits: controlLimits,
                    handle: handler.handle),
                manualRuns,
            ]
            + others + (hooks.map { [$0] } ?? []) + (stale.map { [$0] } ?? []) + [
                scheduler,
                Reloading(
                    streams: streams, scheduler: scheduler, observer: observer, now: now, logger: logger,
                    requests: reloads, load: reload),
                DatabaseWatch(writer: writer, clock: clock),
                ServiceAnnouncements(observer: observer, scheduler: scheduler, clock: clock),
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
