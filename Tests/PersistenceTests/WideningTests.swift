import GarnerCatalog
import GarnerModel
import GarnerPersistence
import Testing

struct WideningTests {
    let fixture: Fixture

    init() throws { fixture = try Fixture() }

    /// Each list of values arrives one a page.
    @Test(arguments: [
        (["true", "2"], "INTEGER", ["1", "2"]),
        (["true", "0.5"], "REAL", ["1.0", "0.5"]),
        (["true", "\"a1\""], "TEXT", ["'true'", "'a1'"]),
        (["false", "\"a1\""], "TEXT", ["'false'", "'a1'"]),
        (["1", "0.5"], "REAL", ["1.0", "0.5"]),
        (["1", "true"], "INTEGER", ["1", "1"]),
        (["-7", "\"007\""], "TEXT", ["'-7'", "'007'"]),
        (["\"007\"", "7"], "TEXT", ["'007'", "'7'"]),
        (["9223372036854775807", "\"a1\""], "TEXT", ["'9223372036854775807'", "'a1'"]),
        (["1", "9223372036854775808"], "TEXT", ["'1'", "'9223372036854775808'"]),
        (["0.1", "\"a1\""], "TEXT", ["'0.1'", "'a1'"]),
        (["0.30000000000000004", "\"a1\""], "TEXT", ["'0.30000000000000004'", "'a1'"]),
        (
            ["0.5", "0.1000000000000000055511151231257827"], "TEXT",
            ["'0.5'", "'0.1000000000000000055511151231257827'"]
        ),
        (["0.5", "9007199254740993"], "TEXT", ["'0.5'", "'9007199254740993'"]),
        (["9007199254740993", "0.5"], "TEXT", ["'9007199254740993'", "'0.5'"]),
        (["9007199254740992", "0.5"], "REAL", ["9007199254740992.0", "0.5"]),
        (["0.5", "-9007199254740992"], "REAL", ["0.5", "-9007199254740992.0"]),
        (["true", "2", "0.5", "\"a1\""], "TEXT", ["'true'", "'2.0'", "'0.5'", "'a1'"]),
        (["null", "1"], "INTEGER", ["NULL", "1"]),
        (["null", "true"], "BOOLEAN", ["NULL", "1"]),
        (["null", "0.5"], "REAL", ["NULL", "0.5"]),
        (["1", "null"], "INTEGER", ["1", "NULL"]),
        (["1", "[1, 2]"], "TEXT", ["'1'", "'[1,2]'"]),
        (["\"\"", "0"], "TEXT", ["''", "'0'"]),
        (["[1, 2]", #"{"b":1,"a":[]}"#], "JSON TEXT", ["'[1,2]'", #"'{"a":[],"b":1}'"#]),
        (["null", "[]"], "JSON TEXT", ["NULL", "'[]'"]), (["[]", "null"], "JSON TEXT", ["'[]'", "NULL"]),
        (["[1]", "\"[1]\""], "TEXT", ["'[1]'", "'[1]'"]), (["\"[1]\"", "[1]"], "TEXT", ["'[1]'", "'[1]'"]),
        (["[1]", "7"], "TEXT", ["'[1]'", "'7'"]), (["{}", "true"], "TEXT", ["'{}'", "'true'"]),
    ])
    func `a column becomes as wide as its values need`(values: [String], type: String, stored: [String]) async throws {
        let pages = values.enumerated().map { #"[{"id":\#($0.offset),"value":\#($0.element)}]"# }
        try await fixture.sync(.animals(depth: 0), pages: pages)
        // Booleans among numbers are kept beside them.
        #expect(
            try fixture.columns(of: "animals").filter { $0 != "_garner_rest TEXT" } == ["id INTEGER", "value \(type)"])
        #expect(try fixture.rows("SELECT value FROM animals ORDER BY id") == stored)
        try fixture.expectIntegrity()
        // The same records again are no change, whatever way the column took.
        let expected = try await fixture.sync(.animals(depth: 0), pages: pages).counts
        #expect(expected.inserted == 0)
        #expect(try await fixture.sync(.animals(depth: 0), pages: pages).counts.updated == 0)
    }

    /// The first page alone decides the type that the table is made with.
    @Test(arguments: [
        (["true", "2"], "INTEGER", ["1", "2"]),
        (["9007199254740993", "0.5"], "TEXT", ["'9007199254740993'", "'0.5'"]),
        (["1", "0.5"], "REAL", ["1.0", "0.5"]),
        (["1", "\"007\""], "TEXT", ["'1'", "'007'"]),
        (["null", "null"], "TEXT", ["NULL", "NULL"]),
        (["0.10", "1e2"], "REAL", ["0.1", "100.0"]),
        (["0.5", "1e400"], "TEXT", ["'0.5'", "'1e400'"]),
    ])
    func `a page is surveyed as a whole`(values: [String], type: String, stored: [String]) async throws {
        let records = values.enumerated().map { #"{"id":\#($0.offset),"value":\#($0.element)}"# }
        try await fixture.sync(.animals(), "[\(records.joined(separator: ","))]")
        // Booleans among numbers are kept beside them.
        #expect(
            try fixture.columns(of: "animals").filter { $0 != "_garner_rest TEXT" } == ["id INTEGER", "value \(type)"])
        #expect(try fixture.rows("SELECT value FROM animals ORDER BY id") == stored)
    }

    @Test func `every change of a type is in the schema history`() async throws {
        try await fixture.sync(.animals(), #"[{"id":1,"a":null}]"#, #"[{"id":2,"a":1}]"#, #"[{"id":3,"a":"x1","b":1}]"#)
        #expect(
            try fixture.rows(
                "SELECT column_name, old_type, new_type, run_id FROM _garner_schema_changes ORDER BY change_id") == [
                    "'a' NULL 'INTEGER' 1", "'a' 'INTEGER' 'TEXT' 1", "'b' NULL NULL 1", "'b' NULL 'INTEGER' 1",
                ])
        #expect(
            try fixture.rows("SELECT name, path, type, key_position FROM _garner_columns ORDER BY position") == [
                "'id' '$['id']' 'INTEGER' 1", "'a' '$['a']' 'TEXT' NULL", "'b' '$['b']' 'INTEGER' NULL",
            ])
    }

    @Test(arguments: ["0.5", "\"x\"", "[]"])
    func `an index of the owner on a widened column stays right`(value: String) async throws {
        try await fixture.sync(.animals(), #"[{"id":1,"a":true},{"id":2,"a":10},{"id":3,"a":9}]"#)
        try fixture.alter("CREATE INDEX by_a ON animals (a); CREATE UNIQUE INDEX by_a_and_id ON animals (a DESC, id)")
        try await fixture.sync(.animals(), #"[{"id":4,"a":\#(value)}]"#)
        try fixture.expectIntegrity()
        let indexed = try fixture.rows(
            "SELECT id FROM animals INDEXED BY by_a WHERE a = (SELECT a FROM animals WHERE id = 2)")
        #expect(indexed == ["2"])
    }

    @Test func `a column that came after the mark of deletion keeps its place`() async throws {
        let stream = StreamConfiguration.animals(missing: .soft)
        try await fixture.sync(stream, #"[{"id":1,"a":1},{"id":2,"a":2}]"#)
        try await fixture.sync(stream, #"[{"id":2,"a":2}]"#)
        try await fixture.sync(stream, #"[{"id":2,"a":2,"b":5}]"#)
        try await fixture.sync(stream, #"[{"id":2,"a":"wide1","b":6.5}]"#)
        #expect(
            try fixture.rows("SELECT id, a, b, _garner_deleted_at FROM animals") == [
                "1 '1' NULL '2026-01-31T08:05:00.000Z'", "2 'wide1' 6.5 NULL",
            ])
        try fixture.expectIntegrity()
    }

    @Test func `the mark of deletion that came later keeps its place`() async throws {
        try await fixture.sync(.animals(), #"[{"id":1,"a":1}]"#)
        let stream = StreamConfiguration.animals(missing: .soft)
        try await fixture.sync(stream, #"[{"id":1,"a":1,"b":5}]"#)
        try await fixture.sync(stream, #"[{"id":1,"a":"wide1","b":6.5}]"#)
        #expect(try fixture.rows("SELECT id, a, b, _garner_deleted_at FROM animals") == ["1 'wide1' 6.5 NULL"])
    }

    @Test func `a column of the owner survives`() async throws {
        try await fixture.sync(.animals(), #"[{"id":1,"a":1}]"#)
        try fixture.alter(
            "ALTER TABLE animals ADD COLUMN note TEXT; UPDATE animals SET note = 'mine'; CREATE INDEX by_note ON animals (note)"
        )
        try await fixture.sync(.animals(), #"[{"id":1,"a":"wide1"}]"#)
        #expect(try fixture.rows("SELECT id, a, note FROM animals") == ["1 'wide1' 'mine'"])
        try fixture.expectIntegrity()
    }

    @Test func `columns whose names differ by Unicode form only are widened apart`() async throws {
        let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
        try await fixture.sync(.animals(), #"[{"id":1,"\#(composed)":1,"\#(decomposed)":2}]"#)
        try await fixture.sync(.animals(), #"[{"id":2,"\#(composed)":"x1","\#(decomposed)":3}]"#)
        try await fixture.sync(.animals(), #"[{"id":3,"\#(composed)":"y1","\#(decomposed)":"z1"}]"#)
        #expect(try fixture.rows("SELECT * FROM animals") == ["1 '1' '2'", "2 'x1' '3'", "3 'y1' 'z1'"])
        #expect(
            try fixture.rows("SELECT typeof(\"\(composed)\"), typeof(\"\(decomposed)\") FROM animals WHERE id = 1") == [
                "'text' 'text'"
            ])
    }

    @Test func `a name that holds what stands around a column leads no widening astray`() async throws {
        let names = ["x,\n    \"", " INTEGER foo", "\" TEXT,\n    "]
        let members = names.map { $0.replacing("\"", with: "\\\"").replacing("\n", with: "\\n") }
        func record(_ id: Int, _ values: [String]) -> String {
            "{\"id\":\(id),\(zip(members, values).map { "\"\($0)\":\($1)" }.joined(separator: ","))}"
        }
        try await fixture.sync(.animals(), "[\(record(1, ["\"a\"", "2", "3"]))]")
        try await fixture.sync(.animals(), "[\(record(2, ["\"b\"", "4", "\"c1\""]))]")
        let expected = zip(["id"] + names, ["INTEGER", "TEXT", "INTEGER", "TEXT"]).map { "\($0) \($1)" }
        #expect(try fixture.columns(of: "animals") == expected)
        #expect(try fixture.rows("SELECT * FROM animals") == ["1 'a' 2 '3'", "2 'b' 4 'c1'"])
        try await fixture.sync(.animals(), "[\(record(1, ["\"a\"", "0.5", "3"]))]")
        #expect(try fixture.rows("SELECT * FROM animals") == ["1 'a' 0.5 '3'", "2 'b' 4.0 'c1'"])
        try fixture.expectIntegrity()
    }

    @Test func `what the owner wrote between the columns stays as it is`() async throws {
        try await fixture.sync(.animals(), #"[{"id":1}]"#)
        try fixture.alter(
            """
            ALTER TABLE animals ADD COLUMN "mi)ne" TEXT DEFAULT ', "late" INTEGER' CHECK (length("mi)ne") > 1);
            ALTER TABLE animals ADD COLUMN [its, "late" INTEGER] /* , "late" INTEGER */ DECIMAL(5, 2);
            """)
        try await fixture.sync(.animals(), #"[{"id":1,"late":1}]"#)
        try await fixture.sync(.animals(), #"[{"id":1,"late":"x1"}]"#)
        #expect(
            try fixture.columns(of: "animals") == [
                "id INTEGER", "mi)ne TEXT", "its, \"late\" INTEGER DECIMAL(5, 2)", "late TEXT",
            ])
        #expect(try fixture.rows("SELECT * FROM animals") == ["1 ', \"late\" INTEGER' NULL 'x1'"])
        try fixture.expectIntegrity()
    }

    @Test func `a widening is undone with its page`() async throws {
        let stream = StreamConfiguration.animals()
        try await fixture.sync(stream, #"[{"id":1,"a":1}]"#)
        let blocked = try await fixture.writer.beginReading(stream, identity: "page=1")
        try fixture.alter(
            "CREATE TRIGGER stop BEFORE INSERT ON animals WHEN NEW.id = 9 BEGIN SELECT RAISE(ABORT, 'stop'); END")
        await #expect(throws: PersistenceError.self) {
            try await fixture.writer.commit(
                try .page(#"[{"id":1,"a":"wide1","b":1},{"id":9}]"#, 1, .next("page=2")), to: blocked)
        }
        #expect(try fixture.columns(of: "animals") == ["id INTEGER", "a INTEGER"])
        #expect(try fixture.rows("SELECT * FROM animals") == ["1 1"])
        let counts = try await fixture.writer.commit(
            try .page(#"[{"id":1,"a":"wide1","b":1}]"#, 1, .next("page=2")), to: blocked)
        #expect(counts.ofRecords == "1 updated")
        #expect(try fixture.rows("SELECT * FROM animals") == ["1 'wide1' 1"])
        try fixture.expectIntegrity()
    }
}
