import GarnerCatalog
import GarnerJSON
import GarnerModel
import GarnerPersistence
import GarnerSync
import Synchronization
import TestSupport
import Testing

/// Orders, and the lines of each, which are requested for changed orders only.
@Suite(.timeLimit(.minutes(5)))
struct ChangedParentTests {
    private struct Order {
        var status = "open"
        var edition = 1
        var lines = [1, 2]
    }

    /// A shop whose orders a test changes.
    private final class Shop: Sendable {
        private let orders: Mutex<[Int: Order]>
        /// The orders whose lines the server refuses.
        let refused = Watched<Set<Int>>([])

        init(_ count: Int) {
            orders = Mutex(Dictionary(uniqueKeysWithValues: (1...count).map { ($0, Order()) }))
        }

        func change(_ ids: some Sequence<Int> & Sendable, _ body: @Sendable (inout Order) -> Void) {
            orders.withLock { orders in
                for id in ids {
                    orders[id, default: Order()].edition += 1
                    body(&orders[id, default: Order()])
                }
            }
        }

        func remove(_ id: Int) { orders.withLock { $0[id] = nil } }

        func answer(_ request: LoopbackRequest) -> LoopbackReply {
            let parts = request.target.split(separator: "/")
            guard parts.count == 3, let id = Int(parts[1]) else {
                let list = orders.withLock { orders in
                    orders.sorted { $0.key < $1.key }.map {
                        #"{"id":\#($0.key),"status":"\#($0.value.status)","edition":\#($0.value.edition)}"#
                    }
                }
                return .json(#"{"data":[\#(list.joined(separator: ","))],"next":null}"#)
            }
            if refused.value.contains(id) { return .status(404) }
            if parts[2].contains("since=") { return .json(#"{"data":[],"next":null}"#) }
            let lines = orders.withLock { $0[id]?.lines ?? [] }.map { #"{"line":\#($0 < 0 ? "null" : "\($0)")}"# }
            return .json(#"{"data":[\#(lines.joined(separator: ","))],"next":null}"#)
        }
    }

    private static func run(
        _ count: Int, now: @escaping @Sendable () -> Timestamp = { SyncRig.epoch }, synchronous: Synchronous = .normal,
        _ body: @escaping @Sendable (SyncRig, Shop) async throws -> Void
    ) async throws {
        let shop = Shop(count)
        try await SyncRig.run({ shop.answer($0) }, now: now, synchronous: synchronous) { try await body($0, shop) }
    }

    private static func lines(
        _ rig: SyncRig, _ change: (inout StreamConfiguration) -> Void = { _ in }
    ) -> StreamConfiguration {
        rig.stream("lines") {
            $0.request.path = "orders/{parent.id}/lines"
            $0.parent = Parent(stream: StreamName(source: "zoo", stream: "orders"), include: ["id"], only: .changed)
            $0.primaryKey = ["_orders_id", "line"]
            $0.deleteMissing = .hard
            change(&$0)
        }
    }

    /// Syncs both streams. Returns the orders whose lines were requested, and the outcome of the lines.
    private static func sync(
        _ rig: SyncRig, _ stream: StreamConfiguration? = nil, _ options: RunOptions = RunOptions()
    ) async throws -> (asked: [Int], outcome: RunOutcome) {
        _ = try await rig.sync(rig.stream("orders") { $0.deleteMissing = .hard })
        let before = rig.server.requests.count
        let outcome = try await rig.sync(stream ?? lines(rig), options)
        let asked = rig.server.requests.dropFirst(before).compactMap { request in
            request.target.split(separator: "/").dropFirst().first.flatMap { Int($0) }
        }
        return (asked.sorted(), outcome)
    }

    private static func rows(_ rig: SyncRig) throws -> [String] {
        try rig.texts("SELECT _orders_id || '.' || line FROM lines ORDER BY _orders_id, line")
    }

    @Test func `lines are requested for exactly the orders that changed`() async throws {
        try await Self.run(400) { rig, shop in
            #expect(try await Self.sync(rig).asked == Array(1...400))
            #expect(try await Self.sync(rig).asked == [])
            let changed = stride(from: 5, to: 400, by: 33).map { $0 }
            shop.change(changed) { $0.lines = [1, 3] }
            let (asked, outcome) = try await Self.sync(rig)
            #expect(asked == changed)
            #expect([outcome.counts.inserted, outcome.counts.deleted] == [12, 12])
            #expect(outcome.record?.warning == nil)
            #expect(try rig.integers("SELECT count(*) FROM lines") == [800])
            #expect(try await Self.sync(rig).asked == [])
        }
    }

    @Test func `a run that was stopped asks for what is left and no more`() async throws {
        // Each page is committed, and told, before the next one is requested.
        try await Self.run(20, synchronous: .full) { rig, shop in
            _ = try await Self.sync(rig)
            shop.change(1...9) { $0.lines = [7] }
            let stream = Self.lines(rig) { $0.maxConcurrency = 1 }
            let stop = StopRequest()
            _ = try await rig.sync(rig.stream("orders"))
            let first = try await rig.sync(stream, stop: stop) { if $0.pages == 4 { stop.request() } }
            #expect(first.status == .cancelled)
            shop.change([15]) { $0.lines = [8] }
            let (asked, _) = try await Self.sync(rig, stream)
            #expect(asked == [5, 6, 7, 8, 9])
            // It changed behind the beginning of that read.
            #expect(try await Self.sync(rig, stream).asked == [15])
            #expect(try await Self.sync(rig, stream).asked == [])
        }
    }

    @Test func `an order whose lines failed stays due, and only that`() async throws {
        try await Self.run(20) { rig, shop in
            shop.refused.value = [7]
            #expect(try await Self.sync(rig).outcome.status == .failed)
            for _ in 1...3 {
                let (asked, outcome) = try await Self.sync(rig)
                #expect(asked == [7])
                #expect(outcome.status == .failed)
            }
            shop.change([3]) { $0.lines = [4] }
            // The read of what is due goes on, so that order 3 comes with the next one.
            var asked: [Int] = []
            for _ in 1...2 { asked += try await Self.sync(rig).asked }
            #expect(asked.filter { $0 != 7 } == [3])
            shop.refused.value = []
            _ = try await Self.sync(rig)
            let rows = try Self.rows(rig)
            #expect(rows.contains("7.1") && rows.contains("3.4"))
            #expect(try await Self.sync(rig).asked == [])
        }
    }

    @Test func `lines of an order that is gone go, and those of an order outside the condition stay`() async throws {
        try await Self.run(20) { rig, shop in
            let stream = Self.lines(rig) { $0.parent?.condition = "status <> 'archived' -- the rest is old" }
            _ = try await Self.sync(rig, stream)
            shop.change([4]) { ($0.status, $0.lines) = ("archived", []) }
            shop.remove(9)
            let (asked, outcome) = try await Self.sync(rig, stream)
            #expect(asked == [])
            #expect(outcome.counts.deleted == 2)
            #expect(try Self.rows(rig).filter { $0.hasPrefix("4.") || $0.hasPrefix("9.") } == ["4.1", "4.2"])
            let full = try await Self.sync(rig, stream, RunOptions(scope: RunScope(restarts: true)))
            #expect(full.asked.count == 18)
            #expect(full.outcome.counts.deleted == 2)
        }
    }

    @Test func `all orders are due again when the time for that has come`() async throws {
        let now = Watched(SyncRig.epoch)
        try await Self.run(6, now: { now.value }) { rig, _ in
            let stream = Self.lines(rig) { $0.parent?.fullRefreshEvery = .seconds(86_400) }
            let first = try await Self.sync(rig, stream)
            #expect(first.asked.count == 6)
            now.change { $0 = $0.advanced(by: .seconds(86_399)) }
            #expect(try await Self.sync(rig, stream).asked == [])
            now.change { $0 = $0.advanced(by: .seconds(1)) }
            #expect(try await Self.sync(rig, stream).asked.count == 6)
            #expect(try await Self.sync(rig, stream).asked == [])
        }
    }

    @Test func `reads from a cursor delete nothing that is missing, although all orders are due again`() async throws {
        let now = Watched(SyncRig.epoch)
        try await Self.run(3, now: { now.value }) { rig, shop in
            let deletedWhen = try FilterExpression(parsing: "@.gone == true")
            let stream = Self.lines(rig) {
                $0.parent?.fullRefreshEvery = .seconds(3600)
                $0.incremental = Incremental(cursorField: nil)
                $0.request.params = [.init(name: "since", value: .literal("{incremental.start_value}"))]
                $0.deletedWhen = deletedWhen
                $0.maxDeleteRatio = 1
            }
            #expect(try await Self.sync(rig, stream).asked == [1, 2, 3])
            now.value = now.value.advanced(by: .seconds(7200))
            let (asked, outcome) = try await Self.sync(rig, stream)
            #expect(asked == [1, 2, 3])
            #expect(outcome.counts.deleted == 0)
            #expect(try rig.integers("SELECT count(*) FROM lines") == [6])
            shop.change([2]) { $0.lines = [1] }
            #expect(
                try await Self.sync(rig, stream, RunOptions(scope: RunScope(restarts: true))).outcome.counts.deleted
                    == 1)
        }
    }

    @Test func `a line that moves to another order and back is again one of the first order`() async throws {
        try await Self.run(3) { rig, shop in
            shop.change([1]) { $0.lines = [1] }
            shop.change([2]) { $0.lines = [2] }
            shop.change([3]) { $0.lines = [3] }
            let stream = Self.lines(rig) { $0.primaryKey = ["line"] }
            _ = try await Self.sync(rig, stream)
            shop.change([2]) { $0.lines = [2, 1] }
            #expect(try await Self.sync(rig, stream).asked == [2])
            #expect(try Self.rows(rig) == ["2.1", "2.2", "3.3"])
            // It has no word of what is on the pages that it leaves out.
            shop.change([3]) { _ in }
            #expect(try await Self.sync(rig, stream).asked == [3])
            shop.change([1]) { _ in }
            shop.change([2]) { $0.lines = [2] }
            #expect(try await Self.sync(rig, stream).asked == [1, 2])
            #expect(try Self.rows(rig) == ["1.1", "2.2", "3.3"])
        }
    }

    @Test func `a record that could not be stored keeps rows of other orders from being deleted`() async throws {
        try await Self.run(6) { rig, shop in
            _ = try await Self.sync(rig)
            // The line has no key any more, but it is still there.
            shop.change([5]) { $0.lines = [1, -2] }
            #expect(try await Self.sync(rig).outcome.counts.quarantined == 1)
            shop.change([2]) { $0.lines = [1] }
            let outcome = try await Self.sync(rig).outcome
            #expect(outcome.counts.deleted == 0)
            #expect(outcome.record?.warning?.contains("cannot be told which rows are missing") == true)
            #expect(try Self.rows(rig).filter { $0.hasPrefix("5.") } == ["5.1", "5.2"])
        }
    }

    /// The lines of one order, two on a page, which change behind a reader's back.
    struct Feed {
        enum Disturbance: CaseIterable { case goesInEachLook, goesBeforeFailure, comesInFront }

        var edition = 1
        var ids = Array(1...9)
        var disturbance: Disturbance?
        /// True if one page has no sign of an end.
        var isSilent = false

        mutating func answer(_ request: LoopbackRequest) -> LoopbackReply {
            guard request.target.contains("/lines") else {
                return .json(#"{"data":[{"id":1,"edition":\#(edition)}],"next":null}"#)
            }
            if isSilent { return .json("[\(ids.map { #"{"line":\#($0)}"# }.joined(separator: ","))]") }
            let page = request.page
            let lines = ids.dropFirst((page - 1) * 2).prefix(2).map { #"{"line":\#($0)}"# }.joined(separator: ",")
            let next = page * 2 < ids.count ? #""?page=\#(page + 1)""# : "null"
            switch disturbance {
            case .goesInEachLook: if page == 1 { ids.removeFirst() }
            case .comesInFront:
                if page == 1 { (ids, disturbance) = ([0] + ids, nil) }
            case .goesBeforeFailure:
                if page == 3 {
                    ids.removeFirst()
                    disturbance = nil
                    return .status(500)
                }
            case nil: break
            }
            return .json(#"{"data":[\#(lines)],"next":\#(next)}"#)
        }
    }

    private static func run(_ body: @escaping @Sendable (SyncRig, Watched<Feed>) async throws -> Void) async throws {
        let feed = Watched(Feed())
        try await SyncRig.run({ request in feed.change { $0.answer(request) } }) { try await body($0, feed) }
    }

    @Test(arguments: Feed.Disturbance.allCases)
    func `lines that changed while they were read are due again, and no line of the order is deleted until then`(
        disturbance: Feed.Disturbance
    ) async throws {
        try await Self.run { rig, feed in
            let stream = Self.lines(rig) {
                ($0.maxDeleteRatio, $0.maxConcurrency) = (1, 1)
                $0.retry.baseDelay = .milliseconds(1)
            }
            func lines() throws -> [Int] {
                try rig.integers("SELECT line FROM lines ORDER BY line").map { Int($0) }
            }
            _ = try await Self.sync(rig, stream)
            feed.change { ($0.edition, $0.disturbance) = (2, disturbance) }
            _ = try await Self.sync(rig, stream)
            feed.change { $0.disturbance = nil }
            // After a failure, the next run goes on with the read.
            for _ in 1...2 {
                let (asked, _) = try await Self.sync(rig, stream)
                #expect(disturbance != .goesBeforeFailure || !asked.isEmpty)
                #expect(try Set(lines()).isSuperset(of: feed.value.ids.filter { $0 > 0 }))
            }
            #expect(try lines() == feed.value.ids)
            #expect(try await Self.sync(rig, stream).asked == [])
        }
    }

    @Test func `lines of which it was unknown if they are all are missing from no later read`() async throws {
        try await Self.run { rig, feed in
            feed.change { $0.isSilent = true }
            let stream = Self.lines(rig) { $0.maxDeleteRatio = 1 }
            _ = try await Self.sync(rig, stream)
            #expect(try await Self.sync(rig, stream).outcome.record?.warning == nil)
            feed.change { ($0.edition, $0.ids) = (2, [1, 2]) }
            #expect(try await Self.sync(rig, stream).outcome.record?.completeness == .unknown)
            let (asked, outcome) = try await Self.sync(rig, stream)
            #expect(asked == [])
            #expect(outcome.counts.deleted == 0)
            #expect(outcome.record?.warning?.contains("cannot be told which rows are missing") == true)
            // The line that the reason of such a read advises.
            let settled = Self.lines(rig) { ($0.maxDeleteRatio, $0.paginator) = (1, Paginator(.singlePage)) }
            #expect(try await Self.sync(rig, settled).outcome.counts.deleted == 7)
        }
    }

    @Test func `a stream that begins to delete what is missing reads everything first`() async throws {
        try await Self.run(6) { rig, shop in
            _ = try await Self.sync(rig, Self.lines(rig) { $0.deleteMissing = .ignore })
            shop.change([2]) { $0.lines = [1] }
            let (asked, outcome) = try await Self.sync(rig)
            #expect(asked == Array(1...6))
            #expect(outcome.counts.deleted == 1)
        }
    }

    @Test(arguments: [
        ("id >= :min", "'parent.where' has the parameter :min, which has no value"),
        ("id >= ?1", "'parent.where' has the parameter ?1, which has no value"),
        ("json_extract(status, '$.a') = 1", "'parent.where' cannot be evaluated for the rows of orders"),
    ])
    func `a condition that gives no answer requests and deletes nothing`(condition: String, message: String)
        async throws
    {
        try await Self.run(6) { rig, _ in
            _ = try await Self.sync(rig)
            let before = try Self.rows(rig)
            let (asked, outcome) = try await Self.sync(rig, Self.lines(rig) { $0.parent?.condition = condition })
            #expect(outcome.failure?.message.hasPrefix(message) == true)
            #expect(outcome.failure?.category == .misconfigured)
            #expect(asked == [])
            #expect(try Self.rows(rig) == before)
        }
    }

    /// A list of eight orders, with these members of the others, and the lines of each.
    private static func orders(_ members: @escaping @Sendable (Int) -> String) -> LoopbackServer.Handler {
        { request in
            if request.target.split(separator: "/").count == 3 {
                return .json(#"{"data":[{"line":1},{"line":2}],"next":null}"#)
            }
            let list = (1...8).map { #"{"id":\#($0)\#(members($0))}"# }
            return .json(#"{"data":[\#(list.joined(separator: ","))],"next":null}"#)
        }
    }

    @Test(arguments: [#","account":null"#, "", #","account":{"x":1}"#], [true, false])
    func `orders that lack a field for the request stay due, and their lines stay`(lost: String, marks: Bool)
        async throws
    {
        let lacking = Watched<Set<Int>>([])
        try await SyncRig.run(
            Self.orders { lacking.value.contains($0) ? lost : #","account":"10\#($0)""# }
        ) { rig in
            let stream = Self.lines(rig) {
                $0.request.path = "orders/{parent.account}/lines"
                ($0.deleteMissing, $0.maxDeleteRatio) = (marks ? .soft : .hard, 1)
            }
            let isThere = marks ? " WHERE _garner_deleted_at IS NULL" : ""
            let first = try await Self.sync(rig, stream)
            #expect(first.asked == Array(101...108) && first.outcome.record?.completeness == .complete)
            for (orders, asked) in [
                ([1, 2, 3], [Int]()), ([1, 2, 3], []), ([1, 2, 3], []), ([1], [102, 103]), ([1], []),
            ] {
                lacking.value = Set(orders)
                let (now, outcome) = try await Self.sync(rig, stream)
                let rows = try rig.integers("SELECT count(*) FROM lines\(isThere)")
                #expect(now == asked && outcome.record?.completeness == .partial && rows == [16])
                let count = orders.count == 1 ? "1 record of zoo.orders has" : "3 records of zoo.orders have"
                #expect(outcome.record?.completenessReason == "\(count) no account for the request")
            }
            var without = stream
            without.parent?.condition = "account IS NOT NULL"
            let settled = try await Self.sync(rig, without).outcome.record?.completeness
            #expect(settled == .complete)
        }
    }

    @Test(arguments: [true, false])
    func `lines of an order that leaves the condition and loses its account stay until the next read of all`(
        marks: Bool
    ) async throws {
        let members = Watched<[Int: String]>([:])
        try await SyncRig.run(
            Self.orders { members.value[$0] ?? #","status":"open","account":"10\#($0)""# }
        ) { rig in
            let stream = Self.lines(rig) {
                $0.request.path = "orders/{parent.account}/lines"
                $0.parent?.condition = "status = 'open'"
                ($0.deleteMissing, $0.maxDeleteRatio) = (marks ? .soft : .hard, 1)
            }
            let isThere = marks ? " WHERE _garner_deleted_at IS NULL" : ""
            _ = try await Self.sync(rig, stream)
            let lost = #","status":"closed","account":null"#
            // In between, the order has its account again, and is still outside the condition.
            for (order, restarts, says, count) in [
                (lost, false, true, 16), (lost, false, true, 16),
                (#","status":"closed","account":"102""#, false, false, 16),
                (lost, false, true, 16), (lost, true, false, 14),
            ] {
                members.value = [2: order]
                let options = RunOptions(scope: RunScope(restarts: restarts))
                let outcome = try await Self.sync(rig, stream, options).outcome
                let rows = try rig.integers("SELECT count(*) FROM lines\(isThere)")
                #expect(outcome.record?.completeness == .complete && rows == [Int64(count)])
                let warning = outcome.record?.warning ?? ""
                #expect(warning.contains("have no account for the request any more") == says, "\(warning)")
            }
        }
    }

    @Test(arguments: [true, false])
    func `a condition on what no order has any more deletes nothing, and the advice settles it`(replaces: Bool)
        async throws
    {
        let status = Watched(#","status":"open""#)
        try await SyncRig.run(Self.orders { _ in status.value }) { rig in
            func stream(where condition: String) -> StreamConfiguration {
                Self.lines(rig) {
                    $0.parent?.condition = condition
                    $0.maxDeleteRatio = 1
                    guard replaces else { return }
                    $0.parent?.only = .all
                    ($0.deleteMissing, $0.writeDisposition) = (.ignore, .replace)
                }
            }
            let first = try await Self.sync(rig, stream(where: "status = 'open'")).outcome.record?.completeness
            #expect(first == .complete)
            status.value = ""
            var reason = ""
            for restarts in [true, false, false] {
                let options = RunOptions(scope: RunScope(restarts: restarts))
                let (asked, outcome) = try await Self.sync(rig, stream(where: "status = 'open'"), options)
                let rows = try rig.integers("SELECT count(*) FROM lines")
                reason = outcome.record?.completenessReason ?? ""
                #expect(asked == [] && outcome.record?.completeness == .unknown && rows == [16], "\(reason)")
            }
            let line = try #require(reason.firstMatch(of: /write where: "(.*)" if/)?.1, "\(reason)")
            let settled = try await Self.sync(rig, stream(where: String(line))).outcome.record?.completeness
            let rows = try rig.integers("SELECT count(*) FROM lines")
            #expect(settled == .complete && rows == [0])
        }
    }

    @Test func `a condition that no order meets, as each says, leaves no line`() async throws {
        let status = Watched(#","status":"open""#)
        try await SyncRig.run(Self.orders { _ in status.value }) { rig in
            let stream = Self.lines(rig) {
                $0.parent?.condition = "status = 'open'"
                $0.parent?.only = .all
                ($0.deleteMissing, $0.writeDisposition) = (.ignore, .replace)
            }
            _ = try await Self.sync(rig, stream)
            status.value = #","status":"closed""#
            let completeness = try await Self.sync(rig, stream).outcome.record?.completeness
            let rows = try rig.integers("SELECT count(*) FROM lines")
            #expect(completeness == .complete && rows == [0])
        }
    }

    @Test func `a text in double quotes leads to the condition with single ones`() async throws {
        try await Self.run(2) { rig, _ in
            let stream = Self.lines(rig) { $0.parent?.condition = #"status == "open""# }
            let failure = try #require(try await Self.sync(rig, stream).outcome.failure)
            #expect(failure.hint == .text(#"write where: "status == 'open'""#))
        }
    }

    @Test func `a condition that is no SQL is an error that names the columns`() async throws {
        try await Self.run(2) { rig, _ in
            let failure = try #require(
                try await Self.sync(rig, Self.lines(rig) { $0.parent?.condition = "state = 'open'" }).outcome.failure)
            #expect(failure.message.hasPrefix("'parent.where' is no condition on the rows of orders: state = 'open'"))
            #expect(failure.hint == "write an SQL expression over its columns: id, status, edition")
        }
    }
}
