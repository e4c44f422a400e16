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
        commandName: "serve", abstract: "Keep all scheduled streams in step, until stopped.",
        discussion: """
            SIGTERM or Ctrl-C stops it: no new page is fetched, what was fetched is
            stored. A second one ends it at once. SIGHUP reads the configuration again;
            where that is not valid, the one before stays. While it runs, 'garner trigger',
            'pause', 'resume' and 'sync' ask it to do what they say. With --verbose each
            request is told.

              garner serve
              garner serve --verbose 2>> garner.log
            """)

    @Flag(help: "Leave the hooks of the configuration out.")
    var noHooks = false

    @OptionGroup var log: LogOptions

    @OptionGroup var shared: SharedOptions

    func run() async throws {
        let setup = Setup(shared)
        let configuration = try setup.configuration()
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
                let records = try DatabaseReader(path: configuration.database).scheduleStates()
                StandardError.write(ServiceGreeting(configuration, records, now: setup.now()).text())
            }
            return try await GarnerService(
                setup: setup, configuration: configuration, writer: writer, transports: transports, usesHooks: !noHooks,
                logger: logger
            ).run(until: ending, reloads: reloads)
        }
        if !isInTime, let signal = signals.first { throw ExitError(code: 128 + signal) }
    }
}
