import ArgumentParser
import GarnerCatalog
import GarnerJSON
import GarnerModel
import GarnerPersistence
import GarnerPresentation
import GarnerReports

struct RunsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "runs", abstract: "Show the run history, newest first.",
        discussion: """
              garner runs --limit 5
              garner runs --status skipped
              garner runs --since yesterday --until today --utc
              garner runs show 1
              garner runs lateness --since 24h
              garner runs --json | jq '.[0].inserted'
            """,
        subcommands: [List.self, Show.self, Lateness.self], defaultSubcommand: List.self)

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(commandName: "list", abstract: "List the latest runs.")

        @Option(help: ArgumentHelp("Show at most this many runs.", valueName: "n"))
        var limit = 20

        @Option(
            help: ArgumentHelp(
                "Show only runs with this status: succeeded, failed, cancelled, skipped, interrupted or running.",
                valueName: "status"),
            transform: { text in
                guard let status = RunRecord.Status(rawValue: text) else {
                    let words = RunRecord.Status.allCases.map(\.rawValue).joined(separator: ", ")
                    throw ValidationError("'\(text)' is no status; they are \(words)")
                }
                return status
            })
        var status: RunRecord.Status?

        @Option(
            help: ArgumentHelp(
                "Show the runs that began since an age such as 24h, yesterday or an instant.", valueName: "when"))
        var since: String?

        @Option(help: ArgumentHelp("Show the runs that began before then.", valueName: "when"))
        var until: String?

        @OptionGroup var times: UTCOption
        @OptionGroup var shared: SharedOptions

        func validate() throws {
            if limit < 1 { throw ValidationError("--limit must be at least 1") }
        }

        func run() throws {
            let setup = Setup(shared)
            let reader = try setup.reader()
            let runs = try reader.runs(
                limit: limit, status: status, since: since.map(setup.pastInstant), until: until.map(setup.instant))
            try Report(
                records: runs.map { times.shown($0.seen(in: reader.path).fields, setup) },
                shown: [
                    "run_id", "stream", "status", "started_at", "pages", "inserted", "updated", "unchanged", "deleted",
                    "completeness", "error", "reason",
                ],
                kept: ["error"],
                emptyHint: since != nil || until != nil
                    ? "No run began in that time; 'garner runs' shows the latest ones."
                    : status.map {
                        "No run has the status '\($0.rawValue)'; 'garner runs' shows the runs of every status."
                    } ?? "There was no run yet; start one with 'garner sync'."
            ).write(to: setup)
        }
    }

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show one run, the columns it changed and every request it sent.")

        @Argument(help: "The run's number.")
        var id: RunID

        @OptionGroup var times: UTCOption
        @OptionGroup var shared: SharedOptions

        func run() throws {
            let setup = Setup(shared)
            let reader = try setup.reader()
            let run = try reader.run(id).seen(in: reader.path)
            let requests = try reader.requests(of: id)
            guard !setup.format.isJSON else { return try StandardOutput.write(run.json(requests)) }
            try setup.paging {
                try Report(fieldsOf: times.shown(run.fields, setup)).write(to: setup)
                // Several tables cannot be one CSV.
                guard setup.format.isForPeople else { return }
                for records in [run.schemaChanges.map(\.fields), requests.map(\.fields)] where !records.isEmpty {
                    try StandardOutput.write("\n")
                    try Report(records: records.map { times.shown($0, setup) }).write(to: setup)
                }
            }
        }
    }
}

extension RunsCommand {
    struct Lateness: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "lateness", abstract: "Show how late scheduled runs started.",
            discussion: """
                  garner runs lateness --since 24h
                  garner runs lateness --json
                """)

        @Option(help: ArgumentHelp("Start at an age such as 24h, yesterday, or an instant.", valueName: "time"))
        var since: String?

        @OptionGroup var shared: SharedOptions

        func run() throws {
            let setup = Setup(shared)
            let start = try since.map(setup.instant)
            let lateness = try setup.reader().lateness(since: start)
            try Report(
                records: lateness.buckets.map { bucket in
                    let bound = bucket.upTo.map { Int(clamping: $0.wholeMilliseconds) }
                    return [
                        .init("up_to_ms", json: JSONText(bound), text: bound.map(String.init) ?? "more"),
                        .init("runs", bucket.count),
                    ]
                },
                emptyHint: "No scheduled run has begun yet; they begin with 'garner serve'."
            ).write(to: setup)
        }
    }
}
