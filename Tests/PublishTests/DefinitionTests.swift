import GarnerDatabase
import GarnerModel
import GarnerPostgres
@testable import GarnerPublish
import Testing

struct DefinitionTests {
    private static let animals = [
        FileColumn("id", .integer, keyPosition: 0), FileColumn("Name", .text),
        FileColumn("createdAt", .text, holdsInstants: true), FileColumn("price", .real, isNumeric: true),
        FileColumn("tags", .json), FileColumn("isTame", .boolean), FileColumn("weight", .real),
        FileColumn("unknown", nil), FileColumn("_garner_rest", .text, role: .rest),
        FileColumn("_garner_deleted_at", .text, role: .deletedAt),
    ]

    @Test func `a table has the natural types, in the order of the file`() {
        #expect(
            TableDefinition(for: Self.animals).createTable(PublishedPlace(schema: "public", name: "animals")) == """
                CREATE TABLE "public"."animals" (
                    "id" bigint,
                    "name" text COLLATE "C",
                    "createdat" timestamptz,
                    "price" numeric,
                    "tags" jsonb,
                    "istame" boolean,
                    "weight" double precision,
                    "_garner_deleted_at" timestamptz,
                    "_garner_rest" jsonb,
                    PRIMARY KEY ("id")
                )
                """)
    }

    @Test func `a key is compared as the file compares it, and a table without one has the row's number`() {
        let key = TableDefinition(for: [
            FileColumn("b", .text, keyPosition: 1, holdsInstants: true), FileColumn("value", .real),
            FileColumn("a", .json, keyPosition: 0),
        ])
        #expect(key.columns.map(\.type) == [.text, .double, .text, .jsonb])
        #expect(key.key.map(\.name) == ["a", "b"])
        let none = TableDefinition(for: [FileColumn("value", .real)])
        #expect(none.columns.map(\.name) == ["_garner_row", "value", "_garner_rest"])
        #expect(none.key.map(\.name) == ["_garner_row"])
        #expect(none.hasKey(of: [FileColumn("value", .real)]))
        #expect(!none.hasKey(of: [FileColumn("value", .real, keyPosition: 0)]))
        #expect(!key.hasKey(of: [FileColumn("a", .json, keyPosition: 0)]))
    }

    @Test func `a definition survives PostgreSQL`() async throws {
        let place = try await TableWorkplace()
        let odd = TableDefinition(for: Self.animals + [FileColumn("\"é\\", .text), FileColumn("XMIN", .json)])
        try await place.connection.execute("CREATE TABLE d (definition jsonb)")
        try await place.connection.execute("INSERT INTO d VALUES ($1)", .json(odd.json))
        let rows = try await place.connection.execute("SELECT definition FROM d").rows
        guard case .json(let text)? = rows.first?.first else {
            Issue.record("no JSON")
            return
        }
        #expect(TableDefinition(json: text) == odd)
        #expect(TableDefinition(json: odd.json) == odd)
        for wrong in [
            "", "[]", "{}", #"{"columns":[],"key":[]}"#, #"{"columns":[{"name":"a","type":"x"}],"key":["a"]}"#,
        ] {
            #expect(TableDefinition(json: wrong) == nil)
        }
    }

    @Test func `columns are added when they have a value, and a view does not mind`() async throws {
        let place = try await TableWorkplace()
        var file = Self.animals
        var definition = try await place.create(file)
        try await place.connection.execute("CREATE VIEW v AS SELECT id, name FROM animals")
        file[7].type = .boolean
        file.append(FileColumn("New", .text))
        let added = definition.add(file)
        #expect(added.map(\.name) == ["unknown", "new"])
        #expect(definition.add(file).isEmpty)
        try await place.connection.execute(TableDefinition.addColumns(added, to: place.place()))
        try await place.connection.execute(TableDefinition.rename(place.place(), to: "pets"))
        try await place.connection.execute(
            TableDefinition.comment(on: place.place("pets"), stream: #"zoo.it's \ "#))
        var converter = RowConverter(definition, of: file)
        let row = TestRow([
            .integer(1), .text("Rex"), .null, .null, .null, .null, .null, .integer(1), .null, .null, .text("new"),
        ])
        try await place.copy([row], with: &converter, to: "pets")
        #expect(try await place.texts("id,name,unknown,new", of: "pets") == [["1", "Rex", "true", "new"]])
        #expect(try await place.connection.execute("SELECT name FROM v").rows == [[.text("Rex")]])
        let comment = try await place.connection.execute("SELECT obj_description('pets'::regclass)").rows.first?.first
        #expect(comment?.text?.hasPrefix(#"The stream zoo.it's \ , published by Garner."#) == true)
    }

    @Test func `a type changes in an empty table only, and a view on the column refuses it`() async throws {
        let place = try await TableWorkplace()
        var file = Self.animals
        let definition = try await place.create(file)
        file[0].type = .text
        file[5].type = .text
        file[6].type = .text
        let retyped = definition.retyped(for: file)
        #expect(
            retyped.columns.map(\.type) == [
                .text, .text, .timestamptz, .numeric, .jsonb, .text, .text, .timestamptz, .jsonb,
            ])
        #expect(retyped.key.map(\.type) == [.text])
        let found = try await ServerColumns.read(of: [place.place()], on: place.connection)[place.place()]
        let statement = try #require(retyped.changeTypes(of: place.place(), from: found))
        #expect(definition.changeTypes(of: place.place(), from: found) == nil)
        try await place.connection.execute("CREATE VIEW v AS SELECT weight FROM animals")
        await #expect { try await place.connection.execute(statement) } throws: { error in
            (error as? PostgresError)?.kind == .dependentObjects
        }
        try await place.connection.execute("DROP VIEW v")
        try await place.connection.execute(statement)
        let types = try await place.connection.execute(
            "SELECT string_agg(data_type, ',' ORDER BY ordinal_position) FROM information_schema.columns WHERE table_schema = $1",
            .text(place.schema))
        #expect(
            types.rows.first?.first?.text
                == "text,text,timestamp with time zone,numeric,jsonb,text,text,timestamp with time zone,jsonb")
        #expect(
            try await place.connection.execute(
                "SELECT collation_name FROM information_schema.columns WHERE table_schema = $1 AND column_name = 'weight'",
                .text(place.schema)
            ).rows == [[.text("C")]])
    }

    @Test func `types become wider as far as the row has room`() {
        var file = [FileColumn("id", .integer, keyPosition: 0)] + (1...400).map { FileColumn("c\($0)", .boolean) }
        let definition = TableDefinition(for: file)
        for index in file.indices.dropFirst() { file[index].type = .text }
        let retyped = definition.retyped(for: file)
        #expect((300...340).contains(retyped.columns.count { $0.type == .text }))
        #expect(retyped.columns.map(\.name) == definition.columns.map(\.name))
    }

    @Test(arguments: [ColumnType.text, .json, .integer, .boolean])
    func `four hundred columns have room, in the row or in the rest`(type: ColumnType) async throws {
        let place = try await TableWorkplace()
        let file = [FileColumn("id", .integer, keyPosition: 0)] + (1...400).map { FileColumn("c\($0)", type) }
        let definition = try await place.create(file)
        let outside = file.filter { definition.column(of: $0) == nil }
        #expect(type == .text || type == .json ? (60...80).contains(outside.count) : outside.isEmpty)
        var converter = RowConverter(definition, of: file)
        // Values that PostgreSQL does not move out of the row, and some that it does.
        func row(_ id: Int64, length: Int) -> TestRow {
            TestRow(
                [.integer(id)]
                    + (1...400).map { number in
                        switch type {
                        case .text: .text(String(repeating: "a", count: length - 3) + "\(number + 100)")
                        case .json:
                            .text("[\"" + String(repeating: "a", count: max(0, length - 11)) + "\(number + 100)\"]")
                        default: .integer(type == .boolean ? Int64(number % 2) : Int64(number) << 40)
                        }
                    })
        }
        let lengths = [12, 21, 22, 23, 24, 25, 30, 100, 130, 300]
        try await place.copy(lengths.enumerated().map { row(Int64($0), length: $1) }, with: &converter)
        #expect(converter.notes.isEmpty)
        try await place.update([row(0, length: 23), row(9, length: 24)], with: &converter)
        #expect(try await place.connection.execute("SELECT count(c1) FROM animals").rows == [[.integer(10)]])
        guard type == .text, let last = outside.last else { return }
        let rest = try await place.connection.execute(
            "SELECT _garner_rest ->> $1 FROM animals ORDER BY id", .text(last.name))
        #expect(rest.rows.map { $0[0].text?.utf8.count } == [23, 21, 22, 23, 24, 25, 30, 100, 130, 24])
    }
}
