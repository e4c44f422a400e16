import GarnerCatalog
import Foundation
import GarnerJSON
import GarnerModel
import GarnerPersistence
import GarnerSync
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct StoppingTests {
    @Test(arguments: 1...4)
    func `after a stop request every answer that was served is stored`(page: Int) async throws {
        let stop = StopRequest()
        try await SyncRig.run({ request in
            if request.page == page { stop.request() }
            return .page(request.page, of: 4)
        }) { rig in
            let stopped = try await rig.sync(stop: stop)
            #expect(stopped.status == (page == 4 ? .succeeded : .cancelled))
            #expect(stopped.failure == nil)
            #expect(rig.pagesAsked == Array(1...page))
            #expect(stopped.counts.pages == page)
            #expect(stopped.counts.requests == page)
            #expect(try rig.integers("SELECT count(*) FROM animals") == [Int64(page * 2)])
            #expect(try rig.texts("SELECT status FROM _garner_runs") == [stopped.status.rawValue])

            let next = try await rig.sync()
            #expect(next.status == .succeeded)
            #expect(rig.pagesAsked.dropFirst(page) == ArraySlice(page == 4 ? Array(1...4) : Array((page + 1)...4)))
            #expect(try rig.integers("SELECT count(*) FROM animals") == [8])
        }
    }

    @Test func `after a stop request, pages requested ahead are stored, and no more are requested`() async throws {
        let stop = StopRequest()
        try await SyncRig.run({ request in
            try? await Task.sleep(for: .milliseconds(60))
            if request.page == 15 { stop.request() }
            return .json(#"{"data":[{"id":\#(request.page)}],"total_pages":40}"#)
        }) { rig in
            let total = try Selector(parsing: "$.total_pages")
            let stream = rig.stream { $0.paginator = Paginator(.pageNumber(.init(totalPagesPath: total))) }
            let stopped = try await rig.sync(stream, stop: stop)
            #expect(stopped.status == .cancelled)
            // Up to four are under way, and one more may have been requested before it was noticed.
            let asked = rig.pagesAsked.count
            #expect((15...19).contains(asked))
            #expect(stopped.record?.counts.pages == asked)
            #expect(try rig.integers("SELECT id FROM animals ORDER BY id") == Array(1...Int64(asked)))
            #expect(try await rig.sync(stream).status == .succeeded)
            #expect(rig.pagesAsked.sorted() == Array(1...40))
            #expect(try rig.integers("SELECT count(*) FROM animals") == [40])
        }
    }

    @Test func `a cancelled task ends the run at once, and the next one goes on`() async throws {
        let stalls = Watched(true)
        try await SyncRig.run({ request in
            request.page == 3 && stalls.value ? LoopbackReply(.stall) : .page(request.page, of: 4)
        }) { rig in
            let run = Task { try await rig.sync() }
            // The table comes with the first page.
            try await eventually {
                rig.pagesAsked.contains(3) && (try? rig.integers("SELECT count(*) FROM animals")) == [4]
            }
            run.cancel()
            let cancelled = try await run.value
            #expect(cancelled.status == .cancelled)
            #expect(cancelled.failure == nil)
            #expect(cancelled.counts.pages == 2)
            #expect(try rig.texts("SELECT status FROM _garner_runs") == ["cancelled"])

            stalls.value = false
            let next = try await rig.sync()
            #expect(next.status == .succeeded)
            #expect(rig.pagesAsked == [1, 2, 3, 3, 4])
        }
    }

    @Test func `a cancelled task ends the run where each page comes before the last one is stored`() async throws {
        let (run, asked) = (Watched<Task<RunOutcome, any Error>?>(nil), Watched(0))
        try await SyncRig.run(
            { request in
                asked.value = max(asked.value, request.page)
                return .page(request.page, of: 30)
            },
            now: {
                // The thread of the store, which is slower than the server.
                usleep(20_000)
                if asked.value >= 5 { run.value?.cancel() }
                return SyncRig.epoch
            }, synchronous: .full
        ) { rig in
            run.value = Task { try await rig.sync() }
            let outcome = try #require(try await run.value?.value)
            #expect(outcome.status == .cancelled)
            // The cancellation may undo the page that is being stored, which is the third one or a later one.
            #expect((2...6).contains(outcome.counts.pages))
            #expect(try rig.integers("SELECT count(*) FROM animals") == [Int64(outcome.counts.pages * 2)])
        }
    }

    @Test(arguments: 0..<8)
    func `a task that is cancelled at any moment leaves whole pages and a record`(round: Int) async throws {
        try await SyncRig.run({ .page($0.page, of: 30) }) { rig in
            let run = Task { try await rig.sync() }
            try await eventually { rig.pagesAsked.count > round * 3 }
            run.cancel()
            let cancelled = try await run.value
            #expect(cancelled.status == .cancelled)
            #expect(try rig.texts("SELECT status FROM _garner_runs") == ["cancelled"])
            let pages = cancelled.counts.pages
            let tables = try rig.integers("SELECT 1 FROM sqlite_schema WHERE name = 'animals'")
            let rows = tables.isEmpty ? 0 : try rig.integers("SELECT count(*) FROM animals")[0]
            #expect(rows == Int64(pages * 2))

            let next = try await rig.sync()
            #expect(next.status == .succeeded)
            // A request that was cancelled may arrive late; those of the next run come last.
            #expect(next.counts.requests == 30 - pages)
            #expect(rig.pagesAsked.suffix(30 - pages) == Array((pages + 1)...30)[...])
            #expect(try rig.integers("SELECT count(*) FROM animals") == [60])
        }
    }

    @Test func `a run whose task was cancelled before it began has no record of success`() async throws {
        try await SyncRig.run({ .page($0.page, of: 2) }) { rig in
            let run = Task {
                try await eventually { Task.isCancelled }
                return try await rig.sync()
            }
            run.cancel()
            let outcome = try? await run.value
            #expect(outcome?.status != .succeeded)
        }
    }
}
