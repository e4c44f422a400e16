import Catalog
import JSON
import Model
import Persistence
import Sync
import TestSupport
import Testing

/// Lists that change between the requests for their numbered pages, which the server does not tell.
@Suite(.timeLimit(.minutes(5)))
struct MovedRecordTests {
    private static let paginators: [Paginator] = [
        Paginator(.pageNumber(.init(pageParam: "page", basePage: 1, totalPath: try? Selector(parsing: "$.total")))),
        Paginator(.jsonLink(.init(nextURLPath: "$.next"))),
    ]

    /// Runs `body` with a server that gives these pages of numbers, and a total that always fits.
    private static func run(
        _ pages: [[Int]], _ paginator: Paginator,
        _ body: @escaping @Sendable (Watched<[[Int]]>, SyncRig, Catalog.Stream) async throws -> Void
    ) async throws {
        let served = Watched(pages)
        try await SyncRig.run({ request in
            let pages = served.value
            guard request.page <= pages.count else { return .json(#"{"data":[],"total":4,"next":null}"#) }
            let rows = pages[request.page - 1].map { #"{"id":\#($0)}"# }.joined(separator: ",")
            let next = request.page < pages.count ? #""?page=\#(request.page + 1)""# : "null"
            return .json(#"{"data":[\#(rows)],"total":4,"next":\#(next)}"#)
        }) { rig in
            let stream = rig.stream {
                $0.paginator = paginator
                $0.deleteMissing = .hard
            }
            try await body(served, rig, stream)
        }
    }

    @Test(arguments: paginators.indices)
    func `a record on two pages makes the read unsure, even the first one`(index: Int) async throws {
        try await Self.run([[1, 2], [3, 2]], Self.paginators[index]) { _, rig, stream in
            let outcome = try await rig.sync(stream)
            #expect(outcome.record?.completeness == .unknown)
            #expect(
                outcome.record?.completenessReason
                    == "a record came on two pages, as the list changed while it was read; the next sync checks again")
        }
    }

    @Test(arguments: paginators.indices)
    func `a record that another page hides is not deleted, though the first page came unchanged`(
        index: Int
    ) async throws {
        try await Self.run([[1, 2], [3, 4]], Self.paginators[index]) { served, rig, stream in
            for _ in 1...2 { _ = try await rig.sync(stream) }
            served.value = [[1, 2], [3, 2]]
            let outcome = try await rig.sync(stream)
            #expect(outcome.record?.completeness == .unknown)
            #expect(try rig.integers("SELECT id FROM animals ORDER BY id") == [1, 2, 3, 4])
            served.value = [[1, 2], [3]]
            for _ in 1...2 { _ = try await rig.sync(stream) }
            #expect(try rig.integers("SELECT id FROM animals ORDER BY id").count <= 4)
        }
    }

    @Test func `a record that moves to another page is deleted or kept as it should be`() async throws {
        try await Self.run([[1, 2], [3, 4], [5]], Self.paginators[1]) { served, rig, stream in
            for _ in 1...2 { _ = try await rig.sync(stream) }
            // Record 3 is gone, so 5 has moved to the second page. The first one came unchanged.
            served.value = [[1, 2], [4, 5]]
            let outcome = try await rig.sync(stream)
            #expect(outcome.record?.completeness == .complete)
            #expect(try rig.integers("SELECT id FROM animals ORDER BY id") == [1, 2, 4, 5])
        }
    }

    @Test func `a record at the border of two steps is on no two pages of a list`() async throws {
        try await SyncRig.run({ request in
            func bound(_ name: String) -> Int? {
                request.target.split(separator: "\(name)=").dropFirst().first.flatMap { Int($0.prefix { $0 != "&" }) }
            }
            // Both ends of a range are inclusive, as many APIs have it.
            let ids = (bound("from") ?? 0)...(bound("to") ?? 30)
            let rows = ids.dropFirst(4 * (request.page - 1)).prefix(4).map { "{\"id\":\($0)}" }
            return .json("{\"data\":[\(rows.joined(separator: ","))],\"total\":\(ids.count)}")
        }) { rig in
            let stream = rig.stream {
                $0.request.params = [
                    .init(name: "from", value: .literal("{incremental.start_value}")),
                    .init(name: "to", value: .literal("{incremental.end_value}")),
                ]
                $0.paginator = Self.paginators[0]
                $0.incremental = Incremental(
                    cursorField: "id", initialValue: "0", endValue: "30", step: .count(10))
            }
            let outcome = try await rig.sync(stream)
            #expect(outcome.record?.completeness == .complete, "\(outcome)")
            #expect(try rig.integers("SELECT id FROM animals ORDER BY id") == Array(0...30))
            #expect(try rig.texts("SELECT value FROM _garner_cursors") == ["30"])
        }
    }
}
