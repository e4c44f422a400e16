import GarnerCatalog
import GarnerJSON
import GarnerModel
import GarnerPersistence
import GarnerSync
import TestSupport
import Testing

/// Syncs of a server that says which of its pages have not changed.
@Suite(.timeLimit(.minutes(5)))
struct ConditionalSyncTests {
    @Test func `pages that have not changed are counted, and not fetched`() async throws {
        try await Self.run { rig, _ in
            let first = try await rig.sync()
            #expect([first.counts.inserted, first.counts.notModified] == [6, 0])
            let second = try await rig.sync()
            #expect(second.status == .succeeded)
            #expect([second.counts.unchanged, second.counts.notModified, second.counts.pages] == [6, 3, 3])
            #expect(second.counts.bytes == 0)
            #expect(rig.pagesAsked == [1, 2, 3, 1, 2, 3])
            #expect(try rig.integers("SELECT not_modified FROM _garner_requests") == [0, 0, 0, 1, 1, 1])
            #expect(try rig.integers("SELECT status FROM _garner_requests") == [200, 200, 200, 304, 304, 304])
        }
    }

    @Test func `a page that has changed is stored, and the others are not asked for whole`() async throws {
        try await Self.run { rig, revisions in
            _ = try await rig.sync()
            revisions.value = [2: 2]
            let outcome = try await rig.sync()
            #expect([outcome.counts.updated, outcome.counts.unchanged, outcome.counts.notModified] == [2, 4, 2])
            #expect(try rig.texts("SELECT name FROM animals WHERE id IN (1, 3)") == ["animal 1.1", "animal 3.2"])
        }
    }

    @Test func `a page that was not expected is not asked for with the memory of the one that was`() async throws {
        let leadsElsewhere = Watched(false)
        try await SyncRig.run({ request in
            let next = [1: "?page=2", 2: leadsElsewhere.value ? "?page=7" : "?page=3"][request.page]
            let tag = "\"\(next ?? "end")\""
            if request["If-None-Match"] == tag { return .response(status: 304, headers: [("ETag", tag)]) }
            // The last page is the same at each of its addresses.
            let link = next.map { "\"\($0)\"" } ?? "null"
            return .json(
                #"{"data":[{"id":\#(min(request.page, 3))}],"next":\#(link)}"#, headers: [("ETag", tag)])
        }) { rig in
            let stream = rig.stream { $0.maxConcurrency = 1 }
            _ = try await rig.sync(stream)
            let same = try await rig.sync(stream)
            #expect([same.counts.notModified, same.counts.pages] == [3, 3])
            leadsElsewhere.value = true
            let outcome = try await rig.sync(stream)
            #expect(outcome.status == .succeeded)
            #expect([outcome.counts.notModified, outcome.counts.pages] == [1, 3])
            #expect(rig.pagesAsked.suffix(3) == [1, 2, 7])
            #expect(try rig.integers("SELECT id FROM animals ORDER BY id") == [1, 2, 3])
        }
    }

    @Test(arguments: [DeleteMissing.soft, .hard])
    func `the records of unchanged pages are not missing`(way: DeleteMissing) async throws {
        let isShorter = Watched(false)
        try await SyncRig.run({ request in
            request.page == 3 && isShorter.value
                ? .json(#"{"data":[{"id":5,"name":"animal 5.1"}],"next":null}"#, headers: [("ETag", #""short""#)])
                : Self.answer(request, revision: 1, of: 3)
        }) { rig in
            let stream = rig.stream { $0.deleteMissing = way }
            _ = try await rig.sync(stream)
            isShorter.value = true
            let outcome = try await rig.sync(stream)
            #expect([outcome.counts.deleted, outcome.counts.notModified, outcome.counts.unchanged] == [1, 2, 5])
            // A page that lost a record may have lost it to another page: each is read once more.
            let third = try await rig.sync(stream)
            #expect([third.counts.deleted, third.counts.notModified, third.counts.unchanged] == [0, 0, 5])
            let again = try await rig.sync(stream)
            #expect([again.counts.deleted, again.counts.notModified, again.counts.unchanged] == [0, 2, 5])
        }
    }

    @Test(arguments: [[], [DeleteMissing.hard]])
    func `a stream that begins to delete asks for every page once`(before: [DeleteMissing]) async throws {
        let name = Watched("a")
        try await SyncRig.run({ request in
            let tag = #""\#(request.page)\#(name.value)""#
            if request["If-None-Match"] == tag { return .response(status: 304, headers: [("ETag", tag)]) }
            let next = request.page == 1 ? #""?page=2""# : "null"
            return .json(
                #"{"data":[{"id":"\#(request.page)\#(name.value)"}],"next":\#(next)}"#, headers: [("ETag", tag)])
        }) { rig in
            for way in before { _ = try await rig.sync(rig.stream { $0.deleteMissing = way }) }
            // Meanwhile nobody notes which records are on which page.
            name.value = "b"
            _ = try await rig.sync(rig.stream())
            let rows = try rig.integers("SELECT count(*) FROM animals")
            let deleting = rig.stream {
                $0.deleteMissing = .hard; $0.maxDeleteRatio = 1
            }
            let outcome = try await rig.sync(deleting)
            // Where rows are missing, a second look asks for each page again.
            #expect([outcome.counts.notModified, outcome.counts.unchanged] == [before.isEmpty ? 0 : 2, 2])
            #expect(outcome.counts.deleted == Int(rows[0]) - 2)
            #expect(try rig.texts("SELECT id FROM animals ORDER BY id") == ["1b", "2b"])
            let again = try await rig.sync(deleting)
            #expect([again.counts.notModified, again.counts.deleted] == [2, 0])
        }
    }

    private static let changes: [@Sendable (inout StreamConfiguration) -> Void] = [
        { $0.recordSelector = "$.data[*]" }, { $0.flattenDepth = 0 },
        { $0.request.authentication = .bearer(token: Secret("another")) },
        { $0.request.headers = [.init(name: "X-Tenant", value: .literal("b"))] },
        { $0.paginator = Paginator(.jsonLink(.init(nextURLPath: "$.next"))) },
    ]

    @Test(arguments: changes)
    func `what was remembered for another configuration is forgotten`(
        change: @escaping @Sendable (inout StreamConfiguration) -> Void
    ) async throws {
        try await Self.run { rig, _ in
            _ = try await rig.sync()
            let changed = try await rig.sync(rig.stream("animals", at: nil, change))
            #expect([changed.counts.notModified, changed.counts.unchanged] == [0, 6])
            let again = try await rig.sync(rig.stream("animals", at: nil, change))
            #expect(again.counts.notModified == 3)
        }
    }

    @Test func `a page whose records have no key is asked for again`() async throws {
        try await SyncRig.run({ request in
            request["If-None-Match"] != nil
                ? .response(status: 304) : .json(#"{"data":[{"n":1}],"next":null}"#, headers: [("ETag", #""a""#)])
        }) { rig in
            let stream = rig.stream {
                $0.primaryKey = nil
                $0.writeDisposition = .append
            }
            for _ in 1...2 { _ = try await rig.sync(stream) }
            #expect(try rig.integers("SELECT count(*) FROM animals") == [2])
        }
    }

    @Test func `pages that no read sees any longer are forgotten, those of cut reads too`() async throws {
        let number = Watched(0)
        try await SyncRig.run({ request in
            number.change { $0 += 1 }
            return .json(#"{"data":[{"id":1}],"next":"?page=\#(number.value + 7)"}"#, headers: [("ETag", #""a""#)])
        }) { rig in
            let stream = rig.stream { $0.paginator.limits.maxPages = 2 }
            for _ in 1...3 { _ = try await rig.sync(stream, RunOptions(scope: RunScope(restarts: true))) }
            #expect(try rig.integers("SELECT count(*) FROM _garner_pages") == [2])
        }
    }

    @Test func `a page with a record in quarantine is asked for again`() async throws {
        try await SyncRig.run({ request in
            request["If-None-Match"] != nil
                ? .response(status: 304, headers: [("ETag", #""a""#)])
                : .json(#"[{"id":1},{"name":"no key"}]"#, headers: [("ETag", #""a""#)])
        }) { rig in
            for _ in 1...2 {
                let outcome = try await rig.sync()
                #expect([outcome.counts.quarantined, outcome.counts.notModified] == [1, 0])
            }
        }
    }

    @Test func `every request is in the ledger, those that fail too`() async throws {
        try await SyncRig.run({ $0.page == 2 ? .status(500) : .page($0.page, of: 2) }) { rig in
            _ = try await rig.sync(rig.stream { $0.retry = RetryPolicy(maxAttempts: 3, baseDelay: .zero) })
            let ledger = try rig.texts(
                "SELECT run_id || ' ' || url || ' ' || status || ' ' || attempts || ' ' || coalesce(error_kind, '-') FROM _garner_requests"
            )
            #expect(
                ledger == [
                    "1 \(rig.server.url)/animals 200 1 -", "1 \(rig.server.url)/animals?page=2 500 3 status",
                ])
        }
    }

    /// Three pages, each with an entity tag of its revision.
    private static func run(_ body: @escaping @Sendable (SyncRig, Watched<[Int: Int]>) async throws -> Void)
        async throws
    {
        let revisions = Watched<[Int: Int]>([:])
        try await SyncRig.run({ Self.answer($0, revision: revisions.value[$0.page, default: 1], of: 3) }) { rig in
            try await body(rig, revisions)
        }
    }

    private static func answer(_ request: LoopbackRequest, revision: Int, of count: Int) -> LoopbackReply {
        let tag = #"W/"\#(request.page).\#(revision)""#
        if request["If-None-Match"] == tag { return .response(status: 304, headers: [("ETag", tag)]) }
        return .page(request.page, of: count, revision: revision, headers: [("ETag", tag)])
    }
}
