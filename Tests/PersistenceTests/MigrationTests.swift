import GarnerDatabase
import Foundation
import GarnerMigrations
import GarnerPersistence
import GarnerSQLite
import TestSupport
import Testing

struct MigrationTests {
    let fixture: Fixture

    init() throws { fixture = try Fixture() }

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../migrations")

    @Test(arguments: Migration.all.map(\.name)) func `the embedded text is that of the file`(name: String) throws {
        let migration = try #require(Migration.all.first { $0.name == name })
        let file = try Data(contentsOf: Self.folder.appending(path: "\(name).sql"))
        #expect(Array(migration.sql.utf8) == Array(file))
        #expect(
            name.hasPrefix(String(repeating: "0", count: 4 - "\(migration.version)".count) + "\(migration.version)_"))
    }

    @Test func `every file is embedded, in order`() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).filter {
            $0.hasSuffix(".sql") && $0 != "schema.sql"
        }.sorted()
        #expect(Migration.all.map { $0.name + ".sql" } == files)
        #expect(Migration.all.map(\.version) == Array(1...files.count))
    }

    /// The checksums of the released files, in order; databases that were made with them have stored these.
    private static let checksums = [
        "f354c9cf0ebec3cc", "86f26f0d86166bf3", "b5d1433056b94ba8", "d5c68372e7864c99", "57ae594eae4a30ee",
        "ac4c9d984e96a4c9", "50bdc4d033731489", "d39329df543e11fc", "702840de47661542", "96492132bb28e56f",
        "d21ca07b746c9a52", "205e79977e972c1c", "c3dbaa9014432147", "cf52c3e5623c714e", "af5d30e156d08bea",
        "53c2d17d55850feb", "712b81aff6b956cd", "e3a717bad441e0f6", "8e90bb7e6d4b7d6", "22ab3d650605b41f",
        "9cac17f9f11b38dc", "22db2ffa0c6356ff", "ecd283e18f66ec24", "a25186f0882c5f79", "65834a3f0da02652",
    ]

    @Test func `a released file is never edited`() {
        #expect(Migration.all.map(\.checksum) == Self.checksums)
    }

    @Test func `each is recorded with its checksum`() throws {
        let expected = zip(Migration.all, Self.checksums).map { migration, checksum in
            "\(migration.version) '\(migration.name)' '\(checksum)' '2026-01-31T08:05:00.000Z'"
        }
        #expect(try fixture.rows("SELECT version, name, checksum, applied_at FROM _garner_migrations") == expected)
    }

    @Test func `a new database has the schema that the migrations make`() throws {
        let folder = try TemporaryFolder()
        let migrated = try Connection(path: folder.path("migrated.db"), mode: .readWrite)
        for migration in Migration.all { try migrated.executeScript(migration.sql) }
        let new = try Connection(path: folder.path("new.db"), mode: .readWrite)
        try new.executeScript(Migration.schema)
        let schema = "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name"
        func rows(_ sql: String, _ connection: Connection) throws -> [String] {
            try connection.rows(sql, []) { row in
                (0..<row.columnCount).map { row.text(at: $0) }.joined(separator: "\n")
            }
        }
        let expected = try rows(schema, migrated)
        #expect(try rows(schema, new) == expected, "run script/schema")
        // The values are random bits, of which both have as many.
        for table in try rows("SELECT name FROM sqlite_schema WHERE type = 'table'", migrated) {
            let count = "SELECT count(*) FROM \(quoted(table))"
            #expect(try new.integer(count) == migrated.integer(count), "\(table)")
        }
        let secret = "SELECT id, typeof(secret), length(secret) FROM _garner_hash_key"
        #expect(try rows(secret, new) == ["1\nblob\n192"])
        #expect(try rows(secret, migrated) == ["1\nblob\n192"])
    }

    @Test func `the file is marked as Garner's, with its version`() throws {
        #expect(try fixture.rows("PRAGMA application_id") == ["1196576338"])  // "GRNR"
        #expect(try fixture.rows("PRAGMA user_version") == ["\(Migration.all.count)"])
        #expect(try fixture.rows("PRAGMA journal_mode") == ["'wal'"])
    }

    @Test func `a second opening migrates nothing`() async throws {
        let before = try fixture.rows("SELECT * FROM sqlite_schema")
        await fixture.writer.close()
        let again = try Fixture(reopening: fixture)
        #expect(try again.rows("SELECT * FROM sqlite_schema") == before)
        #expect(try again.rows("SELECT count(*) FROM _garner_migrations") == ["\(Migration.all.count)"])
    }

    @Test func `every table of ours is strict and begins with our name`() throws {
        let tables = try fixture.rows(
            "SELECT name, strict FROM pragma_table_list WHERE schema = 'main' AND name NOT LIKE 'sqlite_%'")
        #expect(tables.count >= 10)
        #expect(tables.allSatisfy { $0.hasPrefix("'_garner_") && $0.hasSuffix(" 1") })
    }
}

extension Migration {
    /// FNV-1a of 64 bits (www.isthe.com/chongo/tech/comp/fnv), in hexadecimal digits.
    var checksum: String {
        let hash = sql.utf8.reduce(14_695_981_039_346_656_037 as UInt64) {
            ($0 ^ UInt64($1)) &* 1_099_511_628_211
        }
        return String(hash, radix: 16)
    }
}
