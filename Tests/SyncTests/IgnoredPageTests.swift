import GarnerCatalog
import GarnerJSON
import GarnerModel
import GarnerPersistence
import GarnerSync
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct IgnoredPageTests {
    @Test(arguments: [(404, 4), (410, 4), (200, 4), (403, 0), (503, 0)])
    func `only an ignored page that says that nothing is there lets records go missing`(status: Int, deleted: Int)
        async throws
    {
        let isGone = Watched(false)
        try await SyncRig.run({ request in
            isGone.value ? .response(status: status, body: #"{"error":"gone"}"#) : .page(request.page, of: 2)
        }) { rig in
            let stream = rig.stream {
                ($0.deleteMissing, $0.maxDeleteRatio) = (.hard, 1)
                $0.responseActions = [.init(status: status, bodyContains: "gone", action: .ignore)]
            }
            _ = try await rig.sync(stream)
            isGone.value = true
            let outcome = try await rig.sync(stream)
            #expect(outcome.status == .succeeded)
            #expect(outcome.counts.deleted == deleted)
            #expect(try rig.integers("SELECT count(*) FROM animals") == [Int64(4 - deleted)])
        }
    }

    @Test func `what is gone is deleted by a read that an action ends`() async throws {
        let count = Watched(2)
        try await SyncRig.run({ request in
            request.page > count.value
                ? .response(status: 400, body: #"{"code":7}"#) : .json(#"[{"id":\#(request.page)}]"#)
        }) { rig in
            let end = try FilterExpression(parsing: "$.code == 7")
            let stream = rig.stream {
                $0.paginator = Paginator(.pageNumber(.init()))
                ($0.deleteMissing, $0.maxDeleteRatio) = (.hard, 1)
                $0.responseActions = [.init(when: end, action: .end)]
            }
            _ = try await rig.sync(stream)
            count.value = 1
            let outcome = try await rig.sync(stream)
            #expect(outcome.record?.verdict == .complete)
            #expect(outcome.counts.deleted == 1)
            count.value = 0
            let empty = try await rig.sync(stream)
            #expect(empty.record?.verdict?.kind == .silent)
            #expect(empty.counts.deleted == 0)
        }
    }
}
