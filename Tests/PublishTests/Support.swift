import GarnerPostgres
import PostgresCluster
import Testing

@testable import GarnerPublish

/// A database of a test's own on the server that all tests share: there is one schema `_garner` in each.
struct TestDatabase {
    let name = "t" + PostgresUUID.random().description.filter { $0 != "-" }
    let cluster: PostgresCluster
    /// A superuser's connection.
    let connection: PostgresConnection

    /// - Parameter template: The name of a database to copy, to which nobody is connected.
    init(on cluster: PostgresCluster? = nil, template: String = "template0") async throws {
        if let cluster { self.cluster = cluster } else { self.cluster = try await PostgresCluster.shared() }
        let first = try await PostgresConnection.open(PostgresURL(self.cluster.socketURL()))
        try await first.execute("CREATE DATABASE \(name) TEMPLATE \(template)")
        await first.close()
        connection = try await PostgresConnection.open(PostgresURL(self.cluster.socketURL(database: name)))
    }

    var url: PostgresURL { get throws { try url(of: PostgresCluster.superuser) } }

    func url(of user: String) throws -> PostgresURL {
        try PostgresURL(cluster.socketURL(user: user, database: name))
    }

    func connect(as user: String = PostgresCluster.superuser) async throws -> PostgresConnection {
        try await PostgresConnection.open(url(of: user))
    }

    /// Makes a role that may log in and nothing else. Returns its name.
    func makeRole() async throws -> String {
        let role = "role_" + name
        try await connection.execute("CREATE ROLE \(role) LOGIN")
        return role
    }

    /// Returns the rows of a query as texts; NULL is nil.
    func texts(_ sql: String) async throws -> [[String?]] {
        let width = try await connection.execute("SELECT * FROM (\(sql)) AS q LIMIT 0").columns.count
        guard width > 0 else { return [] }
        let names = (1...width).map { "c\($0)" }
        let result = try await connection.execute(
            "SELECT \(names.map { "\($0)::text" }.joined(separator: ", ")) FROM (\(sql)) AS q "
                + "(\(names.joined(separator: ", ")))")
        return result.rows.map { $0.map(\.text) }
    }
}

/// The error that `body` throws; nil where it throws none, or one of another type.
func publicationError(_ body: () async throws -> Void) async -> PublicationError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? PublicationError
    }
}
