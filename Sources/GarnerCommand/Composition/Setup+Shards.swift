import GarnerCatalog
import GarnerModel
import GarnerPersistence
import GarnerPostgres
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

    /// The database in PostgreSQL that a `QueryProcess` has named; nil for none.
    var serverOfQuery: DatabasePlace? {
        guard let url = environment[QueryProcess.serverVariable], !url.isEmpty else { return nil }
        let place = DatabasePlace.postgres(Secret(url))
        return (try? ShardPlace(place, environment)).map { _ in place }
    }

    /// Has `body` write a file, and waits until its commits are where they are kept.
    ///
    /// - Parameter body: Gets the path, and the receiver of each commit if the file is only a copy.
    func withFile<Result>(
        of path: String, _ body: (String, (any CommitReceiver)?) async throws -> Result
    ) async throws -> Result {
        guard let shard = try shard(at: path) else { return try await body(path, nil) }
        return try await context.withCopy(of: shard) { copy in
            guard !copy.keeper.isEmpty else {
                throw PersistenceError(.missing, "there is no database \(shard) yet", hint: .syncOrNameAnotherDatabase)
            }
            return try await body(copy.path, copy.keeper)
        }
    }

    func withWriter<Result>(
        of shard: ShardPlace, _ publishing: Configuration?, publishes: Bool,
        _ body: (DatabaseWriter) async throws -> Result
    ) async throws -> Result {
        var configuration = try publishing ?? loadedConfiguration(needsSecrets: false)
        if publishing == nil { configuration.publish = nil }
        return try await context.withCopy(of: shard) { copy in
            configuration.database = copy.path
            return try await context.withWriter(of: configuration, commits: copy.keeper) { writer, publication in
                let result = try await body(writer)
                if publishes { await publish(with: publication, configuration.publish) }
                return result
            }
        }
    }
}
