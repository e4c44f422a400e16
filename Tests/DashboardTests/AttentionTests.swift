import GarnerCatalog
import Dashboard
import Foundation
import GarnerModel
import GarnerPersistence
import GarnerReports
import Testing

/// What the first page says of streams that need attention: since when, and what to try.
@Suite struct AttentionTests {
    private static let mirror =
        "animals: { path: /animals, primary_key: id, delete_missing: soft, schedule: { every: 1h } }"

    private static func lack(_ run: RunRecord, _ kind: Verdict.Kind, _ reason: String, in rig: DashboardRig) throws {
        try rig.alter(
            """
            UPDATE _garner_runs SET verdict = '\(kind.rawValue)', is_complete = 0, completeness_reason = '\(reason)'
            WHERE run_id = \(run.id)
            """)
    }

    @Test func `a partial stream says since when, and the runs are found by their completeness`() async throws {
        let rig = try DashboardRig(Self.mirror)
        func read() async throws -> RunRecord {
            rig.now = rig.now.advanced(by: .seconds(60))
            return try await rig.sync(#"[{"id":1}]"#)
        }
        let earlier = try await read()
        _ = try await read()
        let (first, second) = (try await read(), try await read())
        // A gap before a complete read has ended.
        try Self.lack(earlier, .missed, "30 of 40 records", in: rig)
        try Self.lack(first, .missed, "30 of 40 records", in: rig)
        try Self.lack(second, .contradicted, "40 records announced, ended after 30", in: rig)
        let page = try await rig.get("/")
        #expect(page.contains("No complete read since <time datetime=\"\(first.startedAt)\""))
        #expect(page.contains(", 2 in a row."))
        #expect(page.contains("<b>Try:</b> <bdi dir=\"auto\">set ignore_total: true in paginator"))
        let own = try await rig.get("/streams/zoo%2Eanimals")
        for words in [
            "No complete read since <time datetime=\"\(first.startedAt)\"", "set ignore_total: true in paginator",
        ] {
            #expect(own.contains(words), "\(words)")
        }
        #expect(try await rig.get("/index.json").contains(#""incomplete_since":"\#(first.startedAt)""#))
        #expect(try await rig.values("run_id", at: "/runs.json?completeness=partial") == ["3", "1"])
        #expect(try await rig.values("run_id", at: "/runs.json?completeness=unknown") == ["4"])
        #expect(try await rig.get("/runs?completeness=partial").contains("<option selected>partial</option>"))
        #expect(try await rig.get("/runs?completeness=some").status == 400)
        _ = try await read()
        #expect(try await rig.get("/index.json").contains(#""incomplete_since":null"#))
    }

    @Test func `a first read that was left before its end is a part, which a sync completes`() async throws {
        let rig = try DashboardRig("animals: { path: /animals, primary_key: id }")
        try await rig.sync(#"[{"id":1}]"#)
        try rig.alter(
            "UPDATE _garner_runs SET status = 'cancelled', verdict = NULL, is_complete = 0, completeness_reason = NULL"
        )
        let page = try await rig.get("/")
        #expect(page.contains("The first read has not ended: the table has a part of the records."))
        #expect(page.contains("sync it now: the read goes on where it stopped"))
    }

    @Test func `a suspended stream has that word, the place of its auth and what to do once it is mended`() async throws
    {
        let rig = try DashboardRig(Self.mirror)
        try await rig.sync(#"[{"id":1}]"#)
        for _ in 1...5 {
            try await rig.fail(
                RunFailure(.noPermission, kind: "unauthorized", message: "HTTP 401", hint: "check the stream's auth"))
        }
        try rig.alter(
            """
            INSERT INTO _garner_schedules (stream_id, failures, permanent_failures, circuit_opened_at, held_until, hold_reason)
            VALUES (1, 5, 5, '\(rig.now)', '\(rig.now.advanced(by: .seconds(3600)))',
                'suspended after 5 permanent failures in a row')
            """)
        let page = try await rig.get("/")
        for words in [
            "suspended ×5", "Suspended: the next run is due <time", "<code>auth.token</code> in <code>",
            "garner.yaml</bdi></code>, line 7", "reload the service", "/sync\"", ">Open run ",
        ] { #expect(page.contains(words), "\(words)") }
        #expect(!page.contains("circuit"))
        #expect(try await rig.get("/", acts: false).contains("run <code>garner sync zoo.animals</code>"))
        #expect(try await rig.get("/index.json").contains(#""state":"suspended""#))
        #expect(try await rig.get("/?state=suspended").contains("zoo.<wbr>animals"))
        let own = try await rig.get("/streams/zoo%2Eanimals")
        for words in [
            "Each value with the line of garner.yaml", "Failing since <time", "Last success <time",
            "garner.yaml</bdi></code>, line 7", "reload the service", "<dt>Completeness, last read</dt>",
        ] { #expect(own.contains(words), "\(words)") }
    }

    @Test func `the docs name the metrics that only a service has`() async throws {
        let rig = try DashboardRig(Self.mirror)
        try await rig.sync(#"[{"id":1}]"#)
        // The first time begins the counts.
        _ = try await rig.get("/metrics")
        try await rig.sync(#"[{"id":2}]"#)
        func names(_ text: String) -> Set<String> {
            Set(
                text.split(separator: "\n").filter { $0.hasPrefix("# TYPE ") }.compactMap {
                    $0.split(separator: " ").dropFirst(2).first.map(String.init)
                })
        }
        var written = MetricsText()
        let statuses = try StreamStatus.all(
            of: rig.configuration.streams, in: ReadOnlyDatabase(path: rig.path), isWritten: true, now: rig.now)
        written.add(
            statuses, quarantined: [:], sizes: DatabaseSizes(path: rig.path), version: "0.0.0", now: rig.now)
        let served = names(try await rig.get("/metrics").text)
        let missing = served.subtracting(names(written.text)).filter { !$0.hasPrefix("process_") }
        #expect(missing.contains("garner_runs_total") && missing.count == 6, "\(missing)")
        let docs = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("docs/dashboard.md")
        let text = try String(contentsOf: docs, encoding: .utf8)
        for name in missing { #expect(text.contains("`\(name)`"), "\(name)") }
    }
}
