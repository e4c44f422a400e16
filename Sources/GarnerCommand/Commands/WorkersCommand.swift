import ArgumentParser
import GarnerCatalog
import GarnerModel
import GarnerPresentation
import GarnerRuntime
import GarnerShards

struct WorkersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "workers", abstract: "Show the workers of a database in PostgreSQL, or move a source.",
        discussion: """
              garner workers
              garner workers --json | jq '.[] | select(.holds)'
              garner workers move crm 3
            """,
        subcommands: [Show.self, Move.self], defaultSubcommand: Show.self)

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show the workers, and what each of them may write.",
            discussion: """
                The sources of a database are in shards, and one worker at a time may write a
                shard. The others stand by and take over when it is gone. A worker that nobody
                has seen for a minute, or that has let its lease end, is not live. It is shown
                for a day after it was last seen.
                """)

        @OptionGroup var shared: SharedOptions

        func run() async throws {
            let setup = Setup(shared)
            let place = try setup.shardPlace()
            let layout = try await place.layout()
            let used = layout.usedShards
            try Report(
                records: try await place.workers().map { worker in
                    let shards = worker.shards.keys.sorted()
                    return [
                        .init("worker", "\(worker.worker)"), .init("host", worker.host),
                        .init("process", Int(worker.process)), .init("version", worker.version),
                        .init("holds", !shards.isEmpty), .init("shards", shards.map { "\($0)" }),
                        .init("sources", shards.flatMap { layout.sources(in: $0) }),
                        .init("lease_until", worker.shards.values.min()), .init("live", worker.isLive),
                        .init("last_seen_at", worker.lastSeen), .init("started_at", worker.started),
                        .init("configuration", worker.configurationDigest),
                    ]
                },
                shown: ["host", "process"] + (used.count > 1 ? ["shards", "sources"] : ["holds"])
                    + ["lease_until", "live", "last_seen_at"],
                emptyHint: "No worker is there; start one with 'garner serve'."
            ).write(to: setup)
            guard !setup.isQuiet, used.count > 1 else { return }
            for shard in used where shard.holder == nil {
                StandardError.write("Nobody writes \(layout.name(of: shard.number)).\n")
            }
        }
    }

    struct Move: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "move", abstract: "Move sources with all their data into another shard.",
            discussion: """
                Garner takes both shards for that time. A service that has one of them gives it
                back once its runs have ended, and takes it again afterwards. If it does not,
                this command exits with 75, and nothing is moved.

                  garner workers move crm 3
                  garner workers move shop billing 1
                """)

        @Argument(help: "The sources, and behind them the number of the shard.")
        var words: [String]

        @OptionGroup var shared: SharedOptions

        func validate() throws {
            guard words.count > 1, let last = words.last, let shard = Int(last), shard > 0 else {
                throw ValidationError(
                    "write the sources, and behind them the number of a shard: garner workers move crm 3")
            }
        }

        func run() async throws {
            let setup = Setup(shared)
            let place = try setup.shardPlace()
            let shard = words.last.flatMap { Int($0) } ?? 1
            var outcomes: [ShardMove.Outcome] = []
            let failure: (any Error)?
            do {
                let move = ShardMove(setup: setup, place: place, target: shard)
                try await move.move(Array(words.dropLast())) { outcomes.append($0) }
                failure = nil
            } catch {
                failure = error
            }
            if outcomes.isEmpty, let failure { throw failure }
            try tell(outcomes, shard, setup)
            if let failure { throw failure }
        }

        private func tell(_ outcomes: [ShardMove.Outcome], _ shard: Int, _ setup: Setup) throws {
            let records: [[Report.Field]] = outcomes.map { outcome in
                [
                    .init("sources", outcome.sources), .init("former", outcome.former), .init("shard", shard),
                    .init("streams", outcome.streams), .init("rows", outcome.rows),
                ]
            }
            guard try setup.tellsPeople(insteadOf: records) else { return }
            if outcomes.isEmpty { StandardError.write("They are in shard \(shard) already.\n") }
            for outcome in outcomes {
                StandardError.write(
                    "\(outcome.sources.joined(separator: ", ")): in shard \(shard) now, with \(outcome.streams.counted("table")) and "
                        + "\(outcome.rows.counted("row"))\n")
            }
        }
    }
}
