import GarnerPostgres
import PostgresCluster

/// A database of a test's own on the server that all tests share.
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
}
