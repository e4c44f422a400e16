import GarnerCatalog
import GarnerModel
import GarnerSync
import TestSupport
import Testing

/// Streams that delete missing rows, and whose configuration asks for other records than before.
@Suite(.timeLimit(.minutes(2)))
struct ChangedRequestTests {
    private static func run(
        _ missing: DeleteMissing, _ body: @escaping @Sendable (SyncRig, StreamConfiguration) async throws -> Void
    ) async throws {
        try await SyncRig.run({ request in
            let ids = request.target.contains("kind=cat") ? 1...3 : 1...4
            return .json(#"{"data":[\#(ids.map { #"{"id":\#($0)}"# }.joined(separator: ","))],"next":null}"#)
        }) { rig in
            try await body(
                rig,
                rig.stream {
                    $0.deleteMissing = missing
                    $0.maxDeleteRatio = 1
                })
        }
    }

    @Test(arguments: [(DeleteMissing.hard, "1 row that it does not give any more was deleted"), (.soft, "was marked")])
    func `rows that only another request leaves out are told of once`(missing: DeleteMissing, words: String)
        async throws
    {
        try await Self.run(missing) { rig, stream in
            #expect(try await rig.sync(stream).record?.warning == nil)
            var other = stream
            other.request.params = [.init(name: "kind", value: .literal("cat"))]
            let run = try await rig.sync(other)
            #expect(run.counts.deleted == 1)
            let warning = run.record?.warning ?? ""
            #expect(warning.hasPrefix("zoo.animals asks for other things than in its last complete read"))
            #expect(warning.contains(words), "\(warning)")
            #expect(try await rig.sync(other).record?.warning == nil)
            // The advice is followed: the change is undone, and the row is back.
            #expect(try await rig.sync(stream).record?.warning == nil)
            let rows = "SELECT count(*) FROM animals" + (missing == .soft ? " WHERE _garner_deleted_at IS NULL" : "")
            #expect(try rig.integers(rows) == [4])
        }
    }

    @Test func `a row that the source has lost needs no such word, nor does a change that loses none`() async throws {
        try await Self.run(.hard) { rig, stream in
            var cats = stream
            cats.request.params = [.init(name: "kind", value: .literal("cat"))]
            _ = try await rig.sync(cats)
            let all = try await rig.sync(stream)
            #expect(all.counts.inserted == 1 && all.record?.warning == nil)
        }
    }
}
