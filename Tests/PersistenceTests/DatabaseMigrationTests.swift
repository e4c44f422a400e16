import GarnerCatalog
import GarnerDatabase
import GarnerMigrations
import GarnerModel
@testable import GarnerMaintenance
import GarnerPersistence
import GarnerSQLite
import TestSupport
import Testing

struct DatabaseMigrationTests {
    private let folder: TemporaryFolder
    private let path: String
    private let now = Timestamp(millisecondsSince1970: 1_769_846_700_000)

    /// A file of version 2.
    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("garner.db")
        let connection = try Connection(path: path, mode: .readWrite)
        defer { connection.close() }
        for migration in Migration.all.prefix(2) {
            try connection.executeScript(migration.sql)
            try connection.execute(
                "INSERT INTO _garner_migrations VALUES (?1, ?2, ?3, '2026-01-01T00:00:00.000Z')",
                .integer(Int64(migration.version)), .text(migration.name), .text(migration.checksum))
        }
        try connection.executeScript("PRAGMA application_id = 1196576338; PRAGMA user_version = 2")
    }

    private func execute(_ sql: String) throws {
        let connection = try Connection(path: path, mode: .readWrite)
        defer { connection.close() }
        try connection.executeScript(sql)
    }

    private var version: Int64? {
        get throws {
            let connection = try Connection(path: path, mode: .readOnly)
            defer { connection.close() }
            return try connection.integer("PRAGMA user_version")
        }
    }

    @Test func `the report tells what was run and what is missing`() throws {
        let report = try DatabaseMigration(of: path).report()
        #expect((report.version, report.newest) == (2, Migration.all.count))
        #expect(report.steps.map(\.name) == Migration.all.map(\.name))
        #expect(report.steps.map(\.state) == Migration.all.map { $0.version <= 2 ? .applied : .missing })
        #expect(report.steps[0].appliedAt == Timestamp(rfc3339: "2026-01-01T00:00:00Z"))
        #expect(report.steps[2].appliedAt == nil)
        #expect(try version == 2)
    }

    @Test func `a dry run performs the missing migrations and undoes them`() throws {
        let report = try DatabaseMigration(of: path).run(isDryRun: true, now: now)
        #expect(report.steps.allSatisfy { $0.state == .applied })
        #expect(try version == 2)
    }

    @Test func `a migration runs once and then has nothing to do`() throws {
        for _ in 1...2 {
            let report = try DatabaseMigration(of: path).run(isDryRun: false, now: now)
            #expect(report.version == Migration.all.count)
            #expect(report.steps.last?.appliedAt == now)
        }
        _ = try ReadOnlyDatabase(path: path)
    }

    @Test func `noted changes and a view that reads them go on`() throws {
        try execute(
            """
            INSERT INTO _garner_streams (name, table_name) VALUES ('zoo.animals', 'animals');
            INSERT INTO _garner_runs (run_id, stream_id, read_id, status, started_at) VALUES (1, 1, 1, 'succeeded', 't');
            INSERT INTO _garner_changes VALUES (1, 1, 'b', 'delete'), (1, 1, 7, 'insert'), (1, 1, '[1,"x"]', 'update');
            CREATE VIEW lately AS SELECT typeof(record_key) || ' ' || record_key || ' ' || operation AS text
            FROM _garner_changes;
            """)
        _ = try DatabaseMigration(of: path).run(isDryRun: false, now: now)
        let connection = try Connection(path: path, mode: .readWrite)
        defer { connection.close() }
        let texts = try connection.rows("SELECT text FROM lately") { $0.text(at: 0) }
        #expect(texts == ["integer 7 insert", "text [1,\"x\"] update", "text b delete"])
        #expect(throws: (any Error).self) { try connection.execute("UPDATE _garner_changes SET operation = 'other'") }
    }

    @Test(arguments: [false, true])
    func `a migration that was edited since is told, and nothing is built on it`(isDryRun: Bool) throws {
        try execute("UPDATE _garner_migrations SET checksum = 'c' WHERE version = 1")
        #expect(try DatabaseMigration(of: path).report().steps.map(\.state).prefix(2) == [.differs, .applied])
        let error = #expect(throws: PersistenceError.self) {
            try DatabaseMigration(of: path).run(isDryRun: isDryRun, now: now)
        }
        #expect(error?.kind == .foreign)
        #expect(error?.message.contains("0001_initial") == true)
        #expect(throws: PersistenceError.self) { try Fixture.store(at: path) }
        #expect(try version == 2)
    }

    @Test func `a database of the newest schema stays usable although a migration was edited`() async throws {
        _ = try DatabaseMigration(of: path).run(isDryRun: false, now: now)
        try execute("UPDATE _garner_migrations SET checksum = 'c' WHERE version = 1")
        _ = try DatabaseMigration(of: path).run(isDryRun: false, now: now)
        let writer = try Fixture.store(at: path)
        await writer.close()
    }

    @Test func `a migration does not wait for another writer`() async throws {
        let writer = try Fixture.store(at: path)
        let error = #expect(throws: PersistenceError.self) {
            try DatabaseMigration(of: path).run(isDryRun: true, now: now)
        }
        #expect(error?.kind == .locked)
        await writer.close()
    }

    @Test func `there must be a database`() throws {
        let migration = DatabaseMigration(of: folder.path("none.db"))
        #expect(#expect(throws: PersistenceError.self) { try migration.report() }?.kind == .missing)
        let run = #expect(throws: PersistenceError.self) { try migration.run(isDryRun: false, now: now) }
        #expect(run?.kind == .missing)
    }
}
