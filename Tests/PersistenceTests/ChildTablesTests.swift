import GarnerCatalog
import GarnerDatabase
import GarnerModel
import GarnerPersistence
import TestSupport
import Testing

struct ChildTablesTests {
    let fixture: Fixture
    private let stream = Self.stream()

    init() throws { fixture = try Fixture() }

    @Test func `arrays of objects become tables with the key of their record`() async throws {
        let run = try await fixture.sync(
            stream,
            #"[{"id":1,"visits":[{"at":"mon","n":1},{"at":"tue","n":2.5}]},{"id":2,"visits":[{"at":"wed"}]}]"#,
            #"[{"id":3,"meta":{"tags":[{"t":"a"}]},"visits":[{"new":true}]}]"#)
        #expect(run.counts.ofRecords == "3 inserted")
        #expect(try fixture.columns(of: "animals") == ["id INTEGER"])
        #expect(
            try fixture.columns(of: "animals__visits") == [
                "_parent_id INTEGER", "_index INTEGER", "at TEXT", "n REAL", "new BOOLEAN",
            ])
        #expect(
            try fixture.rows("SELECT * FROM animals__visits")
                == ["1 0 'mon' 1.0 NULL", "1 1 'tue' 2.5 NULL", "2 0 'wed' NULL NULL", "3 0 NULL NULL 1"])
        #expect(try fixture.rows("SELECT * FROM animals__meta__tags") == ["3 0 'a'"])
        #expect(
            try fixture.rows("SELECT column_name, new_type FROM _garner_schema_changes")
                == ["'new' NULL", "'new' 'BOOLEAN'"])
        try fixture.expectIntegrity()
    }

    @Test func `rows of arrays are written only where they changed, and make their record an updated one`() async throws
    {
        let page = #"[{"id":1,"v":[{"n":1},{"n":2},{"n":3}]},{"id":2,"v":[{"n":4}]}]"#
        try await fixture.sync(stream, page)
        #expect(try await fixture.sync(stream, page).counts.ofRecords == "2 unchanged")
        try fixture.alter(
            """
            CREATE TRIGGER stop BEFORE UPDATE ON animals__v WHEN OLD.n <> 2
            BEGIN SELECT RAISE(ABORT, 'written in vain'); END
            """)
        let run = try await fixture.sync(stream, #"[{"id":1,"v":[{"n":1},{"n":9}]},{"id":2,"v":[{"n":4}]}]"#)
        #expect(run.counts.ofRecords == "1 updated, 1 unchanged")
        #expect(try fixture.rows("SELECT * FROM animals__v") == ["1 0 1", "1 1 9", "2 0 4"])
        #expect(try fixture.rows("SELECT record_key, operation FROM _garner_changes") == ["1 'update'"])
        let longer = try await fixture.sync(stream, #"[{"id":2,"v":[{"n":4},{"n":5}]}]"#)
        #expect(longer.counts.ofRecords == "1 updated")
    }

    @Test(arguments: [#"{"id":1,"v":null}"#, #"{"id":1}"#, #"{"id":1,"v":[]}"#, #"{"id":1,"v":[{}],"v":null}"#])
    func `an array that is gone has no rows`(record: String) async throws {
        try await fixture.sync(stream, #"[{"id":1,"v":[{"n":1}]},{"id":2,"v":[{"n":2}]}]"#)
        #expect(try await fixture.sync(stream, "[\(record)]").counts.ofRecords == "1 updated")
        #expect(try fixture.rows("SELECT * FROM animals__v") == ["2 0 2"])
        #expect(try fixture.columns(of: "animals") == ["id INTEGER"])
    }

    @Test(
        arguments: [
            (DeleteMissing.hard, nil, ["2 0 2"]), (.soft, nil, ["1 0 1", "2 0 2"]), (.ignore, .replace, ["2 0 2"]),
        ] as [(DeleteMissing, WriteDisposition?, [String])])
    func `a record that is deleted takes its rows along`(
        missing: DeleteMissing, writing: WriteDisposition?, left: [String]
    ) async throws {
        let stream = Self.stream(writing: writing, missing: missing)
        try await fixture.sync(stream, #"[{"id":1,"v":[{"n":1}]},{"id":2,"v":[{"n":2}]}]"#)
        let run = try await fixture.sync(stream, #"[{"id":2,"v":[{"n":2}]}]"#)
        #expect(run.counts.ofRecords == "1 unchanged, 1 deleted")
        #expect(try fixture.rows("SELECT * FROM animals__v") == left)
    }

    @Test func `a composite key counts as a whole`() async throws {
        let stream = Self.stream(key: ["zoo", "number"], missing: .hard)
        try await fixture.sync(
            stream,
            #"[{"number":1,"zoo":"a","v":[{"n":1},{"n":2}]},{"number":2,"zoo":"a","v":[{"n":3}]},{"number":1,"zoo":"b"}]"#
        )
        #expect(
            try fixture.columns(of: "animals__v") == [
                "_parent_zoo TEXT", "_parent_number INTEGER", "_index INTEGER", "n INTEGER",
            ])
        let run = try await fixture.sync(
            stream, #"[{"zoo":"a","number":1,"v":[{"n":1}]},{"zoo":"b","number":1,"v":[{"n":4}]}]"#)
        #expect(run.counts.ofRecords == "2 updated, 1 deleted")
        #expect(try fixture.rows("SELECT * FROM animals__v") == ["'a' 1 0 1", "'b' 1 0 4"])
    }

    @Test func `a key that becomes text does so with its children`() async throws {
        try await fixture.sync(stream, #"[{"id":1,"v":[{"n":1}]}]"#)
        let run = try await fixture.sync(stream, #"[{"id":1,"v":[{"n":1}]},{"id":"x","v":[{"n":2}]},{"id":2}]"#)
        #expect(run.counts.ofRecords == "2 inserted, 1 unchanged")
        #expect(try fixture.rows("SELECT * FROM animals__v") == ["'1' 0 1", "'x' 0 2"])
        #expect(try fixture.columns(of: "animals__v").first == "_parent_id TEXT")
        let again = try await fixture.sync(stream, #"[{"id":1,"v":[{"n":7}]},{"id":"x","v":[{"n":2}]}]"#)
        #expect(again.counts.ofRecords == "1 updated, 1 unchanged")
        try fixture.expectIntegrity()
    }

    @Test(arguments: [
        #"["a","b"]"#, "[]", #"[{"n":1},2]"#, #"[[{"n":1}]]"#, #""text""#, "{}", #"[{"n":1},null]"#,
    ])
    func `what is no array of objects is no table`(value: String) async throws {
        let stream = Self.stream(depth: 0)
        try await fixture.sync(stream, #"[{"id":1,"v":\#(value)}]"#)
        #expect(
            try fixture.rows("SELECT v FROM animals") == ["'\(value.trimmingPrefix("\"").replacing("t\"", with: "t"))'"]
        )
        #expect(try fixture.rows("SELECT count(*) FROM _garner_children") == ["0"])
    }

    @Test(arguments: [
        [#"{"id":1,"v":["a"]},{"id":2,"v":[{"n":1}]}"#], [#"{"id":2,"v":[{"n":1}]},{"id":1,"v":["a"]}"#],
        [#"{"id":1,"v":["a"]}"#, #"{"id":2,"v":[{"n":1}]}"#], [#"{"id":1,"v":7}"#, #"{"id":2,"v":[{"n":1}]}"#],
    ])
    func `a field that holds something else too stays text`(pages: [String]) async throws {
        try await fixture.sync(stream, pages: pages.map { "[\($0)]" })
        #expect(try fixture.rows("SELECT v FROM animals WHERE id = 2") == [#"'[{"n":1}]'"#])
        #expect(try fixture.rows("SELECT count(*) FROM _garner_children") == ["0"])
        #expect(try fixture.rows("SELECT count(*) FROM _garner_quarantine") == ["0"])
    }

    @Test(arguments: ["7", #"["a"]"#, #"[{"n":1},null]"#, #""[]""#])
    func `a field that is a table takes nothing else`(value: String) async throws {
        try await fixture.sync(stream, #"[{"id":1,"v":[{"n":1}]}]"#)
        let run = try await fixture.sync(stream, #"[{"id":1,"new":1,"v":\#(value)},{"id":2,"v":[{"n":2}]}]"#)
        #expect(run.counts.ofRecords == "1 inserted, 1 quarantined")
        #expect(
            try fixture.rows("SELECT reason FROM _garner_quarantine")
                == ["'its member 'v' has a table of its own, and is no array of objects'"])
        #expect(try fixture.rows("SELECT * FROM animals__v") == ["1 0 1", "2 0 2"])
    }

    @Test func `an object in place of an array is flattened beside it`() async throws {
        try await fixture.sync(stream, #"[{"id":1,"v":[{"n":1}]}]"#)
        try await fixture.sync(stream, #"[{"id":1,"v":{"n":2}},{"id":2,"v":[{"n":3}]}]"#)
        #expect(try fixture.rows("SELECT * FROM animals") == ["1 2", "2 NULL"])
        #expect(try fixture.rows("SELECT * FROM animals__v") == ["2 0 3"])
    }

    @Test(arguments: ["null", "[]", "[{}]"])
    func `a field that was empty before becomes a table`(value: String) async throws {
        try await fixture.sync(stream, #"[{"id":1,"v":\#(value)}]"#)
        let run = try await fixture.sync(stream, #"[{"id":1,"v":[{"n":1}]},{"id":2,"v":[]}]"#)
        #expect(run.counts.ofRecords == "1 inserted, 1 updated")
        #expect(try fixture.rows("SELECT _parent_id, _index, n FROM animals__v") == ["1 0 1"])
    }

    @Test(arguments: ["[]", "null"])
    func `a field that is empty in the first record of a page gets no column`(value: String) async throws {
        let page =
            #"[{"id":0,"v":\#(value),"o":{"v":\#(value)}},{"id":1,"v":[{"n":1}],"o":{"v":[{"n":2}]}},{"id":2,"v":[]}]"#
        try await fixture.sync(stream, page)
        #expect(try fixture.columns(of: "animals") == ["id INTEGER"])
        #expect(try fixture.rows("SELECT * FROM animals__v") == ["1 0 1"])
        #expect(try fixture.rows("SELECT * FROM animals__o__v") == ["1 0 2"])
        #expect(try await fixture.sync(stream, page).counts.ofRecords == "3 unchanged")
    }

    @Test func `an empty array before arrays and something else stays text`() async throws {
        let page = #"[{"id":0,"v":[]},{"id":1,"v":[{"n":1}]},{"id":2,"v":7}]"#
        #expect(try await fixture.sync(stream, page).counts.ofRecords == "3 inserted")
        #expect(try fixture.rows("SELECT v FROM animals") == ["'[]'", #"'[{"n":1}]'"#, "'7'"])
        #expect(try fixture.rows("SELECT count(*) FROM _garner_children") == ["0"])
    }

    @Test func `texts of arrays that were stored before become rows when they come again`() async throws {
        let page = #"[{"id":1,"v":[{"n":1}],"w":[{"n":1}]},{"id":2,"v":[],"w":[1]}]"#
        try await fixture.sync(.animals(), page)
        #expect(try fixture.rows("SELECT v FROM animals") == [#"'[{"n":1}]'"#, "'[]'"])
        let run = try await fixture.sync(stream, page)
        #expect(run.counts.ofRecords == "2 updated")
        #expect(try fixture.rows("SELECT * FROM animals") == [#"1 NULL '[{"n":1}]'"#, "2 NULL '[1]'"])
        #expect(try fixture.rows("SELECT * FROM animals__v") == ["1 0 1"])
        #expect(try await fixture.sync(stream, page).counts.ofRecords == "2 unchanged")
    }

    @Test func `without the key the arrays are text again, and their tables stay`() async throws {
        let page = #"[{"id":1,"v":[{"n":1}]}]"#
        try await fixture.sync(stream, page)
        try await fixture.sync(.animals(), page)
        #expect(try fixture.rows("SELECT * FROM animals") == [#"1 '[{"n":1}]'"#])
        #expect(try fixture.rows("SELECT * FROM animals__v") == ["1 0 1"])
    }

    @Test func `elements have objects flattened and arrays as text`() async throws {
        try await fixture.sync(stream, #"[{"id":1,"v":[{"a":{"b":1,"c":{"d":2}},"w":[{"x":1}]}]}]"#)
        #expect(
            try fixture.columns(of: "animals__v").dropFirst(2) == ["a__b INTEGER", "a__c JSON TEXT", "w JSON TEXT"])
        #expect(try fixture.rows("SELECT * FROM animals__v") == [#"1 0 1 '{"d":2}' '[{"x":1}]'"#])
    }

    @Test func `members that are called like our columns get a number`() async throws {
        try await fixture.sync(stream, #"[{"id":1,"v":[{"_INDEX":5,"_parent_id":6}]}]"#)
        #expect(
            try fixture.columns(of: "animals__v").map { $0.prefix { $0 != " " } } == [
                "_parent_id", "_index", "_INDEX_2", "_parent_id_2",
            ])
        #expect(try fixture.rows("SELECT * FROM animals__v") == ["1 0 5 6"])
    }

    @Test func `an element that has no place keeps the whole record out`() async throws {
        var stream = stream
        stream.schemaContract.columns = .quarantine
        try await fixture.sync(stream, #"[{"id":1,"n":1,"v":[{"n":1}]}]"#)
        let run = try await fixture.sync(stream, #"[{"id":1,"n":2,"v":[{"n":2},{"m":1}]},{"id":2,"v":[{"n":3}]}]"#)
        #expect(run.counts.ofRecords == "1 inserted, 1 quarantined")
        #expect(try fixture.rows("SELECT * FROM animals") == ["1 1", "2 NULL"])
        #expect(try fixture.rows("SELECT * FROM animals__v") == ["1 0 1", "2 0 3"])
        #expect(try fixture.rows("SELECT reason LIKE 'in ''v'': %' FROM _garner_quarantine") == ["1"])
    }

    @Test func `what no table or column can be named after is kept beside the others`() async throws {
        let long = String(repeating: "x", count: 250)
        let page = """
            [{"id":1,"\\u0000":[{"n": 1}],"\(long)":[{"n":2}],"v":[{"n":3,"\\u0000":{"a":4}}],"o":{"\\u0000":[{}]}}]
            """
        #expect(try await fixture.sync(stream, page).counts.ofRecords == "1 inserted")
        #expect(
            try fixture.rows("SELECT id, _garner_rest, \(long) FROM animals") == [
                #"1 '{"\u0000":[{"n":1}],"o__\u0000":[{}]}' '[{"n":2}]'"#
            ])
        #expect(try fixture.rows("SELECT * FROM animals__v") == [#"1 0 3 '{"\u0000__a":4}'"#])
        #expect(try await fixture.sync(stream, page).counts.ofRecords == "1 unchanged")
        try fixture.expectIntegrity()
    }

    @Test func `a table takes another name where its own is taken`() async throws {
        try fixture.alter("CREATE TABLE ANIMALS__v (mine)")
        try await fixture.sync(stream, #"[{"id":1,"v":[{"n":1}],"a":{"b":[{"n":2}]},"a__b":[{"n":3}]}]"#)
        let children = try fixture.rows(
            "SELECT table_name, path FROM _garner_children JOIN _garner_streams USING (stream_id) ORDER BY 1")
        #expect(
            children == [
                "'animals__a__b' '$['a']['b']'", "'animals__a__b_2' '$['a__b']'", "'animals__v_2' '$['v']'",
            ])
        #expect(try fixture.rows("SELECT * FROM animals__v_2") == ["1 0 1"])
        #expect(try fixture.rows("SELECT count(*) FROM ANIMALS__v") == ["0"])
        try await fixture.sync(stream, #"[{"id":1,"v":[{"n":4}]}]"#)
        #expect(try fixture.rows("SELECT * FROM animals__v_2") == ["1 0 4"])
        await #expect { try await fixture.sync(.animals(table: "animals__a__b"), "[]") } throws: {
            ($0 as? PersistenceError)?.kind == .configuration
        }
    }

    @Test func `tables of arrays follow the name of their stream's table`() async throws {
        try await fixture.sync(stream, #"[{"id":1,"v":[{"n":1}]}]"#)
        for name in ["beasts", "Beasts"] {
            var renamed = stream
            renamed.table = name
            let run = try await fixture.sync(renamed, #"[{"id":1,"v":[{"n":1}]}]"#)
            #expect(run.counts.ofRecords == "1 unchanged")
            #expect(
                try fixture.rows("SELECT name FROM sqlite_schema WHERE name LIKE '%\\_\\_v' ESCAPE '\\'") == [
                    "'\(name)__v'"
                ])
        }
    }

    @Test func `arrays whose names differ by Unicode form only have a table each`() async throws {
        let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
        try await fixture.sync(.animals(), "[{\"id\":1,\"\(composed)\":\"text\"}]")
        try await fixture.sync(stream, "[{\"id\":1,\"\(decomposed)\":[{\"n\":1}]}]")
        #expect(try fixture.rows("SELECT * FROM \"animals__\(decomposed)\"") == ["1 0 1"])
        let others = Self.stream(table: "plants")
        let page = "[{\"id\":1,\"\(composed)\":[{\"n\":1}],\"\(decomposed)\":[{\"n\":2}]}]"
        try await fixture.sync(others, page)
        #expect(try fixture.rows("SELECT * FROM \"plants__\(composed)\"") == ["1 0 1"])
        #expect(try fixture.rows("SELECT * FROM \"plants__\(decomposed)\"") == ["1 0 2"])
        #expect(try await fixture.sync(others, page).counts.ofRecords == "1 unchanged")
    }

    @Test func `a name in another Unicode form is another name`() async throws {
        let page = #"[{"id":1,"v":[{"n":1}]}]"#
        var renamed = stream
        renamed.table = "caf\u{E9}"
        try await fixture.sync(renamed, page)
        renamed.table = "cafe\u{301}"
        #expect(try await fixture.sync(renamed, page).counts.ofRecords == "1 unchanged")
        let names = try fixture.rows(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'caf%' ORDER BY name")
        #expect(names.map { Array($0.utf8) } == ["cafe\u{301}", "cafe\u{301}__v"].map { Array("'\($0)'".utf8) })
    }

    @Test func `a table that someone has dropped is made anew, from all pages`() async throws {
        let writer = fixture.writer
        try await fixture.sync(stream, #"[{"id":1,"v":[{"n":1}],"w":[{"n":1}]}]"#)
        let first = try await writer.beginReading(stream, identity: "i")
        var page = try PageCommit.page(#"[{"id":1,"v":[{"n":1}],"w":[{"n":1}]}]"#, 1, .next("page=2"))
        page.memory = CachedPage(validator: "v", fingerprint: nil, summary: "s")
        _ = try await writer.commit(page, to: first)
        _ = try await writer.end(run: first.id, as: .failed)
        try fixture.alter("DROP TABLE animals__v")
        let run = try await writer.beginReading(stream, identity: "i")
        #expect(run.resumeAt == nil)
        #expect(try await writer.memory(of: "page=1", for: run.id) == nil)
        let ended = try await writer.commitLast(
            .page(#"[{"id":1,"v":[{"other":1}],"w":[{"n":1}]}]"#, 1, .complete), to: run)
        #expect(ended.counts.ofRecords == "1 updated")
        #expect(try fixture.columns(of: "animals__v").last == "other INTEGER")
        #expect(try fixture.rows("SELECT * FROM animals__w") == ["1 0 1"])
    }

    @Test func `a stream whose table someone has dropped may get another key`() async throws {
        try await fixture.sync(stream, #"[{"id":1,"code":"a","v":[{"n":1}]}]"#)
        try fixture.alter("DROP TABLE animals")
        try await fixture.sync(Self.stream(key: ["code"]), #"[{"id":1,"code":"a","v":[{"n":2}]}]"#)
        #expect(try fixture.columns(of: "animals__v").first == "_parent_code TEXT")
        #expect(try fixture.rows("SELECT * FROM animals__v") == ["'a' 0 2"])
    }

    @Test func `a stream without a key is refused`() async throws {
        let page = #"[{"n":1,"v":[{"n":1}]}]"#
        await #expect(performing: { try await fixture.sync(stream, page) }, throws: Self.isKeyless)
        try await fixture.sync(.animals(), page)
        await #expect(performing: { try await fixture.sync(stream, page) }, throws: Self.isKeyless)
    }

    @Test func `a page that cannot be stored leaves the tables of arrays as they were`() async throws {
        try await fixture.sync(stream, #"[{"id":1,"v":[{"n":1}]}]"#)
        let run = try await fixture.writer.beginReading(stream, identity: "page=1")
        try fixture.alter(
            "CREATE TRIGGER stop BEFORE INSERT ON animals WHEN NEW.id = 3 BEGIN SELECT RAISE(ABORT, 'no'); END")
        let page = #"[{"id":2,"v":[{"new":1}],"w":[{"n":1}]},{"id":3}]"#
        await #expect(throws: PersistenceError.self) {
            try await fixture.writer.commit(.page(page, 1, .complete), to: run)
        }
        #expect(try fixture.rows("SELECT * FROM animals__v") == ["1 0 1"])
        try fixture.alter("DROP TRIGGER stop")
        _ = try await fixture.writer.commitLast(.page(page, 1, .complete), to: run)
        #expect(try fixture.rows("SELECT * FROM animals__v") == ["1 0 1 NULL", "2 0 NULL 1"])
        #expect(try fixture.rows("SELECT * FROM animals__w") == ["2 0 1"])
    }

    @Test func `a page that has not changed leaves them alone`() async throws {
        let writer = fixture.writer
        for isUnchanged in [false, true] {
            let run = try await writer.beginReading(stream, identity: "i")
            var page = try PageCommit.page(#"[{"id":1,"v":[{"n":1}]}]"#, 1, .complete)
            page.memory = CachedPage(validator: "v", fingerprint: nil, summary: "s")
            if isUnchanged { page.content = .unchanged }
            _ = try await writer.commitLast(page, to: run)
        }
        #expect(try fixture.rows("SELECT * FROM animals__v") == ["1 0 1"])
    }

    @Test func `readers find them like other tables`() async throws {
        try await fixture.sync(stream, #"[{"id":1,"v":[{"n":1}]},{"id":2,"v":[{"n":2}]}]"#)
        try fixture.alter("UPDATE _garner_runs SET ended_at = '2026-01-01T00:00:00.000Z'")
        try await fixture.sync(stream, #"[{"id":1,"v":[{"n":1}]},{"id":2,"v":[{"n":3}]}]"#)
        let reader = try ReadOnlyDatabase(path: fixture.path)
        let tables = try reader.tables()
        #expect(tables.map(\.table) == ["animals", "animals__v"])
        #expect(tables.map(\.stream) == ["zoo.animals", "zoo.animals"])
        #expect(tables.map(\.count?.all) == [2, 2])
        #expect(tables[0].lastChangedAt == tables[1].lastChangedAt && tables[0].lastChangedAt != nil)
        let description = try reader.description(of: "animals__v")
        #expect(description.primaryKey == ["_parent_id", "_index"])
        #expect(description.columns.map(\.normalizedPath) == ["parent['id']", "index", "$['n']"])
        let since = try #require(Timestamp(rfc3339: "2026-01-15T00:00:00Z"))
        let rows = try reader.rows(for: RowRequest(table: "animals__v", changedSince: since))
        var found: [Int64] = []
        while let row = try rows.next() { found.append(row.integer(at: 2)) }
        #expect(found == [3])
    }

    private static func stream(
        table: String = "animals", key: [String]? = nil, writing: WriteDisposition? = nil,
        missing: DeleteMissing = .ignore, depth: Int = 1
    ) -> StreamConfiguration {
        var stream = StreamConfiguration.animals(
            table: table, key: key, writing: writing, missing: missing, ratio: 1, depth: depth)
        stream.childTables = true
        return stream
    }

    private static func isKeyless(_ error: any Error) -> Bool {
        let error = error as? PersistenceError
        return error?.kind == .configuration && error?.message.contains("needs a primary key") == true
            && error?.hint.text?.contains("set primary_key") == true
    }
}
