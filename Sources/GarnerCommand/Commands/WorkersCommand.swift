import ArgumentParser
import GarnerCatalog
import GarnerModel
import GarnerPresentation
import GarnerShards

struct WorkersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "workers", abstract: "Show the workers of a database in PostgreSQL.",
        discussion: """
            One of them holds the right to write. The others stand by and take over when it
            is gone. A worker that nobody has seen for a minute is not live.

              garner workers
              garner workers --json | jq '.[] | select(.holds)'
            """)

    @OptionGroup var shared: SharedOptions

    func run() async throws {
        let setup = Setup(shared)
        let place = try setup.databasePlace()
        guard let shard = try setup.shard(at: place.path) else {
            throw CommandError.usage(
                "\(place) is a file, which one program on this machine writes",
                hint: "see who that is with: garner status")
        }
        try Report(
            records: try await shard.workers().map { worker in
                [
                    .init("worker", "\(worker.worker)"), .init("host", worker.host),
                    .init("process", Int(worker.process)), .init("version", worker.version),
                    .init("holds", worker.shards[shard.shard] != nil),
                    .init("lease_until", worker.shards[shard.shard]), .init("live", worker.isLive),
                    .init("last_seen_at", worker.lastSeen), .init("started_at", worker.started),
                    .init("configuration", worker.configurationDigest),
                ]
            }, shown: ["host", "process", "holds", "lease_until", "live", "last_seen_at"],
            emptyHint: "No worker is there; start one with 'garner serve'."
        ).write(to: setup)
    }
}
