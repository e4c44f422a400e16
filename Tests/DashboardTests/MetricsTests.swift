import GarnerModel
import GarnerReports
import Testing

@testable import Dashboard
@testable import GarnerPersistence

@Suite struct MetricsTests {
    @Test func `labels are escaped, and numbers have no superfluous digits`() {
        var text = MetricsText()
        text.gauge("a", "A.", [([("x", "q\"\u{301}\\\n")], 3), ([], 0.5), ([], .infinity)])
        text.counter("none", "None.", [])
        text.histogram("h", "H.", bounds: [1, 5], [([("s", "z")], [2, 1], 4, 9.5)])
        #expect(
            text.text == """
                # HELP a A.
                # TYPE a gauge
                a{x="q\\"\u{301}\\\\\\n"} 3
                a 0.5
                a +Inf
                # HELP h H.
                # TYPE h histogram
                h_bucket{s="z",le="1"} 2
                h_bucket{s="z",le="5"} 3
                h_bucket{s="z",le="+Inf"} 4
                h_sum{s="z"} 9.5
                h_count{s="z"} 4

                """)
    }

    @Test func `each run is counted once, also one that ends after a later one`() async throws {
        let rig = try DashboardRig(
            "animals: { path: /animals, primary_key: id }\n      keepers: { path: /keepers, primary_key: id }")
        let dashboard = rig.dashboard
        func metrics() async -> String {
            let response = await dashboard.respond(to: WebRequest(target: "/metrics", headers: ["host": "localhost"]))
            guard case .bytes(let bytes) = response.body else { return "" }
            return String(decoding: bytes, as: UTF8.self)
        }
        let succeeded = #"garner_runs_total{stream="zoo.keepers",status="succeeded"}"#
        // The first run stays open while two others begin and end.
        let open = try await rig.writer.begin(rig.stream("animals"), identity: "page", restarting: true)
        try await rig.sync(#"[{"id":1}]"#, of: "keepers")
        #expect(await metrics().contains("\(succeeded) 1\n"))
        try await rig.sync(#"[{"id":1}]"#, of: "keepers")
        #expect(await metrics().contains("\(succeeded) 2\n"))
        _ = try await rig.writer.end(
            run: open, as: .failed, failure: RunFailure(.failed, kind: "x", message: "x"))
        for _ in 1...2 {
            let text = await metrics()
            #expect(text.contains("\(succeeded) 2\n"))
            #expect(text.contains(#"garner_runs_total{stream="zoo.animals",status="failed"} 1"# + "\n"))
            #expect(text.contains(#"garner_run_duration_seconds_count{stream="zoo.keepers"} 2"# + "\n"))
            #expect(text.contains(#"garner_records_changed_total{stream="zoo.keepers",operation="insert"} 1"# + "\n"))
            #expect(text.contains(#"garner_consecutive_failures{stream="zoo.animals"} 1"# + "\n"))
        }
    }

    @Test func `a run that was moved to another part is counted once`() {
        func part(_ number: Int, _ ids: Int64...) -> EndedRuns {
            let ended = ids.map { id in
                EndedRun(
                    id: RunID(id), stream: "zoo.animals", status: .succeeded, duration: .zero, inserted: 1, updated: 0,
                    deleted: 0, bytes: 0, requests: [:])
            }
            return EndedRuns(part: number, ended: ended, lowestActive: nil)
        }
        let counters = RunCounters(since: Timestamp(millisecondsSince1970: 0))
        let second = (1 << 32) as Int64
        counters.count([part(1, 1, 2), part(2, second + 1, second + 2)])
        // Two runs come from the second part. One has ended since then, as has one that stays.
        counters.count([part(1, second + 2, second + 4), part(2, second + 3)])
        counters.count([part(1, (10 << 32) + 1), part(2, second + 5)])
        var text = MetricsText()
        counters.write(to: &text)
        #expect(text.text.contains(#"garner_runs_total{stream="zoo.animals",status="succeeded"} 8"# + "\n"))
    }
}
