import ArgumentParser
import Catalog
import JSON
import Model
import Persistence
import Presentation
import Sync

struct PruneCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prune", abstract: "Remove old runs and data that nothing needs any longer.",
        discussion: """
            Garner keeps the rows of your tables. Of each stream, it keeps the first run,
            the latest run and the latest successful run. It also keeps every run that
            something refers to. Without an option, it removes runs older than 90 days.
            The database file keeps its size for new data, unless --vacuum rewrites it.
            Garner also removes temporary files that killed copies and exports left in the
            database's folder.

              garner prune --dry-run
              garner prune --runs-older-than 30d --attachments
              garner prune --history-older-than 365d --vacuum
            """)

    @Option(help: ArgumentHelp("Remove older runs with their requests and recorded changes.", valueName: "age"))
    var runsOlderThan: String?

    @Option(help: ArgumentHelp("Remove older entries of the request log.", valueName: "age"))
    var requestsOlderThan: String?

    @Option(help: ArgumentHelp("Remove row versions that were replaced longer ago than this.", valueName: "age"))
    var historyOlderThan: String?

    @Flag(help: "Remove files that no record refers to any longer.")
    var attachments = false

    @Flag(help: "Rewrite the database without its free space. This temporarily needs as much space again.")
    var vacuum = false

    @Flag(help: "Show what garner would remove, but remove nothing.")
    var dryRun = false

    @OptionGroup var shared: SharedOptions

    func run() throws {
        let setup = Setup(shared)
        let request = try request(now: setup.now())
        let path = try setup.databasePath()
        let outcome = try setup.interruptibly { cancellation in
            let pruning = DatabasePruning(of: path, request, cancellation: cancellation)
            return dryRun ? try pruning.preview() : try pruning.run()
        }
        try report(outcome, setup)
    }

    private func request(now: Timestamp) throws -> PruneRequest {
        var request = PruneRequest()
        let isUnsaid = runsOlderThan == nil && requestsOlderThan == nil && historyOlderThan == nil && !attachments
        request.runsBefore = try (isUnsaid && !vacuum ? "90d" : runsOlderThan).map { try instant($0, now) }
        request.requestsBefore = try requestsOlderThan.map { try instant($0, now) }
        request.historyBefore = try historyOlderThan.map { try instant($0, now) }
        request.removesFiles = attachments
        request.vacuums = vacuum
        return request
    }

    private func instant(_ text: String, _ now: Timestamp) throws -> Timestamp {
        guard let age = try? DurationText.parse(text) else {
            throw CommandError(
                .usage, kind: "usage", message: "'\(text)' is not an age", hint: "write 90d, 12h or 1d12h"
            )
        }
        return now.advanced(by: .zero - age)
    }

    private func report(_ outcome: PruneOutcome, _ setup: Setup) throws {
        guard setup.format == .table else {
            let fields: [Report.Field] = [
                .init("dry_run", json: .bool(dryRun), text: dryRun ? "yes" : "no"), .init("runs", outcome.runs),
                .init("requests", outcome.requests), .init("changes", outcome.changes),
                .init("versions", outcome.versions), .init("files", outcome.files),
                .init("file_bytes", outcome.fileBytes), .init("leftovers", outcome.leftovers.files),
                .init("leftover_bytes", outcome.leftovers.bytes), .init("freed_bytes", outcome.freedBytes),
                .init("database_bytes", outcome.databaseBytes),
            ]
            return try Report(records: [fields], emptyHint: "").write(to: setup)
        }
        guard !setup.isQuiet else { return }
        let parts: [(Int, String)] = [
            (outcome.runs, "runs"), (outcome.requests, "requests"), (outcome.changes, "notes of changes"),
            (outcome.versions, "versions"), (outcome.files, "files of \(ByteCount.format(outcome.fileBytes))"),
            (outcome.leftovers.files, "leftovers of \(ByteCount.format(outcome.leftovers.bytes))"),
        ]
        let removed = parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
        let what = removed.isEmpty ? "nothing" : removed
        let freed = outcome.freedBytes.map { ", which frees \(ByteCount.format($0))" } ?? ""
        StandardError.write("\(dryRun ? "would remove" : "removed") \(what)\(freed)\n")
    }
}
