import GarnerCatalog
import GarnerModel
import GarnerPersistence
import Testing

/// The pages of tables with rows that are kept although the source lacks their records.
@Suite struct DeletedRowsPageTests {
    private static func rig() async throws -> DashboardRig {
        let rig = try DashboardRig(
            """
            animals: { path: /animals, primary_key: id, delete_missing: soft, max_delete_ratio: 1, history: true,
                        child_tables: true }
            """)
        let (kea, dodo) = (#"{"id":1,"name":"Kea","eggs":[{"n":7}]}"#, #"{"id":2,"name":"Dodo","eggs":[{"n":8}]}"#)
        try await rig.sync("[\(kea),\(dodo)]")
        try await rig.sync("[\(kea)]")
        return rig
    }

    @Test func `a table's page leaves deleted rows out, counts them and leads to them`() async throws {
        let rig = try await Self.rig()
        let page = try await rig.get("/tables/animals")
        #expect(page.contains("Kea") && !page.contains("Dodo"))
        #expect(page.contains("Rows 1 to 1 of 1; <a href=\"/tables/animals?_deleted=1\">1 deleted row not shown</a>"))
        let all = try await rig.get("/tables/animals?_deleted=1")
        #expect(all.contains("Kea") && all.contains("Dodo") && !all.contains("not shown"))
        #expect(all.contains("with deleted rows <span"))
        #expect(all.contains("Rows 1 to 2 of 2"))
        #expect(try await rig.get("/tables/animals?_deleted=perhaps").status == 400)
    }

    @Test func `data has the same rows as the page`() async throws {
        let rig = try await Self.rig()
        #expect(try await rig.values("id", at: "/tables/animals.json") == ["1"])
        #expect(try await rig.values("id", at: "/tables/animals.json?_deleted=1") == ["1", "2"])
        #expect(try await rig.values("n", at: "/tables/animals__eggs.json") == ["7"])
        #expect(try await rig.values("n", at: "/tables/animals__eggs.json?_deleted=1") == ["7", "8"])
        #expect(try await rig.get("/tables/animals.csv").text.split(separator: "\n").count == 2)
        #expect(try await rig.get("/tables/animals.csv?_deleted=1").text.split(separator: "\n").count == 3)
    }

    @Test func `the list of tables counts both, and a deleted record has its arrays`() async throws {
        let rig = try await Self.rig()
        #expect(try await rig.get("/tables").contains("1, and 1 deleted"))
        #expect(try await rig.values("deleted", at: "/tables.json") == ["1", "1"])
        #expect(try await rig.get("/").contains("1, and 1 deleted"))
        let record = try await rig.get("/tables/animals/2")
        #expect(record.contains("1 row of <bdi dir=\"auto\">animals__eggs</bdi>") && record.contains("_deleted=1"))
        #expect(record.contains(">8<"))
    }
}
