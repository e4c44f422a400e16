import GarnerCatalog
import GarnerModel
import GarnerPersistence
import TestSupport
import Testing

/// Files of version 0.1.0, whose hashes of keys could be the same for different keys.
struct HashMigrationTests {
    private let folder: TemporaryFolder
    private let path: String
    private let stream = StreamConfiguration.animals(table: "lines", key: ["order", "line"], missing: .hard)

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("garner.db")
    }

    @Test func `the next complete read puts right what wrong members have deleted and kept`() async throws {
        try EarlierVersion.write(10, to: path, rows: Self.tables + Self.rows)
        let fixture = try Fixture(at: path)
        let run = try await fixture.sync(
            stream, #"[{"order":2,"line":2},{"order":90,"line":1},{"order":91,"line":1},{"order":92,"line":1}]"#)
        #expect(run.counts.ofRecords == "1 inserted, 3 unchanged, 1 deleted")
        #expect(try fixture.rows("SELECT * FROM lines ORDER BY 1") == ["2 2", "90 1", "91 1", "92 1"])
        await fixture.writer.close()
    }

    @Test func `nothing that was remembered of a page is used`() async throws {
        try EarlierVersion.write(10, to: path, rows: Self.tables + Self.rows)
        let writer = try Fixture.store(at: path)
        let run = try await writer.begin(stream, identity: "i")
        _ = try await writer.openRead(of: run)
        #expect(try await writer.memory(of: "page=1", for: run) == nil)
        await writer.close()
    }

    /// The read's unchanged pages were staged without records, relying on the keys in `_garner_members`.
    @Test func `a read whose pages wait to replace a table begins anew`() async throws {
        try EarlierVersion.write(
            10, to: path,
            rows: Self.tables + Self.rows + """
                INSERT INTO _garner_reads VALUES (1, 3, 'af63e44c8601fa24', '2026-01-31T00:00:00.000Z', '2026-01-31T00:00:01.000Z', NULL);
                INSERT INTO _garner_slices VALUES (1, 1, '{}', NULL, 'page=2', NULL);
                INSERT INTO _garner_staged VALUES (1, 1, '{}', 'page=1', 'u', NULL, NULL, 4, NULL, NULL, NULL, NULL, 's');
                """)
        let writer = try Fixture.store(at: path)
        let replaced = StreamConfiguration.animals(table: "lines", key: ["order", "line"], writing: .replace, ratio: 1)
        #expect(try await writer.beginReading(replaced, identity: "i").resumeAt == nil)
        await writer.close()
    }

    @Test func `a read that waits for its next page goes on, and deletes nothing`() async throws {
        try EarlierVersion.write(
            10, to: path,
            rows: Self.tables + Self.rows + """
                INSERT INTO _garner_reads VALUES (1, 3, 'af63e44c8601fa24', '2026-01-31T00:00:00.000Z', '2026-01-31T00:00:01.000Z', NULL);
                INSERT INTO _garner_slices VALUES (1, 1, '{}', NULL, 'page=2', NULL);
                """)
        let writer = try Fixture.store(at: path)
        let reading = try await writer.beginReading(stream, identity: "i")
        #expect(reading.resumeAt == "page=2")
        let run = try await writer.commitLast(.page(#"[{"order":93,"line":1}]"#, 2, .complete), to: reading)
        #expect(run.counts.ofRecords == "1 inserted")
        await writer.close()
    }

    @Test func `each database draws random bits of its own`() async throws {
        let secrets = try [Fixture(), Fixture()].map { try $0.rows("SELECT hex(secret) FROM _garner_hash_key") }
        #expect(secrets[0].count == 1 && secrets[0] != secrets[1])
    }

    @Test func `a database that has lost its random bits is refused`() async throws {
        let fixture = try Fixture()
        try await fixture.sync(stream, #"[{"order":1,"line":1}]"#)
        try fixture.alter("DELETE FROM _garner_hash_key")
        await #expect(throws: PersistenceError.self) {
            try await fixture.sync(stream, #"[{"order":1,"line":1}]"#)
        }
    }

    private static let tables = """
        CREATE TABLE lines ("order" INTEGER NOT NULL, line INTEGER NOT NULL, PRIMARY KEY ("order", line));

        """

    /// The rows as 0.1.0 left them after the record 1, 1 had become 2, 2: it kept the first and deleted the second.
    private static let rows = """
        INSERT INTO lines VALUES (1, 1), (90, 1), (91, 1), (92, 1);
        INSERT INTO _garner_streams VALUES (1, 'zoo.lines', 'lines', NULL, 1, 0);
        INSERT INTO _garner_columns VALUES (1, 0, 'order', '$[''order'']', 'INTEGER', 1, 1);
        INSERT INTO _garner_columns VALUES (1, 1, 'line', '$[''line'']', 'INTEGER', 2, 1);
        INSERT INTO _garner_runs (run_id, stream_id, read_id, status, started_at, ended_at, is_complete)
        VALUES (1, 1, 1, 'succeeded', '2026-01-30T00:00:00.000Z', '2026-01-30T00:00:00.000Z', 1),
        (2, 1, 2, 'succeeded', '2026-01-30T00:00:00.000Z', '2026-01-30T00:00:00.000Z', 1),
        (3, 1, 3, 'failed', '2026-01-31T00:00:00.000Z', '2026-01-31T00:00:00.000Z', 0);
        UPDATE _garner_streams SET baseline_run = 1;
        INSERT INTO _garner_pages VALUES (1, 1, 'page=1', 3, -5307135633903742485, NULL, '{"count":4,"before":0}', 'f41e645d0fc6af0', 4, 'f', 1);
        INSERT INTO _garner_members VALUES (1, '[1,1]'), (1, '[90,1]'), (1, '[91,1]'), (1, '[92,1]');
        INSERT INTO _garner_changes VALUES (1, 2, '[2,2]', 'delete');

        """
}
