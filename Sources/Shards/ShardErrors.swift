import GarnerModel
package import GarnerPersistence
package import GarnerPostgres

extension PersistenceError {
    init(_ refusal: SchemaRefusal) {
        self.init(.configuration, refusal.message, hint: .text(refusal.hint ?? ""))
    }

    /// Describes what the server of a shard, or the way to it, does not give.
    package init(_ error: PostgresError) {
        let kind: Kind =
            switch error.kind {
            case .invalidURL, .loginRefused, .untrusted, .undefinedDatabase, .unsupportedServer, .readOnly,
                .insufficientPrivilege, .undefinedTable, .undefinedColumn, .undefinedSchema:
                .configuration
            default: .server
            }
        self.init(
            kind, error.message, hint: .text(error.hint ?? "check the server; what was told to be stored is safe there")
        )
    }

    package init(held shard: ShardPlace, by holder: ShardHolder) {
        self.init(
            .locked, "the database \(shard) is written by \(holder.name)",
            hint: .text(
                "wait until it finishes; a service ('garner serve') does not finish by itself; if it is gone, its right to write ends by itself at \(holder.until)"
            ))
    }

    /// Another worker has the shard.
    static func taken(by holder: ShardHolder?) -> PersistenceError {
        let name = holder.flatMap { $0.host.isEmpty ? nil : " (\($0.name))" } ?? ""
        return PersistenceError(
            .lost, "another worker\(name) has taken the shard; it goes on there",
            hint: "nothing that was told to be stored is lost; what was not stored yet is fetched again there")
    }

    /// The server has less than it had confirmed.
    static let wentBack = PersistenceError(
        .lost, "PostgreSQL has another state of the shard than the one that this worker stored last",
        hint: "it was restored, or another server took over: the work goes on from what it has")

    /// The lease ends, and nobody has answered.
    static func leaseEnds(_ last: (any Error)?) -> PersistenceError {
        guard let last else {
            return PersistenceError(
                .lost, "the right to write the shard ends, since this worker stood still",
                hint: "the work goes on here or with another worker")
        }
        let reason = (last as? PostgresError)?.message ?? (last as? PersistenceError)?.message ?? "\(last)"
        return PersistenceError(
            .server, "the right to write the shard ends, since PostgreSQL does not store anything: \(reason)",
            hint: "check the server; what was told to be stored is safe there")
    }

    static let givenBack = PersistenceError(
        .interrupted, "the shard was given back", hint: "run it again")

    /// The pages that a commit has changed are not known.
    static let unreadableLog = PersistenceError(
        .inputOutput, "the log of the local copy cannot be read, so what was stored last is not in PostgreSQL",
        hint: "check the free space and the health of the disk; the work goes on from what PostgreSQL has")

    /// There was a database, and now there is none, or none that can be trusted. It is not begun anew: whoever restores it would be in the way.
    static let gone = PersistenceError(
        .unusable, "PostgreSQL has no row of the database in _garner.shards any more, or no pages",
        hint:
            "restore it from a backup of PostgreSQL; to begin anew, end all workers, DROP SCHEMA _garner CASCADE, and start them again"
    )

    static func damaged(_ words: String) -> PersistenceError {
        PersistenceError(
            .unusable, "the pages in PostgreSQL are not those that were stored: \(words)",
            hint: "restore the database of PostgreSQL from a backup")
    }
}

extension ShardHolder {
    /// Host and process.
    package var name: String { host.isEmpty ? "an unknown worker" : "\(host), process \(process)" }
}

/// Runs what speaks to PostgreSQL, and describes its errors as those of the database.
func describingErrors<R>(_ body: () async throws -> R) async throws -> R {
    do {
        return try await body()
    } catch let error as PostgresError {
        throw PersistenceError(error)
    } catch let refusal as SchemaRefusal {
        throw PersistenceError(refusal)
    }
}
