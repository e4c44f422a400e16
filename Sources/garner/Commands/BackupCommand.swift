import ArgumentParser
import Catalog
import JSON
import Model
import Persistence
import Presentation

struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Copy the database into one file, even while it is written.",
        discussion: """
            The copy is one state of the database, for its owner's eyes only, and
            appears whole or not at all. To restore it, stop garner, remove the
            files DATABASE, DATABASE-wal and DATABASE-shm, and put the copy in the
            place of DATABASE. Refresh tokens are in DATABASE.tokens, which is no
            part of it.

              garner backup monday.db
              garner backup monday.db --verify --force
              garner backup tuesday.db --json | jq '.[0].bytes'
            """)

    @Argument(help: "The file to make.")
    var file: String

    @Flag(help: "Check the copy and count its rows before it gets its name.")
    var verify = false

    @Flag(help: "Replace the file if it is there.")
    var force = false

    @OptionGroup var shared: SharedOptions

    func validate() throws {
        if file == "-" || file.isEmpty { throw ValidationError("a copy needs a file") }
    }

    func run() throws {
        let setup = Setup(shared)
        let database = try setup.databasePath()
        let start = setup.clock.now
        let outcome = try setup.interruptibly { cancellation in
            try DatabaseBackup(
                of: database, to: file, configuration: setup.knownConfiguration, replaces: force, verifies: verify,
                cancellation: cancellation
            ).run()
        }
        try report(outcome, of: database, took: setup.clock.now - start, setup)
    }

    private func report(
        _ outcome: DatabaseBackup.Outcome, of database: String, took duration: Duration, _ setup: Setup
    ) throws {
        let contents = outcome.verified
        guard setup.format == .table else {
            let fields: [Report.Field] = [
                .init("file", file), .init("bytes", outcome.bytes),
                .init("duration_ms", Int(clamping: duration.wholeMilliseconds)),
                .init("verified", json: .bool(contents != nil), text: contents == nil ? "no" : "yes"),
                .init("tables", contents?.tables), .init("rows", contents?.rows),
            ]
            return try Report(records: [fields], emptyHint: "").write(to: setup)
        }
        guard !setup.isQuiet else { return }
        let checked = contents.map { ", verified: \($0.tables) tables with \($0.rows) rows" } ?? ""
        let time = DurationText.format(.milliseconds(max(1, duration.wholeMilliseconds)))
        StandardError.write("\(file): \(ByteCount.format(outcome.bytes)) in \(time)\(checked)\n")
        if outcome.leavesTokens {
            StandardError.write(
                "\(database).tokens holds refresh tokens that are no part of it; keep a copy of it too\n")
        }
    }
}
