import GarnerCatalog
import GarnerMaintenance
import GarnerModel
import GarnerPersistence
import GarnerRuntime
import GarnerShards

/// Moves sources with all that is stored of them into a shard.
///
/// Both shards are changed in one transaction, with the places of the sources: a crash loses and doubles nothing.
struct ShardMove {
    /// What has come from one shard.
    struct Outcome {
        let sources: [String]
        let former: Int
        let streams: Int
        let rows: Int
    }

    let setup: Setup
    let place: ShardPlace
    let target: Int

    /// - Parameter tell: Told what has come from a shard, once it is stored: an error at the next shard does not change that.
    func move(_ sources: [String], telling tell: (Outcome) -> Void) async throws {
        let layout = try await place.layout()
        for source in sources where layout.shard(of: source) == nil {
            let known = layout.places.keys.sorted().joined(separator: ", ")
            throw CommandError.usage(
                "no shard has a source '\(source)'",
                hint: known.isEmpty ? "give all sources a shard, with: garner sync" : "name one of these: \(known)")
        }
        guard layout.shards.contains(where: { $0.number == target }) else {
            let (last, most) = (layout.shards.map(\.number).max() ?? 1, DatabasePlace.mostShards)
            let others = last > 1 ? "name one from 1 to \(last)" : "the database has one"
            let more =
                "; for more, write shards=\(min(target, most)) into the URL of 'database', behind its ?, and run 'garner sync'"
            throw CommandError.usage(
                "there is no shard \(target)" + (target > most ? ", and there are never more than \(most)" : ""),
                hint: others + (last < most ? more : ""))
        }
        let moved = Dictionary(grouping: Set(sources)) { layout.shard(of: $0) ?? target }
        for (origin, sources) in moved.sorted(by: { $0.key < $1.key }) where origin != target {
            tell(try await move(sources.sorted(), from: origin))
        }
        if let there = moved[target] { try await handOver(there, in: layout) }
    }

    /// Gives the target the published tables of sources that it has: a move that was killed behind its commit has left them to the shard before.
    private func handOver(_ sources: [String], in layout: ShardLayout) async throws {
        let path = try setup.databasePath()
        let stored = layout.shards.filter { $0.pageCount > 0 }.map(\.number)
        let files = try await onOwnThread {
            try stored.reduce(into: [Int: String]()) { files, shard in
                files[shard] = try ReadOnlyDatabase(path: "\(path)#\(shard)").publicationStatus()?.file
            }
        }
        guard let own = files[target] else { return }
        for (shard, file) in files where shard != target {
            await setup.handOver(sources, StreamTransfer.Publication(origin: file, target: own))
        }
    }

    private func move(_ sources: [String], from origin: Int) async throws -> Outcome {
        // Two that move in opposite directions must not wait for each other.
        let (places, goesUp) = ([origin, target].sorted().map(place.at), origin < target)
        return try await setup.context.withCopy(of: places[0], with: goesUp ? sources : [], askingHolder: true) {
            first in
            try await setup.context.withCopy(of: places[1], with: goesUp ? [] : sources, askingHolder: true) { second in
                try await move(sources, from: goesUp ? first : second, to: goesUp ? second : first)
            }
        }
    }

    private func move(_ sources: [String], from origin: ShardCopy, to target: ShardCopy) async throws -> Outcome {
        let (shards, now) = ((origin.keeper.place.shard, target.keeper.place.shard), setup.now())
        let (paths, isEmpty, moved) = ((origin.path, target.path), origin.keeper.isEmpty, Set(sources))
        let carried = try await onOwnThread { () -> StreamTransfer.Outcome in
            guard !isEmpty else { return StreamTransfer.Outcome() }
            let carried = try StreamTransfer.carry(moved, from: paths.0, into: paths.1, shard: shards.1, now: now)
            try StreamTransfer.remove(moved, from: paths.0, shard: shards.0)
            return carried
        }
        try await place.replace(
            carried.streams == 0 ? [] : [(target.keeper, paths.1), (origin.keeper, paths.0)],
            moving: Dictionary(uniqueKeysWithValues: sources.map { ($0, shards.1) }))
        await setup.handOver(sources, carried.publication)
        return Outcome(sources: sources, former: shards.0, streams: carried.streams, rows: carried.rows)
    }
}
