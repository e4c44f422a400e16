import GarnerCatalog
import GarnerDatabase
import GarnerJSON
package import GarnerMigrations
package import GarnerModel
package import GarnerSQLite

/// Migrates a database to the newest version of Garner's schema.
package struct Migrator {
    /// "GRNR", which marks a file as Garner's (sqlite.org/fileformat2.html#application_id).
    static let applicationID: Int64 = 0x4752_4E52

    let connection: Connection
    let now: Timestamp

    package init(connection: Connection, now: Timestamp) { (self.connection, self.now) = (connection, now) }

    /// Refuses a foreign or newer file. Runs and records the missing migrations. An empty file gets the newest schema at once.
    package func migrate() throws {
        let version = try Self.verify(connection)
        try refuseOthers(than: Migration.all.filter { $0.version <= version })
        guard version < Self.newestVersion else { return }
        // All of them or none, so that a new file waits for the disk once.
        try connection.transaction {
            // Another process may have migrated the file while this one waited for the lock.
            let version = try Self.verify(connection)
            let before = try connection.integer("PRAGMA schema_version") ?? 0
            if version == 0 { try connection.executeScript(Migration.schema) }
            for migration in Migration.all where migration.version > version {
                if version > 0 { try connection.executeScript(migration.sql) }
                try connection.execute(
                    """
                    INSERT INTO _garner_migrations (version, name, checksum, applied_at) VALUES (?1, ?2, ?3, ?4)
                    """, .integer(Int64(migration.version)), .text(migration.name), .text(Self.checksum(migration.sql)),
                    .text(now.description))
            }
            try connection.executeScript(
                "PRAGMA application_id = \(Self.applicationID); PRAGMA user_version = \(Self.newestVersion)")
            // This change gives no row of a published table another number.
            try connection.execute(
                "UPDATE _garner_publication SET schema_version = ?2 WHERE schema_version = ?1", .integer(before),
                .integer(try connection.integer("PRAGMA schema_version") ?? 0))
        }
    }

    /// Throws if a migration was edited after it was applied, since the next one expects another schema.
    private func refuseOthers(than applied: [Migration]) throws {
        guard applied.count < Migration.all.count else { return }
        for migration in applied where try !Self.isRecorded(migration, on: connection) {
            throw PersistenceError(
                .foreign, "\(connection.path) was made with another \(migration.name) than this garner's",
                hint: "use the garner that created it, or sync everything into a new file")
        }
    }

    /// Returns true if the migration was applied with this text.
    package static func isRecorded(_ migration: Migration, on connection: Connection) throws -> Bool {
        try connection.text(
            "SELECT checksum FROM _garner_migrations WHERE version = ?1", .integer(Int64(migration.version)))
            == checksum(migration.sql)
    }

    package static var newestVersion: Int { Migration.all.map(\.version).max() ?? 0 }

    /// Returns the version of the file's schema, or the lowest one of several parts. Throws if it is not Garner's, or newer than this program.
    package static func verify(_ connection: Connection) throws -> Int {
        // In one statement, which sees one state of the file: its first migration may be committed at any moment.
        let found = try connection.firstRow(
            """
            SELECT (SELECT application_id FROM pragma_application_id), (SELECT user_version FROM pragma_user_version),
            EXISTS (SELECT 1 FROM sqlite_schema)
            """, []
        ) { (identity: $0.integer(at: 0), version: Int($0.integer(at: 1)), isEmpty: $0.integer(at: 2) == 0) }
        guard let (identity, own, isEmpty) = found else { return 0 }
        var version = own
        if isEmpty && identity == 0 { return 0 }
        guard identity == applicationID else {
            throw PersistenceError(
                .foreign, "\(connection.path) is a database of another program, which Garner leaves as it is",
                hint: .nameAnotherDatabase)
        }
        let newest = newestVersion
        for schema in connection.schemas.dropFirst() where version <= newest {
            let other = Int(try connection.integer("PRAGMA \(schema).user_version") ?? 0)
            version = other > newest ? other : min(version, other)
        }
        guard version <= newest else {
            throw PersistenceError(
                .foreign, "\(connection.path) was made by a newer garner (schema \(version); this one knows \(newest))",
                hint: "install the newer version")
        }
        return version
    }

    /// Returns the checksum in hexadecimal digits.
    static func checksum(_ text: String) -> String {
        var hash = StableHash()
        hash.add(text.utf8)
        return String(hash.value, radix: 16)
    }
}
