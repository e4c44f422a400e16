import ArgumentParser
import GarnerCatalog
import GarnerMaintenance
import GarnerModel
import GarnerPresentation

struct MigrateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate", abstract: "Update an older database to this version's schema.",
        discussion: """
            A sync also does this when it opens the database.

              garner migrate --status
              garner backup before.db && garner migrate
            """)

    @Flag(help: "Show which migrations the database already has, and change nothing.")
    var status = false

    @Flag(help: "Run the missing migrations, then undo them.")
    var dryRun = false

    @OptionGroup var shared: SharedOptions

    func validate() throws {
        if status, dryRun { throw ValidationError("--status and --dry-run exclude each other") }
    }

    func run() throws {
        let setup = Setup(shared)
        let migration = DatabaseMigration(of: try setup.databasePath())
        let before = try migration.report()
        guard !status else { return try show(before, setup) }
        let after = try migration.run(isDryRun: dryRun, now: setup.now())
        guard setup.format == .table else { return try show(after, setup) }
        guard !setup.isQuiet else { return }
        let names = after.steps.filter { $0.version > before.version }.map(\.name).joined(separator: ", ")
        let what =
            names.isEmpty
            ? "its schema \(after.version) is the newest"
            : "\(dryRun ? "would go" : "went") from schema \(before.version) to \(after.version): \(names)"
        StandardError.write("\(what)\n")
    }

    private func show(_ report: MigrationReport, _ setup: Setup) throws {
        try Report(
            records: report.steps.map { step in
                [
                    .init("version", step.version), .init("name", step.name), .init("state", step.state.rawValue),
                    .init("applied_at", step.appliedAt),
                ]
            }
        ).write(to: setup)
        guard !setup.isQuiet else { return }
        for step in report.steps where step.state == .differs {
            StandardError.warn(
                "the database was made with another \(step.name) than this garner's",
                try: "go on with the garner that made it; a newer schema will be refused")
        }
    }
}
