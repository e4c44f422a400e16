import ArgumentParser
import Catalog
import Fetcher
import Model
import Persistence
import Presentation
import Sync

struct SyncCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync", abstract: "Sync streams once, now.",
        discussion: """
            If you name no stream, garner syncs all streams. It stores changes page by
            page and resumes an interrupted run where it stopped. If the service is
            running, it runs the streams and this command waits for it.

              garner sync
              garner sync zoo.animals --full-refresh
              garner sync --dry-run
              garner sync --wait 10m    # wait for another sync of this database
              garner sync --json | jq .inserted
            """)

    @Argument(
        help: "Streams, as source.stream, the stream name alone, or a pattern such as 'crm.*'.", completion: .streams)
    var streams: [String] = []

    @Flag(help: "Start at the first page, even if an earlier run is unfinished.")
    var fullRefresh = false

    @Flag(help: "Fetch everything and show what would change, but store nothing.")
    var dryRun = false

    @Option(help: ArgumentHelp("End each run after this many pages.", valueName: "n"))
    var maxPages: Int?

    @Flag(help: "Do not run hooks.")
    var noHooks = false

    @Option(
        help: ArgumentHelp(
            "Wait this long for another garner that writes to the database, instead of exiting with 75.",
            valueName: "duration"))
    var wait: String?

    @OptionGroup var shared: SharedOptions

    func validate() throws {
        if let wait, (try? DurationText.parse(wait)) == nil {
            throw ValidationError("--wait must be a duration such as 30s or 10m")
        }
        if let maxPages, maxPages < 1 { throw ValidationError("--max-pages must be at least 1") }
    }

    private var scope: RunScope { RunScope(restarts: fullRefresh, maximumPages: maxPages) }

    func run() async throws {
        let setup = Setup(shared)
        let configuration = try setup.configuration()
        setup.showWarnings(of: configuration)
        let streams = try configuration.streams(matching: streams)
        guard !streams.isEmpty else {
            StandardError.write(
                "There is no stream to synchronise; add one under 'sources:' in \(configuration.file).\n")
            return
        }
        if let service = await RunningService(of: configuration, clock: setup.clock) {
            guard !dryRun else { throw CommandError(dryRunBeside: service, of: configuration.database) }
            guard !noHooks else { throw CommandError(withoutHooksBeside: service) }
            return try await ServiceSession(setup, service, configuration)
                .run(streams, scope)
        }
        let session = SyncSession(
            setup: setup, configuration: configuration, isDryRun: dryRun, callsHooks: !noHooks && !dryRun,
            wait: try wait.map(DurationText.parse) ?? .zero)
        try await session.run(streams, RunOptions(scope: scope))
    }
}

extension CommandError {
    /// Refuses a dry run beside a service. A dry run is a transaction that is undone at the end, and blocks other
    /// writers.
    fileprivate init(dryRunBeside service: RunningService, of database: String) {
        self.init(
            .busy, kind: "locked",
            message: "a dry run needs the database \(database) for itself, and \(service) has it",
            hint: "stop the service first, or see with 'garner plan' what would be asked for")
    }

    /// Refuses `--no-hooks` beside a service, which calls the hooks of its configuration.
    fileprivate init(withoutHooksBeside service: RunningService) {
        self.init(
            .busy, kind: "locked",
            message: "\(service) does the work, and calls the hooks of its configuration",
            hint: "leave --no-hooks out, or stop the service first")
    }
}
