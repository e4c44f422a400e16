import ArgumentParser
import GarnerJSON
import GarnerLibC
import GarnerModel
import GarnerMaintenance
import GarnerPersistence
import GarnerPresentation

struct DropCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drop", abstract: "Remove a stream with its table and all that Garner knows of it.",
        discussion: """
            Garner removes the stream's rows, the tables of its arrays, old versions,
            the search index, files that no other stream has, runs and cursors. All of
            that is one transaction. If the configuration still has the stream, the next
            sync fetches everything anew. Garner asks first. Where it cannot ask, it
            needs --yes.

              garner drop zoo.animals --dry-run
              garner drop zoo.animals --yes
            """)

    @Argument(help: "The stream, as source.stream or just the stream name.", completion: .streams)
    var stream: String

    @Flag(help: "Remove it without asking.")
    var yes = false

    @Flag(help: "Show what garner would remove, but remove nothing.")
    var dryRun = false

    @OptionGroup var shared: SharedOptions

    func run() async throws {
        let setup = Setup(shared)
        let path = try setup.databasePath()
        let reader = try ReadOnlyDatabase(path: path)
        let name = try StoredStream.named(stream, in: reader)
        guard let preview = try StreamRemoval.preview(of: name, in: reader) else { return }
        if dryRun { return try report(preview, of: name, setup) }
        if !yes { try confirm(preview, of: name) }
        let dropped = try await setup.withWriters(of: path, for: name.source, publishes: true) {
            try await StreamRemoval.drop(name, with: $0)
        }[0]
        guard let dropped else { return }
        try report(dropped, of: name, setup)
        setup.tellPublished(dropped.tables, of: name, in: path)
    }

    private func confirm(_ preview: DropOutcome, of name: StreamName) throws {
        guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else {
            throw CommandError.usage(
                "\(name) was not dropped: nobody can be asked here",
                hint: "add --yes; --dry-run shows what garner would remove")
        }
        StandardError.write("This removes \(summary(of: preview)). Drop \(name)? [y/N] ")
        guard ["y", "yes"].contains(readLine()?.lowercased() ?? "") else {
            throw CommandError.usage("\(name) was not dropped", hint: "answer with y to drop it")
        }
    }

    private func summary(of outcome: DropOutcome) -> String {
        let tables = outcome.tables.isEmpty ? "" : " of \(outcome.tables.joined(separator: ", "))"
        let parts: [(Int, String)] = [
            (outcome.rows, "\(outcome.rows.counted("row"))\(tables)"),
            (outcome.versions, outcome.versions.counted("version")), (outcome.files, outcome.files.counted("file")),
            (outcome.quarantined, "\(outcome.quarantined.counted("record")) in quarantine"),
            (outcome.runs, outcome.runs.counted("run")),
        ]
        let removed = parts.filter { $0.0 > 0 }.map(\.1).joined(separator: ", ")
        return removed.isEmpty ? "no rows and no runs" : removed
    }

    private func report(_ outcome: DropOutcome, of name: StreamName, _ setup: Setup) throws {
        let fields: [Report.Field] = [
            .init("stream", name.description), .init("dry_run", dryRun), .init("tables", outcome.tables),
            .init("rows", outcome.rows), .init("versions", outcome.versions), .init("files", outcome.files),
            .init("quarantined", outcome.quarantined), .init("runs", outcome.runs),
        ]
        guard try setup.tellsPeople(insteadOf: [fields]) else { return }
        StandardError.write("\(name): \(dryRun ? "would remove" : "removed") \(summary(of: outcome))\n")
    }
}
