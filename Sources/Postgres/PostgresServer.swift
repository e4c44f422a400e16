/// What a server says about itself.
package struct PostgresServer: Equatable, Sendable {
    /// Such as 150018 for 15.18.
    package let versionNumber: Int
    /// The result of `version()`.
    package internal(set) var version = ""
    /// Such as `UTF8`.
    package internal(set) var encoding = "UTF8"
    package internal(set) var isStandby = false

    static let oldestVersion = 14

    /// Why Garner does not work with the server; nil if it does.
    var refusal: PostgresError? {
        if let name = Self.others.first(where: { version.contains($0.words) })?.name {
            return PostgresError(
                .unsupportedServer, "this server is \(name)",
                hint: "Garner writes to PostgreSQL \(Self.oldestVersion) or newer")
        }
        if versionNumber < Self.oldestVersion * 10_000 {
            return PostgresError(
                .unsupportedServer, "this server is PostgreSQL \(versionNumber / 10_000)",
                hint: "Garner writes to PostgreSQL \(Self.oldestVersion) or newer")
        }
        if encoding != "UTF8" {
            return PostgresError(
                .unsupportedServer, "the encoding of this database is \(ForeignText.onOneLine(encoding))",
                hint: "Make one that holds all texts: CREATE DATABASE name ENCODING 'UTF8' TEMPLATE template0")
        }
        if isStandby {
            return PostgresError(
                .unsupportedServer, "this server is a standby, which cannot be written to",
                hint: "Name the primary, or several hosts with ?target_session_attrs=read-write")
        }
        return nil
    }

    /// Words of `version()` of databases that speak PostgreSQL's protocol, but lack what Garner needs.
    private static let others = [
        (words: "CockroachDB", name: "CockroachDB"), (words: "-YB-", name: "YugabyteDB"),
        (words: "Redshift", name: "Amazon Redshift"),
    ]
}
