import GarnerCatalog
import GarnerDatabase
import GarnerMigrations
import GarnerModel
import GarnerPersistence
import GarnerSQLite
import TestSupport
import Testing

/// Files that an earlier version has written.
struct MigratingTests {
    private let folder: TemporaryFolder
    private let path: String

    /// A file of version 3 with a row in each table.
    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("garner.db")
        try EarlierVersion.write(3, to: path, rows: Self.rows)
    }

    /// The test excludes what is remembered about pages, since a later version stores it in another form.
    @Test func `a file of version 3 keeps every row`() async throws {
        let columns = try texts(
            """
            SELECT 'SELECT ' || group_concat('quote("' || c.name || '")', ' || '' '' || ') || ' FROM "' || t.name || '"'
            FROM pragma_table_list AS t, pragma_table_info(t.name) AS c
            WHERE t.schema = 'main' AND t.name NOT LIKE 'sqlite_%' AND t.name NOT IN ('_garner_migrations', '_garner_members')
            AND c.name NOT IN ('keys_hash', 'validator', 'summary', 'record_hash', 'omission')
            GROUP BY t.name ORDER BY t.name
            """)
        let before = try columns.map { try texts($0) }
        #expect(before.count == 12 && before.allSatisfy { !$0.isEmpty })
        let writer = try Fixture.store(at: path)
        await writer.close()
        #expect(try columns.map { try texts($0) } == before)
        #expect(try texts("PRAGMA user_version") == ["\(Migration.all.count)"])
        #expect(try texts("SELECT version FROM _garner_migrations") == Migration.all.map { "\($0.version)" })
        #expect(try texts("PRAGMA integrity_check") == ["ok"])
        #expect(try texts("PRAGMA foreign_key_check") == [])
    }

    @Test func `a migrated database has the schema of a new one`() async throws {
        let schema = "SELECT sql FROM sqlite_schema WHERE name LIKE '@_garner@_%' ESCAPE '@' ORDER BY name"
        let writer = try Fixture.store(at: path)
        await writer.close()
        let new = try Fixture()
        #expect(try texts(schema) == texts(schema, in: new.path))
        await new.writer.close()
    }

    @Test func `a migrated database continues its unfinished read and keeps its files`() async throws {
        let writer = try Fixture.store(at: path)
        var stream = StreamConfiguration.animals(key: ["id"])
        stream.attachments = [Attachment(field: "photo")]
        let reading = try await writer.beginReading(stream, identity: "i")
        #expect(reading.resumeAt == "page=2")
        _ = try await writer.commit(.page(#"[{"id":2,"photo":"/2.png"}]"#, 2, .complete), to: reading)
        let due = try await writer.dueFiles(of: reading.id, in: "photo", from: .first, limit: 9)
        #expect(due.map(\.url) == ["/1.png", "/2.png"])
        let file = StoredFile(mediaType: "image/png", [1, 2])
        for file in due.map({
            AttachmentOutcome(field: "photo", url: $0.url, .file(file, validator: nil), requests: [])
        }) {
            _ = try await writer.keep(file, for: reading.id)
        }
        #expect(try await writer.finish(reading.id).status == .succeeded)
        await writer.close()
        #expect(try texts("SELECT id FROM animals ORDER BY id") == ["1", "2"])
        #expect(try texts("SELECT count(*) FROM _garner_blobs") == ["1"])
    }

    private func texts(_ sql: String, in file: String? = nil) throws -> [String] {
        let connection = try Connection(path: file ?? path, mode: .readOnly)
        defer { connection.close() }
        return try connection.rows(sql) { $0.text(at: 0) }
    }

    // The identity of the read is a hash of "i".
    private static let rows = """
        CREATE TABLE animals (id INTEGER PRIMARY KEY, photo TEXT);
        INSERT INTO animals VALUES (1, '/1.png');
        INSERT INTO _garner_streams (stream_id, name, table_name) VALUES (1, 'zoo.animals', 'animals');
        INSERT INTO _garner_columns VALUES (1, 0, 'id', '$[''id'']', 'INTEGER', 1, 1);
        INSERT INTO _garner_columns VALUES (1, 1, 'photo', '$[''photo'']', 'TEXT', NULL, 1);
        INSERT INTO _garner_runs (run_id, stream_id, read_id, status, started_at, pages, requests, inserted)
        VALUES (1, 1, 1, 'failed', '2026-01-31T00:00:00.000Z', 1, 2, 1);
        INSERT INTO _garner_schema_changes VALUES (1, 1, 1, 'photo', NULL, 'TEXT');
        INSERT INTO _garner_requests VALUES (1, 1, '2026-01-31T00:00:00.000Z', 'u', 200, 1, 9, 8, 0, NULL, NULL);
        INSERT INTO _garner_reads VALUES (1, 1, 'af63e44c8601fa24', '2026-01-31T00:00:00.000Z', '2026-01-31T00:00:01.000Z', NULL);
        INSERT INTO _garner_slices VALUES (1, 1, '{}', NULL, 'page=2', NULL);
        INSERT INTO _garner_cursors VALUES (1, '{}', 'af63e44c8601fa24', '7', '2026-01-31T00:00:00.000Z');
        INSERT INTO _garner_pages VALUES (1, 1, 'page=1', 1, 5, 'ETag: "a"', '{}', 's', 1);
        INSERT INTO _garner_members VALUES (1, 1);
        INSERT INTO _garner_changes VALUES (1, 1, 1, 'insert');
        INSERT INTO _garner_quarantine VALUES (1, 1, 1, 'u', 'why', '{"id":null}', 3, 2, 't', 't');
        """
}
