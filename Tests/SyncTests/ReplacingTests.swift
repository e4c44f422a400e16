import GarnerCatalog
import GarnerModel
import GarnerPersistence
import GarnerSync
import TestSupport
import Testing

/// Streams whose table becomes what a complete read returns.
@Suite(.timeLimit(.minutes(5)))
struct ReplacingTests {
    @Test func `a page that fails leaves the old rows, and the next run replaces them`() async throws {
        let source = Watched((revision: 1, fails: false))
        try await SyncRig.run({ request in
            request.page == 3 && source.value.fails
                ? .status(500) : .page(request.page, of: 3, revision: source.value.revision)
        }) { rig in
            let stream = Self.stream(rig)
            _ = try await rig.sync(stream)
            source.value = (2, true)
            let failed = try await rig.sync(stream)
            #expect(failed.status == .failed)
            #expect([failed.counts.pages, failed.counts.updated] == [2, 0])
            #expect(try Self.revisions(rig) == ["1"])
            source.value = (2, false)
            let resumed = try await rig.sync(stream)
            #expect(resumed.status == .succeeded)
            #expect([resumed.counts.pages, resumed.counts.updated] == [1, 6])
            #expect(try Self.revisions(rig) == ["2"])
            #expect(rig.pagesAsked == [1, 2, 3, 1, 2, 3, 3])
        }
    }

    @Test(arguments: 1...3)
    func `a stop request leaves the old rows, unless all pages were served`(page: Int) async throws {
        let stop = StopRequest()
        let revision = Watched(1)
        try await SyncRig.run({ request in
            if revision.value == 2, request.page == page { stop.request() }
            return .page(request.page, of: 3, revision: revision.value)
        }) { rig in
            let stream = Self.stream(rig)
            _ = try await rig.sync(stream)
            revision.value = 2
            let stopped = try await rig.sync(stream, stop: stop)
            #expect(stopped.status == (page == 3 ? .succeeded : .cancelled))
            #expect(try Self.revisions(rig) == [page == 3 ? "2" : "1"])
            _ = try await rig.sync(stream)
            #expect(try Self.revisions(rig) == ["2"])
        }
    }

    @Test(arguments: 0..<4)
    func `a task that is cancelled at any moment leaves the old rows or the new ones`(round: Int) async throws {
        let revision = Watched(1)
        try await SyncRig.run({ .page($0.page, of: 8, revision: revision.value) }) { rig in
            let stream = Self.stream(rig)
            _ = try await rig.sync(stream)
            revision.value = 2
            let run = Task { try await rig.sync(stream) }
            try await eventually { rig.pagesAsked.count > 8 + round * 2 }
            run.cancel()
            let cancelled = try await run.value
            #expect(try Self.revisions(rig) == [cancelled.status == .succeeded ? "2" : "1"])
            #expect(try await rig.sync(stream).status == .succeeded)
            #expect(try Self.revisions(rig) == ["2"])
            #expect(try rig.integers("SELECT count(*) FROM animals") == [16])
            #expect(try rig.integers("SELECT count(*) FROM _garner_staged") == [0])
        }
    }

    @Test func `so many pages and no more replace nothing, and the run says so`() async throws {
        let revision = Watched(1)
        try await SyncRig.run({ .page($0.page, of: 3, revision: revision.value) }) { rig in
            let stream = Self.stream(rig)
            _ = try await rig.sync(stream)
            revision.value = 2
            for options in [
                RunOptions(scope: RunScope(maximumPages: 2)),
                RunOptions(scope: RunScope(restarts: true, maximumPages: 1)),
            ] {
                let cut = try await rig.sync(stream, options)
                #expect(cut.status == .succeeded)
                #expect(cut.record?.warning?.contains("left as it was") == true)
                #expect(try Self.revisions(rig) == ["1"])
            }
            #expect(try rig.integers("SELECT count(*) FROM _garner_staged") == [0])
            let limited = Self.stream(rig) { $0.paginator.limits.maxPages = 2 }
            #expect(try await rig.sync(limited).record?.warning?.contains("left as it was") == true)
            #expect(try Self.revisions(rig) == ["1"])
        }
    }

    @Test func `pages that have not changed keep their rows`() async throws {
        let source = Watched((revisions: [Int: Int](), count: 3, fails: 0))
        try await SyncRig.run({ request in
            let (revisions, count, fails) = source.value
            if request.page == fails { return .status(500) }
            let tag = #""\#(request.page).\#(revisions[request.page, default: 1]).\#(count)""#
            if request["If-None-Match"] == tag { return .response(status: 304, headers: [("ETag", tag)]) }
            return .page(
                request.page, of: count, revision: revisions[request.page, default: 1], headers: [("ETag", tag)])
        }) { rig in
            let stream = Self.stream(rig)
            _ = try await rig.sync(stream)
            let again = try await rig.sync(stream)
            #expect([again.counts.notModified, again.counts.unchanged, again.counts.deleted] == [3, 6, 0])
            source.value = ([1: 2, 2: 2], 3, 3)
            #expect(try await rig.sync(stream).status == .failed)
            // That the second page changed was noted for a read that does not count.
            let anew = Self.stream(rig) { $0.request.headers = [.init(name: "X-A", value: .literal("b"))] }
            source.value = ([1: 2, 2: 2], 3, 1)
            #expect(try await rig.sync(anew).status == .failed)
            source.value = ([1: 2], 3, 0)
            let outcome = try await rig.sync(stream)
            #expect([outcome.counts.notModified, outcome.counts.updated, outcome.counts.unchanged] == [2, 2, 4])
            source.value = ([1: 2], 2, 0)
            _ = try await rig.sync(stream)
            #expect(try rig.texts("SELECT name FROM animals").map { $0.suffix(3) } == ["1.2", "2.2", "3.1", "4.1"])
        }
    }

    @Test func `a partition that fails keeps the rows of all`() async throws {
        let source = Watched((names: ["a": "a1", "b": "b1"], fails: false))
        try await SyncRig.run({ request in
            let zoo = request.target.hasSuffix("/b") ? "b" : "a"
            if zoo == "b", source.value.fails { return .status(503) }
            return .json(#"[{"id":"\#(source.value.names[zoo] ?? "")"}]"#)
        }) { rig in
            let stream = Self.stream(rig) {
                $0.partitions = [Partition(name: "zoo", values: ["b", "a"])]
                $0.request.path = "animals/{partition.zoo}"
            }
            _ = try await rig.sync(stream)
            source.value = (["a": "a2", "b": "b2"], true)
            #expect(try await rig.sync(stream).status == .failed)
            #expect(try rig.texts("SELECT id FROM animals ORDER BY id") == ["a1", "b1"])
            source.value.fails = false
            let outcome = try await rig.sync(stream)
            #expect([outcome.counts.inserted, outcome.counts.deleted, outcome.counts.pages] == [2, 2, 1])
            #expect(try rig.texts("SELECT id FROM animals ORDER BY id") == ["a2", "b2"])
        }
    }

    private static func stream(
        _ rig: SyncRig, _ change: (inout StreamConfiguration) -> Void = { _ in }
    ) -> StreamConfiguration {
        rig.stream {
            ($0.writeDisposition, $0.maxDeleteRatio) = (.replace, 1)
            change(&$0)
        }
    }

    /// The revisions that occur in the names of the rows.
    private static func revisions(_ rig: SyncRig) throws -> [String] {
        Set(try rig.texts("SELECT name FROM animals").map { String($0.suffix(1)) }).sorted()
    }
}
