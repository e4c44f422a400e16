import GarnerCatalog
import GarnerModel
import GarnerPersistence
import GarnerSQLite
import Testing

/// Records that say themselves that they are deleted.
struct FlaggedDeletionTests {
    let fixture: Fixture

    init() throws { fixture = try Fixture() }

    /// Reads a page as a complete run.
    ///
    /// - Parameter deletions: The indices of the records that say that they are deleted.
    @discardableResult
    private func sync(_ stream: StreamConfiguration, _ page: String, deleting deletions: Set<Int> = []) async throws
        -> RunRecord
    {
        let run = try await fixture.writer.beginReading(stream, identity: "page=1", restarting: true)
        var commit = try PageCommit.page(page, 1, .complete)
        commit.deletions = deletions
        return try await fixture.writer.commitLast(commit, to: run)
    }

    @Test(arguments: [DeleteMissing.ignore, .hard])
    func `a deleted record takes its row away, and brings none`(missing: DeleteMissing) async throws {
        let stream = StreamConfiguration.animals(missing: missing)
        try await sync(stream, #"[{"id":1,"n":1},{"id":2,"n":2}]"#)
        let run = try await sync(
            stream, #"[{"id":1,"gone":true},{"id":2,"n":2},{"id":3,"gone":true}]"#, deleting: [0, 2])
        #expect(run.counts.ofRecords == "1 unchanged, 1 deleted")
        #expect(try fixture.rows("SELECT * FROM animals") == ["2 2"])
        #expect(
            try fixture.rows("SELECT operation, record_key FROM _garner_changes WHERE run_id = 2") == ["'delete' 1"])
    }

    @Test func `a deleted record is marked once where missing ones are, and loses the mark when it comes back`()
        async throws
    {
        let stream = StreamConfiguration.animals(missing: .soft)
        try await sync(stream, #"[{"id":1,"n":1},{"id":2,"n":2}]"#)
        let deleted = #"[{"id":1},{"id":2,"n":2}]"#
        #expect(try await sync(stream, deleted, deleting: [0]).counts.ofRecords == "1 unchanged, 1 deleted")
        #expect(try fixture.rows("SELECT * FROM animals") == ["1 1 '2026-01-31T08:05:00.000Z'", "2 2 NULL"])
        #expect(try await sync(stream, deleted, deleting: [0]).counts.ofRecords == "1 unchanged")
        #expect(try await sync(stream, #"[{"id":1,"n":1},{"id":2,"n":2}]"#).counts.updated == 1)
        #expect(try fixture.rows("SELECT * FROM animals") == ["1 1 NULL", "2 2 NULL"])
    }

    @Test func `the records of a page count in their order`() async throws {
        let stream = StreamConfiguration.animals()
        try await sync(stream, #"[{"id":1,"n":1},{"id":2,"n":1}]"#)
        try await sync(stream, #"[{"id":1},{"id":1,"n":2},{"id":2,"n":2},{"id":2}]"#, deleting: [0, 3])
        #expect(try fixture.rows("SELECT * FROM animals") == ["1 2"])
        #expect(
            try fixture.rows("SELECT operation, record_key FROM _garner_changes WHERE run_id = 2 ORDER BY 2")
                == ["'update' 1", "'delete' 2"])
    }

    @Test(arguments: [DeleteMissing.ignore, .soft])
    func `old versions end with a deleted record, and searches no longer find it`(missing: DeleteMissing) async throws {
        var stream = StreamConfiguration.animals(missing: missing)
        stream.history = true
        stream.search = ["name"]
        try await sync(stream, #"[{"id":1,"name":"kea"},{"id":2,"name":"kiwi"}]"#)
        try await sync(stream, #"[{"id":1},{"id":2,"name":"kiwi"}]"#, deleting: [0])
        let current = "SELECT id FROM _garner_history_animals WHERE _garner_valid_to IS NULL"
        #expect(
            try fixture.rows(current + (missing == .soft ? " AND _garner_deleted_at IS NULL" : "")) == ["2"])
        #expect(try fixture.rows("SELECT count(*) FROM _garner_history_animals WHERE id = 1 AND name = 'kea'") != ["0"])
        if missing == .ignore {
            #expect(
                try fixture.rows("SELECT count(*) FROM _garner_search_1 WHERE _garner_search_1 MATCH 'kea'") == ["0"])
        }
        try fixture.expectIntegrity()
    }

    @Test func `the rows of its arrays go with a deleted record, and no others`() async throws {
        var stream = StreamConfiguration.animals(key: ["a", "b"])
        stream.childTables = true
        try await sync(stream, #"[{"a":1,"b":1,"v":[{"n":1},{"n":2}]},{"a":1,"b":2,"v":[{"n":3}]}]"#)
        try await sync(stream, #"[{"a":1,"b":1}]"#, deleting: [0])
        #expect(try fixture.rows("SELECT n FROM animals__v") == ["3"])
    }

    @Test func `records that are all deleted make no table`() async throws {
        let stream = StreamConfiguration.animals()
        #expect(try await sync(stream, #"[{"id":1}]"#, deleting: [0]).counts.ofRecords == "")
        #expect(try fixture.columns(of: "animals") == [])
    }

    @Test func `a deleted record without a key is told of, and one whose key fits no row is not`() async throws {
        let stream = StreamConfiguration.animals()
        try await sync(stream, #"[{"id":1,"n":1}]"#)
        let run = try await sync(
            stream, #"[{"id":1,"n":1},{"id":null},{"n":1},{"id":"x"}]"#, deleting: [1, 2, 3])
        #expect(
            run.warning
                == "2 records of those that deleted_when selects have no primary key, so that no row was deleted for them"
        )
        #expect(try fixture.rows("SELECT * FROM animals") == ["1 1"])
    }

    private static let otherKinds: [(String, String, isGone: Bool)] = [
        ("7", #""7""#, true), (#""7""#, "7", true), ("true", #""true""#, true), ("7", #""07""#, false),
        ("7", "7.0", true), ("7", "[7]", false), ("true", "1", true), ("true", "2", false), (#""7.0""#, "7", false),
    ]

    @Test(arguments: otherKinds)
    func `a deleted record takes the row away that its key would have in a wider column`(
        stored: String, deleted: String, isGone: Bool
    ) async throws {
        let stream = StreamConfiguration.animals(key: ["id"])
        try await sync(stream, #"[{"id":\#(stored)}]"#)
        let columns = try fixture.columns(of: "animals")
        let run = try await sync(stream, #"[{"id":\#(deleted)}]"#, deleting: [0])
        #expect(run.counts.ofRecords == (isGone ? "1 deleted" : ""))
        #expect(try fixture.rows("SELECT count(*) FROM animals") == [isGone ? "0" : "1"])
        #expect(try fixture.columns(of: "animals") == columns)
        // A record that is not deleted meets the same row.
        try await sync(stream, #"[{"id":\#(stored)}]"#)
        try await sync(stream, #"[{"id":\#(deleted)}]"#)
        #expect(try fixture.rows("SELECT count(*) FROM animals") == [isGone ? "1" : "2"])
    }

    @Test func `a part of a key may be of another kind`() async throws {
        let stream = StreamConfiguration.animals(key: ["zoo", "id"])
        try await sync(stream, #"[{"zoo":"a","id":7,"n":1},{"zoo":"b","id":7,"n":2}]"#)
        try await sync(stream, #"[{"zoo":"b","id":"7"}]"#, deleting: [0])
        #expect(try fixture.rows("SELECT n FROM animals") == ["1"])
    }

    @Test func `a table without a key cannot lose rows`() async throws {
        let stream = StreamConfiguration.animals(writing: .append)
        try await sync(stream, #"[{"n":1}]"#)
        let error = await #expect(throws: PersistenceError.self) {
            try await sync(stream, #"[{"n":1}]"#, deleting: [0])
        }
        #expect(error?.message == "deleted_when needs a primary key, and the table animals has none")
    }

    @Test func `a page that has deleted rows is read again, since other pages may have had them`() async throws {
        let stream = StreamConfiguration.animals()
        let memory = CachedPage(validator: "v", fingerprint: nil, summary: "{}")
        let run = try await fixture.writer.beginReading(stream, identity: "page=1", restarting: true)
        var first = try PageCommit.page(#"[{"id":1}]"#, 1, .next("page=2"))
        first.memory = memory
        _ = try await fixture.writer.commit(first, to: run)
        var second = try PageCommit.page(#"[{"id":2},{"id":1}]"#, 2, .complete)
        second.memory = memory
        second.deletions = [1]
        _ = try await fixture.writer.commitLast(second, to: run)
        #expect(
            try fixture.rows("SELECT pages_are_apart FROM _garner_streams") == ["0"])
        #expect(try fixture.rows("SELECT count(*) FROM _garner_pages WHERE summary IS NOT NULL") == ["1"])
    }
}
