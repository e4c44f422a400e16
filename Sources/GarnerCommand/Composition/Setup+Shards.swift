import GarnerCatalog
import GarnerModel
import GarnerPersistence
import GarnerPostgres
import GarnerPresentation
import GarnerReports
import GarnerRuntime
import GarnerShards

// Databases that PostgreSQL keeps.
extension Setup {
    /// Returns where a database is in PostgreSQL; nil for a file. This process can read it then.
    ///
    /// - Parameter file: The configuration that names it.
    func shard(of place: DatabasePlace, placed file: String) throws -> ShardPlace? {
        guard !place.isFile else { return nil }
        do {
            let shard = try ShardPlace(place, environment)
            try shard?.url.requireReadable()
            // That of a configuration has been checked.
            if let wanted = shard?.wantedShards, !(1...DatabasePlace.mostShards).contains(wanted) {
                throw CommandError(
                    .usage, kind: "usage", message: "a database has no \(wanted) shards", place: file,
                    hint: "write ?shards= with a number from 1 to \(DatabasePlace.mostShards)")
            }
            return shard
        } catch let error as PostgresError {
            throw CommandError(
                .misconfigured, kind: "configuration", message: "'database': \(error.message)", place: file,
                hint: error.hint ?? "write postgresql://USER@HOST/DATABASE, with options of libpq: ?sslmode=require")
        }
    }

    /// Returns where the database of this path is in PostgreSQL; nil for a file.
    func shard(at path: String) throws -> ShardPlace? {
        guard namedDatabase == nil, let configuration = try? loadedConfiguration(needsSecrets: false),
            configuration.database == path
        else { return nil }
        return try shard(of: configuration.place, placed: configuration.file)
    }

    /// Returns where the database is in PostgreSQL. Throws for a file.
    func shardPlace() throws -> ShardPlace {
        let place = try databasePlace()
        guard let shard = try shard(at: place.path) else {
            throw CommandError.usage(
                "\(place) is a file, which one program on this machine writes",
                hint: "see who that is with: garner status")
        }
        return shard
    }

    /// The database in PostgreSQL that a `QueryProcess` has named; nil for none.
    var serverOfQuery: DatabasePlace? {
        guard let url = environment[QueryProcess.serverVariable], !url.isEmpty else { return nil }
        let place = DatabasePlace.postgres(Secret(url))
        return (try? ShardPlace(place, environment)).map { _ in place }
    }

    /// Tells who writes a database in PostgreSQL, shard by shard, if anybody does.
    func tellHolders(of configuration: Configuration) async throws {
        guard let place = try shard(of: configuration.place, placed: configuration.file),
            let layout = try? await place.layout(), layout.shards.contains(where: { $0.holder != nil })
        else { return }
        let used = layout.usedShards
        for shard in used {
            if used.count == 1 {
                if let holder = shard.holder { StandardError.write("\(place) is written by \(holder.name).\n") }
            } else {
                StandardError.write(
                    "The \(layout.name(of: shard.number)) is written by \(shard.holder?.name ?? "nobody").\n")
            }
        }
    }

    /// Tells that nobody runs what is due in some shards. Nothing is said of a database in one shard.
    func notices(
        ofFreeShardsOf configuration: Configuration, _ states: [String: ScheduleState]
    ) async -> [ServiceNotice] {
        guard let place = try? shard(of: configuration.place, placed: configuration.file),
            let layout = try? await place.layout(), layout.usedShards.count > 1
        else { return [] }
        return layout.shards.filter { $0.holder == nil }.compactMap { shard in
            let streams = configuration.streams.filter { layout.shard(of: $0.name.source) == shard.number }
            guard ServiceNotice.noService(for: streams, states, now: now()) != nil else { return nil }
            return ServiceNotice(
                .noService, "nobody writes \(layout.name(of: shard.number)), in which something is due",
                remedy: "garner workers")
        }
    }

    /// Returns the shards in which something is stored, in the order of their numbers.
    func storedShards(at place: ShardPlace) async throws -> [ShardPlace] {
        let stored = try await place.layout().shards.filter { $0.pageCount > 0 }
        guard !stored.isEmpty else { throw place.missing }
        return stored.map { place.at($0.number) }
    }

    /// Has `body` copy the stored shards one after the other. Throws if a source was moved meanwhile, which may be in none of the copies.
    func copying<Result>(_ place: ShardPlace, _ body: ([ShardPlace]) async throws -> Result) async throws -> Result {
        let before = try await place.layout()
        let result = try await body(storedShards(at: place))
        let after = try await place.layout()
        for (source, shard) in before.places { try after.requirePlaces(of: [source], in: shard) }
        return result
    }

    /// Returns the shard of a source. What has no place is where everything is that older versions have stored.
    func shard(of source: String, at place: ShardPlace) async throws -> ShardPlace {
        if let shard = try await place.layout().shard(of: source) { return place.at(shard) }
        return try await storedShards(at: place)[0]
    }

    /// Gives a source the shard of another one, whose streams are to have its name. Throws if it has another shard already.
    func place(_ new: String, beside old: String, of path: String) async throws {
        guard new != old, let place = try shard(at: path), let shard = try await place.layout().shard(of: old) else {
            return
        }
        if let other = try await place.layout().shard(of: new), other != shard {
            throw CommandError.usage(
                "\(new) is in shard \(other), and \(old) in shard \(shard)",
                hint: "bring them together first: garner workers move \(new) \(shard)")
        }
        try await place.replace([], moving: [new: shard])
    }

    /// Streams that are stored together.
    struct Part {
        /// nil for a file.
        let shard: ShardPlace?
        /// The configuration of that shard's streams.
        let configuration: Configuration
        let streams: [StreamConfiguration]
    }

    /// Returns the streams by the shards of their sources.
    ///
    /// - Parameter placing: True if sources get a place that have none.
    func parts(
        of streams: [StreamConfiguration], in configuration: Configuration, placing: Bool = false
    ) async throws -> [Part] {
        guard let place = try shard(of: configuration.place, placed: configuration.file) else {
            return [Part(shard: nil, configuration: configuration, streams: streams)]
        }
        let places = try await places(of: configuration, at: place, placing: placing)
        return Dictionary(grouping: streams) { places[$0.name.source] ?? place.shard }.sorted { $0.key < $1.key }.map {
            shard, streams -> Part in
            let sources = Set(configuration.sources.filter { places[$0] ?? place.shard == shard })
            return Part(
                shard: place.at(shard), configuration: configuration.restricted(to: sources, places: places),
                streams: streams)
        }
    }

    /// Returns what is stored of a configuration's database, by shards, each without streams.
    func allParts(of configuration: Configuration) async throws -> [Part] {
        guard let place = try shard(of: configuration.place, placed: configuration.file) else {
            return [Part(shard: nil, configuration: configuration, streams: configuration.streams)]
        }
        return try await storedShards(at: place).map {
            Part(shard: $0, configuration: configuration.restricted(to: []), streams: [])
        }
    }

    private func places(
        of configuration: Configuration, at place: ShardPlace, placing: Bool
    ) async throws -> [String: Int] {
        guard placing else {
            do {
                return try await place.layout().places
            } catch let error as PersistenceError where error.kind == .missing {
                return [:]
            }
        }
        return try await place.placing(configuration.groups)
    }

    /// Has `body` write a file, or each shard, and waits until its commits are where they are kept.
    ///
    /// - Parameters:
    ///   - source: The source whose streams `body` changes; nil for all.
    ///   - body: Gets the path, and the receiver of each commit if the file is only a copy.
    func withFiles<Result>(
        of path: String, for source: String? = nil, _ body: (String, (any CommitReceiver)?) async throws -> Result
    ) async throws -> [Result] {
        guard let place = try shard(at: path) else { return [try await body(path, nil)] }
        let shards: [ShardPlace] =
            if let source { [try await shard(of: source, at: place)] } else { try await storedShards(at: place) }
        var results: [Result] = []
        for shard in shards {
            results.append(
                try await context.withCopy(of: shard, with: source.map { [$0] } ?? [], askingHolder: true) {
                    try await body($0.path, $0.keeper)
                })
        }
        return results
    }
}
