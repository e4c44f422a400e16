import Catalog
import Persistence
import SQLite
import Testing

struct SchemaHistoryTests {
    let fixture: Fixture

    init() throws { fixture = try Fixture() }

    private func history(of table: String? = nil, since: HistoryStart? = nil) throws -> [String] {
        try Archive(path: fixture.path).schemaChanges(of: table, since: since).map { change in
            let types = [change.oldType, change.newType].map { $0?.rawValue ?? "NULL" }.joined(separator: " -> ")
            return "\(change.run) \(change.table).\(change.column) \(change.kind.rawValue) \(types)"
        }
    }

    @Test func `tells what came and what was widened, run by run`() async throws {
        try await fixture.sync(.animals(), #"[{"id":1,"a":1,"n":null}]"#)
        try await fixture.sync(.animals(), #"[{"id":1,"a":0.5}]"#)
        try await fixture.sync(.animals(table: "plants"), #"[{"id":1}]"#)
        try await fixture.sync(.animals(), #"[{"id":1,"a":"x","n":2,"b":{"c":true}},{"id":1,"late":null}]"#)
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
        #expect(throws: UnknownTable.self) { try history(of: "rocks") }
    }

    @Test func `tells when the rest began`() async throws {
        let wide = (0..<1997).map { #""c\#($0)":0"# }.joined(separator: ",")
        try await fixture.sync(.animals(), #"[{"id":1,\#(wide)}]"#)
        try await fixture.sync(.animals(), #"[{"id":1,"more":1}]"#)
        #expect(try history(since: .run(2)) == ["2 animals._garner_rest added NULL -> TEXT"])
    }

    @Test func `tells of a table that was dropped and made anew`() async throws {
        try await fixture.sync(.animals(), #"[{"id":1}]"#, #"[{"id":1,"a":1}]"#)
        try fixture.alter("DROP TABLE animals")
        try await fixture.sync(.animals(), #"[{"id":1,"a":"x"}]"#)
        #expect(
            try history() == [
                "1 animals.a added NULL -> INTEGER", "2 animals.id added NULL -> INTEGER",
                "2 animals.a added NULL -> TEXT",
            ])
    }
}
