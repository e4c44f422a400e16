import GarnerCatalog
import GarnerModel
import GarnerPersistence
import GarnerSync
import TestSupport
import Testing

/// Streams whose table becomes what a complete read returns.
@Suite(.timeLimit(.minutes(5)))
struct ReplacingTests {
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

    /// The advised line is pasted.
    @Test func `one object in the place of many rows replaces them only where the configuration says so`() async throws
    {
        let body = Watched(#"[{"id":"1"},{"id":"2"},{"id":"3"}]"#)
        try await SyncRig.run({ _ in .json(body.value) }) { rig in
            var stream = Self.stream(rig) { ($0.recordSelector, $0.maxDeleteRatio) = ("$[*]", nil) }
            _ = try await rig.sync(stream)
            stream.recordSelector = nil
            body.value = #"{"id":"4","kind":"Listing"}"#
            for _ in 1...2 {
                let record = try #require(try await rig.sync(stream).record)
                let rows = try rig.texts("SELECT id FROM animals ORDER BY id")
                #expect(record.completeness == .unknown && rows == ["1", "2", "3"])
                #expect(record.completenessReason?.contains("max_delete_ratio: 1 if the object is all") == true)
            }
            stream.maxDeleteRatio = 1
            let completeness = try await rig.sync(stream).record?.completeness
            let rows = try rig.texts("SELECT id FROM animals")
            #expect(completeness == .complete && rows == ["4"])
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
