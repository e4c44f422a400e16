import ArgumentParser
import GarnerCatalog
import GarnerJSON
import GarnerLibC
import GarnerModel
import GarnerMaintenance
import GarnerPresentation
import GarnerShards

struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Copy the database into one file, even while a sync runs.",
        discussion: """
            The copy is a consistent snapshot that only its owner can read. The file
            appears only when the copy is complete. To restore it, stop garner and remove
            the files DATABASE, DATABASE-wal and DATABASE-shm. Then put the copy in the
            place of DATABASE. The copy does not contain refresh tokens, which are in
            DATABASE.tokens.

            Of a database in PostgreSQL with several shards, each shard becomes a file in a
            folder, which is a database of its own. 'garner migrate --to FILE' joins them.

              garner backup monday.db
              garner backup monday.db --verify --force
              garner backup tuesday.db --json | jq '.[0].bytes'
              garner backup copies/
            """)

    @Argument(help: "The file to create, or the folder for those of several shards.")
    var file: String

    @Flag(help: "Check the copy and count its rows before the file appears.")
    var verify = false

    @Flag(help: "Replace the file if it exists.")
    var force = false

    @OptionGroup var shared: SharedOptions

    func validate() throws {
        if file == "-" || file.isEmpty { throw ValidationError("a copy needs a file") }
    }

    func run() async throws {
        let setup = Setup(shared)
        let database = try setup.databasePath()
        guard let place = try setup.shard(at: database) else { return try backUp(database, to: file, setup) }
        try await setup.copying(place) { shards in
            guard shards.count > 1 || isFolder else { return try backUp(database, to: file, setup) }
            guard isFolder else {
                throw CommandError.usage(
                    "the database is in \(shards.count) shards, each of which becomes a file",
                    hint: "garner backup \(file)/")
            }
            let folder = file.hasSuffix("/") ? String(file.dropLast()) : file
            mkdir(folder, 0o700)
            for shard in shards {
                try backUp("\(database)#\(shard.shard)", to: "\(folder)/shard-\(shard.shard).db", setup)
            }
        }
    }

    /// True if the name is that of a folder, in which each shard gets a file.
    private var isFolder: Bool {
        var status = stat()
        return file.hasSuffix("/") || stat(file, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    private func backUp(_ database: String, to file: String, _ setup: Setup) throws {
        let start = setup.clock.now
        let outcome = try setup.interruptibly { cancellation in
            try DatabaseBackup(
                of: database, to: file, configuration: setup.knownConfiguration, replaces: force, verifies: verify,
                cancellation: cancellation
            ).run()
        }
        try report(outcome, of: database, to: file, took: setup.clock.now - start, setup)
    }

    private func report(
        _ outcome: DatabaseBackup.Outcome, of database: String, to file: String, took duration: Duration, _ setup: Setup
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
