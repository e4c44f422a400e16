import ArgumentParser
import Catalog
import Fetcher
import LibC
import Logging
import Model
import Persistence
import Sync

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Sync all scheduled streams until stopped.",
        discussion: """
            SIGTERM or Ctrl-C stops the service. It fetches no new page and stores what it
            has fetched. A second signal ends it at once. SIGHUP reloads the
            configuration; if the new one is not valid, the old one stays in use. The
            commands 'garner trigger', 'pause', 'resume' and 'sync' control the running
            service. With --verbose, it logs each request.

              garner serve
              garner serve --verbose 2>> garner.log
              garner serve --listen 127.0.0.1:8787     # with a dashboard for browsers
            """)

    @Flag(help: "Do not run hooks.")
    var noHooks = false

    @OptionGroup var listen: ListenOptions

    @OptionGroup var log: LogOptions

    @OptionGroup var shared: SharedOptions

    func run() async throws {
        let setup = Setup(shared)
        let configuration = try setup.configuration()
        let listening = try listen.listening()
        let logger = setup.logger("garner", log.format)
        configuration.logWarnings(to: logger)
        guard configuration.streams.contains(where: { $0.schedule != nil }) else {
            throw CommandError(
                .misconfigured, kind: "no_schedule", message: "no stream has a schedule",
                place: configuration.file,
                hint: "give one 'schedule: { every: 15m }'")
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
        let isInTime = try await setup.withStore(configuration) { writer, transports in
            if !setup.isQuiet, isatty(STDERR_FILENO) == 1 {
                let records = try ReadOnlyDatabase(path: configuration.database).scheduleStates()
                StandardError.write(ServiceGreeting(configuration, records, now: setup.now()).text())
            }
            return try await GarnerService(
                setup: setup, configuration: configuration, writer: writer, transports: transports, usesHooks: !noHooks,
                logger: logger, listening: listening
            ).run(until: ending, reloads: reloads)
        }
        if !isInTime, let signal = signals.first { throw ExitError(code: 128 + signal) }
    }
}
