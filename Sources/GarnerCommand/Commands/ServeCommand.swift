import ArgumentParser
import GarnerCatalog
import GarnerModel
import GarnerRuntime

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
        let signals = ServiceSignals()
        let setup = Setup(shared)
        let configuration = try setup.loadedConfiguration()
        // Without this, a service that can do nothing would look as if it ran.
        if configuration.streams.allSatisfy({ !$0.missing.isEmpty }) { try configuration.requireSecrets() }
        try setup.refuseSwappedNames(in: configuration)
        try setup.refuseSharedTables(in: configuration)
        let listening = try listen.listening(otherwise: configuration.listen)
        let logger = setup.logger("garner", log.format)
        configuration.logWarnings(to: logger)
        guard configuration.streams.contains(where: { $0.schedule != nil }) else {
            throw CommandError(
                .misconfigured, kind: "no_schedule", message: "no stream has a schedule",
                place: configuration.file,
                hint: "give one 'schedule: { every: 15m }'")
        }
        try await ServeSession(
            setup: setup, configuration: configuration, usesHooks: !noHooks, logger: logger, listening: listening
        ).run(until: signals)
    }
}
