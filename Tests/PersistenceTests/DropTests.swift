import GarnerCatalog
import GarnerDatabase
import GarnerModel
@testable import GarnerMaintenance
import GarnerPersistence
import GarnerSQLite
import Testing

/// Streams that are removed with everything.
struct DropTests {
    private let fixture: Fixture

    init() throws { fixture = try Fixture() }

    private static func stream(_ name: String) -> StreamConfiguration {
        var stream = StreamConfiguration.animals(table: name, key: ["id"], missing: .hard)
        stream.history = true
        stream.childTables = true
        stream.search = ["name"]
        return stream
    }

    /// Every table with the number of its rows, but those of SQLite and of the search index.
    private func counts() throws -> [String] {
        let tables = try fixture.rows(
            """
            SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'
            AND name NOT LIKE '%_migrations' AND name NOT LIKE '%_search_%' ORDER BY name
            """)
        return try tables.flatMap { table in
            let name = table.replacing("'", with: "")
            return try fixture.rows(#"SELECT count(*) FROM "\#(name)""#).filter { $0 != "0" }.map { "\(name) \($0)" }
        }
    }

    private func fill(_ stream: StreamConfiguration) async throws {
        try await fixture.sync(stream, #"[{"id":1,"name":"Kea","visits":[{"n":1},{"n":2}]},{"id":2,"name":"Moa"}]"#)
        try await fixture.sync(stream, #"[{"id":1,"name":"Kea","visits":[{"n":3}]}]"#)
    }

    @Test func `a dropped stream leaves nothing, and others lose nothing`() async throws {
        let plants = Self.stream("plants")
        try await fill(plants)
        let before = try counts()
        let index = try fixture.rows("SELECT count(*) FROM sqlite_schema")
        try await fill(Self.stream("animals"))
        try await fixture.sync(Self.stream("animals"), #"[{"id":1,"name":"Kea"}]"#)
        #expect(try counts().count > before.count)
        let outcome = try #require(
            try await StreamRemoval.drop(StreamName(source: "zoo", stream: "animals"), with: fixture.writer))
        #expect(outcome.tables == ["animals", "animals__visits"])
        #expect(outcome.rows == 1 && outcome.runs == 3 && outcome.versions > 2)
        #expect(try counts() == before)
        #expect(try fixture.rows("SELECT count(*) FROM sqlite_schema") == index)
        #expect(try fixture.rows("PRAGMA foreign_key_check") == [])
        try fixture.expectIntegrity()
        // The stream begins anew.
        let run = try await fixture.sync(Self.stream("animals"), #"[{"id":7,"name":"Owl"}]"#)
        #expect(run.counts.inserted == 1)
        #expect(try fixture.rows("SELECT id FROM animals") == ["7"])
    }

    @Test func `a preview tells what dropping removes, and removes nothing`() async throws {
        try await fill(Self.stream("animals"))
        let before = try counts()
        let name = StreamName(source: "zoo", stream: "animals")
        let preview = try StreamRemoval.preview(of: name, in: ReadOnlyDatabase(path: fixture.path))
        #expect(try counts() == before)
        #expect(try await StreamRemoval.drop(name, with: fixture.writer) == preview)
        #expect(try await StreamRemoval.drop(name, with: fixture.writer) == nil)
        #expect(try StreamRemoval.preview(of: name, in: ReadOnlyDatabase(path: fixture.path)) == nil)
    }

    @Test func `only files that no other stream has go with a stream`() async throws {
        for name in ["animals", "plants"] { try await fill(Self.stream(name)) }
        try fixture.alter(
            """
            INSERT INTO _garner_blobs VALUES ('a', 'image/png', 1, x'00'), ('b', 'image/png', 1, x'00'), ('c', 'image/png', 1, x'00');
            INSERT INTO _garner_attachments (stream_id, field, url, sha256, read_id, run_id, asked_at)
            SELECT stream_id, 'photo', sha256, sha256, 1, 1, '' FROM _garner_streams, _garner_blobs
            WHERE name = 'zoo.animals' AND sha256 < 'c' OR name = 'zoo.plants' AND sha256 > 'a'
            """)
        let outcome = try await StreamRemoval.drop(StreamName(source: "zoo", stream: "animals"), with: fixture.writer)
        #expect(outcome?.files == 1)
        #expect(try fixture.rows("SELECT sha256 FROM _garner_blobs") == ["'b'", "'c'"])
    }

    @Test func `a table of arrays is not dropped without its stream`() async throws {
        try await fill(Self.stream("animals"))
        let child = try #require(try ReadOnlyDatabase(path: fixture.path).streamNames().last)
        let error = await #expect(throws: PersistenceError.self) {
            try await StreamRemoval.drop(child, with: fixture.writer)
        }
        #expect(error?.message.hasSuffix("is no stream, but a table of arrays of zoo.animals") == true, "\(child)")
    }

    @Test func `a stream whose table someone has dropped or replaced by a view is dropped, and the view stays`()
        async throws
    {
        try await fill(Self.stream("animals"))
        try fixture.alter("DROP TABLE animals; CREATE VIEW animals AS SELECT 1 AS id")
        let outcome = try await StreamRemoval.drop(StreamName(source: "zoo", stream: "animals"), with: fixture.writer)
        #expect(outcome?.tables == ["animals__visits"])
        #expect(try fixture.rows("SELECT id FROM animals") == ["1"])
        #expect(try fixture.rows("SELECT * FROM _garner_streams") == [])
    }
}
