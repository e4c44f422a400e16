import GarnerCatalog
import Dashboard
import GarnerModel
import GarnerPersistence
import GarnerReports
import Testing

@Suite struct StreamPageTests {
    @Test func `page of a stream shows its state charts and configuration`() async throws {
        let rig = try DashboardRig("animals: { path: /animals, primary_key: id, schedule: { every: 15m } }")
        try await rig.sync(#"[{"id":1}]"#)
        try await rig.sync(#"[{"id":1},{"id":2,"name":"Kea"}]"#, taking: .seconds(3))
        let page = try await rig.get("/streams/zoo%2Eanimals")
        #expect(page.status == 200)
        for words in [
            "in step", "<title>Rows: from 1 to 2 over the last 2 runs</title>",
            "Duration: usually 1.00 s, at most 3.00 s",
            "1.00 s / 3.00 s", "schedule.every", "***", "none: reads everything", "Empty: every record fitted",
            "<span>new</span></span> in <a href=\"/runs/2\"",
        ] { #expect(page.text.contains(words), "\(words)") }
    }

    @Test func `a failed run has a place in the chart of changes and no number`() async throws {
        let rig = try DashboardRig()
        func scale() async throws -> Bool {
            try await rig.get("/streams/zoo%2Eanimals").text.contains("<span>8</span><span>failed</span>")
        }
        try await rig.sync("[\((1...8).map { #"{"id":\#($0)}"# }.joined(separator: ","))]")
        #expect(try await !scale())
        try await rig.fail(RunFailure(.unavailable, kind: "http_status", message: "HTTP 503"))
        #expect(try await scale())
    }

    @Test func `stream that never ran has a page`() async throws {
        let rig = try DashboardRig(
            "animals: { path: /animals, primary_key: id }\n      plants: { path: /plants, primary_key: id }")
        try await rig.sync("[]")
        let page = try await rig.get("/streams/zoo%2Eplants")
        #expect(page.status == 200)
        #expect(page.text.contains("It has never run") && page.text.contains("There is no table yet"))
    }

    @Test func `buttons are there only if the dashboard can act`() async throws {
        let rig = try DashboardRig()
        try await rig.sync(#"[{"id":1}]"#)
        #expect(try await rig.get("/streams/zoo%2Eanimals").text.contains("action=\"/streams/zoo%2Eanimals/sync\""))
        #expect(try await !rig.get("/streams/zoo%2Eanimals", acts: false).text.contains("<form method=\"post\""))
    }

    @Test func `quarantined records are listed with buttons that act`() async throws {
        let rig = try DashboardRig()
        try await rig.sync(#"[{"id":1},{"name":"<script>no key</script>"}]"#)
        let entry = try #require(try ReadOnlyDatabase(path: rig.path).quarantine(limit: 1).first)
        let page = try await rig.get("/streams/zoo%2Eanimals").text
        #expect(page.contains("Quarantine, 1 record"))
        for deed in ["retry", "drop"] { #expect(page.contains("action=\"/quarantine/\(entry.id)/\(deed)\"")) }
        for target in ["/quarantine/\(entry.id)/retry", "/quarantine/\(entry.id)/drop", "/streams/zoo%2Eanimals/retry"]
        {
            let headers = ["host": "localhost", "origin": "http://localhost"]
            let reply = try await rig.respond(WebRequest(.post, target: target, headers: headers))
            #expect(reply.status == 303, "\(target)")
        }
        #expect(rig.actions.all == ["retry zoo.animals \(entry.id)", "drop \(entry.id)", "retry zoo.animals all"])
    }

    @Test func `json of a stream has its status runs schema configuration and quarantine`() async throws {
        let rig = try DashboardRig()
        try await rig.sync(#"[{"id":1}]"#)
        let json = try await rig.get("/streams/zoo%2Eanimals.json").text
        #expect(json.hasPrefix("{\"status\":{\"stream\":\"zoo.animals\",\"state\":\"succeeded\""))
        for member in [
            "\"runs\":[{\"run_id\":1", "\"schema\":{\"tables\":[{\"table\":\"animals\"",
            "\"configuration\":[{\"stream\":\"zoo.animals\"", "\"quarantine\":[]",
        ] {
            #expect(json.contains(member), "\(member)")
        }
    }

    @Test func `late stream shows the instant that it missed`() async throws {
        let rig = try DashboardRig("animals: { path: /animals, primary_key: id, schedule: { every: 1h } }")
        try await rig.sync(#"[{"id":1}]"#)
        rig.now = rig.now.advanced(by: .seconds(3 * 3600))
        let status = try #require(
            try StreamStatus.all(
                of: rig.configuration.streams, in: ReadOnlyDatabase(path: rig.path), isWritten: true, now: rig.now
            ).first)
        let missed = try #require(status.missedDue)
        #expect(missed <= rig.now.advanced(by: .seconds(-2 * 3600)))
        let page = try await rig.get("/").text
        #expect(page.contains("Due <time datetime=\"\(missed)\""))
        #expect(page.contains(" late</span>"))
    }

    @Test func `rows are counted again after a write`() async throws {
        let rig = try DashboardRig()
        try await rig.sync(#"[{"id":1}]"#)
        let reader = try ReadOnlyDatabase(path: rig.path)
        #expect(try reader.tables().map(\.count?.all) == [1])
        try await rig.sync(#"[{"id":1},{"id":2}]"#)
        #expect(try reader.tables().map(\.count?.all) == [2])
    }

    @Test func `stream that fails and is paused stands among what needs attention, below those that only fail`()
        async throws
    {
        let rig = try DashboardRig(
            """
            animals: { path: /animals, primary_key: id, schedule: { every: 1h } }
                  keepers: { path: /keepers, primary_key: id, schedule: { every: 1h } }
            """)
        let failure = RunFailure(.unavailable, kind: "http_status", message: "HTTP 503", hint: "try again later")
        for name in ["animals", "animals", "keepers"] { try await rig.fail(failure, of: name) }
        let since = rig.now
        try await rig.writer.pause(rig.stream(), at: since)
        let page = try await rig.get("/")
        #expect(page.contains("2 of 2 streams need attention") && page.contains("<span>failing ×2, paused</span>"))
        #expect(page.contains("Paused since <time datetime=\"\(since)\""))
        #expect(page.contains("2 times in a row") && page.contains("Garner tries again <time"))
        #expect(!page.contains("try again later"))
        let (keepers, animals) = (
            try #require(page.text.firstRange(of: "<h3><a href=\"/streams/zoo%2Ekeepers\">")),
            try #require(page.text.firstRange(of: "<h3><a href=\"/streams/zoo%2Eanimals\">"))
        )
        #expect(keepers.lowerBound < animals.lowerBound)
        let own = try await rig.get("/streams/zoo%2Eanimals")
        #expect(own.contains("failing ×2, paused") && own.contains("Paused since <time datetime=\"\(since)\""))
        #expect(try await rig.get("/?state=failing%2C%20paused").contains("zoo.<wbr>animals"))
    }

    @Test(arguments: [("{ every: 10m }", true), ("{ every: 20m }", false), ("{ every: 10m, anchor: finish }", false)])
    func `runs that take longer than the schedule are told, and are no failure`(schedule: String, isSlow: Bool)
        async throws
    {
        let rig = try DashboardRig("animals: { path: /animals, primary_key: id, schedule: \(schedule) }")
        for _ in 1...3 { try await rig.sync(#"[{"id":1}]"#, taking: .seconds(15 * 60)) }
        let words = "A run usually takes 15 min, and its schedule has one every 10 min"
        for target in ["/", "/streams/zoo%2Eanimals"] {
            #expect(try await rig.get(target).contains(words) == isSlow, "\(target)")
        }
        let front = try await rig.get("/")
        #expect(front.contains("The stream is in step"))
        #expect(front.contains("<span>slow</span>") == isSlow)
    }

    @Test func `files that did not come stand on the stream's page and in its line`() async throws {
        let rig = try DashboardRig("animals: { path: /animals, primary_key: id, attachments: [{ field: photo }] }")
        try await rig.sync(#"[{"id":1,"photo":"/a.png"},{"id":2,"photo":"/<b>.png"}]"#)
        try rig.alter(
            """
            INSERT INTO _garner_attachments (stream_id, field, url, read_id, run_id, asked_at, error_kind, error_message)
            VALUES (1, 'photo', '/old.png', 0, 0, '\(rig.now)', 'http_status', 'HTTP 410'),
            (1, 'photo', '/a.png', 1, 1, '\(rig.now)', NULL, NULL),
            (1, 'photo', '/<b>.png', 1, 1, '\(rig.now)', 'http_status', 'HTTP 404');
            UPDATE _garner_runs SET warning = 'an attachment could not be fetched';
            """)
        let page = try await rig.get("/streams/zoo%2Eanimals")
        #expect(page.contains("Files, 1 failure<"))
        #expect(page.contains("/&lt;b&gt;.png") && page.contains("HTTP 404"))
        #expect(!page.contains("/old.png") && !page.contains("/a.png"))
        #expect(page.contains("An attachment could not be fetched"))
        #expect(try await rig.get("/").contains("An attachment could not be fetched"))
    }
}
