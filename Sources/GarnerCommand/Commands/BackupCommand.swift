import ArgumentParser
import GarnerCatalog
import GarnerJSON
import GarnerModel
import GarnerMaintenance
import GarnerPresentation

struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Copy the database into one file, even while a sync runs.",
        discussion: """
            The copy is a consistent snapshot that only its owner can read. The file
            appears only when the copy is complete. To restore it, stop garner and remove
            the files DATABASE, DATABASE-wal and DATABASE-shm. Then put the copy in the
            place of DATABASE. The copy does not contain refresh tokens, which are in
            DATABASE.tokens.

              garner backup monday.db
              garner backup monday.db --verify --force
              garner backup tuesday.db --json | jq '.[0].bytes'
            """)

    @Argument(help: "The file to create.")
    var file: String

    @Flag(help: "Check the copy and count its rows before the file appears.")
    var verify = false

    @Flag(help: "Replace the file if it exists.")
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
        let fields: [Report.Field] = [
            .init("file", file), .init("bytes", outcome.bytes),
            .init("duration_ms", Int(clamping: duration.wholeMilliseconds)),
            .init("verified", contents != nil),
            .init("tables", contents?.tables), .init("rows", contents?.rows),
        ]
        guard try setup.tellsPeople(insteadOf: [fields]) else { return }
        let checked = contents.map { ", verified: \($0.tables) tables with \($0.rows) rows" } ?? ""
        let time = DurationText.format(.milliseconds(max(1, duration.wholeMilliseconds)))
        StandardError.write("\(file): \(ByteCount.format(outcome.bytes)) in \(time)\(checked)\n")
        if outcome.leavesTokens {
            StandardError.write(
                "\(database).tokens holds refresh tokens that are no part of it; keep a copy of it too\n")
        }
    }
}
