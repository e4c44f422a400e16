package import GarnerPostgres

/// Where a shard is: the file of a database, whose pages PostgreSQL has.
package struct ShardPlace: Sendable, CustomStringConvertible {
    package let url: PostgresURL
    package let shard: Int
    /// How long a worker has the right to write after it was last heard of.
    package let lease: Duration

    package init(url: PostgresURL, shard: Int = 1, lease: Duration = .seconds(30)) {
        (self.url, self.shard, self.lease) = (url, shard, lease)
    }

    /// The URL without its password.
    package var description: String { url.description }
}
