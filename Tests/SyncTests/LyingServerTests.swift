import GarnerCatalog
import GarnerJSON
import GarnerModel
import GarnerPersistence
import GarnerSync
import TestSupport
import Testing

/// A server that contradicts itself deletes nothing, also where its first pages are as they were before.
@Suite(.timeLimit(.minutes(2)))
struct LyingServerTests {
    /// Each paginator, with the members beside the records, by the page's number and whether the server lies.
    private static let lies: [(Paginator.Kind, @Sendable (Int, Bool) -> String)] = [
        (
            .cursor(.init(cursorPath: "$.c", cursorParam: "page", hasMorePath: "$.more")),
            { page, lies in
                let isLast = page == 4
                let cursor = isLast || lies && page == 3 ? "null" : "\"\(page + 1)\""
                return "\"c\":\(cursor),\"more\":\(!isLast)"
            }
        ),
        (
            .pageNumber(.init(pageParam: "page", totalPath: "$.total")),
            { page, lies in "\"total\":\(lies && page == 3 ? 15 : 20)" }
        ),
        (
            .pageNumber(.init(pageParam: "page", totalPagesPath: "$.pages")),
            { page, lies in "\"pages\":\(lies && page == 3 ? 3 : 4)" }
        ),
        (
            .pageNumber(.init(pageParam: "page", totalPagesPath: "$.pages")),
            { page, lies in "\"pages\":\(lies && page == 3 ? 0 : 4)" }
        ),
    ]

    @Test(arguments: lies.indices)
    func `a server that contradicts itself in the middle of a read deletes nothing`(index: Int) async throws {
        let (kind, members) = Self.lies[index]
        let isLying = Watched(false)
        try await SyncRig.run({ request in
            let page = request.page
            let ids = page <= 4 ? ((page - 1) * 5..<page * 5).map { "{\"id\":\($0)}" } : []
            return .json("{\"data\":[\(ids.joined(separator: ","))],\(members(page, isLying.value))}")
        }) { rig in
            let stream = rig.stream {
                $0.paginator = Paginator(kind)
                $0.deleteMissing = .hard
            }
            let honest = try await rig.sync(stream)
            #expect(honest.record?.completeness == .complete, "\(honest)")
            isLying.value = true
            let lying = try await rig.sync(stream)
            #expect(lying.record?.completeness != .complete, "\(lying)")
            let stored = try rig.integers("SELECT count(*) FROM animals")
            #expect(stored == [20])
        }
    }

    @Test func `a first page as full as before that no longer leads to another one is not the whole list`() async throws
    {
        let (lies, count) = (Watched(false), Watched(15))
        try await SyncRig.run({ request in
            let ids = (request.page == 1 ? 0..<min(12, count.value) : 12..<count.value).map { "{\"id\":\($0)}" }
            let next = request.page == 1 && !lies.value && count.value > 12 ? ",\"next\":\"?page=2\"" : ""
            return .json("{\"data\":[\(ids.joined(separator: ","))]\(next)}")
        }) { rig in
            let stream = rig.stream {
                $0.paginator = Paginator(.jsonLink(.init(nextURLPath: "$.next")))
                $0.deleteMissing = .hard
            }
            #expect(try await rig.sync(stream).record?.completeness == .complete)
            lies.value = true
            #expect(try await rig.sync(stream).record?.completeness == .unknown)
            #expect(try rig.integers("SELECT count(*) FROM animals") == [15])
            // A shorter page may be all that is left.
            lies.value = false
            _ = try await rig.sync(stream)
            count.value = 11
            #expect(try await rig.sync(stream).record?.completeness == .complete)
        }
    }
}
