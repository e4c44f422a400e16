import GarnerCatalog
import Dashboard
import GarnerModel
import GarnerPersistence
import Testing

/// Records to which the pages of changes and runs lead, and which are not in their table any more.
@Suite struct GoneRecordTests {
    private static let mirror =
        "animals: { path: /animals, primary_key: id, delete_missing: hard, max_delete_ratio: 1, history: HISTORY }"

    private static func rig(history: Bool) throws -> DashboardRig {
        try DashboardRig(mirror.replacing("HISTORY", with: "\(history)"))
    }

    @Test func `a deleted record has a page with the run that deleted it and its versions`() async throws {
        let rig = try Self.rig(history: true)
        try await rig.sync(#"[{"id":1,"name":"Kea"},{"id":2,"name":"Dodo"}]"#)
        try await rig.sync(#"[{"id":1,"name":"Kea"},{"id":2,"name":"<b>Dodo"}]"#)
        let deletion = try await rig.sync(#"[{"id":1,"name":"Kea"}]"#)
        #expect(deletion.counts.deleted == 1)
        for target in ["/changes", "/runs/3"] {
            #expect(try await rig.get(target).contains("<a href=\"/tables/animals/2\">"), "\(target)")
        }
        let page = try await rig.get("/tables/animals/2")
        #expect(page.status == 200)
        for words in [
            "This record was deleted <time datetime=", "by <a href=\"/runs/3\">run 3</a>", "History, 2 versions",
            "<ins><bdi dir=\"auto\">&lt;b&gt;Dodo</bdi></ins>", "What runs did to it", ", until <time",
        ] { #expect(page.contains(words), "\(words)") }
        let json = try await rig.get("/tables/animals/2.json")
        #expect(json.status == 200)
        let ended = try #require(deletion.endedAt)
        #expect(
            json.text.hasPrefix(
                #"{"table":"animals","record":null,"attachments":[],"deleted_at":"\#(ended)","deleted_by":3,"#))
        #expect(json.contains(#""changes":[{"op":"delete","run_id":3,"at":"\#(ended)"},{"op":"update","run_id":2,"#))
        #expect(json.contains(#""fields":{"name":["Dodo","<b>Dodo"]}"#))
    }

    @Test func `without versions the page still tells the run, and a record that came again has its own page`()
        async throws
    {
        let rig = try Self.rig(history: false)
        try await rig.sync(#"[{"id":1},{"id":2}]"#)
        try await rig.sync(#"[{"id":1}]"#)
        let gone = try await rig.get("/tables/animals/2")
        #expect(gone.status == 200)
        #expect(gone.contains("by <a href=\"/runs/2\">run 2</a>") && gone.contains("No versions of this table"))
        try await rig.sync(#"[{"id":1},{"id":2}]"#)
        #expect(try await !rig.get("/tables/animals/2").contains("was deleted"))
    }

    @Test(arguments: [true, false])
    func `a softly deleted record says that it is deleted, since when and by which run`(history: Bool) async throws {
        let rig = try DashboardRig(Self.mirror.replacing("hard", with: "soft").replacing("HISTORY", with: "\(history)"))
        try await rig.sync(#"[{"id":1,"name":"Kea"},{"id":2,"name":"Dodo"}]"#)
        try await rig.sync(#"[{"id":1,"name":"Kea"},{"id":2,"name":"Dodo 2"}]"#)
        #expect(try await rig.sync(#"[{"id":1,"name":"Kea"}]"#).counts.deleted == 1)
        try await rig.sync(#"[{"id":1,"name":"Kea 2"}]"#)
        let page = try await rig.get("/tables/animals/2")
        #expect(page.status == 200)
        #expect(page.contains("This record was deleted <time datetime="))
        #expect(page.contains("by <a href=\"/runs/3\">run 3</a>") && !page.contains("Updated"))
        #expect(try await !rig.get("/tables/animals/1").contains("This record was deleted"))
        try await rig.sync(#"[{"id":1,"name":"Kea 2"},{"id":2,"name":"Dodo"}]"#)
        #expect(try await !rig.get("/tables/animals/2").contains("This record was deleted"))
    }

    @Test func `a row that no run deleted is told as such`() async throws {
        let rig = try Self.rig(history: false)
        try await rig.sync(#"[{"id":1,"name":"a"}]"#)
        try await rig.sync(#"[{"id":1,"name":"b"}]"#)
        try rig.alter("DELETE FROM animals")
        let page = try await rig.get("/tables/animals/1")
        #expect(page.status == 200 && page.contains("No run of Garner has noted that it deleted the record"))
        #expect(try await rig.get("/tables/animals/1.json").contains(#""deleted_at":null,"deleted_by":null"#))
    }

    @Test func `a key of several columns is found, also if one is a text`() async throws {
        let rig = try DashboardRig(
            "animals: { path: /animals, primary_key: [a, b], delete_missing: hard, max_delete_ratio: 1, history: true }"
        )
        try await rig.sync(#"[{"a":1,"b":"x/y","n":1},{"a":2,"b":"z","n":1}]"#)
        try await rig.sync(#"[{"a":2,"b":"z","n":1}]"#)
        let link = "/tables/animals/1/x%2Fy"
        #expect(try await rig.get("/changes").contains("<a href=\"\(link)\">"))
        let page = try await rig.get(link)
        #expect(page.status == 200 && page.contains("run 2</a>") && page.contains("History, 1 version<"))
    }

    @Test(arguments: ["/tables/animals/3", "/tables/animals/x", "/tables/animals/1/2", "/tables/nothing/1"])
    func `a record of which nothing is known is a missing page`(target: String) async throws {
        let rig = try Self.rig(history: true)
        try await rig.sync(#"[{"id":1}]"#)
        for form in [target, "\(target).json"] { #expect(try await rig.get(form).status == 404, "\(form)") }
    }

    @Test func `changes of rows without a key lead nowhere`() async throws {
        let rig = try DashboardRig("animals: { path: /animals, write_disposition: append }")
        try await rig.sync(#"[{"n":1}]"#)
        try await rig.sync(#"[{"n":1},{"n":2}]"#)
        let page = try await rig.get("/changes")
        #expect(page.contains("added") && !page.contains("href=\"/tables/animals/"))
    }
}
