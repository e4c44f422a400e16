import GarnerCatalog
import GarnerLibC
import Logging
import GarnerModel
import GarnerPersistence
import GarnerPresentation

/// Runs the service until a signal ends it.
struct ServeSession {
    let setup: Setup
    let configuration: Configuration
    let usesHooks: Bool
    let logger: Logger
    let listening: DashboardListening?

    /// Throws `ExitError` if runs had to be cancelled at the end.
    func run() async throws {
        if let service = await RunningService(of: configuration.database, clock: setup.clock) {
            throw CommandError(anotherBeside: service, of: configuration.database)
        }
        // The signals are watched before any work begins that must not be interrupted.
        let (ending, ended) = AsyncStream<Void>.makeStream()
        let signals = Signals { _ in ended.yield() }
        let (reloads, reload) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let hangUps = HangupSignal { reload.yield() }
        defer {
            signals.stop()
            hangUps.stop()
        }
        let isInTime = try await setup.withStore(
            configuration, tellCreated: { logger.info("Database created", metadata: ["path": "\($0)"]) }
        ) { writer, transports in
            if !setup.isQuiet, isatty(STDERR_FILENO) == 1 {
                let records = try ReadOnlyDatabase(path: configuration.database).scheduleStates()
                StandardError.write(ServiceGreeting(configuration, records, now: setup.now()).text)
            }
            return try await GarnerService(
                setup: setup, configuration: configuration, writer: writer, transports: transports,
                usesHooks: usesHooks,
                logger: logger, listening: listening
            ).run(until: ending, reloads: reloads)
        }
        if !isInTime, let signal = signals.first { throw ExitError(code: 128 + signal) }
    }
}

extension CommandError {
    /// Refuses a second service of a database.
    fileprivate init(anotherBeside service: RunningService, of database: String) {
        let stop = service.process.map { "stop it with 'kill \($0)'" } ?? "stop it"
        self.init(
            .busy, kind: "locked", message: "\(service) already syncs the database \(database)",
            hint: "see what it does with 'garner status'; to start another one, \(stop) first")
    }
}
