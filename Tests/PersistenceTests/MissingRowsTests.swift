import GarnerCatalog
import GarnerModel
import GarnerPersistence
import Testing

struct MissingRowsTests {
    let fixture: Fixture

    init() throws { fixture = try Fixture() }

    /// The greatest share of rows that a read may delete, the pages of two reads, what the second one counts, the rows
    /// that are left, and the warning.
    private static let reads: [(Double, [String], [String], String, left: [String], warning: String?)] = [
        (
            0.5, [#"[{"id":1},{"id":2}]"#, #"[{"id":3},{"id":4}]"#], [#"[{"id":1},{"id":2}]"#, #"[{"id":4}]"#],
            "3 unchanged, 1 deleted", ["1", "2", "4"], "none"
        ),
        // Exactly the ratio is allowed.
        (0.5, [#"[{"id":1},{"id":2}]"#], [#"[{"id":1}]"#], "1 unchanged, 1 deleted", ["1"], nil),
        (0.5, [#"[{"id":1}]"#], ["[]"], "", ["1"], "1 of 1 rows"),
        (1, [#"[{"id":1},{"id":2}]"#], ["[]"], "2 deleted", [], nil),
        // A record that is on a page twice hides no other.
        (
            0.5, [#"[{"id":1},{"id":2},{"id":3}]"#], [#"[{"id":1},{"id":2},{"id":2}]"#], "3 unchanged, 1 deleted",
            ["1", "2"], nil
        ),
    ]

    @Test(arguments: reads)
    private func `rows that a complete read did not see are removed, and come back with their records`(
        ratio: Double, first: [String], second: [String], counts: String, left: [String], warning: String?
    ) async throws {
        let stream = StreamConfiguration.animals(missing: .hard, ratio: ratio)
        try await fixture.sync(stream, pages: first)
        let run = try await fixture.sync(stream, pages: second)
        #expect(run.counts.ofRecords == counts)
        if let warning { #expect((run.warning ?? "none").contains(warning)) }
        #expect(try fixture.rows("SELECT id FROM animals") == left)
        let again = try await fixture.sync(stream, pages: first)
        #expect(again.counts.inserted == run.counts.deleted)
    }

    @Test func `a row that somebody adds goes although no page has changed`() async throws {
        let stream = StreamConfiguration.animals(missing: .hard)
        func sync() async throws -> String {
            let run = try await fixture.writer.beginReading(stream, identity: "page=1")
            _ = try await fixture.writer.commit(fixture.page(#"[{"id":1},{"id":2}]"#, 1, of: 2, in: run), to: run)
            let last = try await fixture.page(#"[{"id":3}]"#, 2, of: 2, in: run)
            return try await fixture.writer.commitLast(last, to: run).counts.ofRecords
        }
        #expect(try await sync() == "3 inserted")
        #expect(try await sync() == "3 unchanged")
        try fixture.alter("INSERT INTO animals (id) VALUES (4)")
        #expect(try await sync() == "3 unchanged, 1 deleted")
        #expect(try fixture.rows("SELECT id FROM animals") == ["1", "2", "3"])
    }

    /// Parts of a key that change together must not look like the parts before.
    @Test(arguments: 2...9)
    func `a record whose key has changed in two parts is another record`(number: Int) async throws {
        let stream = StreamConfiguration.animals(key: ["order", "line"], missing: .hard)
        let others = #"{"order":90,"line":1},{"order":91,"line":1},{"order":92,"line":1}"#
        try await fixture.sync(stream, #"[{"order":1,"line":1},\#(others)]"#)
        let run = try await fixture.sync(stream, #"[{"order":\#(number),"line":\#(number)},\#(others)]"#)
        #expect(run.counts.ofRecords == "1 inserted, 3 unchanged, 1 deleted")
        #expect(
            try fixture.rows("SELECT * FROM animals ORDER BY 1") == ["\(number) \(number)", "90 1", "91 1", "92 1"])
    }

    @Test func `a record whose key has its parts swapped is another record`() async throws {
        let stream = StreamConfiguration.animals(key: ["from", "to"], missing: .hard)
        try await fixture.sync(stream, #"[{"from":"a","to":"b"},{"from":"c","to":"c"}]"#)
        let run = try await fixture.sync(stream, #"[{"to":"a","from":"b"},{"from":"c","to":"c"}]"#)
        #expect(run.counts.ofRecords == "1 inserted, 1 unchanged, 1 deleted")
        #expect(try fixture.rows("SELECT * FROM animals ORDER BY 1") == ["'b' 'a'", "'c' 'c'"])
    }

    @Test func `a record that was not stored counts as seen only while the page has it`() async throws {
        var stream = StreamConfiguration.animals(missing: .hard)
        stream.schemaContract.dataTypes = .discardRow
        try await fixture.sync(stream, #"[{"id":1,"n":1},{"id":2,"n":2}]"#)
        let refused = try await fixture.sync(stream, #"[{"id":1,"n":1},{"id":2,"n":"x"}]"#)
        #expect(refused.counts.ofRecords == "1 unchanged, 1 discarded")
        #expect(try await fixture.sync(stream, #"[{"id":1,"n":1}]"#).counts.ofRecords == "1 unchanged, 1 deleted")
        #expect(try fixture.rows("SELECT * FROM animals") == ["1 1"])
    }

    @Test func `a row whose number comes as text and is discarded is not missing`() async throws {
        var stream = StreamConfiguration.animals(missing: .hard)
        stream.schemaContract.dataTypes = .discardRow
        try await fixture.sync(stream, #"[{"id":1},{"id":2},{"id":3}]"#)
        let run = try await fixture.sync(stream, #"[{"id":1},{"id":"2"},{"id":"x"}]"#)
        #expect(run.counts.ofRecords == "1 unchanged, 1 deleted, 2 discarded")
        #expect(try fixture.rows("SELECT * FROM animals ORDER BY id") == ["1", "2"])
    }

    @Test func `a row that a complete read did not see is marked with the time`() async throws {
        let stream = StreamConfiguration.animals(missing: .soft)
        try await fixture.sync(stream, #"[{"id":1},{"id":2}]"#)
        let run = try await fixture.sync(stream, #"[{"id":2}]"#)
        #expect(run.counts.ofRecords == "1 unchanged, 1 deleted")
        #expect(try fixture.rows("SELECT * FROM animals") == ["1 '2026-01-31T08:05:00.000Z'", "2 NULL"])
    }

    @Test func `a marked row is not deleted twice`() async throws {
        let stream = StreamConfiguration.animals(missing: .soft)
        try await fixture.sync(stream, #"[{"id":1},{"id":2}]"#)
        try await fixture.sync(stream, #"[{"id":2}]"#)
        let run = try await fixture.sync(stream, #"[{"id":2}]"#)
        #expect(run.counts.ofRecords == "1 unchanged")
    }

    @Test func `hard deletion removes the rows, too, that soft deletion has marked before`() async throws {
        try await fixture.sync(.animals(missing: .soft), #"[{"id":1},{"id":2},{"id":3}]"#)
        for missing in [DeleteMissing.soft, .hard] {
            try await fixture.sync(.animals(missing: missing), #"[{"id":1},{"id":2}]"#)
        }
        #expect(try fixture.rows("SELECT id FROM animals") == ["1", "2"])
    }

    @Test func `a marked row that comes back loses its mark`() async throws {
        let stream = StreamConfiguration.animals(missing: .soft)
        try await fixture.sync(stream, #"[{"id":1,"name":"Tapir"},{"id":2,"name":"Okapi"}]"#)
        try await fixture.sync(stream, #"[{"id":2,"name":"Okapi"}]"#)
        let run = try await fixture.sync(stream, #"[{"id":1,"name":"Tapir"},{"id":2,"name":"Okapi"}]"#)
        #expect(run.counts.ofRecords == "1 updated, 1 unchanged")
        #expect(try fixture.rows("SELECT * FROM animals") == ["1 'Tapir' NULL", "2 'Okapi' NULL"])
    }

    @Test(arguments: [DeleteMissing.soft, .hard])
    func `more missing rows than the ratio allows stay, with a warning that names both numbers`(way: DeleteMissing)
        async throws
    {
        let stream = StreamConfiguration.animals(missing: way, ratio: 0.5)
        try await fixture.sync(stream, #"[{"id":1},{"id":2},{"id":3}]"#)
        let run = try await fixture.sync(stream, #"[{"id":1}]"#)
        #expect(run.status == .succeeded)
        #expect(run.counts.ofRecords == "1 unchanged")
        #expect(run.warning?.contains("2 of 3 rows") == true)
        #expect(run.warning?.contains("max_delete_ratio (0.5)") == true)
        let table = try fixture.rows("SELECT id FROM animals")
        #expect(table == ["1", "2", "3"])
    }

    @Test func `braked rows are missing still when the next read is complete`() async throws {
        let stream = StreamConfiguration.animals(missing: .hard, ratio: 0.5)
        try await fixture.sync(stream, #"[{"id":1},{"id":2},{"id":3}]"#)
        try await fixture.sync(stream, #"[{"id":1}]"#)
        let patient = StreamConfiguration.animals(missing: .hard, ratio: 0.9)
        #expect(try await fixture.sync(patient, #"[{"id":1}]"#).counts.deleted == 2)
    }

    @Test func `records that move to another page are not missing`() async throws {
        let stream = StreamConfiguration.animals(missing: .hard)
        try await fixture.sync(stream, #"[{"id":1},{"id":2}]"#, #"[{"id":3},{"id":4}]"#, #"[{"id":5}]"#)
        let run = try await fixture.sync(
            stream, #"[{"id":0},{"id":1}]"#, #"[{"id":2},{"id":3}]"#, #"[{"id":4},{"id":5}]"#)
        #expect(run.counts.ofRecords == "1 inserted, 5 unchanged")
        let shrunk = try await fixture.sync(stream, #"[{"id":1},{"id":2}]"#, #"[{"id":3},{"id":5}]"#)
        #expect(shrunk.counts.ofRecords == "4 unchanged, 2 deleted")
        #expect(try fixture.rows("SELECT id FROM animals") == ["1", "2", "3", "5"])
    }

    @Test func `a page that is gone takes its rows along`() async throws {
        let stream = StreamConfiguration.animals(missing: .hard)
        try await fixture.sync(stream, #"[{"id":1},{"id":2}]"#, #"[{"id":3}]"#)
        let run = try await fixture.sync(stream, #"[{"id":1},{"id":2}]"#)
        #expect(run.counts.ofRecords == "2 unchanged, 1 deleted")
        #expect(try fixture.rows("SELECT position FROM _garner_pages") == ["'page=1'"])
    }

    @Test func `a composite key counts as a whole`() async throws {
        let stream = StreamConfiguration.animals(key: ["zoo", "number"], missing: .hard)
        try await fixture.sync(
            stream,
            #"[{"zoo":"a","number":1},{"zoo":"a","number":2},{"zoo":"b\u0000","number":1},{"zoo":"é","number":1}]"#)
        let run = try await fixture.sync(
            stream, #"[{"zoo":"a","number":1},{"zoo":"b\u0000","number":1},{"zoo":"é","number":1}]"#)
        #expect(run.counts.ofRecords == "3 unchanged, 1 deleted")
        #expect(try fixture.rows("SELECT zoo, number FROM animals WHERE number = 2") == [])
    }

    @Test func `a resumed read deletes nothing, and says so`() async throws {
        let stream = StreamConfiguration.animals(missing: .hard, ratio: 1)
        try await fixture.sync(stream, #"[{"id":1}]"#, #"[{"id":2}]"#, #"[{"id":3}]"#)
        let writer = fixture.writer
        let first = try await writer.beginReading(stream, identity: "page=1")
        _ = try await writer.commit(try .page(#"[{"id":1}]"#, 1, .next("page=2")), to: first)
        _ = try await writer.end(run: first.id, as: .failed)
        let second = try await writer.beginReading(stream, identity: "page=1")
        #expect(second.resumeAt == "page=2")
        let run = try await writer.commitLast(try .page(#"[{"id":3}]"#, 2, .complete), to: second)
        #expect(run.counts.ofRecords == "1 unchanged")
        #expect(run.warning?.contains("next read") == true)
        #expect(try fixture.rows("SELECT id FROM animals") == ["1", "2", "3"])
        let next = try await fixture.sync(stream, #"[{"id":1}]"#, #"[{"id":3}]"#)
        #expect(next.counts.deleted == 1)
    }

    @Test func `a read that did not reach its end deletes nothing`() async throws {
        let stream = StreamConfiguration.animals(missing: .hard, ratio: 1)
        try await fixture.sync(stream, #"[{"id":1},{"id":2}]"#)
        let run = try await fixture.writer.beginReading(stream, identity: "page=1")
        let record = try await fixture.writer.commitLast(
            try .page(#"[{"id":1}]"#, 1, .ended(Verdict(.chosen))), to: run)
        #expect(record.counts.deleted == 0)
        #expect(try fixture.rows("SELECT id FROM animals") == ["1", "2"])
    }

    @Test(arguments: [
        (#"{"id":1}"#, #"{"id":"x"}"#), (#"{"id":1}"#, #"{"id":1.5}"#), (#"{"id":1.5}"#, #"{"id":"x"}"#),
        (#"{"id":true}"#, #"{"id":7}"#),
        (#"{"id":0.1}"#, #"{"id":0.30000000000000000000000004}"#),
    ])
    func `rows seen before their key was widened are not missing`(narrow: String, wide: String) async throws {
        let stream = StreamConfiguration.animals(key: ["id"], missing: .hard, ratio: 1)
        let run = try await fixture.sync(stream, "[\(narrow)]", "[\(wide)]")
        #expect(run.counts.ofRecords == "2 inserted")
        #expect(try fixture.rows("SELECT count(*) FROM animals") == ["2"])
        try fixture.expectIntegrity()
    }

    @Test func `rows seen before a part of their key was widened are not missing`() async throws {
        let stream = StreamConfiguration.animals(key: ["zoo", "number"], missing: .hard, ratio: 1)
        let run = try await fixture.sync(
            stream, #"[{"zoo":1,"number":1},{"zoo":2,"number":0.1}]"#, #"[{"zoo":"a","number":2}]"#)
        #expect(run.counts.ofRecords == "3 inserted")
        #expect(try fixture.rows("SELECT zoo, number FROM animals") == ["'1' '1'", "'2' '0.1'", "'a' '2'"])
    }

    @Test func `what was noted before a key was widened holds for the next read`() async throws {
        let stream = StreamConfiguration.animals(missing: .hard)
        try await fixture.sync(stream, #"[{"id":1},{"id":2}]"#, #"[{"id":3},{"id":"x"}]"#)
        let run = try await fixture.sync(stream, #"[{"id":1},{"id":2}]"#, #"[{"id":"x"}]"#)
        #expect(run.counts.ofRecords == "3 unchanged, 1 deleted")
        #expect(try fixture.rows("SELECT id FROM animals ORDER BY id") == ["'1'", "'2'", "'x'"])
    }

    @Test func `a read with quarantined records deletes nothing, with a warning`() async throws {
        let stream = StreamConfiguration.animals(key: ["id"], missing: .hard, ratio: 1)
        try await fixture.sync(stream, #"[{"id":1},{"id":2}]"#)
        let run = try await fixture.sync(stream, #"[{"id":1}]"#, #"[{"id":null}]"#)
        #expect(run.counts.ofRecords == "1 unchanged, 1 quarantined")
        #expect(
            run.warning?.hasPrefix("the read is partial: 1 record was quarantined; 1 record was quarantined, so ")
                == true)
        #expect(try fixture.rows("SELECT id FROM animals") == ["1", "2"])
    }

    @Test func `a stream that begins to delete later compares with its complete read`() async throws {
        try await fixture.sync(.animals(), #"[{"id":1},{"id":2}]"#)
        let run = try await fixture.sync(.animals(missing: .soft), #"[{"id":2}]"#)
        #expect(run.counts.ofRecords == "1 unchanged, 1 deleted")
        #expect(try fixture.rows("SELECT id FROM animals WHERE _garner_deleted_at IS NULL") == ["2"])
    }

    @Test func `streams do not see each other's pages`() async throws {
        let cats = StreamConfiguration.animals(table: "cats", missing: .hard, ratio: 1)
        let dogs = StreamConfiguration.animals(table: "dogs", missing: .hard, ratio: 1)
        try await fixture.sync(cats, #"[{"id":1},{"id":2}]"#)
        try await fixture.sync(dogs, #"[{"id":1},{"id":2}]"#)
        try await fixture.sync(cats, #"[{"id":2}]"#)
        try await fixture.sync(dogs, #"[{"id":1}]"#)
        #expect(try fixture.rows("SELECT id FROM cats") == ["2"])
        #expect(try fixture.rows("SELECT id FROM dogs") == ["1"])
    }
}
