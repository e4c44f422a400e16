import ArgumentParser
import GarnerCatalog
import GarnerJSON
import GarnerModel
import GarnerMaintenance
import GarnerPersistence
import GarnerPresentation
import GarnerSync

struct PruneCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prune", abstract: "Remove old runs and data that nothing needs any longer.",
        discussion: """
            Garner keeps the rows of your tables. Of each stream, it keeps the first run,
            the latest run and the latest successful run. It also keeps every run that
            something refers to. Without an option, it removes runs older than 90 days.
            The database file keeps its size for new data, unless --vacuum rewrites it.
            Garner also removes temporary files that killed copies and exports left in the
            database's folder.

            With --dropped, it removes stored values that 'fields' leaves out now, and
            hashes those that it hashes now: in rows, their versions and the quarantine.
            Then it rewrites the file, so that no trace of them is left.

              garner prune --dry-run
              garner prune --runs-older-than 30d --attachments
              garner prune --history-older-than 365d --vacuum
              garner prune --dropped --dry-run
            """)

    @Argument(
        help: "With --dropped: the streams, as source.stream, the stream name alone, or a pattern; default: all.",
        completion: .streams)
    var streams: [String] = []

    @Option(help: ArgumentHelp("Remove older runs with their requests and recorded changes.", valueName: "age"))
    var runsOlderThan: String?

    @Option(help: ArgumentHelp("Remove older entries of the request log.", valueName: "age"))
    var requestsOlderThan: String?

    @Option(help: ArgumentHelp("Remove row versions that were replaced longer ago than this.", valueName: "age"))
    var historyOlderThan: String?

    @Flag(help: "Remove files that no record refers to any longer.")
    var attachments = false

    @Flag(help: "Remove stored values that 'fields' would not store now, and all their traces.")
    var dropped = false

    @Flag(help: "Rewrite the database without its free space. This temporarily needs as much space again.")
    var vacuum = false

    @Flag(help: "Show what garner would remove, but remove nothing.")
    var dryRun = false

    @OptionGroup var shared: SharedOptions

    func run() async throws {
        let setup = Setup(shared)
        guard dropped || streams.isEmpty else {
            let isAge = streams.count == 1 && (try? DurationText.parse(streams[0])) != nil
            throw CommandError.usage(
                "prune takes streams with --dropped only",
                hint: isAge
                    ? "garner prune --runs-older-than \(streams[0])"
                    : "add --dropped, or leave out '\(streams[0])'; an age is one word, such as 30d")
        }
        var request = try request(now: setup.now())
        if dropped { request.hiddenFields = try hiddenFields(setup) }
        let path = try setup.databasePath()
        var outcome = PruneOutcome()
        if dryRun {
            outcome = try setup.interruptibly { try DatabasePruning(of: path, request, cancellation: $0).preview() }
        } else {
            _ = try await setup.withFiles(of: path) { file, commits in
                outcome = try setup.interruptibly {
                    try DatabasePruning(of: file, request, commits: commits, cancellation: $0).run(after: outcome)
                }
            }
        }
        try report(outcome, setup)
        if !dryRun { try await setup.publishChanges(of: path) }
    }

    private func request(now: Timestamp) throws -> PruneRequest {
        var request = PruneRequest()
        let isUnsaid =
            runsOlderThan == nil && requestsOlderThan == nil && historyOlderThan == nil && !attachments && !dropped
        request.runsBefore = try (isUnsaid && !vacuum ? "90d" : runsOlderThan).map { try instant($0, now) }
        request.requestsBefore = try requestsOlderThan.map { try instant($0, now) }
        request.historyBefore = try historyOlderThan.map { try instant($0, now) }
        request.removesFiles = attachments
        request.vacuums = vacuum
        return request
    }

    /// Returns what the configuration keeps out of the database.
    private func hiddenFields(_ setup: Setup) throws -> [HiddenFields] {
        let configuration = try setup.configurationForHashing()
        return try configuration.streams(matching: streams).compactMap {
            HiddenFields(of: $0, among: configuration.streams)
        }
    }

    private func instant(_ text: String, _ now: Timestamp) throws -> Timestamp {
        guard let age = try? DurationText.parse(text) else {
            throw CommandError.usage("'\(text)' is not an age", hint: "write 90d, 12h or 1d12h")
        }
        return now.advanced(by: .zero - age)
    }

    private func report(_ outcome: PruneOutcome, _ setup: Setup) throws {
        let fields: [Report.Field] = [
            .init("dry_run", dryRun), .init("runs", outcome.runs),
            .init("requests", outcome.requests), .init("changes", outcome.changes),
            .init("versions", outcome.versions), .init("files", outcome.files),
            .init("file_bytes", outcome.fileBytes), .init("leftovers", outcome.leftovers.files),
            .init("leftover_bytes", outcome.leftovers.bytes),
            .init("dropped", json: .array(outcome.dropped.map(\.json)), text: nil),
            .init("freed_bytes", outcome.freedBytes),
            .init("database_bytes", outcome.databaseBytes),
        ]
        guard try setup.tellsPeople(insteadOf: [fields]) else { return }
        let parts: [(Int, String)] = [
            (outcome.runs, "runs"), (outcome.requests, "requests"), (outcome.changes, "notes of changes"),
            (outcome.versions, "versions"), (outcome.files, "files of \(ByteCount.format(outcome.fileBytes))"),
            (outcome.leftovers.files, "leftovers of \(ByteCount.format(outcome.leftovers.bytes))"),
        ]
        for dropped in outcome.dropped { StandardError.write(dropped.line(isDryRun: dryRun)) }
        let removed = parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
        let what = removed.isEmpty ? outcome.dropped.isEmpty ? "nothing" : "nothing else" : removed
        let freed = outcome.freedBytes.map { ", which frees \(ByteCount.format($0))" } ?? ""
        StandardError.write("\(dryRun ? "would remove" : "removed") \(what)\(freed)\n")
    }
}

extension DroppedOutcome {
    fileprivate var json: JSONText {
        let fields = fields.map { field -> JSONText in
            .object([
                ("table", .string(field.table)), ("column", .string(field.column)),
                ("removed", .integer(Int64(field.removed))), ("hashed", .integer(Int64(field.hashed))),
            ])
        }
        return .object([
            ("stream", .string(stream.description)), ("fields", .array(fields)),
            ("quarantined", .integer(Int64(quarantined))), ("pages", .integer(Int64(pages))),
            ("links", .integer(Int64(links))), ("slices", .integer(Int64(slices))),
        ])
    }

    /// The line for people: `zoo.members: removed 3 values of members.phone, hashed 3 of members.email`.
    fileprivate func line(isDryRun: Bool) -> DisplayText {
        let removed = fields.filter { $0.removed > 0 }.map {
            "\($0.removed.counted("value")) of \($0.table).\($0.column)"
        }
        let hashed = fields.filter { $0.hashed > 0 }.map { "\($0.hashed.counted("value")) of \($0.table).\($0.column)" }
        let others = [(links, "link"), (quarantined, "quarantined record"), (pages, "page"), (slices, "slice")].filter {
            $0.0 > 0
        }
        .map { $0.0.counted($0.1) }
        let parts = [("remove", removed + others), ("hash", hashed)].filter { !$0.1.isEmpty }.map { verb, things in
            let done = isDryRun ? "would \(verb)" : verb == "hash" ? "hashed" : "removed"
            return "\(done) \(things.joined(separator: ", "))"
        }
        return "\(stream): \(parts.joined(separator: "; "))\n"
    }
}
