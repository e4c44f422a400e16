package import GarnerCatalog
import GarnerControl
package import GarnerPostgres
import GarnerScheduler
package import GarnerShards
import Logging
package import ServiceLifecycle

/// What the process of a service has once: requests of other processes, reloads, its end, and what tells people and the service
/// manager of it.
package struct ServiceProcess {
    private let source: SourceService
    private let others: [any Service]
    private let observer: any ServiceObserver
    private let holding: ShardHolding?

    /// - Parameters:
    ///   - others: What goes on until the last run has ended, such as hooks and a dashboard.
    ///   - holding: The shard that the service writes; nil for a file.
    package init(
        _ source: SourceService, _ others: [any Service], observer: any ServiceObserver, holding: ShardHolding? = nil
    ) {
        (self.source, self.others, self.observer, self.holding) = (source, others, observer, holding)
    }

    /// Runs until `ending` stops the service and every active run has ended.
    ///
    /// - Parameters:
    ///   - maximumClients: The number of clients of the control socket that are served at once.
    ///   - ending: Its first element stops the service.
    ///   - reloads: Each element reloads the configuration.
    ///   - load: Loads the successor of the configuration in force.
    /// - Returns: True if all runs ended within their grace period.
    package func run(
        maximumClients: Int, until ending: AsyncStream<Void>, reloads: AsyncStream<Void>,
        _ load: @escaping @Sendable (Configuration) throws(ReloadRefusal) -> Configuration
    ) async throws -> Bool {
        let (clock, logger) = (source.context.clock, source.logger)
        var limits = ControlLimits()
        limits.maximumClients = maximumClients
        let requests: any Service =
            if let holding {
                ShardRequestServer(
                    shard: holding.shard, holding: holding.id, logger: logger, clock: clock,
                    handle: source.handler.handle)
            } else {
                ControlServer(
                    database: source.streams.configuration.database, logger: logger, clock: clock, limits: limits,
                    handle: source.handler.handle)
            }
        let reloading = Reloading(source: source, observer: observer, requests: reloads, load: load)
        let announcements = ServiceAnnouncements(observer: observer, scheduler: source.scheduler, clock: clock)
        // They are shut down in reverse order: active runs end while hooks and clients are still served.
        let services: [any Service] =
            [requests, source.manualRuns] + others + source.services + [reloading, announcements]
        // The group would log its steps with the contents of each service.
        var steps = logger
        steps.logLevel = max(logger.logLevel, .warning)
        try await ServiceGroup(
            configuration: .init(
                services: services.map {
                    .init(service: $0, failureTerminationBehavior: .gracefullyShutdownGroup)
                } + [
                    .init(
                        service: FirstSignal(signals: ending, manualRuns: source.manualRuns),
                        successTerminationBehavior: .gracefullyShutdownGroup)
                ], logger: steps)
        ).run()
        return !source.scheduler.hasCancelledRuns
    }
}

/// A shard, and what identifies the time for which this process holds it.
package struct ShardHolding: Sendable {
    let shard: ShardPlace
    let id: PostgresUUID

    package init(_ shard: ShardPlace, _ id: PostgresUUID) { (self.shard, self.id) = (shard, id) }
}

private struct FirstSignal: Service {
    let signals: AsyncStream<Void>
    let manualRuns: ManualRuns

    func run() async {
        await cancelWhenGracefulShutdown {
            for await _ in signals { return manualRuns.close() }
        }
    }
}
