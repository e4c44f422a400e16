import Foundation
import GarnerLibC
import GarnerPersistence
import GarnerPostgres
import GarnerSQLite
import PostgresCluster
import Synchronization
import TestSupport
import Testing

@testable import GarnerShards

/// A database of a test's own on a server.
struct TestDatabase {
    let name = "t" + PostgresUUID.random().description.filter { $0 != "-" }
    let cluster: PostgresCluster
    /// A superuser's connection.
    let connection: PostgresConnection

    init(on cluster: PostgresCluster? = nil) async throws {
        if let cluster { self.cluster = cluster } else { self.cluster = try await PostgresCluster.shared() }
        let first = try await PostgresConnection.open(PostgresURL(self.cluster.socketURL()))
        try await first.execute("CREATE DATABASE \(name) TEMPLATE template0")
        await first.close()
        connection = try await PostgresConnection.open(PostgresURL(self.cluster.socketURL(database: name)))
    }

    func url(of user: String = PostgresCluster.superuser) throws -> PostgresURL {
        try PostgresURL(cluster.socketURL(user: user, database: name))
    }

    func connect(as user: String = PostgresCluster.superuser) async throws -> PostgresConnection {
        try await PostgresConnection.open(url(of: user))
    }

    /// The place of a database with one shard.
    func place(lease: Duration = .seconds(30), shards: Int = 1) throws -> ShardPlace {
        ShardPlace(url: try url(), lease: lease, wantedShards: shards)
    }

    /// Makes a role that may log in and nothing else. Returns its name.
    func makeRole() async throws -> String {
        let role = "role_" + name
        try await connection.execute("CREATE ROLE \(role) LOGIN")
        return role
    }

    /// Lets the lease of the shard have ended, as the clock of the server would.
    func endLease() async throws {
        try await connection.execute("UPDATE _garner.shards SET until = clock_timestamp() - interval '1 second'")
    }

    func integer(_ sql: String) async throws -> Int64? { try await connection.execute(sql).value?.integer }
}

extension WorkerIdentity {
    static func named(_ host: String) -> WorkerIdentity {
        WorkerIdentity(host: host, process: 7, version: "1.0", configurationDigest: "digest")
    }
}

extension ShardPlace {
    /// Claims the shard, which must be free.
    func claimed(by host: String = "one") async throws -> ShardKeeper {
        let claim = try await ShardKeeper.claim(self, as: .named(host))
        guard case .claimed(let keeper) = claim else { throw NotClaimed(claim: "\(claim)") }
        return keeper
    }

    /// Claims the shard, and copies it into a file. Returns the bytes; nil if there is none.
    func copied() async throws -> [UInt8]? {
        let folder = try TemporaryFolder()
        let keeper = try await claimed(by: "copier")
        try await keeper.copy(into: folder.path("copy.db"))
        try await keeper.release()
        return FileManager.default.contents(atPath: folder.path("copy.db")).map { Array($0) }
    }
}

struct NotClaimed: Error { let claim: String }

/// The pages of a database, as a writer would change them.
struct PageModel {
    private(set) var pages: [[UInt8]] = []
    private var random: SplitMix64

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    var bytes: [UInt8] { pages.flatMap { $0 } }

    /// Changes a few pages and the size, and returns what a commit tells.
    mutating func commit(mostPages: Int = 40) -> CommittedPages {
        let count = Int.random(in: 1...mostPages, using: &random)
        var changed: [UInt32: [UInt8]] = [:]
        let before = pages.count
        pages = Array(pages.prefix(count))
        while pages.count < count { pages.append([]) }
        for page in 1...count where page > before || page == 1 || Int.random(in: 0..<4, using: &random) == 0 {
            pages[page - 1] = image(of: page)
            changed[UInt32(page)] = pages[page - 1]
        }
        return CommittedPages(images: changed, pageCount: UInt32(count), pageSize: 4096)
    }

    private mutating func image(of page: Int) -> [UInt8] {
        var image = [UInt8](repeating: 0, count: 4096)
        for index in 100..<400 { image[index] = UInt8.random(in: .min ... .max, using: &random) }
        return image
    }
}

/// A commit whose first page holds a number.
func counting(_ number: Int) -> CommittedPages {
    var image = [UInt8](repeating: 0, count: 4096)
    for place in 0..<8 { image[200 + place] = UInt8(truncatingIfNeeded: number >> (8 * place)) }
    return CommittedPages(images: [1: image], pageCount: 1, pageSize: 4096)
}

/// The number in the first page; nil without pages.
func counted(_ bytes: [UInt8]?) -> Int? {
    bytes.map { bytes in (0..<8).reduce(0) { $0 | Int(bytes[200 + $1]) << (8 * $1) } }
}

/// The error that `body` throws; nil where it throws none, or one of another type.
func persistenceError(_ body: () async throws -> Void) async -> PersistenceError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? PersistenceError
    }
}
