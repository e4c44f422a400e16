package import GarnerModel
package import GarnerPostgres

/// A process that may hold shards.
package struct WorkerIdentity: Sendable, Equatable {
    /// A new one for each process.
    package let worker: PostgresUUID
    package let host: String
    package let process: Int32
    /// The version of the program.
    package let version: String
    /// A digest of the configuration that a service has read; empty for a command.
    package internal(set) var configurationDigest: String

    package init(
        worker: PostgresUUID = .random(), host: String, process: Int32, version: String, configurationDigest: String
    ) {
        (self.worker, self.host, self.process) = (worker, host, process)
        (self.version, self.configurationDigest) = (version, configurationDigest)
    }
}

/// Who holds a shard.
package struct ShardHolder: Sendable, Equatable {
    /// Empty if the worker's own row is gone.
    package let host: String
    package let process: Int32
    package let version: String
    /// The end of its lease, by the clock of the server.
    package let until: Timestamp
    package let lastSeen: Timestamp?
    /// False for a command, which takes no requests and does not go on.
    package var isService = false
    /// The time up to the end of the lease, when it was looked at.
    package var rest = Duration.zero
}

/// A row of the workers' table, for `garner workers`.
package struct WorkerReport: Sendable, Equatable {
    package let worker: PostgresUUID
    package let host: String
    package let process: Int32
    package let version: String
    package let configurationDigest: String
    package let started: Timestamp
    package let lastSeen: Timestamp
    /// True if it was seen within a minute, and has let no lease end since. A command is seen as long as it holds a shard.
    package let isLive: Bool
    /// The shards that it holds now, with the ends of its leases.
    package internal(set) var shards: [Int: Timestamp]
}
