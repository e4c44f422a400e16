import GarnerCatalog
import GarnerModel
import GarnerPersistence
import GarnerSync
import TestSupport
import Testing

/// Servers that answer 304 to the condition that the configuration sends.
@Suite(.timeLimit(.minutes(5)))
struct NothingNewTests {
    private static let rows = #"[{"id":1,"at":"2026-01-01T00:00:00Z"},{"id":2,"at":"2026-01-02T00:00:00Z"}]"#

    /// Syncs twice: the first read has two records, and the second one 304.
    private static func outcome(
        then reply: LoopbackReply = .response(status: 304),
        _ change: @escaping @Sendable (inout StreamConfiguration) -> Void = { _ in },
        _ body: @escaping @Sendable (SyncRig, RunOutcome) async throws -> Void
    ) async throws {
        let isNew = Watched(true)
        try await SyncRig.run({ _ in isNew.value ? .json(rows) : reply }) { rig in
            let stream = rig.stream {
                $0.request.headers = [.init(name: "If-Modified-Since", value: .literal("2026-01-02"))]
                change(&$0)
            }
            _ = try await rig.sync(stream)
            isNew.value = false
            try await body(rig, try await rig.sync(stream))
        }
    }

    private static let streams: [@Sendable (inout StreamConfiguration) -> Void] = [
        { _ in }, { ($0.deleteMissing, $0.maxDeleteRatio) = (.hard, 1) }, { $0.writeDisposition = .replace },
        { ($0.writeDisposition, $0.maxDeleteRatio) = (.replace, 1) },
        { $0.incremental = Incremental(cursorField: "at") }, { $0.incremental = Incremental(cursorField: nil) },
    ]

    @Test(arguments: streams.indices)
    func `nothing new changes nothing, and is no reason to warn`(index: Int) async throws {
        try await Self.outcome(Self.streams[index]) { rig, outcome in
            #expect(outcome.status == .succeeded)
            #expect(outcome.record?.warning == nil)
            #expect(outcome.record?.completeness == .unknown)
            #expect(outcome.counts.deleted == 0)
            let rows = try rig.integers("SELECT count(*) FROM animals")
            #expect(rows == [2])
        }
    }

    @Test(arguments: [Incremental(cursorField: "at"), Incremental(cursorField: nil)])
    func `the cursor stays`(incremental: Incremental) async throws {
        let cursors = "SELECT value FROM _garner_cursors"
        let isNew = Watched(true)
        let now = { @Sendable in SyncRig.epoch.advanced(by: .seconds(isNew.value ? 0 : 3600)) }
        try await SyncRig.run({ _ in isNew.value ? .json(Self.rows) : .response(status: 304) }, now: now) { rig in
            let stream = rig.stream {
                $0.request.headers = [
                    .init(name: "If-Modified-Since", value: .literal("{incremental.start_value}"))
                ]
                $0.incremental = incremental
            }
            _ = try await rig.sync(stream)
            let before = try rig.texts(cursors)
            isNew.value = false
            _ = try await rig.sync(stream)
            #expect(try rig.texts(cursors) == before)
            #expect(before.count == 1)
        }
    }

    @Test func `a table is not replaced where one of several lists has nothing new`() async throws {
        let isNew = Watched(true)
        try await SyncRig.run({ request in
            let part = request.target.hasSuffix("b") ? 2 : 1
            return isNew.value || part == 1 ? .json(#"[{"id":\#(part)}]"#) : .response(status: 304)
        }) { rig in
            let stream = rig.stream {
                $0.request.headers = [.init(name: "If-None-Match", value: .literal("x"))]
                $0.request.params = [.init(name: "part", value: .literal("{partition.part}"))]
                $0.partitions = [Partition(name: "part", values: ["a", "b"])]
                $0.writeDisposition = .replace
            }
            _ = try await rig.sync(stream)
            isNew.value = false
            let outcome = try await rig.sync(stream)
            #expect(outcome.status == .succeeded)
            #expect(try rig.integers("SELECT count(*) FROM animals") == [2])
        }
    }
}
