import GarnerDatabase
import GarnerMigrations
import GarnerSQLite

/// Files that an earlier version has written.
enum EarlierVersion {
    /// - Parameter rows: SQL that puts in what it left there.
    static func write(_ version: Int, to path: String, rows: String) throws {
        let connection = try Connection(path: path, mode: .readWrite)
        defer { connection.close() }
        for migration in Migration.all.prefix(version) {
            try connection.executeScript(migration.sql)
            try connection.execute(
                "INSERT INTO _garner_migrations (version, name, checksum, applied_at) VALUES (?1, ?2, ?3, 't')",
                .integer(Int64(migration.version)), .text(migration.name), .text(migration.checksum))
        }
        try connection.executeScript(rows)
        try connection.executeScript("PRAGMA application_id = 1196576338; PRAGMA user_version = \(version)")
    }
}
