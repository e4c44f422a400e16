import ArgumentParser
import GarnerCatalog
import GarnerFetcher
import GarnerModel
import GarnerPersistence
import GarnerPresentation
import GarnerSync

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
              garner sync sales --from 2026-01-01 --to 2026-02-01
              garner sync --wait 10m    # wait for another sync of this database
              garner sync --json | jq .inserted
            """)

    @Argument(
        help: "Streams, as source.stream, the stream name alone, or a pattern such as 'crm.*'.", completion: .streams)
    var streams: [String] = []

    @Flag(help: "Start at the first page, even if an earlier run is unfinished.")
    var fullRefresh = false

    @Option(
        help: ArgumentHelp(
            "Read an incremental stream from this cursor once more. The next run begins where it would have begun anyway.",
            valueName: "cursor"))
    var from: String?

    @Option(help: ArgumentHelp("The cursor at which that read ends.", valueName: "cursor"))
    var to: String?

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
        if from != nil || to != nil {
            if streams.isEmpty { throw ValidationError("--from and --to need the name of a stream") }
            if fullRefresh {
                throw ValidationError("--full-refresh reads everything, so --from and --to have no place")
            }
        }
        if let maxPages, maxPages < 1 { throw ValidationError("--max-pages must be at least 1") }
    }

    private var scope: RunScope { RunScope(restarts: fullRefresh, maximumPages: maxPages) }

    func run() async throws {
        let setup = Setup(shared)
        let (configuration, service) = try await setup.configurationForRuns()
        setup.showWarnings(of: configuration)
        await setup.warnOfOtherFile(than: configuration, in: service)
        try setup.refuseSwappedNames(in: configuration)
        try setup.refuseSharedTables(in: configuration)
        let streams = try configuration.streams(matching: streams).map {
            try ranged($0, in: configuration.database, now: setup.now())
        }
        guard !streams.isEmpty else {
            StandardError.write(
                "There is no stream to synchronise in \(configuration.file); 'garner add URL' adds one.\n")
            return
        }
        // Once the new stream has a table, it is another one.
        setup.warnOfOtherStreams(than: configuration, reading: streams)
        setup.warnOfFormerReads(of: streams, in: configuration)
        let parts = try await setup.parts(of: streams, in: configuration, placing: !dryRun)
        try await PartedSync(
            setup: setup, parts: parts, isDryRun: dryRun, callsHooks: !noHooks && !dryRun,
            wait: try wait.map(DurationText.parse) ?? .zero
        ).run(scope) { try refuse(beside: $0, of: configuration.database) }
    }
}

extension SyncCommand {
    /// Throws if an option asks for what the running service does not do.
    private func refuse(beside service: RunningService, of database: String) throws {
        // A dry run is a transaction that is undone at the end, and blocks other writers.
        if dryRun {
            throw CommandError.locked(
                "a dry run needs the database \(database) for itself, and \(service) has it",
                hint: "stop the service first, or see with 'garner plan' what would be asked for")
        }
        // The service does what its configuration says.
        if noHooks {
            throw CommandError.locked(
                "\(service) does the work, and calls the hooks of its configuration",
                hint: "leave --no-hooks out, or stop the service first")
        }
        guard from != nil || to != nil else { return }
        throw CommandError.locked(
            "\(service) does the work, and reads no ranges",
            hint: "stop the service first: its schedule goes on where it was when you start it again")
    }

    /// Returns the stream with the range that the options name, spelled like the cursors in the database.
    private func ranged(_ stream: StreamConfiguration, in database: String, now: Timestamp) throws
        -> StreamConfiguration
    {
        guard from != nil || to != nil else { return stream }
        // If the database cannot be read, the sync says why.
        let known = try? ReadOnlyDatabase(path: database).state(of: stream.name, limit: 1)?.cursors.first?.value
        do throws(BackfillError) {
            if let ranged = try stream.backfilling(from: from, to: to, like: known, now: now) { return ranged }
        } catch {
            throw CommandError(error, of: stream)
        }
        throw CommandError.usage(
            "\(stream.name) is not incremental, so that it has no range to read",
            hint: "use 'garner sync \(stream.name) --full-refresh', or add 'incremental' to the stream")
    }
}

extension CommandError {
    fileprivate init(_ error: BackfillError, of stream: StreamConfiguration) {
        let (message, hint) =
            switch error {
            case .noTime(let text, let format):
                (
                    "'\(text)' is no time",
                    "write a time such as 2026-01-31 or 2026-01-31T08:00:00Z"
                        + (format.map { ", or one in the format \($0)" } ?? "")
                )
            case .noNumber(let text):
                (
                    "'\(text)' is no whole number",
                    "write a number, as the cursors of the stream are; if they are seconds or milliseconds since 1970, set "
                        + "cursor_datetime_format: epoch or epoch_ms, and write a time"
                )
            case .unused(let placeholder):
                (
                    "no request of the stream holds {\(placeholder.name)}, so that "
                        + "\(placeholder == .incrementalEnd ? "--to" : "--from") would change nothing",
                    "add it where the API takes this bound, as in params: { \(placeholder == .incrementalEnd ? "until" : "since"): "
                        + "\"{\(placeholder.name)}\" }, or leave the option out"
                )
            case .noStart: ("a read in steps needs a start", "add --from, or initial_value to the stream")
            case .emptyRange(let start, let end):
                ("nothing is between \(start) and \(end)", "write a --to that is after --from")
            }
        self.init(.usage, kind: "usage", message: "\(stream.name): \(message)", hint: hint)
    }
}
