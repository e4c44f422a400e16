package import GarnerPostgres

/// Gives published tables to another file, when their streams go there. It makes all their rows again; grants, views and indexes stay.
package struct PublicationHandover: Sendable {
    private let sources: [String]
    private let origin: String
    private let target: String

    /// - Parameters:
    ///   - origin: The identity of the file that has published them.
    ///   - target: That of the file whose they are from now on.
    package init(of sources: [String], from origin: String, to target: String) {
        (self.sources, self.origin, self.target) = (sources, origin, target)
    }

    /// The statement, for people who have to run it themselves.
    package var sql: String {
        let names = sources.sorted().map { "'\($0.replacing("'", with: "''"))'" }.joined(separator: ", ")
        return "UPDATE _garner.tables SET file = '\(target)', position = 0, table_id = NULL "
            + "WHERE file = '\(origin)' AND split_part(stream, '.', 1) IN (\(names))"
    }

    package func perform(at url: PostgresURL) async throws {
        try await PostgresConnection.over(url) { connection in
            try await connection.inTransaction {
                guard try await PublishedSchema.hasTables(on: connection) else { return }
                try await connection.executeScript(sql)
            }
        }
    }
}
