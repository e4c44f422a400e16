import GarnerCatalog
import GarnerModel
import GarnerPersistence
import Testing

struct ChangesTests {
    let fixture: Fixture

    init() throws { fixture = try Fixture() }

    private var changes: [String] {
        get throws {
            try fixture.rows("SELECT run_id, record_key, operation FROM _garner_changes ORDER BY run_id, record_key")
        }
    }

    @Test func `changes are recorded once the first read is complete`() async throws {
        let stream = StreamConfiguration.animals(missing: .hard)
        let writer = fixture.writer
        let first = try await writer.beginReading(stream, identity: "page=1")
        _ = try await writer.commit(try .page(#"[{"id":1,"a":1}]"#, 1, .next("page=2")), to: first)
        _ = try await writer.end(run: first.id, as: .failed)
        let second = try await writer.beginReading(stream, identity: "page=1")
        _ = try await writer.commitLast(try .page(#"[{"id":1,"a":2},{"id":2,"a":2}]"#, 2, .complete), to: second)
        #expect(try changes == [])
        #expect(try fixture.rows("SELECT baseline_run FROM _garner_streams") == ["2"])
        try await fixture.sync(stream, #"[{"id":2,"a":3},{"id":3,"a":3}]"#)
        #expect(try changes == ["3 1 'delete'", "3 2 'update'", "3 3 'insert'"])
        try await fixture.sync(stream, #"[{"id":2,"a":3},{"id":3,"a":3}]"#)
        #expect(try changes.count == 3)
        #expect(try fixture.rows("SELECT baseline_run FROM _garner_streams") == ["2"])
    }

    @Test func `changes are recorded for a stream whose reads are always cut short`() async throws {
        for body in [#"[{"id":1}]"#, #"[{"id":1},{"id":2}]"#] {
            let run = try await fixture.writer.beginReading(.animals(), identity: "page=1")
            _ = try await fixture.writer.commitLast(try .page(body, 1, .ended(Verdict(.chosen))), to: run)
        }
        #expect(try fixture.rows("SELECT baseline_run FROM _garner_streams") == ["1"])
        #expect(try changes == ["2 2 'insert'"])
    }

    @Test func `a row that was inserted and updated in one run was inserted`() async throws {
        try await fixture.sync(.animals(key: ["id"]), #"[{"id":1,"a":1}]"#)
        try await fixture.sync(.animals(key: ["id"]), #"[{"id":2,"a":1},{"id":2,"a":2}]"#)
        #expect(try changes == ["2 2 'insert'"])
    }

    @Test func `changes are recorded for rows that are marked and rows that return`() async throws {
        let stream = StreamConfiguration.animals(missing: .soft)
        try await fixture.sync(stream, #"[{"id":1},{"id":2}]"#)
        try await fixture.sync(stream, #"[{"id":1}]"#)
        try await fixture.sync(stream, #"[{"id":1},{"id":2}]"#)
        #expect(try changes == ["2 2 'delete'", "3 2 'update'"])
    }

    @Test func `changes of a table without a key name the row number`() async throws {
        try await fixture.sync(.animals(), #"[{"rowid":70}]"#)
        try await fixture.sync(.animals(), #"[{"rowid":80}]"#)
        #expect(try changes == ["2 2 'insert'"])
    }

    @Test func `changes stay with their rows when the key is widened`() async throws {
        try await fixture.sync(.animals(), #"[{"id":1}]"#)
        try await fixture.sync(.animals(), #"[{"id":2}]"#, #"[{"id":"x"}]"#)
        #expect(
            try fixture.rows("SELECT record_key FROM _garner_changes JOIN animals ON id = record_key") == [
                "'2'", "'x'",
            ])
    }
}
