import GarnerModel
import GarnerPersistence
import TestSupport
import Testing

/// A file of the version before tables were published.
struct PublicationMigrationTests {
    @Test func `its tables are published as they are`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("garner.db")
        try EarlierVersion.write(
            24, to: path,
            rows: """
                CREATE TABLE animals (id INTEGER PRIMARY KEY, n INTEGER);
                INSERT INTO animals VALUES (1, 1), (2, 2);
                INSERT INTO _garner_streams (stream_id, name, table_name) VALUES (1, 'zoo.animals', 'animals');
                INSERT INTO _garner_columns (stream_id, position, name, path, type, key_position, first_seen_run) VALUES
                (1, 0, 'id', '$[''id'']', 'INTEGER', 1, 1), (1, 1, 'n', '$[''n'']', 'INTEGER', NULL, 1);
                INSERT INTO _garner_runs (run_id, stream_id, read_id, status, started_at, ended_at)
                VALUES (1, 1, 1, 'succeeded', '2026-01-31T01:00:00.000Z', '2026-01-31T01:00:00.000Z');
                UPDATE _garner_streams SET baseline_run = 1;
                """)
        let writer = try DatabaseWriter(path: path, publishingAs: "00000000-0000-4000-8000-000000000001") {
            Timestamp(millisecondsSince1970: 1_769_846_700_000)
        }
        let reader = try OutboxReader(path: path)
        let table = try #require(try reader.snapshot { try $0.tables() }.first)
        #expect(table.isReady && table.position == nil)
        try await writer.publish([table.id, OutboxNote.runs])
        let found = try reader.snapshot { snapshot in
            (
                isWhole: try snapshot.changes(after: [table.id: 0])[table.id]?.isWhole,
                count: try snapshot.count(of: table), runs: try snapshot.endedRuns().map(\.id)
            )
        }
        #expect(found.isWhole == true && found.count == 2 && found.runs == [1])
        await writer.close()
    }
}
