import GarnerCatalog
import GarnerModel
import GarnerPersistence
import Testing

struct RestTests {
    let fixture: Fixture
    /// The maximum number of members that a table can hold beside the key and Garner's own columns.
    private static let most = 1997
    private static let wide = #""id":1,"# + (0..<most).map { #""c\#($0)":\#($0)"# }.joined(separator: ",")

    /// A closed database with a table that holds no more columns, which is made once: that takes a second.
    private static let filled: Task<Fixture, any Error> = Task {
        let fixture = try Fixture()
        try await fixture.sync(.animals(), "[{\(wide)}]")
        await fixture.writer.close()
        return fixture
    }

    init() throws { fixture = try Fixture() }

    @Test(arguments: [DeleteMissing.ignore, .soft])
    func `members beyond what a table may have are kept as one object`(missing: DeleteMissing) async throws {
        let stream = StreamConfiguration.animals(missing: missing)
        let pages = [
            "[{\(Self.wide)},{\"id\":2,\"more\":1.50}]",
            #"[{"id":3,"z":[ 1 , 2 ],"more":12345678901234567890},{"id":4,"c7":7}]"#,
        ]
        #expect(try await fixture.sync(stream, pages: pages).counts.ofRecords == "4 inserted")
        #expect(try fixture.columns(of: "animals").count == (missing == .soft ? 2000 : 1999))
        #expect(
            try fixture.rows("SELECT id, c7, c\(Self.most - 1), _garner_rest FROM animals") == [
                "1 7 \(Self.most - 1) NULL", #"2 NULL NULL '{"more":1.50}'"#,
                #"3 NULL NULL '{"more":12345678901234567890,"z":[1,2]}'"#, "4 7 NULL NULL",
            ])
        #expect(try await fixture.sync(stream, pages: pages).counts.ofRecords == "4 unchanged")
        let changed = #"[{"id":3,"z":[1,2],"more":12345678901234567891},{"id":4,"c7":7}]"#
        #expect(try await fixture.sync(stream, pages[0], changed).counts.ofRecords == "1 updated, 3 unchanged")
        try fixture.expectIntegrity()
    }

    @Test func `the mark of deletion still finds room`() async throws {
        try await fixture.sync(.animals(), #"[{\#(Self.wide),"more":1},{"id":2,"more":2},{"id":3}]"#)
        try await fixture.sync(.animals(missing: .soft), #"[{\#(Self.wide),"more":1},{"id":2,"more":2}]"#)
        #expect(try fixture.columns(of: "animals").count == 2000)
        #expect(
            try fixture.rows("SELECT id, _garner_rest, _garner_deleted_at IS NULL FROM animals") == [
                #"1 '{"more":1}' 1"#, #"2 '{"more":2}' 1"#, "3 NULL 0",
            ])
    }

    @Test(arguments: [true, false])
    func `a record whose only member cannot name a column is kept as one object`(dedupes: Bool) async throws {
        var stream = StreamConfiguration.animals(key: nil)
        stream.dedupes = dedupes
        let name = String(repeating: "n", count: 256)
        let page = #"[{"a\u0000b":42},{"\#(name)":1}]"#
        #expect(try await fixture.sync(stream, page).counts.ofRecords == "2 inserted")
        #expect(
            try fixture.rows("SELECT _garner_rest FROM animals ORDER BY _rowid_")
                == [#"'{"a\u0000b":42}'"#, #"'{"\#(name)":1}'"#])
        let again = try await fixture.sync(stream, page).counts.ofRecords
        #expect(again == (dedupes ? "2 unchanged" : "2 inserted"))
        #expect(try await fixture.sync(stream, #"[{"c":7}]"#).counts.ofRecords == "1 inserted")
        #expect(try fixture.rows("SELECT c, _garner_rest FROM animals WHERE c = 7") == ["7 NULL"])
    }

    @Test(arguments: [
        (#"{"id":2,"a":{"b":1,"c":{"d":2}},"e":{}}"#, #"{"a__b":1,"a__c":{"d":2}}"#),
        (#"{"id":2,"a__b":1,"a":{"b":2}}"#, #"{"a__b":1,"a__b_2":2}"#),
        (#"{"id":2,"a":{"b":2},"a__b":1,"a__b_2":3}"#, #"{"a__b":1,"a__b_2":2,"a__b_2_2":3}"#),
        (#"{"id":2,"m":1,"m":2}"#, #"{"m":2}"#), (#"{"id":2,"a":{"x":1},"a":{"y":2,"y":3}}"#, #"{"a__y":3}"#),
        (#"{"id":2,"A":1,"a":null}"#, #"{"A":1,"a":null}"#),
        (#"{"id":2,"a\u0000\"b":"\u00e9"}"#, #"{"a\u0000\"b":"é"}"#),
        ("{\"id\":2,\"caf\u{E9}\":1,\"cafe\u{301}\":2}", "{\"cafe\u{301}\":2,\"caf\u{E9}\":1}"),
        (#"{"id":2,"c7":{"x":1}}"#, #"{"c7__x":1}"#), (#"{"id":2,"_garner_rest":5}"#, #"{"_garner_rest":5}"#),
    ])
    func `names in the rest are those that columns would have`(record: String, rest: String) async throws {
        let fixture = try Fixture(reopening: await Self.filled.value)
        try await fixture.sync(.animals(), "[\(record)]")
        let stored = try fixture.rows("SELECT _garner_rest FROM animals WHERE id = 2")
        #expect(stored.map { Array($0.utf8) } == [Array("'\(rest)'".utf8)])
        #expect(try await fixture.sync(.animals(), "[\(record)]").counts.ofRecords == "1 unchanged")
    }

    @Test func `the rest is a column of the schema, and survives a new store and a new key type`() async throws {
        try await fixture.sync(.animals(), #"[{\#(Self.wide),"more":1}]"#)
        await fixture.writer.close()
        let again = try Fixture(reopening: fixture)
        try await again.sync(.animals(), #"[{"id":"x","more":2}]"#)
        #expect(
            try again.rows("SELECT id, _garner_rest FROM animals ORDER BY id") == [
                #"'1' '{"more":1}'"#, #"'x' '{"more":2}'"#,
            ])
        let columns = try ReadOnlyDatabase(path: again.path).description(of: "animals").columns
        let rest = try #require(columns.last)
        #expect(rest.name == "_garner_rest" && rest.normalizedPath == "$" && rest.firstSeenRun == 1)
        #expect(columns.count == 1999)
        try again.expectIntegrity()
    }

    private static let long = String(repeating: "x", count: 256)
    private static let half = String(repeating: "x", count: 127)
    /// A member that can be no column's name, and how the rest has it.
    private static let nameless = [
        (#""a\u0000b":1"#, #""a\u0000b":1"#), ("\"\(long)\":[1, 2]", "\"\(long)\":[1,2]"),
        (#""\u0000":{"a":1.50}"#, #""\u0000__a":1.50"#),
        ("\"\(half)\":{\"\(half)\":\"y\"}", "\"\(half)__\(half)\":\"y\""),
    ]

    @Test(arguments: nameless)
    func `a member that no column can be named after is kept, and the others become columns`(
        member: String, rest: String
    ) async throws {
        for (table, pages) in [
            ("first", ["[{\"id\":1},{\"id\":2,\(member)}]", #"[{"id":3,"new":7}]"#]),
            ("later", ["[{\"id\":1}]", "[{\"id\":2,\(member)},{\"id\":3,\"new\":7}]"]),
        ] {
            let stream = StreamConfiguration.animals(table: table)
            #expect(try await fixture.sync(stream, pages: pages).counts.ofRecords == "3 inserted")
            #expect(try fixture.columns(of: table) == ["id INTEGER", "_garner_rest TEXT", "new INTEGER"])
            #expect(
                try fixture.rows("SELECT id, _garner_rest, new FROM \(table)") == [
                    "1 NULL NULL", "2 '{\(rest)}' NULL", "3 NULL 7",
                ])
            #expect(try await fixture.sync(stream, pages: pages).counts.ofRecords == "3 unchanged")
        }
        #expect(try fixture.rows("SELECT count(*) FROM _garner_quarantine") == ["0"])
        try fixture.expectIntegrity()
    }

    @Test(arguments: nameless)
    func `a contract about columns holds beside such a member`(member: String, rest: String) async throws {
        var stream = StreamConfiguration.animals()
        stream.schemaContract.columns = .quarantine
        let first = "[{\"id\":1,\(member)}]"
        let later = "[{\"id\":2,\(member)},{\"id\":3,\"new\":1},{\"id\":4,\"other\":{\"x\":1}}]"
        let run = try await fixture.sync(stream, first, later)
        #expect(run.counts.ofRecords == "2 inserted, 2 quarantined")
        #expect(try fixture.rows("SELECT id, _garner_rest FROM animals") == ["1 '{\(rest)}'", "2 '{\(rest)}'"])
        await fixture.writer.close()
        let again = try Fixture(reopening: fixture)
        #expect(try await again.sync(stream, first, later).counts.ofRecords == "2 unchanged, 2 quarantined")
    }

    @Test func `where columns of others take the room, the record is quarantined`() async throws {
        try await fixture.sync(.animals(), "[{\(Self.wide)}]")
        try fixture.alter("ALTER TABLE animals ADD COLUMN mine; ALTER TABLE animals ADD COLUMN mine2")
        let run = try await fixture.sync(.animals(), #"[{"id":2,"more":1},{"id":3,"c1":1}]"#)
        #expect(run.counts.ofRecords == "1 inserted, 1 quarantined")
        #expect(try fixture.rows("SELECT count(*) FROM _garner_quarantine WHERE reason LIKE '%more%'") == ["1"])
    }

    @Test(arguments: [SchemaContract.Mode.freeze, .discardRow, .discardValue, .quarantine])
    func `a table with a rest takes any member, whatever the contract`(mode: SchemaContract.Mode) async throws {
        var stream = StreamConfiguration.animals()
        stream.schemaContract.columns = mode
        let page = #"[{\#(Self.wide),"more":1}]"#
        #expect(try await fixture.sync(stream, page).counts.ofRecords == "1 inserted")
        #expect(try await fixture.sync(stream, page).counts.ofRecords == "1 unchanged")
    }
}
