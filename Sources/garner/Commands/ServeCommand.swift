import ArgumentParser
import Catalog
import Fetcher
import Logging
import Persistence
import Scheduler
import ServiceLifecycle
import Sync

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Keep all scheduled streams in step, until stopped.",
        discussion: """
            SIGTERM or Ctrl-C stops it: no new page is fetched, what was fetched is
            stored. A second one ends it at once.

              garner serve
              garner serve --verbose 2>> garner.log
              garner serve --log-format json
            """)

    @OptionGroup var log: LogOptions

    @Flag(help: "Tell nobody how the runs end: no 'hooks' of the configuration.")
    var noHooks = false

    @OptionGroup var shared: SharedOptions

    func run() async throws {
        let setup = Setup(shared)
        let configuration = try setup.configuration()
        setup.showWarnings(of: configuration)
        let scheduled = configuration.streams.filter { $0.schedule != nil }
        guard !scheduled.isEmpty else {
            throw Failure(
                code: ExitCode.configuration, kind: "no_schedule", message: "no stream has a schedule",
                place: configuration.file,
                hint: "give one 'schedule: { every: 15m }'")
        }
        // Before anything that an end without notice would leave half done.
        let (received, continuation) = AsyncStream<Void>.makeStream()
        let signals = Signals { _ in continuation.yield() }
        defer { signals.stop() }
        try await setup.withStore(configuration) { store, transports in
            try await serve(scheduled, of: configuration, setup, store, transports, until: received)
        }
    }

    /// Ends when a signal has stopped it.
    private func serve(
        _ scheduled: [Catalog.Stream], of configuration: Configuration, _ setup: Setup, _ store: Store,
        _ transports: Transports, until signals: AsyncStream<Void>
    ) async throws {
        let logger = setup.logger("garner", log.format)
        let lastNominal = try Archive(path: configuration.database).lastNominalInstants()
        let streams = Dictionary(uniqueKeysWithValues: scheduled.map { ($0.name, $0) })
        let hooks = HookRunner(setup, transports: transports, logger: logger)
        let runner = ScheduledRunner(
            setup: setup, streams: streams, store: store, transports: transports, logger: logger,
            hooks: noHooks ? nil : hooks)
        let scheduler = SchedulerService(
            streams: scheduled.compactMap { stream in stream.schedule.map { (stream.name, $0) } },
            parents: streams.compactMapValues { $0.parent?.stream },
            lastNominal: Dictionary(
                uniqueKeysWithValues: streams.keys.compactMap { name in lastNominal[name.description].map { (name, $0) }
                }),
            clock: setup.clock, now: setup.now, logger: logger, perform: runner.perform, skipped: runner.skipped)
        try await ServiceGroup(
            configuration: .init(
                services: [
                    // They end in the reverse order: the last runs are still told of.
                    .init(service: hooks), .init(service: scheduler),
                    .init(
                        service: FirstSignal(signals: signals), successTerminationBehavior: .gracefullyShutdownGroup),
                ], logger: logger)
        ).run()
    }
}

/// Ends with the first signal, and the group of services with it.
private struct FirstSignal: Service {
    let signals: AsyncStream<Void>

    func run() async {
        await cancelWhenGracefulShutdown {
            for await _ in signals { return }
        }
    }
}
