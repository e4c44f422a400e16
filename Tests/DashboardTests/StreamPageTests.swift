import Catalog
import Dashboard
import Model
import Persistence
import Reports
import Testing

@Suite struct StreamPageTests {
    @Test func `page of a stream shows its state charts and configuration`() async throws {
        let rig = try DashboardRig("animals: { path: /animals, primary_key: id, schedule: { every: 15m } }")
        try await rig.sync(#"[{"id":1}]"#)
        try await rig.sync(#"[{"id":1},{"id":2,"name":"Kea"}]"#, taking: .seconds(3))
        let page = await rig.get("/streams/zoo%2Eanimals")
        #expect(page.status == 200)
        for words in [
            "in step", "<title>Rows: from 1 to 2 over the last 2 runs</title>",
            "Duration: usually 1.00 s, at most 3.00 s",
            "1.00 s / 3.00 s", "schedule.every", "***", "none: reads everything", "Empty: every record fitted",
            "<span>new</span></span> in <a href=\"/runs/2\"",
        ] { #expect(page.text.contains(words), "\(words)") }
    }

    @Test func `stream that never ran has a page`() async throws {
        let rig = try DashboardRig(
            "animals: { path: /animals, primary_key: id }\n      plants: { path: /plants, primary_key: id }")
        try await rig.sync("[]")
        let page = await rig.get("/streams/zoo%2Eplants")
        #expect(page.status == 200)
        #expect(page.text.contains("It has never run") && page.text.contains("There is no table yet"))
    }

    @Test func `buttons are there only if the dashboard can act`() async throws {
        let rig = try DashboardRig()
        try await rig.sync(#"[{"id":1}]"#)
        #expect(await rig.get("/streams/zoo%2Eanimals").text.contains("action=\"/streams/zoo%2Eanimals/sync\""))
        #expect(await !rig.get("/streams/zoo%2Eanimals", acts: false).text.contains("<form method=\"post\""))
    }

    @Test func `quarantined records are listed with buttons that act`() async throws {
        let rig = try DashboardRig()
        try await rig.sync(#"[{"id":1},{"name":"<script>no key</script>"}]"#)
        let entry = try #require(try ReadOnlyDatabase(path: rig.path).quarantine(limit: 1).first)
        let page = await rig.get("/streams/zoo%2Eanimals").text
        #expect(page.contains("Quarantine, 1 record"))
        for deed in ["retry", "drop"] { #expect(page.contains("action=\"/quarantine/\(entry.id)/\(deed)\"")) }
        for target in ["/quarantine/\(entry.id)/retry", "/quarantine/\(entry.id)/drop", "/streams/zoo%2Eanimals/retry"]
        {
            let headers = ["host": "localhost", "origin": "http://localhost"]
            #expect(await rig.respond(WebRequest(.post, target: target, headers: headers)).status == 303, "\(target)")
        }
        #expect(rig.actions.all == ["retry zoo.animals \(entry.id)", "drop \(entry.id)", "retry zoo.animals all"])
    }

    @Test func `json of a stream has its status runs schema configuration and quarantine`() async throws {
        let rig = try DashboardRig()
        try await rig.sync(#"[{"id":1}]"#)
        let json = await rig.get("/streams/zoo%2Eanimals.json").text
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
        let page = await rig.get("/").text
        #expect(page.contains("Due <time datetime=\"\(missed)\""))
        #expect(page.contains(" late</span>"))
    }

    @Test func `rows are counted again after a write`() async throws {
        let rig = try DashboardRig()
        try await rig.sync(#"[{"id":1}]"#)
        let reader = try ReadOnlyDatabase(path: rig.path)
        #expect(try reader.tables().map(\.rows) == [1])
        try await rig.sync(#"[{"id":1},{"id":2}]"#)
        #expect(try reader.tables().map(\.rows) == [2])
    }
}
