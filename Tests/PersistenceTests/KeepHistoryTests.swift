import GarnerCatalog
import GarnerDatabase
import GarnerModel
import GarnerPersistence
import Testing

/// The age of the versions that are kept.
struct KeepHistoryTests {
    private let timed: TimedFixture

    init() throws { timed = try TimedFixture() }

    private func stream(keeping minutes: Int?, table: String = "animals") -> StreamConfiguration {
        var stream = TimedFixture.animals(table: table, key: ["id"])
        stream.childTables = true
        stream.keepHistory = minutes.map { .seconds($0 * 60) }
        return stream
    }

    private func ends(of table: String = "animals") throws -> [String] {
        try timed.fixture.rows(
            #"SELECT substr(_garner_valid_to, 12, 5) FROM "_garner_history_\#(table)" ORDER BY _rowid_"#)
    }

    private static func page(_ value: Int) -> String { #"[{"id":1,"a":\#(value),"v":[{"n":\#(value)}]}]"# }

    @Test func `a run begins by removing the versions that were replaced too long ago`() async throws {
        for minute in 0...4 { try await timed.sync(Int64(minute), stream(keeping: nil), Self.page(minute)) }
        #expect(try ends() == ["'08:01'", "'08:02'", "'08:03'", "'08:04'", "NULL"])
        try await timed.sync(5, stream(keeping: 2), Self.page(4))
        // What ended just then is as old as it may be.
        #expect(try ends() == ["'08:03'", "'08:04'", "NULL"])
        try await timed.sync(60, stream(keeping: 2), Self.page(4))
        #expect(try ends() == ["NULL"])
        try timed.fixture.expectIntegrity()
    }

    @Test func `the versions of other streams stay`() async throws {
        for minute in 0...4 {
            try await timed.sync(Int64(minute), stream(keeping: nil), Self.page(minute))
            try await timed.sync(Int64(minute), stream(keeping: nil, table: "plants"), Self.page(minute))
        }
        let others = try ends(of: "plants")
        try await timed.sync(60, stream(keeping: 2), Self.page(4))
        #expect(try ends(of: "plants") == others)
        #expect(try ends() == ["NULL"])
    }

    @Test func `past rows of a time without versions count as unknown`() async throws {
        for minute in 0...4 { try await timed.sync(Int64(minute), stream(keeping: nil), Self.page(minute)) }
        try await timed.sync(5, stream(keeping: 2), Self.page(4))
        #expect(
            try timed.fixture.rows("SELECT substr(since, 12, 5), until FROM _garner_histories ORDER BY stream_id")
                == ["'08:03' NULL"])
    }

    @Test func `more versions than one transaction removes go all the same`() async throws {
        try await timed.sync(0, stream(keeping: nil), Self.page(0))
        try timed.fixture.alter(
            """
            WITH RECURSIVE series (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM series WHERE value < 4500)
            INSERT INTO _garner_history_animals (_garner_valid_from, _garner_valid_to, id)
            SELECT '2000-01-01T00:00:00Z', '2000-01-02T00:00:00Z', value FROM series
            """)
        try await timed.sync(1, stream(keeping: 60), Self.page(0))
        #expect(try ends() == ["NULL"])
    }
}
