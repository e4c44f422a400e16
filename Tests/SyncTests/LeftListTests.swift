import GarnerCatalog
import GarnerModel
import GarnerSync
import TestSupport
import Testing

/// Orders, and the lines of those that changed, of which a run that is cut short leaves some behind.
@Suite(.timeLimit(.minutes(5)))
struct LeftListTests {
    /// A shop that gives the lines of its orders, two on a page.
    private struct Shop {
        var archived: Set<Int> = []
        var lines: [Int: [Int]]

        func answer(_ request: LoopbackRequest) -> LoopbackReply {
            let parts = request.target.split(separator: "/")
            guard parts.count == 3, let id = Int(parts[1]) else {
                let orders = lines.keys.sorted().map {
                    #"{"id":\#($0),"status":"\#(archived.contains($0) ? "archived" : "open")"}"#
                }
                return .json(#"{"data":[\#(orders.joined(separator: ","))],"next":null}"#)
            }
            let all = lines[id] ?? []
            let page = all.dropFirst((request.page - 1) * 2).prefix(2).map { #"{"line":\#($0)}"# }
            let next = request.page * 2 < all.count ? #""?page=\#(request.page + 1)""# : "null"
            return .json(#"{"data":[\#(page.joined(separator: ","))],"next":\#(next)}"#)
        }
    }

    private static func run(
        _ lines: [Int: [Int]], _ body: @escaping @Sendable (SyncRig, Watched<Shop>) async throws -> Void
    ) async throws {
        let shop = Watched(Shop(lines: lines))
        try await SyncRig.run({ shop.value.answer($0) }) { try await body($0, shop) }
    }

    /// Syncs both streams. Returns the outcome of the lines.
    @discardableResult
    private static func sync(_ rig: SyncRig, _ scope: RunScope = RunScope()) async throws -> RunOutcome {
        _ = try await rig.sync(rig.stream("orders") { $0.deleteMissing = .hard })
        let stream = rig.stream("lines") {
            $0.request.path = "orders/{parent.id}/lines"
            $0.parent = Parent(
                stream: StreamName(source: "zoo", stream: "orders"), include: ["id"], only: .changed,
                condition: "status <> 'archived'")
            $0.primaryKey = ["_orders_id", "line"]
            ($0.deleteMissing, $0.maxDeleteRatio, $0.maxConcurrency) = (.hard, 1, 1)
        }
        return try await rig.sync(stream, RunOptions(scope: scope))
    }

    private static func rows(_ rig: SyncRig) throws -> [String] {
        try rig.texts("SELECT _orders_id || '.' || line FROM lines ORDER BY _orders_id, line")
    }

    @Test func `lines that a read of all was to read stay when their order leaves the condition before that`()
        async throws
    {
        try await Self.run([1: [1], 2: [1, 2], 3: [1, 2]]) { rig, shop in
            try await Self.sync(rig)
            let cut = try await Self.sync(rig, RunScope(restarts: true, maximumPages: 1))
            #expect(cut.counts.pages == 1)
            shop.change { ($0.archived, $0.lines[3]) = ([2], [2]) }
            let outcome = try await Self.sync(rig)
            #expect(outcome.record?.completeness == .complete && outcome.counts.deleted == 1)
            #expect(try Self.rows(rig) == ["1.1", "2.1", "2.2", "3.2"])
            try await Self.sync(rig, RunScope(restarts: true))
            #expect(try Self.rows(rig) == ["1.1", "3.2"])
        }
    }

    @Test func `lines of an order that was read in part are missing from no read that leaves it out`() async throws {
        try await Self.run([1: [1, 2, 3], 2: [1]]) { rig, shop in
            try await Self.sync(rig)
            // Line 2 moves to the page that is not read.
            shop.change { $0.lines[1] = [0, 1, 2, 3] }
            try await Self.sync(rig, RunScope(restarts: true, maximumPages: 1))
            shop.change { $0.archived = [1] }
            let outcome = try await Self.sync(rig)
            #expect(outcome.record?.warning?.contains("cannot be told which rows are missing") == true)
            #expect(try Self.rows(rig) == ["1.0", "1.1", "1.2", "1.3", "2.1"])
            // A read of it to its end settles that.
            shop.change { ($0.archived, $0.lines[1]) = ([], [0, 1, 2]) }
            #expect(try await Self.sync(rig).counts.deleted == 1)
            #expect(try Self.rows(rig) == ["1.0", "1.1", "1.2", "2.1"])
        }
    }
}
