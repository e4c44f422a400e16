import GarnerCatalog
import GarnerJSON
import GarnerModel
import GarnerPersistence
import GarnerSync
import TestSupport
import Testing

/// Records that say that they are deleted in one slice, and may be there in another.
@Suite(.timeLimit(.minutes(5)))
struct FlaggedSliceTests {
    private static let live = #"{"id":7,"name":"kea"}"#
    private static let gone = #"{"id":7,"gone":true}"#

    /// Animals of the zoos `a` and `b`, one page each.
    private static func animals(_ rig: SyncRig, _ change: (inout StreamConfiguration) -> Void = { _ in }) throws
        -> StreamConfiguration
    {
        let deletedWhen = try FilterExpression(parsing: "@.gone == true")
        return rig.stream {
            $0.request.path = "{partition.zoo}/animals"
            $0.partitions = [Partition(name: "zoo", values: ["a", "b"])]
            $0.paginator = Paginator(.singlePage)
            $0.deletedWhen = deletedWhen
            change(&$0)
        }
    }

    /// Runs `body` with a server that gives these records of the zoos. A page is known by what it holds.
    private static func run(
        _ first: [String], _ body: @escaping @Sendable (Watched<[String]>, SyncRig) async throws -> Void
    ) async throws {
        let zoos = Watched(first)
        try await SyncRig.run({ request in
            let records = zoos.value[request.target.contains("b") ? 1 : 0]
            let tag = #""\#(records.utf8.reduce(7) { ($0 &* 31) &+ Int($1) })""#
            return request["if-none-match"] == tag
                ? .response(status: 304)
                : .json(#"[{"id":1,"name":"emu"}\#(records.isEmpty ? "" : ",")\#(records)]"#, headers: [("ETag", tag)])
        }) { rig in
            try await body(zoos, rig)
        }
    }

    @Test(arguments: [DeleteMissing.ignore, .hard], [[gone, live], [live, gone]])
    func `a record that is there in one partition stays, although another says that it is deleted`(
        missing: DeleteMissing, then: [String]
    ) async throws {
        try await Self.run([Self.live, Self.live]) { zoos, rig in
            let stream = try Self.animals(rig) { $0.deleteMissing = missing }
            _ = try await rig.sync(stream)
            for records in [then, then, [Self.gone, Self.gone]] {
                zoos.value = records
                let outcome = try await rig.sync(stream)
                #expect(outcome.status == .succeeded, "\(outcome)")
                let isThere = records.contains(Self.live)
                #expect(try rig.integers("SELECT id FROM animals ORDER BY id") == (isThere ? [1, 7] : [1]))
            }
        }
    }

    @Test(arguments: [0, 1])
    func `a record on an unchanged page stays`(other: Int) async throws {
        var first = [Self.live, Self.live]
        first[other] = ""
        try await Self.run(first) { zoos, rig in
            let stream = try Self.animals(rig)
            for _ in 1...2 { _ = try await rig.sync(stream) }
            zoos.value[other] = Self.gone
            _ = try await rig.sync(stream)
            #expect(try rig.integers("SELECT id FROM animals ORDER BY id") == [1, 7])
        }
    }

    @Test func `a record that moved to a partition of deleted ones goes`() async throws {
        try await Self.run([Self.live, ""]) { zoos, rig in
            let stream = try Self.animals(rig)
            _ = try await rig.sync(stream)
            zoos.value = ["", Self.gone]
            _ = try await rig.sync(stream)
            #expect(try rig.integers("SELECT id FROM animals ORDER BY id") == [1])
        }
    }

    @Test func `partitions in the key have rows of their own`() async throws {
        try await Self.run([Self.live, Self.live]) { zoos, rig in
            let stream = try Self.animals(rig) { $0.primaryKey = ["_zoo", "id"] }
            _ = try await rig.sync(stream)
            zoos.value = [Self.live, Self.gone]
            _ = try await rig.sync(stream)
            #expect(try rig.texts("SELECT _zoo || id FROM animals ORDER BY 1") == ["a1", "a7", "b1"])
        }
    }

    /// Syncs, and stops a second sync behind the page of the first zoo. A third one goes on with its read.
    private static func syncInParts(
        _ rig: SyncRig, _ zoos: Watched<[String]>, then: [String], with missing: [DeleteMissing]
    ) async throws -> RunOutcome {
        let streams = try missing.map { missing in try animals(rig) { $0.deleteMissing = missing } }
        _ = try await rig.sync(streams[0])
        zoos.value = then
        let stop = StopRequest()
        #expect(try await rig.sync(streams[0], stop: stop) { _ in stop.request() }.status == .cancelled)
        let outcome = try await rig.sync(streams[1])
        #expect(outcome.status == .succeeded, "\(outcome)")
        return outcome
    }

    @Test func `a read that goes on still knows what its earlier run has found`() async throws {
        try await Self.run([Self.live, Self.live]) { zoos, rig in
            let outcome = try await Self.syncInParts(rig, zoos, then: [Self.live, Self.gone], with: [.hard, .hard])
            #expect(try rig.integers("SELECT id FROM animals ORDER BY id") == [1, 7])
            #expect(outcome.record?.warning?.contains("deleted_when") != true, "\(outcome)")
            #expect(outcome.record?.counts.deleted == 0)
        }
    }

    @Test func `a read that goes on deletes what its earlier run has found nowhere`() async throws {
        try await Self.run([Self.live, Self.live]) { zoos, rig in
            _ = try await Self.syncInParts(rig, zoos, then: ["", Self.gone], with: [.hard, .hard])
            #expect(try rig.integers("SELECT id FROM animals ORDER BY id") == [1])
        }
    }

    @Test(arguments: [[DeleteMissing.ignore, .ignore], [.ignore, .hard]])
    func `a read that goes on deletes nothing for records of which its earlier run has noted none`(
        missing: [DeleteMissing]
    ) async throws {
        try await Self.run([Self.live, Self.live]) { zoos, rig in
            let outcome = try await Self.syncInParts(rig, zoos, then: [Self.live, Self.gone], with: missing)
            #expect(try rig.integers("SELECT id FROM animals ORDER BY id") == [1, 7])
            #expect(
                outcome.record?.warning?.contains(
                    "as this run went on with a read whose earlier records were not noted; no row was deleted for them")
                    == true, "\(outcome)")
            // A read from beginning to end knows.
            zoos.value = ["", Self.gone]
            _ = try await rig.sync(try Self.animals(rig) { $0.deleteMissing = missing[1] })
            #expect(try rig.integers("SELECT id FROM animals ORDER BY id") == [1])
        }
    }
}
