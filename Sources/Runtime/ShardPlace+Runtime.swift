package import GarnerCatalog
package import GarnerFetcher
import GarnerLibC
import GarnerModel
import GarnerPersistence
import GarnerPostgres
package import GarnerShards
import GarnerSQLite

extension ShardPlace {
    /// What `GARNER_LEASE` may name.
    package static let leases: ClosedRange<Duration> = .seconds(3) ... .seconds(300)

    /// Fails for a file. From then on, this process reads the database under the path of the place.
    ///
    /// - Throws: `PostgresError` if libpq would read the URL in another way than it is meant.
    package init?(_ place: DatabasePlace, _ environment: [String: String]) throws {
        guard let (url, shards) = place.server else { return nil }
        let lease = environment["GARNER_LEASE"].flatMap { try? DurationText.parse($0) }
        self.init(
            url: try PostgresURL(url.reveal()),
            lease: lease.flatMap { Self.leases.contains($0) ? $0 : nil } ?? Self.usualLease, wantedShards: shards)
        RemoteDatabase.register(remoteDatabase(), as: place.path)
    }
}

extension WorkerIdentity {
    /// The name of this machine, without what would mislead a terminal.
    private static let thisHost: String = {
        var name = [CChar](repeating: 0, count: 256)
        _ = gethostname(&name, name.count - 1)
        return String(decoding: name.prefix { (33..<127).contains($0) }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }()

    /// - Parameters:
    ///   - configuration: What a service has read; nil for a command, which takes no requests and does not go on.
    ///   - userAgent: Ends with the version of the program.
    package init(of configuration: Configuration?, userAgent: String) {
        self.init(
            host: Self.thisHost, process: getpid(), version: String(userAgent.drop { $0 != "/" }.dropFirst()),
            configurationDigest: configuration?.digest ?? "")
    }
}

extension ShardTokens: TokenStorage {
    package func turn(for key: String) -> RenewalTurn {
        do { return try lockForRenewal(of: key).map { .held($0) } ?? .taken } catch { return .unknown }
    }
}

extension ShardKeeper {
    /// Returns what a new shard has from its database; nil if the shard is there already.
    nonisolated func beginning() async throws -> ShardBeginning? {
        guard isEmpty else { return nil }
        var used: [String: Int64] = [:]
        if try await place.layout().shards.contains(where: { $0.pageCount > 0 }) {
            let path = "\(RemoteDatabase.prefix)\(place)#numbers"
            RemoteDatabase.register(place.remoteDatabase(), as: path)
            used = try await onOwnThread { [place] in try ShardNumbers(of: place.shard).used(at: path) }
        }
        let key = try await place.hashKey { shard in
            guard let shard else { return ShardBeginning.newHashKey() }
            // Under the path of the part alone, others look whether it is written.
            let path = "\(RemoteDatabase.prefix)\(shard), for a new shard"
            RemoteDatabase.register(shard.remoteDatabase(), as: path)
            return try await onOwnThread { try ShardBeginning.hashKey(of: path) }
        }
        return ShardBeginning(of: place.shard, hashKey: key, behind: used)
    }
}
