import GarnerCatalog
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
}
