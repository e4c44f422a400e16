import GarnerCatalog
import GarnerJSON
import GarnerModel
import GarnerPersistence
import GarnerSync
import TestSupport
import Testing

/// A list that begins with its newest record, two records a page.
@Suite(.timeLimit(.minutes(5)))
struct StopAtKnownTests {
    /// A server with the records of these numbers in this order, which fails at some pages.
    private struct Feed: Sendable {
        let records: Watched<[Int]>
        let failing = Watched<Set<Int>>([])

        init(_ records: [Int]) { self.records = Watched(records) }

        func reply(_ request: LoopbackRequest) -> LoopbackReply {
            let page = request.page
            guard !failing.value.contains(page) else { return .status(500) }
            let records = records.value
            let rows = records.dropFirst(2 * page - 2).prefix(2).enumerated().map { place, number in
                #"{"id":\#(2 * page + place),"at":\#(number)}"#
            }
            let next = 2 * page < records.count ? #""?page=\#(page + 1)""# : "null"
            return .json(#"{"data":[\#(rows.joined(separator: ","))],"next":\#(next)}"#)
        }

        /// Runs `body` with a stream of these records, whose key is the number.
        static func run(
            _ records: [Int], _ incremental: Incremental = Incremental(cursorField: "at", stopsAtKnown: true),
            _ body: @escaping @Sendable (Feed, SyncRig, StreamConfiguration) async throws -> Void
        ) async throws {
            let feed = Feed(records)
            try await SyncRig.run({ feed.reply($0) }) { rig in
                let stream = rig.stream("events") {
                    $0.incremental = incremental
                    $0.primaryKey = ["at"]
                }
                try await body(feed, rig, stream)
            }
        }
    }

    @Test func `a read ends at the first page whose last record is older than the cursor`() async throws {
        try await Feed.run([6, 5, 4, 3, 2, 1]) { feed, rig, stream in
            let first = try await rig.sync(stream)
            #expect(first.record?.completeness == .complete)
            feed.records.value = [9, 8, 7, 6, 5, 4, 3, 2, 1]
            let second = try await rig.sync(stream)
            #expect(second.failure == nil)
            #expect(second.record?.completeness == .partial)
            #expect(second.record?.completenessReason == "stop_at_known: older records were read before")
            #expect(second.record?.warning == nil)
            #expect(rig.pagesAsked == [1, 2, 3, 1, 2, 3])
            #expect(try rig.integers("SELECT at FROM events ORDER BY at") == Array(1...9))
            #expect(try rig.texts("SELECT value FROM _garner_cursors") == ["9"])
        }
    }

    @Test(arguments: [[12, 11, 10, 9], [12]])
    func `a list that ends before a known record moves no cursor, and the next read finds what was missing`(
        short: [Int]
    ) async throws {
        try await Feed.run([6, 5, 4, 3, 2, 1]) { feed, rig, stream in
            _ = try await rig.sync(stream)
            feed.records.value = short
            let second = try await rig.sync(stream)
            #expect(second.failure == nil)
            #expect(second.record?.completeness == .unknown)
            #expect(second.record?.completenessReason?.contains("ended before a record that was read before") == true)
            #expect(try rig.texts("SELECT value FROM _garner_cursors") == ["6"])
            feed.records.value = Array((1...12).reversed())
            _ = try await rig.sync(stream)
            #expect(try rig.integers("SELECT at FROM events ORDER BY at") == Array(1...12))
            #expect(try rig.texts("SELECT value FROM _garner_cursors") == ["12"])
        }
    }

    @Test func `a partition whose list ends before a known record is told of beside others that do not`() async throws {
        let records = Watched(["a": [2, 1], "b": [2, 1]])
        try await SyncRig.run({ request in
            let isFirst = request.page == 1
            let partition = request.target.contains("/a") ? "a" : "b"
            let rows = (isFirst ? records.value[partition] ?? [] : [0]).map {
                #"{"id":"\#(partition)\#($0)","at":\#($0)}"#
            }
            let next = isFirst && partition == "a" ? #""?page=2""# : "null"
            return .json(#"{"data":[\#(rows.joined(separator: ","))],"next":\#(next)}"#)
        }) { rig in
            let stream = rig.stream("events") {
                $0.incremental = Incremental(cursorField: "at", stopsAtKnown: true)
                $0.partitions = [Partition(name: "g", values: ["a", "b"])]
                $0.request.path = "events/{partition.g}"
            }
            _ = try await rig.sync(stream)
            records.value = ["a": [3, 2, 1], "b": [9, 8]]
            let second = try await rig.sync(stream)
            #expect(second.record?.completeness == .unknown)
            #expect(second.record?.completenessReason?.contains("ended before a record that was read before") == true)
            #expect(try rig.texts("SELECT value FROM _garner_cursors ORDER BY bindings") == ["3", "2"])
        }
    }

    @Test func `a list without a new record costs one request`() async throws {
        try await Feed.run([6, 5, 4, 3, 2, 1]) { _, rig, stream in
            for _ in 1...3 { _ = try await rig.sync(stream) }
            #expect(rig.pagesAsked == [1, 2, 3, 1, 1])
        }
    }

    @Test func `records with the cursor itself are read on all of their pages`() async throws {
        try await Feed.run([5, 4, 3, 2, 1]) { feed, rig, stream in
            var stream = stream
            stream.primaryKey = ["id"]
            _ = try await rig.sync(stream)
            feed.records.value = [6, 5, 5, 5, 4, 3]
            _ = try await rig.sync(stream)
            #expect(rig.pagesAsked == [1, 2, 3, 1, 2, 3])
        }
    }

    @Test func `a read that failed between new records leaves no gap`() async throws {
        try await Feed.run([4, 3, 2, 1]) { feed, rig, stream in
            _ = try await rig.sync(stream)
            feed.records.value = [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]
            feed.failing.value = [2]
            let failed = try await rig.sync(stream)
            #expect(failed.failure != nil)
            // The read is given up, so that the next one begins with the records that are stored already.
            _ = try await rig.writer.reset([], of: stream.name)
            feed.failing.value = []
            _ = try await rig.sync(stream)
            #expect(try rig.integers("SELECT at FROM events ORDER BY at") == Array(1...10))
            #expect(rig.pagesAsked == [1, 2, 1, 2, 1, 2, 3, 4])
        }
    }

    @Test func `a read that was interrupted begins with the newest record again`() async throws {
        try await Feed.run([4, 3, 2, 1]) { feed, rig, stream in
            _ = try await rig.sync(stream)
            feed.records.value = [10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, -1]
            feed.failing.value = [2]
            _ = try await rig.sync(stream)
            feed.failing.value = []
            _ = try await rig.sync(stream)
            #expect(try rig.integers("SELECT at FROM events ORDER BY at") == Array(1...10))
            #expect(try rig.texts("SELECT value FROM _garner_cursors") == ["10"])
            #expect(rig.pagesAsked == [1, 2, 1, 2, 1, 2, 3, 4])
        }
    }

    @Test(arguments: [
        // A pinned record stands before newer ones.
        [1, 9, 8, 7, 6, 5, 4, 3, 2],
        // A whole page of them does.
        [2, 1, 9, 8, 7, 6, 5, 4, 3],
        // The oldest record comes first, so that no page ends the read.
        [1, 2, 3, 4, 5, 6, 7, 8, 9],
        // Old records stand before and among newer ones.
        [2, 1, 9, 0, 8, 7, 6, 5, 4, 3],
        // The order is none.
        [2, 9, 1, 8, 3, 7, 4, 6, 5],
    ])
    func `a list in another order is not cut short before its new records`(records: [Int]) async throws {
        try await Feed.run(records.filter { $0 <= 5 }) { feed, rig, stream in
            _ = try await rig.sync(stream)
            feed.records.value = records
            _ = try await rig.sync(stream)
            #expect(try rig.integers("SELECT at FROM events WHERE at > 0 ORDER BY at") == Array(1...9))
        }
    }

    @Test(
        arguments: [
            ([1, 2, 3, 4], "this one begins with its oldest record by the cursor field 'at'"),
            ([3, 1, 2, 4, 5], "this one is in another order by the cursor field 'at'"),
            ([4, 3, 2, 1], nil), ([1, 9, 8, 7, 6, 5, 4, 3, 2], nil), ([2, 1], nil), ([1, 2], nil),
        ] as [([Int], String?)])
    func `a list that does not begin with its newest record is told of by its first read`(order: [Int], words: String?)
        async throws
    {
        let rows = order.map { #"{"at":\#($0)}"# }.joined(separator: ",")
        try await SyncRig.run({ _ in .json(#"{"data":[\#(rows)],"next":null}"#) }) { rig in
            let stream = rig.stream("events") {
                $0.incremental = Incremental(cursorField: "at", stopsAtKnown: true)
                $0.primaryKey = ["at"]
            }
            let told = try await rig.sync(stream).record?.warning
            #expect((told?.contains(words ?? "stop_at_known") == true) == (words != nil), "\(told ?? "")")
            #expect(try await rig.sync(stream).record?.warning == nil)
        }
    }

    @Test func `records that were removed from an interrupted read leave no gap`() async throws {
        try await Feed.run([4, 3, 2, 1]) { feed, rig, stream in
            _ = try await rig.sync(stream)
            feed.records.value = [12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]
            feed.failing.value = [3]
            _ = try await rig.sync(stream)
            feed.records.value = [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]
            feed.failing.value = []
            _ = try await rig.sync(stream)
            #expect(try rig.integers("SELECT at FROM events ORDER BY at") == Array(1...12))
        }
    }

    /// The cursors of the first read, and those that come then; the source of the last ones ignores case.
    private static let unordered: [(known: [String], more: [String])] =
        [["\"INV-8\"", "\"INV-9\""], ["8.5", "9.5"], ["\"1.8\"", "\"1.9\""]].map { known in
            (known, (10...14).map { known[0].replacing("8", with: "\($0)") })
        } + [(["\"B1\"", "\"c1\""], ["\"d1\"", "\"E1\"", "\"F1\"", "\"g1\""])]

    @Test(arguments: unordered)
    func `a list whose cursors have no certain order is read to its end`(known: [String], more: [String]) async throws {
        let rows = Watched(known)
        try await SyncRig.run({ request in
            let all = Array(rows.value.reversed())
            let page = all.dropFirst(2 * request.page - 2).prefix(2)
            let next = 2 * request.page < all.count ? #""?page=\#(request.page + 1)""# : "null"
            return .json(#"{"data":[\#(page.map { #"{"at":\#($0)}"# }.joined(separator: ","))],"next":\#(next)}"#)
        }) { rig in
            let stream = rig.stream("events") {
                $0.incremental = Incremental(cursorField: "at", stopsAtKnown: true)
                $0.primaryKey = ["at"]
            }
            _ = try await rig.sync(stream)
            rows.value = known + more
            _ = try await rig.sync(stream)
            #expect(try rig.integers("SELECT count(*) FROM events") == [Int64(known.count + more.count)])
        }
    }

    @Test func `a total that changes while the pages are read moves no cursor`() async throws {
        let (records, removed) = (Watched(Array(1...4)), Watched(false))
        try await SyncRig.run({ request in
            if records.value.count > 4, request.page == 3 { removed.value = true }
            let all = records.value.reversed().filter { !removed.value || $0 != 11 }
            let page = all.dropFirst(2 * request.page - 2).prefix(2)
            return .json(
                #"{"data":[\#(page.map { #"{"at":\#($0)}"# }.joined(separator: ","))],"total":\#(all.count)}"#)
        }) { rig in
            let stream = rig.stream("events") {
                $0.incremental = Incremental(cursorField: "at", stopsAtKnown: true)
                $0.primaryKey = ["at"]
                $0.paginator = Paginator(
                    .pageNumber(.init(pageParam: "page", basePage: 1, totalPath: try? Selector(parsing: "$.total"))))
            }
            _ = try await rig.sync(stream)
            records.value = Array(1...12)
            _ = try await rig.sync(stream)
            _ = try await rig.sync(stream)
            #expect(try rig.integers("SELECT at FROM events WHERE at <> 11 ORDER BY at") == Array(1...10) + [12])
        }
    }

    @Test func `the first read ends at the initial value, and a full refresh too`() async throws {
        let incremental = Incremental(cursorField: "at", initialValue: "4", stopsAtKnown: true)
        try await Feed.run([6, 5, 4, 3, 2, 1], incremental) { _, rig, stream in
            _ = try await rig.sync(stream)
            _ = try await rig.sync(stream, RunOptions(scope: RunScope(restarts: true)))
            #expect(rig.pagesAsked == [1, 2, 1, 2])
            #expect(try rig.integers("SELECT at FROM events ORDER BY at") == [3, 4, 5, 6])
        }
    }

    @Test func `an overlap reads that much of what is known again`() async throws {
        let incremental = Incremental(cursorField: "at", lookbackWindow: .count(3), stopsAtKnown: true)
        try await Feed.run([8, 7, 6, 5, 4, 3, 2, 1], incremental) { _, rig, stream in
            for _ in 1...2 { _ = try await rig.sync(stream) }
            #expect(rig.pagesAsked == [1, 2, 3, 4, 1, 2, 3])
        }
    }

    @Test func `a full refresh reads everything and finds what is missing`() async throws {
        try await Feed.run([6, 5, 4, 3, 2, 1]) { feed, rig, stream in
            var stream = stream
            stream.incremental?.fullRefreshEvery = .seconds(86_400)
            stream.deleteMissing = .hard
            _ = try await rig.sync(stream)
            feed.records.value = [7, 6, 5, 4, 2, 1]
            _ = try await rig.sync(stream)
            #expect(try rig.integers("SELECT at FROM events ORDER BY at") == Array(1...7))
            _ = try await rig.sync(stream, RunOptions(scope: RunScope(restarts: true)))
            #expect(try rig.integers("SELECT at FROM events ORDER BY at") == [1, 2, 4, 5, 6, 7])
        }
    }
}
