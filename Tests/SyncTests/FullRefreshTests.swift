import GarnerCatalog
import GarnerModel
import GarnerPersistence
import GarnerSync
import Synchronization
import TestSupport
import Testing

/// Sightings that are read by their changes, and from time to time as a whole.
@Suite(.timeLimit(.minutes(5)))
struct FullRefreshTests {
    private static func sightings(
        _ rig: SyncRig, every period: Duration? = .seconds(86_400),
        _ change: (inout StreamConfiguration) -> Void = { _ in }
    ) -> StreamConfiguration {
        rig.stream("sightings") {
            $0.request.params = [.init(name: "since", value: .literal("{incremental.start_value}"))]
            $0.incremental = Incremental(cursorField: "at", fullRefreshEvery: period)
            $0.deleteMissing = period == nil ? .ignore : .hard
            change(&$0)
        }
    }

    /// Sightings by number, with the day on which each changed.
    private final class Diary: Sendable {
        let days: Mutex<[Int: String]>

        init(_ days: [Int: String]) { self.days = Mutex(days) }

        func answer(_ request: LoopbackRequest) -> LoopbackReply {
            let since = request.target.split(separator: "since=").dropFirst().first.map(String.init) ?? ""
            let list = days.withLock { $0.filter { $0.value >= since }.sorted { $0.key < $1.key } }
                .map { #"{"id":\#($0.key),"at":"\#($0.value)"}"# }
            return .json(#"{"data":[\#(list.joined(separator: ","))],"next":null}"#)
        }
    }

    private static func run(
        _ body: @escaping @Sendable (SyncRig, Diary, @escaping @Sendable (Int64) -> Void) async throws -> Void
    ) async throws {
        let diary = Diary(
            Dictionary(uniqueKeysWithValues: (1...12).map { ($0, "2026-01-\($0 < 10 ? "0" : "")\($0)") }))
        let now = Mutex(SyncRig.epoch)
        try await SyncRig.run({ diary.answer($0) }, now: { now.withLock { $0 } }) { rig in
            try await body(rig, diary) { seconds in now.withLock { $0 = $0.advanced(by: .seconds(seconds)) } }
        }
    }

    private static func asked(_ rig: SyncRig) -> [String] {
        rig.server.requests.map { $0.target.replacing("/sightings", with: "") }
    }

    @Test func `only a read of everything deletes what is missing, and then changes are read again`() async throws {
        try await Self.run { rig, diary, pass in
            let stream = Self.sightings(rig)
            #expect(try await rig.sync(stream).counts.inserted == 12)
            diary.days.withLock { ($0[3], $0[12]) = (nil, nil) }
            let partial = try await rig.sync(stream)
            #expect(partial.counts.deleted == 0)
            #expect(partial.record?.warning == nil)
            pass(86_400)
            diary.days.withLock { $0[20] = "2026-01-20" }
            let full = try await rig.sync(stream)
            #expect([full.counts.inserted, full.counts.deleted] == [1, 2])
            _ = try await rig.sync(stream)
            #expect(Self.asked(rig) == ["", "?since=2026-01-12", "", "?since=2026-01-20"])
            #expect(try rig.integers("SELECT count(*) FROM sightings") == [11])
        }
    }

    @Test func `a stream that gets a period reads everything once`() async throws {
        try await Self.run { rig, diary, _ in
            _ = try await rig.sync(Self.sightings(rig, every: nil))
            diary.days.withLock { $0[3] = nil }
            #expect(try await rig.sync(Self.sightings(rig)).counts.deleted == 1)
            #expect(try await rig.sync(Self.sightings(rig)).counts.deleted == 0)
            #expect(Self.asked(rig) == ["", "", "?since=2026-01-12"])
        }
    }

    @Test func `a full refresh by hand deletes what is missing, behind the brake`() async throws {
        try await Self.run { rig, diary, _ in
            let stream = Self.sightings(rig)
            let restart = RunOptions(scope: RunScope(restarts: true))
            _ = try await rig.sync(stream)
            diary.days.withLock { days in days = days.filter { $0.key > 7 } }
            let braked = try await rig.sync(stream, restart)
            #expect(braked.counts.deleted == 0)
            #expect(braked.record?.warning?.contains("max_delete_ratio") == true)
            let freed = try await rig.sync(Self.sightings(rig) { $0.maxDeleteRatio = 1 }, restart)
            #expect(freed.counts.deleted == 7)
        }
    }

    @Test func `a stopped read of everything goes on, and the cursor is not past what it has not read`() async throws {
        try await Self.run { rig, diary, pass in
            let stream = Self.sightings(rig) {
                $0.incremental?.initialValue = "2026-01-01"
                $0.incremental?.step = .time(.seconds(4 * 86_400))
                $0.incremental?.endValue = "2026-01-13"
                $0.request.params.append(.init(name: "until", value: .literal("{incremental.end_value}")))
            }
            _ = try await rig.sync(stream)
            pass(86_400)
            let stop = StopRequest()
            let before = rig.server.requests.count
            let stopped = try await rig.sync(stream, stop: stop) { _ in stop.request() }
            #expect(stopped.status == .cancelled)
            let rest = try await rig.sync(stream)
            #expect(rest.status == .succeeded)
            let starts = rig.server.requests.dropFirst(before).map { $0.target.split(separator: "=")[1].prefix(10) }
            #expect(starts == ["2026-01-01", "2026-01-05", "2026-01-09"])
        }
    }

    @Test func `after a read of everything that was interrupted, the next read is one again`() async throws {
        try await Self.run { rig, diary, pass in
            let stream = Self.sightings(rig) {
                $0.incremental?.initialValue = "2026-01-01"
                $0.incremental?.step = .time(.seconds(4 * 86_400))
                $0.incremental?.endValue = "2026-01-13"
            }
            _ = try await rig.sync(stream)
            pass(86_400)
            diary.days.withLock { $0[3] = nil }
            let stop = StopRequest()
            _ = try await rig.sync(stream, stop: stop) { _ in stop.request() }
            let resumed = try await rig.sync(stream)
            #expect(resumed.counts.deleted == 0)
            #expect(resumed.record?.warning?.contains("by the next full read that is not interrupted") == true)
            #expect(try await rig.sync(stream).counts.deleted == 1)
        }
    }
}
