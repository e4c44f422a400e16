import GarnerCatalog
import GarnerModel
import GarnerPersistence
import Testing

struct SchemaHistoryTests {
    let fixture: Fixture

    init() throws { fixture = try Fixture() }

    private func history(of table: String? = nil, since: HistoryStart? = nil) throws -> [String] {
        Self.texts(try ReadOnlyDatabase(path: fixture.path).schemaChanges(of: table, since: since))
    }

    private static func texts(_ changes: [SchemaChange]) -> [String] {
        changes.map { change in
            let types = [change.oldType, change.newType].map { $0?.rawValue ?? "NULL" }.joined(separator: " -> ")
            return "\(change.run) \(change.table).\(change.column) \(change.kind.rawValue) \(types)"
        }
    }

    @Test func `the schema history lists added and widened columns run by run`() async throws {
        try await fixture.sync(.animals(), #"[{"id":1,"a":1,"n":null}]"#)
        try await fixture.sync(.animals(), #"[{"id":1,"a":0.5}]"#)
        try await fixture.sync(.animals(table: "plants"), #"[{"id":1}]"#)
        try await fixture.sync(.animals(), #"[{"id":1,"a":"x1","n":2,"b":{"c":true}},{"id":1,"late":null}]"#)
        #expect(
            try history() == [
                "1 animals.id added NULL -> INTEGER", "1 animals.a added NULL -> INTEGER",
                "1 animals.n added NULL -> NULL", "2 animals.a widened INTEGER -> REAL",
                "3 plants.id added NULL -> INTEGER", "4 animals.a widened REAL -> TEXT",
                "4 animals.n widened NULL -> INTEGER", "4 animals.b__c added NULL -> BOOLEAN",
                "4 animals.late added NULL -> NULL",
            ])
        #expect(try history(of: "plants") == ["3 plants.id added NULL -> INTEGER"])
        #expect(try history(of: "ANIMALS", since: .run(4)).count == 4)
        let instant = Timestamp(millisecondsSince1970: 1_769_846_700_000)
        #expect(try history(since: .instant(instant)).count == 9)
        #expect(try history(since: .instant(instant.advanced(by: .milliseconds(1)))) == [])
        #expect(throws: UnknownTableError.self) { try history(of: "rocks") }
    }

    @Test func `the schema history records when the rest column was added`() async throws {
        let wide = (0..<1997).map { #""c\#($0)":0"# }.joined(separator: ",")
        try await fixture.sync(.animals(), #"[{"id":1,\#(wide)}]"#)
        try await fixture.sync(.animals(), #"[{"id":1,"more":1}]"#)
        #expect(try history(since: .run(2)) == ["2 animals._garner_rest added NULL -> TEXT"])
    }

    @Test func `the schema history covers a table that was dropped and recreated`() async throws {
        try await fixture.sync(.animals(), #"[{"id":1}]"#, #"[{"id":1,"a":1}]"#)
        try fixture.alter("DROP TABLE animals")
        try await fixture.sync(.animals(), #"[{"id":1,"a":"x1"}]"#)
        #expect(
            try history() == [
                "1 animals.a added NULL -> INTEGER", "2 animals.id added NULL -> INTEGER",
                "2 animals.a added NULL -> TEXT",
            ])
    }

    @Test func `a run tells what it has changed of tables that were there`() async throws {
        let pages = [#"[{"id":1,"a":1}]"#, #"[{"id":2,"a":0.5,"b":1}]"#]
        #expect(try await fixture.sync(.animals(), pages: pages).schemaChanges == [])
        let second = try await fixture.sync(.animals(), #"[{"id":1,"a":"x1","c":1,"n":null}]"#)
        #expect(
            Self.texts(second.schemaChanges) == [
                "2 animals.a widened REAL -> TEXT", "2 animals.c added NULL -> INTEGER",
                "2 animals.n added NULL -> NULL",
            ])
        #expect(try ReadOnlyDatabase(path: fixture.path).run(2).schemaChanges == second.schemaChanges)
        #expect(try await fixture.sync(.animals(), #"[{"id":1,"a":"x1","c":1}]"#).schemaChanges == [])
    }

    @Test func `a run that goes on with the read of another tells what it has changed itself`() async throws {
        let first = try await fixture.writer.beginReading(.animals(), identity: "page=1")
        _ = try await fixture.writer.commit(.page(#"[{"id":1}]"#, 1, .next("page=2")), to: first)
        #expect(try await fixture.writer.end(run: first.id, as: .failed).schemaChanges == [])
        let second = try await fixture.writer.beginReading(.animals(), identity: "page=1")
        let record = try await fixture.writer.commitLast(.page(#"[{"id":2,"a":1}]"#, 2, .complete), to: second)
        #expect(Self.texts(record.schemaChanges) == ["2 animals.a added NULL -> INTEGER"])
    }

    @Test func `a run tells what it has changed of the tables of arrays, but for those that it made`() async throws {
        var stream = StreamConfiguration.animals()
        stream.childTables = true
        try await fixture.sync(stream, #"[{"id":1}]"#)
        #expect(try await fixture.sync(stream, #"[{"id":1,"v":[{"n":1}]},{"id":2,"v":[{"m":1}]}]"#).schemaChanges == [])
        let third = try await fixture.sync(stream, #"[{"id":1,"v":[{"n":"x1"}],"a":1}]"#)
        #expect(
            Self.texts(third.schemaChanges).sorted() == [
                "3 animals.a added NULL -> INTEGER", "3 animals__v.n widened INTEGER -> TEXT",
            ])
    }
}
