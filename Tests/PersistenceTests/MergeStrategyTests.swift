import GarnerCatalog
import GarnerModel
import GarnerPersistence
import Testing

struct MergeStrategyTests {
    let fixture: Fixture

    init() throws { fixture = try Fixture() }

    private func animals(missing: DeleteMissing = .ignore) -> StreamConfiguration {
        var stream = StreamConfiguration.animals(key: ["id"], missing: missing)
        stream.mergeStrategy = .insertOnly
        return stream
    }

    @Test func `known keys stay as they are, and count as unchanged`() async throws {
        try await fixture.sync(animals(), #"[{"id":1,"a":1},{"id":1,"a":2}]"#)
        let run = try await fixture.sync(animals(), #"[{"id":1,"a":3,"b":1},{"id":2,"a":4}]"#)
        #expect(run.counts.ofRecords == "1 inserted, 1 unchanged")
        #expect(try fixture.rows("SELECT id, a, b FROM animals") == ["1 1 NULL", "2 4 NULL"])
        #expect(try fixture.rows("SELECT record_key, operation FROM _garner_changes") == ["2 'insert'"])
    }

    @Test func `a row that is there again is no longer marked as missing`() async throws {
        let stream = animals(missing: .soft)
        try await fixture.sync(stream, #"[{"id":1,"a":1},{"id":2,"a":1}]"#)
        try await fixture.sync(stream, #"[{"id":2,"a":1}]"#)
        let run = try await fixture.sync(stream, #"[{"id":1,"a":9},{"id":2,"a":9}]"#)
        #expect(run.counts.ofRecords == "1 updated, 1 unchanged")
        #expect(try fixture.rows("SELECT id, a, _garner_deleted_at FROM animals") == ["1 1 NULL", "2 1 NULL"])
    }

    @Test func `another strategy holds from the next run on`() async throws {
        try await fixture.sync(animals(), #"[{"id":1,"a":1}]"#)
        #expect(try await fixture.sync(.animals(key: ["id"]), #"[{"id":1,"a":2}]"#).counts.ofRecords == "1 updated")
        #expect(try await fixture.sync(animals(), #"[{"id":1,"a":3}]"#).counts.ofRecords == "1 unchanged")
    }
}
