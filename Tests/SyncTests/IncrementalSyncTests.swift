import GarnerCatalog
import GarnerJSON
import GarnerModel
import GarnerPersistence
import GarnerSync
import TestSupport
import Testing

/// Sightings, each with the day on which it changed.
@Suite(.timeLimit(.minutes(5)))
struct IncrementalSyncTests {
    private static func sightings(
        _ rig: SyncRig, _ incremental: Incremental = Incremental(cursorField: "at"),
        _ change: (inout StreamConfiguration) -> Void = { _ in }
    ) -> StreamConfiguration {
        rig.stream("sightings") {
            $0.request.params = [.init(name: "since", value: .literal("{incremental.start_value}"))]
            if incremental.step != nil || incremental.endValue != nil {
                $0.request.params.append(.init(name: "until", value: .literal("{incremental.end_value}")))
            }
            $0.incremental = incremental
            change(&$0)
        }
    }

    private static func reply(_ records: (id: Int, at: String)...) -> LoopbackReply {
        .json("[" + records.map { #"{"id":\#($0.id),"at":"\#($0.at)"}"# }.joined(separator: ",") + "]")
    }

    private static func asked(_ rig: SyncRig) -> [String] {
        rig.server.requests.map { $0.target.replacing("/sightings", with: "") }
    }

    @Test func `the next run begins behind the greatest cursor`() async throws {
        try await SyncRig.run({ request in
            if request.target.contains("since") { return Self.reply((3, "2026-01-12"), (9, "2026-01-11")) }
            return Self.reply((1, "2026-01-10"), (2, "2026-01-08"))
        }) { rig in
            for _ in 1...3 { _ = try await rig.sync(Self.sightings(rig)) }
            #expect(Self.asked(rig) == ["", "?since=2026-01-10", "?since=2026-01-12"])
            // What comes late, with an older cursor, is stored like all else.
            #expect(try rig.integers("SELECT id FROM sightings ORDER BY id") == [1, 2, 3, 9])
        }
    }

    @Test func `a cursor may have any name`() async throws {
        let (name, other) = ("it'\u{301}s\u{E9}", "it'\u{301}se\u{301}")
        try await SyncRig.run({ _ in
            .json("[{\"id\":1,\"\(name)\":\"2026-01-10\",\"\(other)\":\"2026-01-20\"}]")
        }) { rig in
            for _ in 1...2 { _ = try await rig.sync(Self.sightings(rig, Incremental(cursorField: name))) }
            #expect(Self.asked(rig) == ["", "?since=2026-01-10"])
        }
    }

    @Test func `the first run begins with the initial value, and a full refresh again`() async throws {
        try await SyncRig.run({ _ in Self.reply((1, "2026-01-10")) }) { rig in
            let stream = Self.sightings(rig, Incremental(cursorField: "at", initialValue: "2026-01-01"))
            _ = try await rig.sync(stream)
            _ = try await rig.sync(stream, RunOptions(scope: RunScope(restarts: true)))
            _ = try await rig.sync(stream)
            #expect(Self.asked(rig) == ["?since=2026-01-01", "?since=2026-01-01", "?since=2026-01-10"])
        }
    }

    @Test func `a configuration that does not fit the table forgets no cursor`() async throws {
        try await SyncRig.run({ _ in Self.reply((1, "2026-01-10")) }) { rig in
            _ = try await rig.sync(Self.sightings(rig))
            let outcome = try await rig.sync(Self.sightings(rig) { $0.primaryKey = ["at"] })
            #expect(outcome.failure?.category.rawValue == 78)
            _ = try await rig.sync(Self.sightings(rig))
            #expect(Self.asked(rig) == ["", "?since=2026-01-10"])
        }
    }

    @Test func `a cursor never passes the beginning of the read`() async throws {
        try await SyncRig.run({ _ in Self.reply((1, "2030-01-01T00:00:00Z")) }) { rig in
            _ = try await rig.sync(Self.sightings(rig))
            #expect(try rig.texts("SELECT value FROM _garner_cursors") == ["2026-01-31T08:05:00Z"])
        }
    }

    @Test func `a read that does not come to its end moves no cursor`() async throws {
        let fails = Watched(true)
        try await SyncRig.run({ request in
            if request.page == 2 {
                return fails.value ? .status(500) : .json(#"{"data":[{"id":2,"at":"2026-01-05"}],"next":null}"#)
            }
            return .json(#"{"data":[{"id":1,"at":"2026-01-10"}],"next":"?page=2"}"#)
        }) { rig in
            _ = try await rig.sync(Self.sightings(rig))
            #expect(try rig.integers("SELECT count(*) FROM _garner_cursors") == [0])
            #expect(try rig.texts("SELECT watermark FROM _garner_slices") == ["2026-01-10"])
            fails.value = false
            // What was removed meanwhile would have moved other records past the page at which this read goes on.
            _ = try await rig.sync(Self.sightings(rig))
            #expect(try rig.integers("SELECT count(*) FROM _garner_cursors") == [0])
            _ = try await rig.sync(Self.sightings(rig))
            #expect(try rig.texts("SELECT value FROM _garner_cursors") == ["2026-01-10"])
            #expect(Self.asked(rig) == ["", "?page=2", "?page=2", "", "?page=2"])
        }
    }

    @Test func `pages that were left out keep the cursor where it is`() async throws {
        try await SyncRig.run({
            .json(#"{"data":[{"id":\#($0.page),"at":"2026-01-10"}],"next":"?page=\#($0.page + 1)"}"#)
        }) { rig in
            _ = try await rig.sync(Self.sightings(rig) { $0.paginator.limits.maxPages = 2 })
            _ = try await rig.sync(Self.sightings(rig), RunOptions(scope: RunScope(maximumPages: 1)))
            #expect(try rig.integers("SELECT count(*) FROM _garner_cursors") == [0])
        }
    }

    @Test func `step by step, a run that fails goes on with the step`() async throws {
        let fails = Watched(true)
        try await SyncRig.run({ request in
            if request.target.contains("until=2026-01-29"), fails.value { return .status(500) }
            let day = request.target.contains("since=2026-01-15") ? "2026-01-16" : "2026-01-27"
            return Self.reply((request.number, day))
        }) { rig in
            let stream = Self.sightings(
                rig, Incremental(cursorField: "at", initialValue: "2026-01-15", step: .time(.seconds(7 * 86_400))))
            _ = try await rig.sync(stream)
            #expect(try rig.texts("SELECT value FROM _garner_cursors") == ["2026-01-16"])
            fails.value = false
            _ = try await rig.sync(stream)
            #expect(
                Self.asked(rig) == [
                    "?since=2026-01-15&until=2026-01-22", "?since=2026-01-22&until=2026-01-29",
                    "?since=2026-01-22&until=2026-01-29", "?since=2026-01-29&until=2026-01-31",
                ])
            #expect(try rig.texts("SELECT value FROM _garner_cursors") == ["2026-01-27"])
        }
    }

    @Test func `each partition has a cursor of its own`() async throws {
        try await SyncRig.run({ request in
            Self.reply(request.target.contains("/a/") ? (1, "2026-01-10") : (2, "2026-01-20"))
        }) { rig in
            let stream = Self.sightings(rig) {
                $0.request.path = "{partition.zoo}/sightings"
                $0.partitions = [Partition(name: "zoo", values: ["a", "b"])]
                $0.maxConcurrency = 1
            }
            for _ in 1...2 { _ = try await rig.sync(stream) }
            #expect(
                rig.server.requests.map(\.target) == [
                    "/a/sightings", "/b/sightings", "/a/sightings?since=2026-01-10", "/b/sightings?since=2026-01-20",
                ])
        }
    }

    @Test func `numbers are cursors too, and other parameters begin a read of their own`() async throws {
        try await SyncRig.run({ _ in .json(#"[{"id":9},{"id":10},{"id":null}]"#) }) { rig in
            let stream = Self.sightings(rig, Incremental(cursorField: "id", lookbackWindow: .count(2)))
            for _ in 1...2 { _ = try await rig.sync(stream) }
            var other = stream
            other.request.params.append(.init(name: "kind", value: .literal("owl")))
            _ = try await rig.sync(other)
            #expect(Self.asked(rig) == ["", "?since=8", "?kind=owl"])
        }
    }

    /// Records at 1769731200 and 1769774400, which are 2026-01-30T00:00 and T12:00 in UTC.
    private static let stamped = LoopbackReply.json(
        #"[{"id":1,"at":1769774400.25},{"id":2,"at":"1769731200"},{"id":3,"at":"never"}]"#)

    @Test func `records and requests may have different formats`() async throws {
        try await SyncRig.run({ _ in Self.stamped }) { rig in
            let stream = Self.sightings(
                rig,
                Incremental(
                    cursorField: "at", lookbackWindow: .time(.seconds(3600)), cursorFormat: .epoch,
                    requestFormat: DatetimeFormat("%d.%m.%Y %H:%M"), timezone: ZoneName("Europe/Berlin") ?? .utc)
            ) {
                $0.request.headers = [
                    .init(name: "X-Since", value: .literal("{incremental.start_value, epoch_ms}")),
                    .init(name: "X-Day", value: .literal("{incremental.start_value - 12h, date}")),
                ]
            }
            for _ in 1...2 { _ = try await rig.sync(stream) }
            #expect(Self.asked(rig) == ["", "?since=30.01.2026%2012%3A00"])
            #expect(rig.server.requests.map { $0["X-Since"] } == [nil, "1769770800000"])
            // It is noon in Berlin.
            #expect(rig.server.requests.map { $0["X-Day"] } == [nil, "2026-01-30"])
            #expect(try rig.texts("SELECT value FROM _garner_cursors") == ["1769774400.25"])
        }
    }

    @Test func `a cursor in the format of requests keeps its digits`() async throws {
        try await SyncRig.run({ _ in .json(#"[{"id":1,"at":"1769774400.123456"}]"#) }) { rig in
            let stream = Self.sightings(rig, Incremental(cursorField: "at", requestFormat: .epoch))
            for _ in 1...2 { _ = try await rig.sync(stream) }
            #expect(Self.asked(rig) == ["", "?since=1769774400.123456"])
        }
    }

    @Test func `cursors in another format than the configured one are an error`() async throws {
        try await SyncRig.run({ _ in Self.stamped }) { rig in
            let outcome = try await rig.sync(
                Self.sightings(rig, Incremental(cursorField: "at", cursorFormat: .epochMilliseconds)))
            #expect(outcome.failure == nil)
            let other = try await rig.sync(Self.sightings(rig, Incremental(cursorField: "at", cursorFormat: .date)))
            #expect(other.failure?.kind == "incremental")
            #expect(other.failure?.message.contains("is not written as date") == true)
        }
    }

    @Test func `without a cursor field a read begins where the previous one began`() async throws {
        let now = Watched(SyncRig.epoch)
        try await SyncRig.run({ _ in .json("[]") }, now: { now.value }) { rig in
            let stream = Self.sightings(rig, Incremental(cursorField: nil))
            _ = try await rig.sync(stream)
            now.value = SyncRig.epoch.advanced(by: .seconds(3600))
            for _ in 1...2 { _ = try await rig.sync(stream) }
            #expect(Self.asked(rig) == ["", "?since=2026-01-31T08%3A05%3A00Z", "?since=2026-01-31T09%3A05%3A00Z"])
        }
    }

    @Test func `a read that goes on sends the time when it began`() async throws {
        let now = Watched(SyncRig.epoch)
        let fails = Watched(true)
        try await SyncRig.run(
            { request in
                request.target.contains("/b/") && fails.value ? .status(500) : .json("[]")
            }, now: { now.value }
        ) { rig in
            let stream = rig.stream("sightings") {
                $0.request.path = "{partition.zoo}/sightings"
                $0.request.params = [.init(name: "to", value: .literal("{now - 1d, date}T{now, epoch}"))]
                $0.partitions = [Partition(name: "zoo", values: ["a", "b"])]
                $0.maxConcurrency = 1
            }
            _ = try await rig.sync(stream)
            now.value = SyncRig.epoch.advanced(by: .seconds(7200))
            fails.value = false
            for _ in 1...2 { _ = try await rig.sync(stream) }
            #expect(
                rig.server.requests.map(\.target) == [
                    "/a/sightings?to=2026-01-30T1769846700", "/b/sightings?to=2026-01-30T1769846700",
                    "/b/sightings?to=2026-01-30T1769846700", "/a/sightings?to=2026-01-30T1769853900",
                    "/b/sightings?to=2026-01-30T1769853900",
                ])
        }
    }

    @Test func `a cursor may stand deep in a record`() async throws {
        try await SyncRig.run({ _ in .json(#"[{"id":1,"meta":{"at it":"2026-01-10"}}]"#) }) { rig in
            _ = try await rig.sync(Self.sightings(rig, Incremental(cursorField: "$.meta['at it']")))
            #expect(try rig.texts("SELECT value FROM _garner_cursors") == ["2026-01-10"])
        }
    }

    @Test func `a list that changed while it was read moves no cursor`() async throws {
        let isMoved = Watched(false)
        try await SyncRig.run({ request in
            if request.target.contains("page=2") {
                return .json(#"{"data":[{"id":5,"at":"2026-01-05"}],"total":\#(isMoved.value ? 4 : 3)}"#)
            }
            return .json(#"{"data":[{"id":1,"at":"2026-01-01"},{"id":2,"at":"2026-01-02"}],"total":3}"#)
        }) { rig in
            let stream = Self.sightings(rig) {
                $0.paginator = Paginator(
                    .pageNumber(.init(pageParam: "page", basePage: 1, totalPath: try? Selector(parsing: "$.total"))))
            }
            isMoved.value = true
            let record = try #require(try await rig.sync(stream).record)
            #expect(record.verdict?.kind == .contradicted)
            #expect(record.warning?.contains("its cursor was not moved") == true)
            #expect(try rig.texts("SELECT value FROM _garner_cursors") == [])
            isMoved.value = false
            _ = try await rig.sync(stream)
            #expect(try rig.texts("SELECT value FROM _garner_cursors") == ["2026-01-05"])
        }
    }
}
