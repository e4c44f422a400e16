package import GarnerCatalog
package import GarnerFetcher
package import Logging
import GarnerModel
package import GarnerPersistence
import GarnerScheduler
import ServiceLifecycle

/// What a service has for each database: its scheduler, the runs of its streams, and the watches over them.
package struct SourceService: Sendable {
    /// The limit on concurrent runs of all sources; half of it applies to one host.
    package static let maximumConcurrentRuns = 16

    let context: RuntimeContext
    let logger: Logger
    package let streams: LiveConfiguration
    package let handler: ControlHandler
    let manualRuns = ManualRuns()
    let scheduler: SchedulerService
    private let active = ActiveRuns()
    /// What works for the database, to be shut down in reverse order.
    let services: [any Service]

    /// Takes up the requests for runs that the database still has.
    ///
    /// - Parameters:
    ///   - hooks: The runner of hooks; nil if hooks are off.
    ///   - publication: What publishes the tables; nil if nothing does.
    ///   - giveBack: Has the service end, for another process that needs the database; nil for a file.
    ///   - cannotWrite: Called if a run could not write to the database, as on a full disk.
    ///   - gate: What admits the runs of all databases of the process.
    package init(
        _ context: RuntimeContext, _ configuration: Configuration, writer: DatabaseWriter, transports: Transports,
        hooks: HookRunner?, publication: TablePublication? = nil, giveBack: (@Sendable () -> Void)? = nil,
        cannotWrite: (@Sendable () -> Void)? = nil, gate: RunGate = RunGate(), logger: Logger
    ) async throws {
        let (clock, now) = (context.clock, context.now)
        (self.context, self.logger) = (context, logger)
        streams = LiveConfiguration(configuration)
        let runner = ScheduledRunner(
            context: context, streams: streams, writer: writer, transports: transports, manualRuns: manualRuns,
            hooks: hooks, publication: publication, gate: gate, active: active, cannotWrite: cannotWrite, logger: logger
        )
        let reader = DatabaseReader(path: configuration.database)
        let (states, waiting) = try await reader.read { try ($0.scheduleStates(), $0.waitingRequests()) }
        scheduler = SchedulerService(
            Timetable(configuration.scheduledStreams, maximumConcurrentRuns: Self.maximumConcurrentRuns),
            states: Self.byStream(states), clock: clock, now: now, logger: logger,
            perform: runner.perform, keep: runner.keep)
        handler = ControlHandler(
            streams: streams, writer: writer, manualRuns: manualRuns, scheduler: scheduler, publication: publication,
            giveBack: giveBack, now: now, logger: logger)
        var services: [any Service] = [scheduler, DatabaseWatch(writer: writer, clock: clock)]
        if let hooks {
            services.insert(
                StaleWatch(streams: streams, reader: reader, writer: writer, hooks: hooks, clock: clock, now: now),
                at: 0)
        }
        if let publication {
            // It ends after the last run, whose rows it sends.
            services.insert(
                PublicationService(publication: publication, streams: streams, clock: clock, logger: logger), at: 0)
        }
        self.services = services
        for request in waiting {
            _ = manualRuns.ask(request)
            scheduler.send(.wanted(request.stream, request: request.id))
        }
    }

    /// True if no run is active.
    package var isIdle: Bool { !active.areThere }

    /// Returns when the scheduler has handled what came before.
    package func pulse() async { await scheduler.pulse() }

    private static func byStream(_ states: [String: ScheduleState]) -> [StreamName: ScheduleState] {
        let records = states.compactMap { name, state in StreamName(full: name).map { ($0, state) } }
        return Dictionary(records, uniquingKeysWith: { first, _ in first })
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
