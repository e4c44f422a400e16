import GarnerCatalog
import GarnerJSON
import GarnerModel
import GarnerPersistence
import GarnerSync
import TestSupport
import Testing

/// A list of two records that is another one, or nothing, when it is read again.
enum OddList {
    static let list = #"{"data":[{"id":1},{"id":2}],"next":null}"#

    static func rows(_ rig: SyncRig) throws -> [Int64] {
        try rig.integers("SELECT id FROM animals ORDER BY id")
    }

    /// Syncs a list, and then once more with another answer. Returns the last run, the rows and the number of its requests.
    static func sync(
        _ now: LoopbackReply, _ change: @escaping @Sendable (inout StreamConfiguration) -> Void
    ) async throws -> (record: RunRecord?, rows: [Int64], requests: Int) {
        let answer = Watched(LoopbackReply.json(list))
        let requests = Watched(0)
        let result = Watched<(record: RunRecord?, rows: [Int64], requests: Int)>((nil, [], 0))
        try await SyncRig.run({ request in
            requests.change { $0 += 1 }
            if request.target.hasPrefix("/login") { return .json(#"{"data":[{"id":900}],"next":null}"#) }
            return answer.value
        }) { rig in
            let stream = rig.stream { change(&$0) }
            _ = try await rig.sync(stream)
            (answer.value, requests.value) = (now, 0)
            let outcome = try await rig.sync(stream)
            #expect(outcome.failure == nil)
            result.value = (outcome.record, try Self.rows(rig), requests.value)
        }
        return result.value
    }

    static let modes: [@Sendable (inout StreamConfiguration) -> Void] = [
        { ($0.deleteMissing, $0.maxDeleteRatio) = (.hard, 1) }, { $0.writeDisposition = .replace },
    ]
}
