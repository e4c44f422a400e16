import GarnerCatalog
import GarnerModel
import GarnerPersistence
import TestSupport
import Testing

@testable import Dashboard

struct RecordPageTests {
    let rig: DashboardRig

    init() throws { rig = try DashboardRig() }

    @Test func `a record shows its fields in the order of the source, and its raw JSON`() async throws {
        try await rig.sync(
            DashboardRig.stream(),
            #"[{"name":"Kea","id":7,"tags":["a"],"gone":null,"url":"https://example.org/?a=1&b=2"}]"#)
        let page = try await rig.get("/tables/animals/7")
        #expect(page.status == 200)
        let names = ["name", "id", "tags", "gone", "url"].map { "<dt><bdi dir=\"auto\">\($0)</bdi></dt>" }
        let places = names.compactMap { page.text.firstRange(of: $0)?.lowerBound }
        #expect(places.count == 5)
        #expect(places == places.sorted())
        #expect(page.contains("<dd><span class=\"null\">null</span></dd>"))
        #expect(page.contains("<a href=\"https://example.org/?a=1&amp;b=2\" rel=\"noreferrer noopener nofollow\">"))
        #expect(
            try await rig.get("/tables/animals/7.json").text
                == #"{"table":"animals","record":{"name":"Kea","id":7,"tags":["a"],"gone":null,"url":"https://example.org/?a=1&b=2"},"attachments":[]}"#
                + "\n")
    }

    @Test func `a key of several columns has a part of the path for each, whatever it contains`() async throws {
        try await rig.sync(
            DashboardRig.stream(key: ["a", "b"]), #"[{"a":"x/y?&","b":"1.json","n":5},{"a":"x","b":"y","n":6}]"#)
        let table = try await rig.get("/tables/animals")
        let link = "/tables/animals/x%2Fy%3F%26/1%2Ejson"
        #expect(table.contains("<a href=\"\(link)\">"))
        #expect(try await rig.get(link).contains("<dd>5</dd>"))
        #expect(try await rig.get("\(link).json").text.contains(#""n":5"#))
    }

    @Test func `versions are told field by field, the newest first`() async throws {
        let stream = DashboardRig.stream { $0.history = true }
        try await rig.sync(stream, #"[{"id":1,"name":"Kea","age":1}]"#)
        try await rig.sync(stream, #"[{"id":1,"name":"Kea","age":2}]"#)
        try await rig.sync(stream, #"[{"id":1,"name":"<b>Kea","age":2}]"#)
        let page = try await rig.get("/tables/animals/1")
        #expect(page.contains("History, 3 versions"))
        let name = try #require(
            page.text.firstRange(
                of: "<del><bdi dir=\"auto\">Kea</bdi></del> <ins><bdi dir=\"auto\">&lt;b&gt;Kea</bdi></ins>"))
        let age = try #require(page.text.firstRange(of: "<del>1</del> <ins>2</ins>"))
        #expect(name.lowerBound < age.lowerBound)
        #expect(page.contains("holds now"))
        #expect(page.contains("<a href=\"/runs/3\">run 3</a>"))
    }

    @Test func `without versions the page tells the run that changed the record last`() async throws {
        let stream = DashboardRig.stream()
        try await rig.sync(stream, #"[{"id":1,"age":1},{"id":2,"age":1}]"#)
        try await rig.sync(stream, #"[{"id":1,"age":2},{"id":2,"age":1}]"#)
        let page = try await rig.get("/tables/animals/1")
        #expect(page.contains("Updated"))
        #expect(page.contains("by <a href=\"/runs/2\">run 2</a>"))
        #expect(page.contains("No versions of this table's rows are kept"))
        #expect(try await !rig.get("/tables/animals/2").contains("/runs/"))
    }

    @Test func `rows of child tables stand with the record that they belong to`() async throws {
        let stream = DashboardRig.stream { $0.childTables = true }
        try await rig.sync(
            stream, #"[{"id":1,"food":[{"what":"krill"},{"what":"fish"}]},{"id":2,"food":[{"what":"grass"}]}]"#)
        let page = try await rig.get("/tables/animals/1")
        #expect(page.contains("2 rows of "))
        #expect(page.contains("krill"))
        #expect(!page.contains("grass"))
        #expect(page.contains("?_parent_id=1\">"))
    }

    @Test(arguments: [
        ("image/png", "image/png", false), ("image/svg+xml; charset=utf-8", "image/svg+xml", false),
        ("text/html", "application/octet-stream", true), ("image/x-icon", "application/octet-stream", true),
        ("application/javascript", "application/octet-stream", true),
    ])
    func `of stored files only pictures keep their type`(stored: String, type: String, isDownload: Bool) async throws {
        try await rig.sync(DashboardRig.stream(), #"[{"id":1}]"#)
        let digest = String(repeating: "ab", count: 32)
        try rig.alter(
            "INSERT INTO _garner_blobs (sha256, media_type, length, content) VALUES ('\(digest)', '\(stored)', 3, x'3c733e')"
        )
        let file = try await rig.get("/files/\(digest)")
        #expect(file.bytes == Array("<s>".utf8))
        #expect(file.headers["Content-Type"] == type)
        #expect((file.headers["Content-Disposition"] != nil) == isDownload)
        #expect(file.headers["X-Content-Type-Options"] == "nosniff")
        #expect(file.headers["Cache-Control"]?.contains("immutable") == true)
        if type != "image/png" {
            #expect(file.headers["Content-Security-Policy"]?.contains("sandbox") == true)
        }
        #expect(try await rig.get("/files/\(digest)0").status == 404)
    }

    @Test func `a large file ends after an hour, however slowly it is taken`() async throws {
        let clock = ManualClock()
        let rig = try DashboardRig(clock: clock)
        let digest = String(repeating: "ab", count: 32)
        try rig.alter(
            "INSERT INTO _garner_blobs (sha256, media_type, length, content) VALUES ('\(digest)', 'image/png', 5000000, zeroblob(5000000))"
        )
        let request = WebRequest(target: "/files/\(digest)", headers: ["host": "localhost"])
        guard case .parts(let parts) = await rig.dashboard.respond(to: request).body else {
            Issue.record("a large file comes in parts")
            return
        }
        var pieces = parts.makeAsyncIterator()
        clock.advance(by: .seconds(3599))
        #expect(try await pieces.next()?.isEmpty == false)
        clock.advance(by: .seconds(1))
        await #expect(throws: DashboardError.timeIsUp) { try await pieces.next() }
    }
}
