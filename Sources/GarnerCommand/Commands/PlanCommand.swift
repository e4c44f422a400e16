import ArgumentParser
import GarnerCatalog
import GarnerPersistence
import GarnerReports
import GarnerRuntime
import GarnerSync

struct PlanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan", abstract: "Show the requests that a sync would send.",
        discussion: """
            This command fetches and stores nothing. It shows known pages as a sync would
            request them again. Only the response to a new page shows which requests
            follow it.

              garner plan
              garner plan zoo.animals --limit 0
              garner plan --full-refresh --json
            """)

    @Argument(
        help: "Streams, as source.stream, the stream name alone, or a pattern such as 'crm.*'.", completion: .streams)
    var streams: [String] = []

    @Flag(help: "Plan a sync with --full-refresh.")
    var fullRefresh = false

    @Option(help: ArgumentHelp("Show at most this many requests of each stream; 0 for all known ones.", valueName: "n"))
    var limit = 10

    @OptionGroup var shared: SharedOptions

    func validate() throws {
        if limit < 0 { throw ValidationError("--limit must not be negative") }
    }

    func run() async throws {
        let setup = Setup(shared)
        let configuration = try setup.loadedConfiguration()
        setup.showWarnings(of: configuration)
        let chosen = try configuration.streams(matching: streams)
        setup.warnOfFormerReads(of: chosen, in: configuration)
        let plannedStreams = try await setup.context.withTransports(of: configuration) { transports in
            let reader = try ReadOnlyDatabase.openOrEmpty(path: configuration.database, now: setup.now())
            let streams = RunQueue.order(of: chosen, views: try reader.viewDefinitions())
            let fetchers = setup.context.pageFetchers(over: transports)
            let difference = try? StreamDifference(of: configuration, in: reader)
            return streams.map { stream in
                PlannedStream(of: stream, among: streams) {
                    if let refusal = try? difference?.refusal(of: stream.name, in: reader) { throw refusal }
                    return try StreamPlan(
                        of: stream, with: fetchers(stream), from: reader, now: setup.now(),
                        limit: limit == 0 ? .max : limit, restarting: fullRefresh, clock: setup.clock)
                }
            }
        }
        try PlanReport(
            plannedStreams: plannedStreams,
            emptyHint: "There is no stream to plan for in \(configuration.file); 'garner add URL' adds one."
        ).write(to: setup)
        try ExitError.requireSuccess(plannedStreams.map { $0.failure?.category })
    }
}
