import ArgumentParser
import GarnerCatalog
import GarnerControl
import GarnerModel
import GarnerPresentation
import GarnerSync

struct TriggerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trigger", abstract: "Tell the running service to run streams now.",
        discussion: """
            The stream runs even if it is not due, paused or held back after failures. Its
            schedule does not change. If no service is running, this command runs the
            stream itself.

              garner trigger zoo.animals
              garner trigger zoo.animals --wait --json | jq .inserted
              garner trigger zoo.animals --request-id nightly-2026-03-01
            """)

    @Argument(
        help: "Streams, as source.stream, the stream name alone, or a pattern such as 'crm.*'.", completion: .streams)
    var streams: [String]

    @Flag(help: "Wait for the run to end, and exit with its exit code.")
    var wait = false

    @Option(
        help: ArgumentHelp(
            "Idempotency key: repeating a request with the same ID does not start a second run.", valueName: "id"))
    var requestID: String?

    @Flag(help: "Do not run hooks if this command runs the stream itself.")
    var noHooks = false

    @OptionGroup var shared: SharedOptions

    func validate() throws {
        guard let requestID else { return }
        guard RunRequest.isID(requestID) else {
            throw ValidationError(
                "--request-id must be 1 to \(RunRequest.longestID) printable ASCII characters without spaces")
        }
        if streams.count > 1 { throw ValidationError("--request-id goes with one stream") }
    }

    func run() async throws {
        let setup = Setup(shared)
        let (configuration, service) = try await setup.configurationForRuns()
        setup.showWarnings(of: configuration)
        await setup.warnOfOtherFile(than: configuration, in: service)
        try setup.refuseSwappedNames(in: configuration)
        try setup.refuseSharedTables(in: configuration)
        let streams = try configuration.streams(matching: streams)
        let requests = Dictionary(uniqueKeysWithValues: streams.map { ($0.name, requestID ?? RequestID.random()) })
        var (left, categories): ([Setup.Part], [ErrorCategory?]) = ([], [])
        let reporter = SyncReporter(setup, requests: requests)
        for part in try await setup.parts(of: streams, in: configuration, placing: true) {
            guard !wait, let service = await RunningService(of: part, setup) else {
                left.append(part)
                continue
            }
            categories += try await ServiceSession(
                setup, service, part.configuration, requests: requests, reporter: reporter
            ).announced(part.streams)
        }
        if left.isEmpty { return try reporter.end(categories) }
        if service == nil, !setup.isQuiet {
            StandardError.write("No service is running; running it in this process.\n")
        }
        try await PartedSync(setup: setup, parts: left, callsHooks: !noHooks, requests: requests).run(RunScope())
        try reporter.end(categories)
    }
}
