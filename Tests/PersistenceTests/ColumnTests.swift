import GarnerCatalog
import GarnerModel
import GarnerPersistence
import Testing

struct ColumnTests {
    let fixture: Fixture

    init() throws { fixture = try Fixture() }

    @Test func `a column that comes late is added, and is NULL before`() async throws {
        let early = (0..<1500).map { #"{"id":\#($0)}"# }.joined(separator: ",")
        try await fixture.sync(.animals(), "[\(early)]", #"[{"id":1500,"late":true,"deep":{"er":1.5}}]"#)
        #expect(try fixture.columns(of: "animals") == ["id INTEGER", "late BOOLEAN", "deep__er REAL"])
        #expect(try fixture.rows("SELECT count(*), count(late), sum(deep__er) FROM animals") == ["1501 1 1.5"])
    }

    @Test func `a column of the owner keeps its name`() async throws {
        let fixture = try Fixture()
        try await fixture.sync(.animals(), #"[{"id":1}]"#)
        try fixture.alter(
            "ALTER TABLE animals ADD COLUMN note; ALTER TABLE animals ADD COLUMN twice AS (id * 2); UPDATE animals SET note = 'mine'"
        )
        try await fixture.sync(.animals(), #"[{"id":1,"Note":"theirs","twice":7}]"#)
        #expect(try fixture.rows("SELECT id, note, twice, Note_2, twice_2 FROM animals") == ["1 'mine' 2 'theirs' 7"])
    }

    @Test func `a column of nulls exists, and stays so`() async throws {
        try await fixture.sync(.animals(), #"[{"id":1,"a":null}]"#)
        #expect(try fixture.columns(of: "animals") == ["id INTEGER", "a TEXT"])
        #expect(try await fixture.sync(.animals(), #"[{"id":1,"a":null}]"#).counts.ofRecords == "1 unchanged")
        #expect(try fixture.rows("SELECT type FROM _garner_columns WHERE name = 'a'") == ["NULL"])
    }

    @Test func `objects are flattened to the depth asked for`() async throws {
        let page = #"[{"id":1,"a":{"b":{"c":{"d":1}}}}]"#
        for (depth, columns, value) in [
            (0, ["id INTEGER", "a JSON TEXT"], #"'{"b":{"c":{"d":1}}}'"#),
            (1, ["id INTEGER", "a__b JSON TEXT"], #"'{"c":{"d":1}}'"#),
            (2, ["id INTEGER", "a__b__c JSON TEXT"], #"'{"d":1}'"#), (3, ["id INTEGER", "a__b__c__d INTEGER"], "1"),
            (9, ["id INTEGER", "a__b__c__d INTEGER"], "1"),
        ] {
            let stream = StreamConfiguration.animals(table: "depth\(depth)", depth: depth)
            try await fixture.sync(stream, page)
            #expect(try fixture.columns(of: "depth\(depth)") == columns)
            #expect(try fixture.rows("SELECT * FROM depth\(depth)") == ["1 \(value)"])
        }
    }

    @Test func `arrays are canonical JSON, whose numbers keep their spelling`() async throws {
        try await fixture.sync(
            .animals(), #"[{"id":1,"a":[ 1.50 , {"b":1,"a":12345678901234567890} , "\u00e9" , null ]}]"#)
        #expect(try fixture.rows("SELECT a FROM animals") == [#"'[1.50,{"a":12345678901234567890,"b":1},"é",null]'"#])
    }

    @Test func `a member may be an object here and a scalar there`() async throws {
        let page =
            #"[{"id":1,"a":{"x":1}},{"id":2,"a":"text"},{"id":3,"a":null},{"id":4,"a":{}},{"id":5,"a":[{"x":1}]}]"#
        try await fixture.sync(.animals(), page)
        #expect(
            try fixture.rows("SELECT id, a__x, a FROM animals") == [
                "1 1 NULL", "2 NULL 'text'", "3 NULL NULL", "4 NULL '{}'", #"5 NULL '[{"x":1}]'"#,
            ])
        #expect(try await fixture.sync(.animals(), page).counts.ofRecords == "5 unchanged")
    }

    @Test(arguments: [
        (#"{"id":1,"a":1,"A":2}"#, ["id", "a", "A_2"]), (#"{"id":1,"ID":2,"Id":3}"#, ["id", "ID_2", "Id_3"]),
        (#"{"id":1,"a":{"b":1},"a__b":2}"#, ["id", "a__b", "a__b_2"]),
        (#"{"id":1,"a":1,"A":2,"a_2":3}"#, ["id", "a", "A_2", "a_2_2"]),
        (#"{"id":1,"_garner_x":1,"_GARNER_y":2}"#, ["id", "__garner_x", "__GARNER_y"]),
        (#"{"id":1,"sqlite_x":1}"#, ["id", "_sqlite_x"]),
        (#"{"id":1,"_garner_deleted_at":1}"#, ["id", "__garner_deleted_at"]),
        (#"{"id":1,"":1,"_":2}"#, ["id", "_", "__2"]),
        ("{\"id\":1,\"caf\u{E9}\":1,\"cafe\u{301}\":2}", ["id", "caf\u{E9}", "cafe\u{301}"]),
        (#"{"id":1,"É":1,"é":2}"#, ["id", "É", "é"]),
        (#"{"id":1,"rowid":5,"oid":6,"_rowid_":7}"#, ["id", "rowid", "oid", "__rowid_"]),
        (#"{"id":1,"a\"b":1,"a b":2,"select":3}"#, ["id", "a\"b", "a b", "select"]),
        (#"{"id":1,"it's":{"\\":1,"]":2}}"#, ["id", "it's__\\", "it's__]"]), (#"{"id":1,"a\nb":1}"#, ["id", "a\nb"]),
        ("{\"id\":1,\"it'\u{301}s\":{\"\\\\\u{200D}\":1}}", ["id", "it'\u{301}s__\\\u{200D}"]),
        ("{\"id\":1,\"a\\\"\u{301}b\":1,\"\\\"\u{200D}\":2}", ["id", "a\"\u{301}b", "\"\u{200D}"]),
    ])
    func `any member gets a column`(record: String, names: [String]) async throws {
        let stream = StreamConfiguration.animals(missing: .soft)
        #expect(try await fixture.sync(stream, "[\(record)]").counts.ofRecords == "1 inserted")
        let columns = try fixture.rows("SELECT name FROM _garner_columns ORDER BY position")
        #expect(columns.map { Array($0.utf8) } == names.map { Array("'\($0)'".utf8) })
        #expect(try fixture.columns(of: "animals").count == names.count + 1)
        #expect(try await fixture.sync(stream, "[\(record)]").counts.ofRecords == "1 unchanged")
        try await fixture.sync(stream, "[\(record), {\"id\":\"x\"}]")
        // A store that opens the file anew finds the same columns.
        await fixture.writer.close()
        let again = try Fixture(reopening: fixture)
        #expect(try await again.sync(stream, "[\(record)]").counts.inserted == 0)
        #expect(try again.rows("SELECT count(*) FROM _garner_columns") == ["\(names.count)"])
        try again.expectIntegrity()
    }

    @Test func `records that are no objects have one column`() async throws {
        try await fixture.sync(.animals(), #"["a",1,null,[1, 2],true]"#)
        #expect(try fixture.columns(of: "animals") == ["value TEXT"])
        #expect(try fixture.rows("SELECT value FROM animals") == ["'a'", "'1'", "NULL", "'[1,2]'", "'true'"])
    }

    @Test(arguments: [
        (#"{"id":1,"a":{"x":1},"a":{"y":2}}"#, "1 NULL 2"), (#"{"id":1,"a":{"x":1},"a":null,"a":{"y":2}}"#, "1 NULL 2"),
        (#"{"id":null,"id":1,"a":{"y":2}}"#, "1 NULL 2"), (#"{"id":"seven","id":1,"a":{"x":"no","x":5}}"#, "1 5 NULL"),
        (#"{"id":1,"a":{"x":7},"id":2}"#, "2 7 NULL"),
    ])
    func `of duplicate members the last wins, as a whole`(record: String, row: String) async throws {
        try await fixture.sync(.animals(), #"[{"id":9,"a":{"x":1,"y":2}}]"#, "[\(record)]")
        #expect(try fixture.rows("SELECT * FROM animals WHERE id <> 9") == [row])
        #expect(try fixture.columns(of: "animals") == ["id INTEGER", "a__x INTEGER", "a__y INTEGER"])
    }
}
