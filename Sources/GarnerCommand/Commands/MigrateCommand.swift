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
            A sync also does this when it opens the database. With --to and a URL, the
            database is stored in PostgreSQL, with its refresh tokens; the file stays as it
            is. The way back is --to and the name of a new file, without refresh tokens.

              garner migrate --status
              garner backup before.db && garner migrate
              garner migrate --to postgresql://garner@db.example/app
              garner migrate --to garner.db
            """)

    @Flag(help: "Show which migrations the database already has, and change nothing.")
    var status = false

    @Flag(help: "Run the missing migrations, then undo them.")
    var dryRun = false

    @Option(
        help: ArgumentHelp(
            "Store the database in PostgreSQL, under this URL, or bring it back into a new file.", valueName: "url|file"
        ))
    var to: String?

    @OptionGroup var shared: SharedOptions

    func validate() throws {
        if status, dryRun { throw ValidationError("--status and --dry-run exclude each other") }
        if to != nil, status || dryRun { throw ValidationError("--to goes with neither --status nor --dry-run") }
    }

    func run() async throws {
        let setup = Setup(shared)
        if let to {
            return try await to.contains("://")
                ? store(in: DatabasePlace.postgres(Secret(to)), setup) : bringBack(into: to, setup)
        }
        let path = try setup.databasePath()
        let before = try DatabaseMigration(of: path).report()
        guard !status else { return try show(before, setup) }
        let after = try await setup.withFiles(of: path) { file, commits in
            try DatabaseMigration(of: file).run(isDryRun: dryRun, commits: commits, now: setup.now())
        }[0]
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
        if let (problem, hint) = place.problem { throw CommandError.usage("--to \(problem)", hint: hint) }
        guard let shard = try setup.shard(of: place, placed: "--to") else { return }
        let worker = WorkerIdentity(of: nil, userAgent: setup.context.userAgent)
        let groups = try groups(of: path, setup)
        var files: [Int: CopyForShard.File] = [:]
        var bytes = 0
        let tell = { (holder: ShardHolder) in
            guard !setup.isQuiet else { return }
            StandardError.write(
                "Waiting: the database \(shard) is written by \(holder.name). If it is gone, its right to write ends in "
                    + "\(holder.rest.wholeMilliseconds / 1000 + 1) s.\n")
        }
        try await setup.context.withCopyFolder { folder in
            try await shard.store(groups, as: worker, waiting: tell) { places in
                files = try CopyForShard(of: path).write(places, in: folder, now: setup.now())
                // Before the pages: where these are, the command does not run again.
                let tokens = ShardTokens(shard)
                for (key, token) in try TokenFile(database: path).tokens() { try tokens.save(token, for: key) }
                bytes = files.values.reduce(0) { $0 + DatabaseSizes(path: $1.path).database }
                return files.mapValues(\.path)
            }
        }
        for file in files.values { await setup.handOver(file.sources, file.carried.publication) }
        tellLeftOut(files.values.flatMap(\.carried.leftOut), setup)
        let shards = files.keys.sorted()
        let fields: [Report.Field] = [
            .init("database", "\(place)"), .init("bytes", bytes), .init("shards", shards.map { "\($0)" }),
        ]
        guard try setup.tellsPeople(insteadOf: [fields]) else { return }
        let spread = shards.count > 1 ? ", in \(shards.count) shards" : ""
        StandardError.write(
            "\(path) is in \(place) now: \(ByteCount.format(bytes))\(spread). Try: write database: \(place) into the configuration\n"
        )
    }

    private func bringBack(into file: String, _ setup: Setup) async throws {
        guard case .postgres = try setup.databasePlace() else {
            throw CommandError.usage("the database is a file already", hint: "garner backup \(file)")
        }
        let (place, path) = (try setup.shardPlace(), try setup.databasePath())
        let holders = Set(try await place.layout().shards.compactMap(\.holder?.name)).sorted()
        guard holders.isEmpty else {
            throw PersistenceError(
                .locked, "the database \(place) is written by \(holders.joined(separator: " and "))",
                hint:
                    "stop all workers first, as what they store later would not be in \(file); who is gone holds nothing after its lease"
            )
        }
        let (bytes, carried) = try await setup.context.withCopyFolder { folder in
            let copies = try await setup.copying(place) { shards -> [String] in
                let copies = shards.map { "\(folder)/shard-\($0.shard).db" }
                for (shard, copy) in zip(shards, copies) { try await shard.copyPages(into: copy) }
                return copies
            }
            let (now, configuration) = (setup.now(), setup.knownConfiguration)
            return try await onOwnThread {
                try JoinedShards.write(copies, to: file, besides: path, configuration: configuration, now: now)
            }
        }
        for part in carried { await setup.handOver(part.sources, part.outcome.publication) }
        tellLeftOut(carried.flatMap(\.outcome.leftOut), setup)
        guard try setup.tellsPeople(insteadOf: [[.init("database", file), .init("bytes", bytes)]]) else { return }
        StandardError.write(
            "\(file) has the database of \(place) now: \(ByteCount.format(bytes)). Try: write database: \(file) into the configuration\n"
        )
    }

    /// Tells of views that people have made and that would be broken.
    private func tellLeftOut(_ views: [String], _ setup: Setup) {
        guard !setup.isQuiet else { return }
        for view in views.sorted() {
            StandardError.warn(
                "the view '\(view)' is left out, since tables that it needs are not together",
                try: "ask for the same with: garner query")
        }
    }

    /// Returns the sources that the database has, in groups of those that belong together by the file.
    private func groups(of path: String, _ setup: Setup) throws -> [[String]] {
        let stored = try StreamTransfer.sources(of: ReadOnlyDatabase(path: path))
        let groups = (try? setup.configuration(needsSecrets: false))?.groups ?? []
        let known = Set(groups.joined())
        return groups.map { $0.filter(stored.contains) }.filter { !$0.isEmpty }
            + stored.filter { !known.contains($0) }.map { [$0] }
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
