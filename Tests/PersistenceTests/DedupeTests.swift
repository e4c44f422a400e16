import GarnerCatalog
import GarnerModel
import GarnerPersistence
import Testing

struct DedupeTests {
    let fixture: Fixture

    init() throws { fixture = try Fixture() }

    private func sightings(_ table: String = "sightings", missing: DeleteMissing = .ignore) -> StreamConfiguration {
        var stream = StreamConfiguration.animals(table: table, missing: missing)
        stream.dedupes = true
        return stream
    }

    @Test(arguments: [
        (#"{"a":1,"b":2}"#, #"{ "b" : 2 , "a" : 1 }"#, 1), (#"{"a":1}"#, #"{"a":1.0}"#, 2),
        (#"{"a":1.0}"#, #"{"a":1.00}"#, 2), (#"{"a":"\u00e9"}"#, #"{"a":"é"}"#, 1),
        (#"{"a":[1, 2]}"#, #"{"a":[1,2]}"#, 1), (#"{"a":[1,2]}"#, #"{"a":[2,1]}"#, 2),
        (#"{"a":1,"b":null}"#, #"{"a":1}"#, 2), (#"{"a":{"x":1,"y":2}}"#, #"{"a":{"y":2,"x":1}}"#, 1),
        (#"{"id":1,"a":1}"#, #"{"id":1,"a":2}"#, 2), ("1", "1", 1), ("null", "null", 1), (#""1""#, "1", 2),
        (#"{"a":1,"a":2}"#, #"{"a":2}"#, 1),
    ])
    func `the same record is one row, however it is spelt`(one: String, other: String, rows: Int) async throws {
        let run = try await fixture.sync(sightings(), "[\(one)]", "[\(other)]")
        #expect(run.counts.ofRecords == (rows == 1 ? "1 inserted, 1 unchanged" : "2 inserted"))
        #expect(try fixture.rows("SELECT count(*) FROM sightings") == ["\(rows)"])
        #expect(try await fixture.sync(sightings(), "[\(one)]", "[\(other)]").counts.inserted == 0)
        try fixture.expectIntegrity()
    }

    @Test func `its digest is the key, and comes last`() async throws {
        try await fixture.sync(sightings(), #"[{"id":1,"place":"Elbe"}]"#)
        #expect(try fixture.columns(of: "sightings") == ["id INTEGER", "place TEXT", "_garner_content TEXT"])
        let digest = try fixture.rows("SELECT _garner_content FROM sightings")
        // sha256sum of {"id":1,"place":"Elbe"}
        #expect(digest == ["'ae796ca939b9596236d7fad1c858955f'"])
        let table = try ReadOnlyDatabase(path: fixture.path).description(of: "sightings")
        #expect(table.primaryKey == ["_garner_content"])
        #expect(table.columns.last?.normalizedPath == "$")
    }

    @Test func `what is missing is deleted, and changes are told`() async throws {
        let stream = sightings(missing: .hard)
        try await fixture.sync(stream, #"[{"a":1},{"a":2},{"a":3}]"#)
        let run = try await fixture.sync(stream, #"[{"a":4},{ "a":2 },{"a":3},{"a":3}]"#)
        #expect(run.counts.ofRecords == "1 inserted, 3 unchanged, 1 deleted")
        #expect(try fixture.rows("SELECT a FROM sightings ORDER BY a") == ["2", "3", "4"])
        #expect(
            try fixture.rows("SELECT operation FROM _garner_changes ORDER BY operation") == ["'delete'", "'insert'"])
        #expect(run.warning == nil)
    }

    @Test func `a row that was marked as missing comes back`() async throws {
        let stream = sightings(missing: .soft)
        try await fixture.sync(stream, #"[{"a":1},{"a":2}]"#)
        try await fixture.sync(stream, #"[{"a":1}]"#)
        #expect(try await fixture.sync(stream, #"[{"a":1},{"a":2}]"#).counts.ofRecords == "1 updated, 1 unchanged")
        #expect(try fixture.rows("SELECT a, _garner_deleted_at FROM sightings") == ["1 NULL", "2 NULL"])
    }

    @Test func `new members and wider types do not change who is who`() async throws {
        try await fixture.sync(sightings(), #"[{"a":1},{"a":true}]"#)
        let run = try await fixture.sync(sightings(), #"[{"a":1},{"a":true},{"a":"x","b":{"c":[1]}},{"a":0.5}]"#)
        #expect(run.counts.ofRecords == "2 inserted, 2 unchanged")
        await fixture.writer.close()
        let again = try Fixture(reopening: fixture)
        #expect(
            try await again.sync(sightings(), #"[{"a":1},{"b":{"c":[ 1 ]},"a":"x"}]"#).counts.ofRecords == "2 unchanged"
        )
    }

    @Test func `the same record of two parents is two`() async throws {
        let run = try await fixture.writer.beginReading(sightings(), identity: "page=1")
        for (number, parent) in [1, 2].enumerated() {
            var page = try PageCommit.page(#"[{"a":1}]"#, number + 1, number == 1 ? .complete : .next("page=2"))
            page.added = #"{"_animals_id":\#(parent)}"#
            _ = try await fixture.writer.commit(page, to: run)
        }
        #expect(try fixture.rows("SELECT a, _animals_id FROM sightings ORDER BY 2") == ["1 1", "1 2"])
    }

    @Test func `what comes from a parent that changed is another record on the same page`() async throws {
        for name in ["Otter", "Kea"] {
            let run = try await fixture.writer.beginReading(sightings(missing: .hard), identity: "i", restarting: true)
            var page = try PageCommit.page(#"[{"a":1},{"a":2},{"a":3}]"#, 1, .complete)
            page.added = #"{"_animals_name":"\#(name)"}"#
            try await fixture.writer.commitLast(page, to: run)
        }
        // Half of the rows are gone, which is what max_delete_ratio allows.
        #expect(try fixture.rows("SELECT DISTINCT _animals_name FROM sightings") == ["'Kea'"])
    }

    @Test func `there is room for it beside all that a table can have`() async throws {
        let wide = (0..<2100).map { #""c\#($0)":\#($0)"# }.joined(separator: ",")
        let run = try await fixture.sync(sightings(missing: .soft), "[{\(wide)}]", "[{\(wide)}]")
        #expect(run.counts.ofRecords == "1 inserted, 1 unchanged")
        #expect(try fixture.columns(of: "sightings").count == 2000)
    }

    @Test func `a table that was made otherwise is refused`() async throws {
        try await fixture.sync(.animals(table: "sightings"), #"[{"id":1}]"#)
        let error = await #expect(throws: PersistenceError.self) {
            try await fixture.sync(sightings(), #"[{"id":1}]"#)
        }
        #expect(error?.kind == .configuration && error?.message.contains("without dedupe") == true)
        try await fixture.sync(sightings("other"), #"[{"id":1}]"#)
        let second = await #expect(throws: PersistenceError.self) {
            try await fixture.sync(.animals(table: "other"), #"[{"id":1}]"#)
        }
        #expect(second?.message.contains("with dedupe") == true)
    }
}
