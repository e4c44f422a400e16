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
        // The signals are watched before any work begins that must not be interrupted.
        let (ending, ended) = AsyncStream<Void>.makeStream()
        let signals = Signals { _ in ended.yield() }
        let (reloads, reload) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let hangUps = HangupSignal { reload.yield() }
        defer {
            signals.stop()
            hangUps.stop()
        }
        let isInTime = try await setup.withStore(configuration) { writer, transports in
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
