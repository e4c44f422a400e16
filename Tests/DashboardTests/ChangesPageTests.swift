import Dashboard
import GarnerJSON
import GarnerModel
import GarnerPersistence
import GarnerReports
import Testing

@Suite struct ChangesPageTests {
    @Test func `changes stand by run newest first`() async throws {
        let rig = try DashboardRig()
        try await rig.sync(#"[{"id":1,"name":"a"}]"#)
        try await rig.sync(#"[{"id":1,"name":"b"}]"#)
        try await rig.sync(#"[{"id":1,"name":"c"}]"#)
        let page = try await rig.get("/changes").text
        let (newer, older) = (
            try #require(page.firstRange(of: "run 3</a>")), try #require(page.firstRange(of: "run 2</a>"))
        )
        #expect(newer.lowerBound < older.lowerBound)
        let before = try await rig.get("/changes?before=3").text
        #expect(before.contains("run 2</a>") && !before.contains("run 3</a>"))
    }

    @Test func `json of the page of changes is an array of what the command line gives`() async throws {
        let rig = try DashboardRig()
        for name in ["a", "b", "c"] {
            try await rig.sync("[{\"id\":1,\"name\":\"\(name)\"},{\"id\":2,\"name\":\"\(name)\"}]")
        }
        func lines(_ request: ChangeRequest) throws -> [String] {
            var lines: [String] = []
            try ReadOnlyDatabase(path: rig.path).forEachChange(request) { lines.append($0.json.text) }
            return lines
        }
        let all = try lines(ChangeRequest(limit: 100))
        #expect(all.count == 4)
        #expect(try await rig.get("/changes.json").text == "[\n\(all.joined(separator: ",\n"))\n]\n")
        #expect(try await rig.get("/changes.json?limit=1").text == "[\n\(all[3])\n]\n")
        #expect(try await rig.get("/changes.json?before=3").text == "[\n\(all[..<2].joined(separator: ",\n"))\n]\n")
        #expect(try await rig.get("/changes.json?run=2").text == "[\n\(all[..<2].joined(separator: ",\n"))\n]\n")
    }

    @Test func `many changes of a run stand on pages of their own`() async throws {
        let rig = try DashboardRig()
        try await rig.sync(#"[{"id":0}]"#)
        let records = (1...130).map { "{\"id\":\($0)}" }.joined(separator: ",")
        try await rig.sync("[\(records)]")
        let all = try await rig.get("/changes").text
        #expect(all.contains("All 130 changes of this run"))
        #expect(all.ranges(of: "href=\"/tables/animals/").count == 20)
        let first = try await rig.get("/changes?run=2&stream=zoo.animals").text
        #expect(first.contains("1 to 100 of 130 changes") && first.contains("page=2"))
        let second = try await rig.get("/changes?run=2&stream=zoo.animals&page=2").text
        #expect(second.contains("101 to 130 of 130 changes") && !second.contains("page=3"))
    }

    @Test func `record of many fields is cut`() async throws {
        let rig = try DashboardRig()
        func record(_ value: Int) -> String {
            "[{\"id\":1,\((1...1500).map { "\"f\($0)\":\(value)" }.joined(separator: ","))}]"
        }
        try await rig.sync(record(1))
        let run = try await rig.sync(record(2))
        let page = try await rig.get("/runs/\(run.id)").text
        #expect(page.contains("and 1,480 more fields"))
        #expect(try await rig.get("/streams/zoo%2Eanimals").text.contains("The first 500 of 1,501 columns"))
    }
}
