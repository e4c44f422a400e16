import Dashboard
import GarnerJSON
import GarnerModel
import GarnerPersistence
import GarnerPresentation
import GarnerReports
import Testing

@Suite struct RunPagesTests {
    @Test func `page of runs lists runs and skipped instants with their reason`() async throws {
        let rig = try DashboardRig()
        try await rig.sync(#"[{"id":1}]"#)
        try await rig.fail(RunFailure(.unavailable, kind: "http_status", message: "HTTP 503"))
        let instant = rig.now
        try await rig.writer.skip(
            rig.stream(), nominals: instant.advanced(by: .seconds(-60))...instant, count: 3, reason: "a run went on")
        let page = try await rig.get("/runs")
        #expect(page.status == 200)
        for words in [
            "2 runs of 1 stream since", "1 failed, 3 instants were skipped", "skipped ×3", "a run went on", "HTTP 503",
        ] { #expect(page.text.contains(words), "\(words)") }
    }

    @Test func `json of the page of runs is the one of the command line`() async throws {
        let rig = try DashboardRig()
        for id in 1...3 { try await rig.sync("[{\"id\":\(id)}]") }
        try await rig.fail(RunFailure(.unavailable, kind: "http_status", message: "HTTP 503"))
        let reader = try ReadOnlyDatabase(path: rig.path)
        func json(_ runs: [RunRecord]) -> String {
            Report(records: runs.map(\.fields), emptyHint: "").rendered(
                as: .json, TableLayout(.wide, ANSIStyle(isOn: false))
            ).text
        }
        #expect(try await rig.get("/runs.json").text == json(try reader.runs(limit: 20)))
        #expect(try await rig.get("/runs.json?status=failed").text == json(try reader.runs(limit: 20, status: .failed)))
        #expect(try await rig.get("/runs.json?before=3&limit=1").text == json([try reader.run(2)]))
    }

    @Test func `older runs come with the link below the list`() async throws {
        let rig = try DashboardRig()
        for id in 1...3 { try await rig.sync("[{\"id\":\(id)}]") }
        let first = try await rig.get("/runs?limit=2").text
        #expect(first.contains("href=\"/runs?limit=2&amp;before=2\""))
        #expect(first.contains("href=\"/runs/3\"") && !first.contains("data-label=\"Run\"><a href=\"/runs/1\""))
        let rest = try await rig.get("/runs?limit=2&before=2").text
        #expect(rest.contains("<th scope=\"row\" data-label=\"Run\"><a href=\"/runs/1\""))
        #expect(!rest.contains("Older runs</a>"))
    }

    @Test(arguments: ["before=x", "limit=0", "limit=1e3", "status=good", "span=1y", "before=-1"])
    func `parameter that cannot be used is refused with advice`(query: String) async throws {
        let rig = try DashboardRig()
        let page = try await rig.get("/runs?\(query)")
        #expect(page.status == 400)
        #expect(page.text.contains("Try:"))
    }

    @Test func `unknown stream is refused with the closest name`() async throws {
        let rig = try DashboardRig()
        try await rig.sync("[]")
        for target in ["/runs?stream=zoo.animal", "/streams/zoo%2Eanimal", "/changes?stream=zoo.animal"] {
            let page = try await rig.get(target)
            #expect(page.status == 404, "\(target)")
            #expect(page.text.contains("did you mean &#39;zoo.animals&#39;?"), "\(target)")
        }
    }

    @Test func `runs that would touch become one band and failures are apart`() async throws {
        let rig = try DashboardRig()
        for _ in 1...5 { try await rig.sync(#"[{"id":1}]"#) }
        try await rig.fail(RunFailure(.unavailable, kind: "http_status", message: "HTTP 503"))
        for _ in 1...4 { try await rig.sync(#"[{"id":1}]"#) }
        rig.now = rig.now.advanced(by: .seconds(3600))
        try await rig.sync(#"[{"id":1}]"#)
        let page = try await rig.get("/runs").text
        #expect(page.contains("<title>9 runs, succeeded, "))
        #expect(page.ranges(of: "<rect class=\"c-ok\" x=").count == 2)
        #expect(page.ranges(of: "<rect class=\"c-fail\" x=").count == 1)
    }

    @Test func `failed run quotes the servers words and says what to try`() async throws {
        let rig = try DashboardRig()
        let url = "https://api.example.org/animals?key=***"
        let run = try await rig.fail(
            RunFailure(
                .unavailable, kind: "http_status",
                message: "HTTP 429: \"<script>quota</script> used up\" (\(url), 5 attempts)",
                url: url, hint: "ask less often"))
        let page = try await rig.get("/runs/\(run.id)").text
        #expect(page.contains("<h2><bdi dir=\"auto\">HTTP 429</bdi></h2>"))
        #expect(
            page.contains("<blockquote><bdi dir=\"auto\">&lt;script&gt;quota&lt;/script&gt; used up</bdi></blockquote>")
        )
        #expect(page.contains("\(url), 5 attempts"))
        #expect(page.contains("<b>Try:</b> <bdi dir=\"auto\">ask less often</bdi>."))
    }

    @Test func `page of a run shows its requests and the records that it changed`() async throws {
        let rig = try DashboardRig()
        try await rig.sync(#"[{"id":1,"name":"Okapi"},{"id":2,"name":"Kea"}]"#)
        let run = try await rig.sync(#"[{"id":1,"name":"Okapi!"},{"id":3,"name":"Quokka"}]"#)
        let page = try await rig.get("/runs/\(run.id)").text
        #expect(page.contains("https://api.example.org/animals?key=***"))
        #expect(page.contains("<del><bdi dir=\"auto\">Okapi</bdi></del> <ins><bdi dir=\"auto\">Okapi!</bdi></ins>"))
        #expect(page.contains("href=\"/tables/animals/3\""))
        let reader = try ReadOnlyDatabase(path: rig.path)
        let json = try reader.run(run.id).json(reader.requests(of: run.id)).text
        #expect(try await rig.get("/runs/\(run.id).json").text == json + "\n")
    }

    @Test(arguments: ["/runs/99", "/runs/x", "/runs/-1"])
    func `run that is not there is a page with advice`(target: String) async throws {
        let rig = try DashboardRig()
        try await rig.sync("[]")
        let page = try await rig.get(target)
        #expect((400...404).contains(page.status) && page.text.contains("Try:"))
    }

    @Test func `axis of a young database begins with its first run`() async throws {
        let rig = try DashboardRig()
        try await rig.sync(#"[{"id":1}]"#)
        rig.now = rig.now.advanced(by: .seconds(3 * 3600))
        for span in ["24h", "7d"] {
            let page = try await rig.get("/runs?span=\(span)").text
            // The run began at 08:05, so an axis of half hours begins at 08:00 and has lines until 11:30.
            #expect(page.contains("since 2026-01-31 08:00:00 UTC"), "\(span)")
            #expect(page.contains("<span>08:00</span><span>08:30</span>"), "\(span)")
            #expect(page.ranges(of: "<path class=\"c-base\"").count <= 8, "\(span)")
        }
    }

    @Test func `axis of an older database has its whole span`() async throws {
        let rig = try DashboardRig()
        try await rig.sync(#"[{"id":1}]"#)
        rig.now = rig.now.advanced(by: .seconds(8 * 86_400))
        try await rig.sync(#"[{"id":1}]"#)
        #expect(try await rig.get("/runs").text.contains("since 2026-02-07 09:00:00 UTC"))
        #expect(try await rig.get("/runs?span=7d").text.contains("since 2026-02-02 00:00:00 UTC"))
    }

    @Test func `axis without a run is the usual one`() async throws {
        let rig = try DashboardRig()
        #expect(try await rig.get("/runs").text.contains("No run since 2026-01-30 09:00:00 UTC."))
    }
}
