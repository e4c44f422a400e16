/// The URL of a database, or a device, in a place where the path of a SQLite file is meant.
package struct DatabaseURL: Sendable, Equatable {
    /// Such as `PostgreSQL`; nil if the scheme is that of no database that is known here.
    private let product: String?
    private let isDevice: Bool

    /// Returns nil for a text that is no URL and no device.
    package init?(_ text: String) {
        // Below a folder such as /dev/shm there are files.
        isDevice = text.hasPrefix("/dev/") && !text.dropFirst("/dev/".count).contains("/")
        if isDevice {
            product = nil
            return
        }
        guard let end = text.firstRange(of: "://")?.lowerBound else { return nil }
        let scheme = text[..<end].lowercased()
        product = Self.products.first(where: { scheme.contains($0.scheme) })?.name
    }

    /// The problem with it. It shows nothing of the URL, which may hold a password.
    package var problem: String {
        if isDevice { return "is a device, and no file; 'garner sync --dry-run' stores nothing" }
        if isPostgres {
            return
                "is the URL of a PostgreSQL database, which the configuration names as postgresql://USER@HOST/DATABASE"
        }
        let what = product.map { "is the URL of a \($0) database" } ?? "is a URL"
        return "\(what), but Garner keeps what it stores in a SQLite file, or in PostgreSQL"
    }

    /// The line to write in its place in the configuration.
    package var advice: String {
        isPostgres
            ? "write \(Self.server)"
            : "write database: garner.db" + more("publish: postgresql://USER@HOST/DATABASE below it")
    }

    /// Returns the text to write in its place outside of the configuration.
    ///
    /// - Parameter flag: The text before the path, such as `--database `.
    package func advice(forFlag flag: String) -> String {
        isPostgres
            ? "leave it out, and write \(Self.server) into the configuration"
            : "\(flag)garner.db" + more("publish: postgresql://USER@HOST/DATABASE to the configuration")
    }

    private var isPostgres: Bool { product == "PostgreSQL" }
    private static let server = "database: postgresql://USER@HOST/DATABASE"

    private func more(_ line: String) -> String {
        product == "SQLite" || isDevice ? "" : "; to have each stream as a table in PostgreSQL, too, add \(line)"
    }

    private static let products: [(scheme: String, name: String)] = [
        ("postgres", "PostgreSQL"), ("mysql", "MySQL"), ("mariadb", "MariaDB"), ("sqlite", "SQLite"),
        ("mongodb", "MongoDB"), ("sqlserver", "SQL Server"), ("mssql", "SQL Server"), ("oracle", "Oracle"),
        ("redshift", "Redshift"), ("snowflake", "Snowflake"), ("clickhouse", "ClickHouse"), ("duckdb", "DuckDB"),
    ]
}
