package import GarnerPostgres

/// Where a shard is: the file of a database, or of a part of it, whose pages PostgreSQL has.
package struct ShardPlace: Sendable, CustomStringConvertible {
    package let url: PostgresURL
    package let shard: Int
    /// How long a worker has the right to write after it was last heard of.
    package let lease: Duration
    /// The number of shards that the URL asks for; nil where it does not say it.
    package let wantedShards: Int?

    package static let usualLease: Duration = .seconds(30)

    package init(url: PostgresURL, shard: Int = 1, lease: Duration = ShardPlace.usualLease, wantedShards: Int? = nil) {
        (self.url, self.shard, self.lease, self.wantedShards) = (url, shard, lease, wantedShards)
    }

    package func at(_ shard: Int) -> ShardPlace {
        ShardPlace(url: url, shard: shard, lease: lease, wantedShards: wantedShards)
    }

    /// The URL without its password.
    package var description: String { url.description }
}
