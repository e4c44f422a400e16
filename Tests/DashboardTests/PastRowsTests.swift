import Dashboard
import GarnerModel
import Testing

/// The rows of a table as they were at a moment.
struct PastRowsTests {
    private let rig: DashboardRig

    init() throws { rig = try DashboardRig() }

    /// Two reads, an hour apart. Returns a moment between them.
    private func syncTwice() async throws -> Timestamp {
        try await rig.sync(#"[{"id":1,"name":"Wolf","age":8},{"id":2,"name":"Dodo","age":5}]"#)
        rig.now = rig.now.advanced(by: .seconds(1800))
        let between = rig.now
        rig.now = rig.now.advanced(by: .seconds(1800))
        try await rig.sync(
            #"[{"id":1,"name":"Wolf","age":9},{"id":2,"name":"Dodo","age":5},{"id":3,"name":"Owl","age":1}]"#)
        return between
    }

    @Test func `a table shows its rows as they were, as page, JSON and CSV`() async throws {
        let moment = try await syncTwice()
        let page = try await rig.get("/tables/animals?_as_of=\(moment)")
        #expect(page.status == 200)
        #expect(!page.contains("Owl"))
        #expect(page.contains("2 rows"))
        #expect(page.contains("Show the rows of now instead"))
        #expect(page.contains(#"href="/tables/animals/1""#))
        #expect(try await rig.values("age", at: "/tables/animals.json?_sort=id&_as_of=\(moment)") == ["8", "5"])
        #expect(try await rig.values("age", at: "/tables/animals.json") == ["9", "5", "1"])
        let csv = try await rig.get("/tables/animals.csv?_as_of=\(moment)")
        #expect(csv.contains("Wolf,8") && csv.text.split(separator: "\n").count == 3, "\(csv.text)")
    }

    @Test func `old rows are filtered and sorted, and links keep the moment`() async throws {
        let moment = try await syncTwice()
        let filtered = "/tables/animals.json?age__gt=4&_sort=age&_as_of=\(moment)"
        #expect(try await rig.values("name", at: filtered) == ["Dodo", "Wolf"])
        let page = try await rig.get("/tables/animals?age__gt=4&_as_of=\(moment)")
        #expect(page.contains("_sort=name"))
        #expect(page.text.ranges(of: "_as_of=").count > 3)
    }

    @Test func `a browser's form gives a moment without a zone, which is UTC`() async throws {
        let moment = try await syncTwice()
        let minute = moment.description.prefix(16)
        #expect(try await rig.values("age", at: "/tables/animals.json?_sort=id&_as_of=\(minute)") == ["8", "5"])
        #expect(try await rig.get("/tables/animals").contains(#"type="datetime-local""#))
    }

    @Test(arguments: [("yesterday", "cannot be used as a moment"), ("2001-01-01T00:00:00Z", "is not known")])
    func `a moment that cannot be shown is answered with the reason`(moment: String, words: String) async throws {
        _ = try await syncTwice()
        let page = try await rig.get("/tables/animals?_as_of=\(moment)")
        #expect(page.status == 400)
        #expect(page.text.contains(words), "\(page.text)")
    }

    @Test func `a table without versions offers no other moment`() async throws {
        try await rig.sync(DashboardRig.stream(), #"[{"id":1}]"#)
        #expect(!(try await rig.get("/tables/animals").contains("Rows of another moment")))
    }
}
