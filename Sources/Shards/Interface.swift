package import GarnerCatalog
package import GarnerModel
package import GarnerPersistence
package import GarnerPostgres
package import GarnerSQLite

package enum ShardSchema {
    /// Makes the tables that are missing. Throws `PersistenceError` if a newer Garner made them, or if a right is missing.
    package static func prepare(_ connection: PostgresConnection) async throws { throw notYet }
}

package enum ShardClaim: Sendable {
    case held(ShardHolder)
    case claimed(ShardKeeper)
}

/// A worker that waits for a shard: it says that it is there, claims, and ends sessions that stand still with a shard.
package actor ShardWorker {
    package init(_ place: ShardPlace, as worker: WorkerIdentity) {}
    /// Tries once to claim the shard. A service calls it about once a second; the connection is kept.
    package func claim() async throws -> ShardClaim { throw notYet }
    /// Forgets the worker, and closes the connection.
    package func leave() async {}
}

/// The right to write a shard, and its pages on the way to PostgreSQL.
package actor ShardKeeper: CommitReceiver {
    /// Claims once, for a command: `release` also forgets the worker.
    package static func claim(_ place: ShardPlace, as worker: WorkerIdentity) async throws -> ShardClaim {
        throw notYet
    }
    package nonisolated func committed(_ pages: CommittedPages?) {}
    package nonisolated func safe() async throws { throw notYet }
    /// True if the shard has no pages yet: `copy` then makes no file.
    package nonisolated var isEmpty: Bool { true }
    /// Writes all pages into a new file (0600), and compares the checksum.
    package func copy(into path: String) async throws { throw notYet }
    /// Returns when nothing more can be stored, and why: the shard is lost, or the lease is about to end. After `release`, it is of the kind
    /// `interrupted`, as after a cancellation.
    package nonisolated func untilLost() async -> PersistenceError { notYet }
    /// Sends what waits, and gives the shard back.
    package func release() async throws { throw notYet }
}

/// Reads the pages of a shard. Its calls block; they need no thread of the concurrency pool.
package final class ShardPageSource: PageSource {
    package init(_ place: ShardPlace) {}
    package func begin() throws -> PageSnapshot { throw notYet }
    package func pages(from first: UInt32, count: Int) throws -> [[UInt8]] { throw notYet }
    package func end() {}
}

extension ShardPlace {
    /// The shard as a database that SQLite reads, to be registered under `path`.
    package func remoteDatabase() -> RemoteDatabase {
        RemoteDatabase(open: { ShardPageSource(self) }, isWritten: { false })
    }

    /// Returns who holds the shard now; nil if nobody does.
    package func holder() async throws -> ShardHolder? { throw notYet }
    /// Returns the workers, those that were seen last first.
    package func workers() async throws -> [WorkerReport] { throw notYet }
    /// Stores a whole file, whose log is empty, as the shard. Refused if the shard has pages, or a holder.
    package func store(file: String, as worker: WorkerIdentity) async throws { throw notYet }
    /// Compares the checksum of all pages with that of the shard's row, for `doctor`.
    package func examine() async throws -> ShardExamination { throw notYet }
}

/// What `doctor` finds.
package struct ShardExamination: Sendable, Equatable {
    package let pageCount: Int
    /// Pages that are missing, or too many.
    package let isComplete: Bool
    /// True if the checksum of the pages is that of the shard's row.
    package let isIntact: Bool
    /// False if a crash of the server may lose what was stored (`fsync = off`).
    package let survivesCrash: Bool
}

/// The refresh tokens and the refused logins of all workers. Its calls block.
package struct ShardTokens: Sendable {
    package init(_ place: ShardPlace) {}
    package func load(_ key: String) throws -> Secret? { throw notYet }
    package func save(_ token: Secret, for key: String) throws { throw notYet }
    /// Returns the sole right to renew the key's token, until the object is released; nil while another worker has it.
    package func lockForRenewal(of key: String) throws -> AnyObject? { throw notYet }
    package func refusedLogins() throws -> [RefusedLogin] { throw notYet }
    package func changeRefusedLogins(_ change: (inout [RefusedLogin]) -> Void) throws { throw notYet }
}

private let notYet = PersistenceError(.bug, "not yet", hint: .report)
