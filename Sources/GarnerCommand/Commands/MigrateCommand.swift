import ArgumentParser
import GarnerCatalog
import GarnerMaintenance
import GarnerModel
import GarnerPersistence
import GarnerPresentation
import GarnerRuntime
import GarnerShards

struct MigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate", abstract: "Update an older database to this version's schema.",
        discussion: """
            A sync also does this when it opens the database. With --to, the database is
            stored in PostgreSQL, with its refresh tokens; the file stays as it is. The
            way back is 'garner backup FILE'.

              garner migrate --status
              garner backup before.db && garner migrate
              garner migrate --to postgresql://garner@db.example/app
            """)

    @Flag(help: "Show which migrations the database already has, and change nothing.")
    var status = false

    @Flag(help: "Run the missing migrations, then undo them.")
    var dryRun = false

    @Option(help: ArgumentHelp("Store the database in PostgreSQL, under this URL.", valueName: "url"))
    var to: String?

    @OptionGroup var shared: SharedOptions

    func validate() throws {
        if status, dryRun { throw ValidationError("--status and --dry-run exclude each other") }
        if to != nil, status || dryRun { throw ValidationError("--to goes with neither --status nor --dry-run") }
    }

    func run() async throws {
        let setup = Setup(shared)
        if let to { return try await store(in: DatabasePlace.postgres(Secret(to)), setup) }
        let path = try setup.databasePath()
        let before = try DatabaseMigration(of: path).report()
        guard !status else { return try show(before, setup) }
        let after = try await setup.withFile(of: path) { file, commits in
            try DatabaseMigration(of: file).run(isDryRun: dryRun, commits: commits, now: setup.now())
        }
        guard setup.format == .table else { return try show(after, setup) }
        guard !setup.isQuiet else { return }
        let names = after.steps.filter { $0.version > before.version }.map(\.name).joined(separator: ", ")
        let what =
            names.isEmpty
            ? "its schema \(after.version) is the newest"
            : "\(dryRun ? "would go" : "went") from schema \(before.version) to \(after.version): \(names)"
        StandardError.write("\(what)\n")
    }

    private func store(in place: DatabasePlace, _ setup: Setup) async throws {
        guard case .file(let path) = try setup.databasePlace() else {
            throw CommandError.usage(
                "the database is in PostgreSQL already", hint: "name the file that is to be stored with --database")
        }
        guard let shard = try setup.shard(of: place, placed: "--to") else { return }
        let bytes = try await setup.context.withCopyFolder { folder in
            let copy = folder + "/garner.db"
            let bytes = try CopyForShard(of: path).write(to: copy)
            try await shard.store(file: copy, as: WorkerIdentity(of: nil, userAgent: setup.context.userAgent))
            let tokens = ShardTokens(shard)
            for (key, token) in try TokenFile(database: path).tokens() { try tokens.save(token, for: key) }
            return bytes
        }
        guard
            try setup.tellsPeople(insteadOf: [[.init("database", "\(place)"), .init("bytes", bytes)]])
        else { return }
        StandardError.write(
            "\(path) is in \(place) now: \(ByteCount.format(bytes)). Try: write database: \(place) into the configuration\n"
        )
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
