import GarnerCatalog
import GarnerJSON
import GarnerModel
import GarnerPersistence
import GarnerSync
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ResumingTests {
    @Test func `a failing page keeps the stored ones, and the next run goes on behind them`() async throws {
        let fails = Watched(true)
        try await SyncRig.run({ $0.page == 3 && fails.value ? .status(500) : .page($0.page, of: 4) }) { rig in
            let failed = try await rig.sync()
            #expect(failed.status == .failed)
            #expect(failed.failure?.url == "\(rig.server.url)/animals?page=3")
            #expect([failed.counts.pages, failed.counts.requests, failed.counts.inserted] == [2, 3, 4])
            #expect(try rig.integers("SELECT count(*) FROM animals") == [4])

            fails.value = false
            let resumed = try await rig.sync()
            #expect(resumed.status == .succeeded)
            #expect([resumed.counts.pages, resumed.counts.requests, resumed.counts.inserted] == [2, 2, 4])
            #expect(rig.pagesAsked == [1, 2, 3, 3, 4])
            #expect(
                resumed.record?.warning?.hasPrefix("this run went on with the read of run 1 from 2026-01-31T") == true)
            #expect(try rig.integers("SELECT read_id FROM _garner_runs ORDER BY run_id") == [1, 1])
            #expect(try rig.integers("SELECT is_complete FROM _garner_runs ORDER BY run_id") == [0, 1])
        }
    }

    @Test func `a read that goes on leaves missing rows to the next one, and says so`() async throws {
        let fails = Watched(true)
        try await SyncRig.run({ $0.page == 3 && fails.value ? .status(500) : .page($0.page, of: 3) }) { rig in
            let stream = rig.stream { $0.deleteMissing = .hard }
            _ = try await rig.sync(stream)
            fails.value = false
            let resumed = try await rig.sync(stream)
            #expect(resumed.status == .succeeded)
            #expect(resumed.record?.warning?.contains("by the next read that is not interrupted") == true)
            #expect(try await rig.sync(stream).record?.warning == nil)
        }
    }

    @Test(arguments: [(23, [1, 2, 3, 3]), (25, [1, 2, 3, 1, 2, 3])])
    func `what was read long ago is read again`(hours: Int, pages: [Int]) async throws {
        let fails = Watched(true)
        let now = Watched(SyncRig.epoch)
        try await SyncRig.run(
            { $0.page == 3 && fails.value ? .status(500) : .page($0.page, of: 3) }, now: { now.value }
        ) { rig in
            _ = try await rig.sync()
            fails.value = false
            now.value = SyncRig.epoch.advanced(by: .seconds(hours * 3600))
            #expect(try await rig.sync().status == .succeeded)
            #expect(rig.pagesAsked == pages)
        }
    }

    @Test func `a circle is not gone on with`() async throws {
        try await SyncRig.run({ .page($0.page, of: 2, linkingTo: 2) }) { rig in
            for _ in 1...2 {
                let outcome = try await rig.sync()
                #expect(outcome.failure?.kind == "repeated_page")
            }
            #expect(rig.pagesAsked.filter { $0 == 1 }.count == 2)
            #expect(try rig.integers("SELECT count(*) FROM _garner_slices") == [0])
        }
    }

    @Test func `an empty page that announces more deletes nothing, with a warning`() async throws {
        let isEmptied = Watched(false)
        try await SyncRig.run({ request in
            request.page == 2 && isEmptied.value
                ? .json(#"{"data":[],"next":"?page=3"}"#) : .page(request.page, of: 3)
        }) { rig in
            let stream = rig.stream {
                $0.deleteMissing = .hard; $0.maxDeleteRatio = 1
            }
            _ = try await rig.sync(stream)
            isEmptied.value = true
            let outcome = try await rig.sync(stream)
            #expect(outcome.status == .succeeded)
            #expect(outcome.counts.deleted == 0)
            let said = "a page is empty, although $.next tells of another page; set stop_after_empty_page: true"
            #expect(outcome.record?.warning?.contains(said) == true)
            #expect(try rig.integers("SELECT count(*) FROM animals") == [6])
            #expect(try rig.integers("SELECT is_complete FROM _garner_runs ORDER BY run_id") == [1, 0])
        }
    }

    @Test(arguments: [400, 404, 410, 416, 422])
    func `a position that is refused starts the read anew`(status: Int) async throws {
        let third = Watched<Int?>(500)
        try await SyncRig.run({ request in
            if request.page == 3, let status = third.value { return .status(status) }
            return .page(request.page, of: third.value == 500 ? 3 : 2)
        }) { rig in
            third.value = 500
            _ = try await rig.sync()
            third.value = status
            let anew = try await rig.sync()
            #expect(anew.status == .succeeded)
            #expect(rig.pagesAsked == [1, 2, 3, 3, 1, 2])
            #expect([anew.counts.pages, anew.counts.requests, anew.counts.unchanged] == [2, 3, 4])
            #expect(try rig.integers("SELECT read_id FROM _garner_runs ORDER BY run_id") == [1, 2])
        }
    }

    @Test func `so many pages and no more, and the next run begins anew`() async throws {
        try await SyncRig.run({ .page($0.page, of: 4) }) { rig in
            let cut = try await rig.sync(nil, RunOptions(scope: RunScope(maximumPages: 2)))
            #expect(cut.status == .succeeded)
            #expect(cut.counts.pages == 2)
            #expect(try rig.integers("SELECT is_complete FROM _garner_runs") == [0])
            _ = try await rig.sync(nil, RunOptions(scope: RunScope(maximumPages: 1)))
            #expect(rig.pagesAsked == [1, 2, 1])
        }
    }

    @Test func `a limit that the read does not reach leaves it complete`() async throws {
        try await SyncRig.run({ .page($0.page, of: 2) }) { rig in
            _ = try await rig.sync(nil, RunOptions(scope: RunScope(maximumPages: 2)))
            #expect(try rig.integers("SELECT is_complete FROM _garner_runs") == [1])
        }
    }

    @Test func `a read that got no page is not continued, and the next one deletes what is missing`() async throws {
        let state = Watched(0)
        try await SyncRig.run({ _ in
            switch state.value {
            case 0: .json(#"[{"id":1},{"id":2}]"#)
            case 1: .status(500)
            default: .json(#"[{"id":1}]"#)
            }
        }) { rig in
            let stream = rig.stream("animals") {
                $0.paginator = Paginator(.singlePage)
                $0.deleteMissing = .hard
                $0.maxDeleteRatio = 1
            }
            _ = try await rig.sync(stream)
            state.value = 1
            #expect(try await rig.sync(stream).status == .failed)
            state.value = 2
            let outcome = try await rig.sync(stream)
            #expect(outcome.counts.deleted == 1)
            #expect(outcome.record?.warning == nil)
        }
    }

    @Test func `the names of entries are their key`() async throws {
        try await SyncRig.run({ _ in .json(#"{"EUR":1.1,"USD":{"rate":1}}"#) }) { rig in
            let stream = rig.stream("rates") {
                $0.primaryKey = nil
                $0.recordShape = .entries(keyField: "symbol", valueField: "rate")
            }
            let first = try await rig.sync(stream)
            let second = try await rig.sync(stream)
            #expect([first.counts.inserted, second.counts.unchanged] == [2, 2])
        }
    }

    /// By cursors, so that the place at which the read goes on raises no doubt. Without a status, nothing is odd.
    @Test(arguments: OddList.modes.indices, [nil, 200, 207, 208] as [Int?])
    func `what was doubted before an interruption counts for the read that goes on`(mode: Int, status: Int?)
        async throws
    {
        let turn = Watched(1)
        try await SyncRig.run({ request in
            let page = (2...4).first { request.target.contains("after=c\($0)") } ?? 1
            if turn.value == 2, page == 4 { return .status(500) }
            let odd = turn.value == 2 && page == 2 ? status : nil
            let records = (odd == nil ? 1...3 : 1...1).map { #"{"id":\#(page * 10 + $0)}"# }.joined(separator: ",")
            let next = page < 4 ? "\"c\(page + 1)\"" : "null"
            let second = odd == 200 ? #","items":[{"id":22},{"id":23}]"# : ""
            return .response(status: odd ?? 200, body: #"{"items":[\#(records)],"next":\#(next)\#(second)}"#)
        }) { rig in
            let stream = rig.stream {
                OddList.modes[mode](&$0)
                $0.paginator = Paginator(.cursor(.init(cursorPath: "$.next", cursorParam: "after")))
            }
            let first = try await rig.sync(stream).record?.completeness
            turn.value = 2
            let second = try await rig.sync(stream).status
            turn.value = 3
            let third = try await rig.sync(stream).record
            #expect(first == .complete && second == .failed)
            #expect(third?.completeness == (status == nil ? .complete : .unknown), "\(third?.completenessReason ?? "")")
            if let status, status != 200 {
                let advice = "add response_actions: [{ status: \(status), action: accept }]"
                #expect(third?.completenessReason?.contains(advice) == true, "\(third?.completenessReason ?? "")")
            }
            let last = try await rig.sync(stream).record?.completeness
            let rows = try rig.integers("SELECT count(*) FROM animals")
            #expect(last == .complete && rows == [12])
        }
    }
}
