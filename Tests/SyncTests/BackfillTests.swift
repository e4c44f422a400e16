import GarnerCatalog
import GarnerModel
import GarnerPersistence
import GarnerSync
import TestSupport
import Testing

/// Reads of a range of an incremental stream.
@Suite(.timeLimit(.minutes(5)))
struct BackfillTests {
    /// Sightings whose requests say which range they want.
    private static func sightings(
        _ rig: SyncRig, _ change: (inout StreamConfiguration) -> Void = { _ in }
    ) -> StreamConfiguration {
        rig.stream("sightings") {
            $0.request.params = [
                .init(name: "since", value: .literal("{incremental.start_value}")),
                .init(name: "until", value: .literal("{incremental.end_value}")),
            ]
            $0.incremental = Incremental(
                cursorField: "at", initialValue: "2026-01-01", step: .time(.seconds(10 * 86_400)),
                lookbackWindow: .time(.seconds(86_400)))
            change(&$0)
        }
    }

    /// One sighting for each day of January; those of a range where the request names one.
    private static func answer(_ request: LoopbackRequest) -> LoopbackReply {
        func bound(_ name: String) -> String? {
            request.target.split(separator: "\(name)=").dropFirst().first.map { String($0.prefix { $0 != "&" }) }
        }
        let list = (1...31).map { "2026-01-\($0 < 10 ? "0" : "")\($0)" }
            .filter { $0 >= bound("since") ?? "" && $0 < bound("until") ?? "3" }
            .map { #"{"id":\#($0.suffix(2).drop { $0 == "0" }),"at":"\#($0)"}"# }
        return .json(#"{"data":[\#(list.joined(separator: ","))],"next":null}"#)
    }

    private static func asked(_ rig: SyncRig) -> [String] {
        rig.server.requests.map { $0.target.replacing("/sightings?", with: "") }
    }

    private static func cursors(_ rig: SyncRig) throws -> [String] {
        try rig.texts("SELECT value FROM _garner_cursors")
    }

    @Test func `a range is read in steps, and the cursor stays where it was`() async throws {
        try await SyncRig.run({ Self.answer($0) }) { rig in
            let stream = Self.sightings(rig)
            _ = try await rig.sync(stream)
            let cursors = try Self.cursors(rig)
            let before = Self.asked(rig).count
            let range = try #require(try stream.backfilling(from: "2026-01-05", to: "2026-01-20"))
            let run = try await rig.sync(range)
            #expect(run.counts.unchanged == 15)
            #expect(
                Self.asked(rig).dropFirst(before) == [
                    "since=2026-01-05&until=2026-01-15", "since=2026-01-15&until=2026-01-20",
                ])
            #expect(try Self.cursors(rig) == cursors)
            _ = try await rig.sync(stream)
            #expect(Self.asked(rig).last?.hasPrefix("since=2026-01-29") == true)
        }
    }

    @Test func `a range deletes nothing that is missing, even in a stream that is read as a whole from time to time`()
        async throws
    {
        try await SyncRig.run({ Self.answer($0) }) { rig in
            let stream = Self.sightings(rig) {
                $0.incremental = Incremental(cursorField: "at", fullRefreshEvery: .seconds(86_400))
                $0.deleteMissing = .hard
                $0.maxDeleteRatio = 1
            }
            _ = try await rig.sync(stream)
            let range = try #require(try stream.backfilling(from: "2026-01-30", to: nil))
            let run = try await rig.sync(range)
            #expect([run.counts.unchanged, run.counts.deleted] == [1, 0])
            #expect(run.record?.warning == nil)
            #expect(try rig.integers("SELECT count(*) FROM sightings") == [31])
        }
    }

    @Test func `a range before anything was read leaves the first read to come`() async throws {
        try await SyncRig.run({ Self.answer($0) }) { rig in
            let stream = Self.sightings(rig)
            let range = try #require(try stream.backfilling(from: "2026-01-30", to: "2026-01-31"))
            #expect(try await rig.sync(range).counts.inserted == 1)
            #expect(try Self.cursors(rig) == [])
            #expect(try await rig.sync(stream).counts.inserted == 29)
        }
    }

    @Test func `a range that was interrupted continues, and no other read continues it`() async throws {
        try await SyncRig.run({ Self.answer($0) }) { rig in
            let stream = Self.sightings(rig)
            let range = try #require(try stream.backfilling(from: "2026-01-01", to: "2026-01-31"))
            let stop = StopRequest()
            var outcome = try await rig.sync(range, stop: stop) { _ in stop.request() }
            #expect(outcome.status == .cancelled)
            let before = Self.asked(rig)
            outcome = try await rig.sync(range)
            #expect(outcome.status == .succeeded)
            #expect(!Self.asked(rig).dropFirst(before.count).contains(before[0]))
            #expect(try rig.integers("SELECT count(*) FROM sightings") == [30])
            outcome = try await rig.sync(range, stop: stop)
            outcome = try await rig.sync(stream)
            #expect(outcome.status == .succeeded, "\(outcome)")
            #expect(Self.asked(rig).filter { $0 == before[0] }.count == 2)
            let cursors = try Self.cursors(rig)
            #expect(cursors == ["2026-01-30"])
        }
    }

    private static let refused: [(Incremental, String?, String?, BackfillError)] = [
        (Incremental(cursorField: nil), "yesterday", nil, .noTime("yesterday", format: nil)),
        (Incremental(cursorField: "at", cursorFormat: .epoch), "x", nil, .noTime("x", format: "epoch")),
        (Incremental(cursorField: "at", step: .time(.seconds(1))), nil, "1", .noTime("1", format: nil)),
        (Incremental(cursorField: "n", step: .count(5)), "1", "x", .noNumber("x")),
        (Incremental(cursorField: "n", step: .count(5)), nil, "7", .noStart),
        (Incremental(cursorField: "n"), "7", "7", .emptyRange("7", "7")),
        (Incremental(cursorField: "n"), "10", "9", .emptyRange("10", "9")),
        (Incremental(cursorField: "at"), "2026-02-01", "2026-01-01", .emptyRange("2026-02-01", "2026-01-01")),
        (Incremental(cursorField: "at"), "b", "a", .emptyRange("b", "a")),
        (Incremental(cursorField: "at"), "2026-02-01", "7", .noTime("7", format: nil)),
        (
            Incremental(cursorField: "at", endValue: "2026-01-01"), "2026-02-01", nil,
            .emptyRange("2026-02-01", "2026-01-01")
        ),
        (
            Incremental(cursorField: "at", initialValue: "2026-02-01"), nil, "2026-01-01",
            .emptyRange("2026-02-01", "2026-01-01")
        ),
        (Incremental(cursorField: "at", initialValue: "7"), "2026-01-01", nil, .noNumber("2026-01-01")),
        (Incremental(cursorField: "at", initialValue: "2026-01-01"), "soon", nil, .noTime("soon", format: nil)),
        (Incremental(cursorField: "at"), "2027-01-01", nil, .emptyRange("2027-01-01", "now")),
    ]

    @Test(arguments: refused)
    func `a range that cannot be read is refused`(
        incremental: Incremental, from start: String?, to end: String?, error: BackfillError
    ) {
        #expect(throws: error) { try incremental.backfill(from: start, to: end, now: SyncRig.epoch) }
    }

    private static let spelled: [(known: String?, from: String, to: String, first: String, last: String)] = [
        (nil, "2026-01-01", "2026-01-02", "2026-01-01", "2026-01-02"),
        (
            "2026-01-31T08:00:00Z", "2026-01-01", "2026-01-02T09:30:00+01:00", "2026-01-01T00:00:00Z",
            "2026-01-02T08:30:00Z"
        ),
        (
            "2026-01-31T08:00:00.123Z", "2026-01-01", "2026-01-02", "2026-01-01T00:00:00.000Z",
            "2026-01-02T00:00:00.000Z"
        ),
        ("2026-01-31", "2026-01-01T12:00:00Z", "2026-01-02T12:00:00Z", "2026-01-01", "2026-01-03"),
        (
            "2026-01-31T08:00:00Z", "2026-01-01", "2026-01-02T00:00:00.5Z", "2026-01-01T00:00:00Z",
            "2026-01-02T00:00:01Z"
        ),
        ("7", "3", "5", "3", "5"), ("01H", "01A", "01B", "01A", "01B"),
    ]

    @Test(arguments: spelled)
    func `a bound is spelled like the cursors of the source`(
        known: String?, from start: String, to end: String, first: String, last: String
    ) throws {
        let range = try Incremental(cursorField: "at").backfill(from: start, to: end, like: known)
        #expect([range.initialValue, range.endValue] == [first, last])
    }

    @Test(arguments: [("2026-01-01", nil, "start"), (nil, "2026-01-01", "end")] as [(String?, String?, String)])
    func `a bound that no request holds is refused`(from start: String?, to end: String?, name: String) async throws {
        try await SyncRig.run({ Self.answer($0) }) { rig in
            let stream = Self.sightings(rig) {
                $0.incremental = Incremental(cursorField: "at")
                $0.request.params = [
                    .init(
                        name: "other", value: .literal("{incremental.\(name == "end" ? "start" : "end")_value, date}"))
                ]
            }
            let placeholder = name == "end" ? Template.Placeholder.incrementalEnd : .incrementalStart
            #expect(throws: BackfillError.unused(placeholder)) { try stream.backfilling(from: start, to: end) }
            let other = try stream.backfilling(from: end, to: start)
            #expect(other != nil)
        }
    }
}
