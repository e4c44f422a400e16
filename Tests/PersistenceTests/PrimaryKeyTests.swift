import GarnerCatalog
import GarnerModel
import GarnerPersistence
import Testing

struct PrimaryKeyTests {
    let fixture: Fixture

    init() throws { fixture = try Fixture() }

    private var key: [String] {
        get throws {
            try fixture.rows("SELECT name FROM _garner_columns WHERE key_position IS NOT NULL ORDER BY key_position")
        }
    }

    @Test(
        arguments: [
            (#"[{"id":1,"uuid":"a"},{"id":2,"uuid":"b"}]"#, "'id'"),
            (#"[{"id":1,"uuid":"a"},{"id":1,"uuid":"b"}]"#, "'uuid'"),
            (#"[{"animals_id":1,"key":"a"}]"#, "'animals_id'"), (#"[{"animal_id":1,"key":"a"}]"#, "'animal_id'"),
            (#"[{"key":"a","slug":"b"}]"#, "'key'"),
            (#"[{"slug":"a"}]"#, "'slug'"), (#"[{"id":1},{"id":null}]"#, nil), (#"[{"id":1},{"name":"x"}]"#, nil),
            (#"[{"id":1.5}]"#, nil), (#"[{"id":[1]}]"#, nil),
            (#"[{"id":1},{"id":"1"}]"#, nil), (#"[{"name":"x"}]"#, nil),
            (#"[{"ID":1,"id":2},{"ID":1,"id":3}]"#, "'id_2'"),
            ("[{\"id\":\"caf\u{E9}\"},{\"id\":\"cafe\u{301}\"}]", "'id'"), (#"[{"id":1,"id":2},{"id":1}]"#, "'id'"),
        ] as [(String, String?)])
    func `a primary key is inferred from the first page`(page: String, name: String?) async throws {
        try await fixture.sync(.animals(), page)
        #expect(try key == [name].compactMap(\.self))
    }

    @Test func `a declared primary key is not inferred`() async throws {
        try await fixture.sync(.animals(key: ["name"]), #"[{"id":1,"name":"x"}]"#)
        #expect(try key == ["'name'"])
    }

    @Test(arguments: [
        (["_garner_id"], #"{"_garner_id":1,"a":1}"#), (["id"], #"{"ID":7,"id":1,"a":1}"#),
        (["sqlite_id", "a"], #"{"a":1,"sqlite_id":1}"#),
    ])
    func `a primary key is declared by member names, whatever the columns are called`(key: [String], record: String)
        async throws
    {
        try await fixture.sync(.animals(key: key), "[\(record)]")
        #expect(try await fixture.sync(.animals(key: key), "[\(record)]").counts.ofRecords == "1 unchanged")
    }

    @Test func `a primary key may have several members, in the declared order`() async throws {
        let stream = StreamConfiguration.animals(key: ["zoo", "number"])
        try await fixture.sync(
            stream, #"[{"number":1,"zoo":"a","x":1},{"number":1,"zoo":"b","x":2},{"number":2,"zoo":"a","x":3}]"#)
        #expect(try key == ["'zoo'", "'number'"])
        let run = try await fixture.sync(stream, #"[{"number":1,"zoo":"a","x":9},{"number":2,"zoo":"b","x":2}]"#)
        #expect(run.counts.ofRecords == "1 inserted, 1 updated")
        #expect(
            try fixture.rows("SELECT zoo, number, x FROM animals ORDER BY 1, 2") == [
                "'a' 1 9", "'a' 2 3", "'b' 1 2", "'b' 2 2",
            ])
        try await fixture.sync(stream, #"[{"number":3,"zoo":"a","x":1}]"#)
        #expect(
            try fixture.rows("SELECT record_key, operation FROM _garner_changes WHERE run_id = 2") == [
                #"'["a",1]' 'update'"#, #"'["b",2]' 'insert'"#,
            ])
    }

    @Test(arguments: [
        (#"{"name":"x"}"#, "the key 'id' is missing"), (#"{"id":null,"name":"x"}"#, "the key 'id' is null"),
        (#"{ "ID" : 5 }"#, "the key 'id' is missing"),
    ])
    func `a record without its primary key is quarantined with the reason`(record: String, reason: String) async throws
    {
        let run = try await fixture.sync(.animals(key: ["id"]), "[{\"id\":1,\"name\":\"a\"},\(record),{\"id\":2}]")
        #expect(run.counts.ofRecords == "2 inserted, 1 quarantined")
        #expect(
            try fixture.rows("SELECT stream_id, run_id, url, reason, record, quarantined_at FROM _garner_quarantine")
                == [
                    "1 1 'https://api.example.org/animals?page=1' '\(reason)' '\(record)' '2026-01-31T08:05:00.000Z'"
                ])
    }

    @Test func `a page without primary keys leaves the table unchanged`() async throws {
        let fixture = try Fixture()
        try await fixture.sync(.animals(), #"[{"id":1,"n":5}]"#)
        let record = try await fixture.sync(
            .animals(), #"[{"error":"maintenance","id2":{"a":1}},{"n":"junk","zzz":1},{"id":null,"new":1}]"#)
        #expect(record.counts.quarantined == 3)
        #expect(try fixture.columns(of: "animals") == ["id INTEGER", "n INTEGER"])
        #expect(try fixture.rows("SELECT * FROM animals") == ["1 5"])
    }

    @Test func `a table without the declared primary key cannot be merged into`() async throws {
        let fixture = try Fixture()
        let appending = try await fixture.sync(.animals(), #"[{"name":"a"}]"#)
        #expect(appending.warning?.hasPrefix("the table animals has no primary key") == true)
        #expect(try await fixture.sync(.animals(writing: .append), #"[{"name":"a"}]"#).warning == nil)
        let error = await #expect(throws: PersistenceError.self) {
            try await fixture.sync(.animals(writing: .merge), #"[{"name":"a"}]"#)
        }
        #expect(error?.kind == .configuration)
        #expect(try fixture.rows("SELECT count(*) FROM animals") == ["2"])
    }

    @Test func `an integer primary key is the row number`() async throws {
        try await fixture.sync(.animals(), #"[{"id":-5,"a":1},{"id":9223372036854775807}]"#)
        #expect(try fixture.rows("SELECT _rowid_ FROM animals") == ["-5", "9223372036854775807"])
    }

    @Test(arguments: [
        ("\"x\"", "TEXT", "'7'"), ("1.5", "TEXT", "'7'"), ("18446744073709551615", "TEXT", "'7'"),
        ("[1]", "TEXT", "'7'"),
    ])
    func `widening an integer primary key keeps indexes, triggers and views`(
        id: String, type: String, old: String
    ) async throws {
        try await fixture.sync(.animals(missing: .soft), #"[{"id":7,"a":1},{"id":8,"a":2}]"#)
        try fixture.alter(
            """
            CREATE INDEX by_a ON animals (a DESC);
            CREATE TABLE log (a);
            CREATE TRIGGER logged AFTER INSERT ON animals BEGIN INSERT INTO log VALUES (NEW.a); END;
            CREATE VIEW heavy AS SELECT * FROM animals WHERE a > 1;
            ALTER TABLE animals ADD COLUMN note TEXT;
            UPDATE animals SET note = 'mine' WHERE id = 7;
            """)
        let run = try await fixture.sync(
            .animals(missing: .soft), #"[{"id":7,"a":1},{"id":\#(id),"a":3},{"id":8,"a":2}]"#)
        #expect(run.counts.inserted == 1)
        #expect(run.counts.unchanged == 2)
        #expect(try fixture.columns(of: "animals").first == "id \(type)")
        #expect(try fixture.rows("SELECT id, a, note FROM animals WHERE a = 1") == ["\(old) 1 'mine'"])
        #expect(
            try fixture.rows("SELECT name FROM sqlite_schema WHERE name IN ('by_a', 'logged', 'heavy') ORDER BY 1") == [
                "'by_a'", "'heavy'", "'logged'",
            ])
        #expect(try fixture.rows("SELECT a FROM log") == ["3"])
        #expect(try fixture.rows("SELECT a FROM heavy ORDER BY a") == ["2", "3"])
        #expect(
            try await fixture.sync(.animals(missing: .soft), #"[{"id":7,"a":1},{"id":\#(id),"a":3},{"id":8,"a":2}]"#)
                .counts.unchanged == 3)
        try fixture.expectIntegrity()
    }

    @Test(arguments: ["null", "true"])
    func `a primary key without a type becomes the row number when integers arrive`(first: String) async throws {
        let stream = StreamConfiguration.animals(key: ["id"])
        try await fixture.sync(stream, #"[{"id":\#(first),"a":1}]"#)
        try await fixture.sync(stream, #"[{"id":7,"a":1}]"#)
        #expect(try await fixture.sync(stream, #"[{"id":7,"a":2}]"#).counts.ofRecords == "1 updated")
        #expect(try fixture.columns(of: "animals") == ["id INTEGER", "a INTEGER"])
        try fixture.expectIntegrity()
    }

    @Test func `a primary key that no record has is refused with the members that exist`() async throws {
        let error = await #expect(throws: PersistenceError.self) {
            try await fixture.sync(.animals(key: ["number"]), #"[{"id":1,"a":2}]"#)
        }
        #expect(error?.kind == .configuration)
        #expect(error?.message.contains("'number'") == true)
        #expect(error?.hint.text?.contains("id, a") == true)
        #expect(try fixture.columns(of: "animals") == [])
    }

    @Test func `the primary key of an existing table cannot be changed`() async throws {
        try await fixture.sync(.animals(key: ["id"]), #"[{"id":1,"name":"x"}]"#)
        let error = await #expect(throws: PersistenceError.self) {
            try await fixture.sync(.animals(key: ["name"]), #"[{"id":1,"name":"x"}]"#)
        }
        #expect(error?.kind == .configuration)
        #expect(try await fixture.sync(.animals(), #"[{"id":1,"name":"x"}]"#).counts.unchanged == 1)
    }
}
