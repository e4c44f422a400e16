import GarnerCatalog
import GarnerJSON
import GarnerModel
import GarnerPersistence
import GarnerSync
import TestSupport
import Testing

/// Reads that lack rows of the table although nothing says so: they look once more before they delete anything.
@Suite(.timeLimit(.minutes(5)))
struct SecondLookTests {
    /// A list on numbered pages of two, which may change when a page was answered.
    private struct Source: Sendable {
        var ids: [Int]
        var total: Int?
        /// The answer to a page behind the last one.
        var behindLast = LoopbackReply.json(#"{"data":[]}"#)
        /// Called after the answer to a page.
        var change: @Sendable (inout [Int], _ page: Int) -> Void = { _, _ in }
        /// The pages that are refused once.
        var refusedOnce: Set<Int> = []
    }

    private static func run(
        _ source: Source,
        _ body: @escaping @Sendable (Watched<Source>, SyncRig, StreamConfiguration) async throws -> Void
    ) async throws {
        let served = Watched(source)
        try await SyncRig.run({ request in
            var reply = LoopbackReply.status(404)
            served.change { source in
                guard source.refusedOnce.remove(request.page) == nil else { return }
                let rows = source.ids.dropFirst((request.page - 1) * 2).prefix(2).map { #"{"id":\#($0)}"# }
                let total = source.total.map { #","total":\#($0)"# } ?? ""
                reply =
                    rows.isEmpty ? source.behindLast : .json(#"{"data":[\#(rows.joined(separator: ","))]\#(total)}"#)
                source.change(&source.ids, request.page)
            }
            return reply
        }) { rig in
            let stream = rig.stream {
                $0.paginator = Paginator(.pageNumber(.init()))
                $0.deleteMissing = .hard
                $0.maxDeleteRatio = 1
                $0.retry.baseDelay = .milliseconds(1)
            }
            try await body(served, rig, stream)
        }
    }

    private static func ids(_ rig: SyncRig) throws -> [Int64] { try rig.integers("SELECT id FROM animals ORDER BY id") }

    @Test func `a record that moved to a page that was read is not deleted`() async throws {
        try await Self.run(Source(ids: Array(1...7))) { served, rig, stream in
            _ = try await rig.sync(stream)
            // Record 3 moves to the first page when that has been read.
            served.change { $0.change = { ids, page in if page == 1, ids.first == 1 { ids.removeFirst() } } }
            let outcome = try await rig.sync(stream)
            #expect(try Self.ids(rig) == Array(1...7))
            #expect(outcome.record?.completeness == .unknown)
            #expect(outcome.record?.counts.deleted == 0)
            // Record 1 was there when the first look began.
            let next = try await rig.sync(stream)
            #expect(try Self.ids(rig) == Array(2...7))
            #expect(next.record?.counts.deleted == 1)
            #expect(next.record?.counts.unchanged == 6)
        }
    }

    /// The parameter that the links have, its value for each page, and whether the answers have a total.
    @Test(arguments: [
        ("p", ["1", "2", "3"], false), ("from", ["0", "2", "4"], false), ("mark", ["ab", "cd", "ef"], true),
    ])
    func `a record that moves while links of any name are followed is not deleted`(
        name: String, values: [String], hasTotal: Bool
    ) async throws {
        let served = Watched((ids: Array(1...6), moves: false))
        try await SyncRig.run({ request in
            let page = values.firstIndex { request.target.hasSuffix("?\(name)=\($0)") } ?? 0
            var reply = LoopbackReply.status(404)
            served.change { served in
                let rows = served.ids.dropFirst(page * 2).prefix(2).map { #"{"id":\#($0)}"# }.joined(separator: ",")
                let next = (page + 1) * 2 < served.ids.count ? #""/animals?\#(name)=\#(values[page + 1])""# : "null"
                let total = hasTotal ? #","total":\#(served.ids.count)"# : ""
                reply = .json(#"{"data":[\#(rows)],"next":\#(next)\#(total)}"#)
                if served.moves, page == 0, served.ids.first == 1 { served.ids.removeFirst() }
            }
            return reply
        }) { rig in
            let stream = rig.stream {
                $0.deleteMissing = .hard
                $0.maxDeleteRatio = 1
                $0.retry.baseDelay = .milliseconds(1)
            }
            #expect(try await rig.sync(stream).record?.completeness == .complete)
            served.change { $0.moves = true }
            _ = try await rig.sync(stream)
            // Record 3 stands on the first page now, which was read before.
            #expect(try Self.ids(rig).contains(3))
        }
    }

    @Test
    func `a table is not replaced by a list whose total changes behind links without numbers, and that lacks rows`()
        async throws
    {
        let marks = ["ab", "cd", "ef"]
        let served = Watched((ids: Array(1...6), moves: false))
        try await SyncRig.run({ request in
            let page = marks.firstIndex { request.target.hasSuffix("?mark=\($0)") } ?? 0
            var reply = LoopbackReply.status(404)
            served.change { served in
                let rows = served.ids.dropFirst(page * 2).prefix(2).map { #"{"id":\#($0)}"# }.joined(separator: ",")
                let next = (page + 1) * 2 < served.ids.count ? #""/animals?mark=\#(marks[page + 1])""# : "null"
                reply = .json(#"{"data":[\#(rows)],"next":\#(next),"total":\#(served.ids.count)}"#)
                if served.moves, page == 0 { served.ids.removeFirst() }
            }
            return reply
        }) { rig in
            let stream = rig.stream { $0.writeDisposition = .replace }
            #expect(try await rig.sync(stream).record?.completeness == .complete)
            served.change { $0.moves = true }
            // Record 3 stands on the first page now, which was read before.
            let outcome = try await rig.sync(stream)
            #expect(outcome.record?.verdict == .totalChanged)
            #expect(try Self.ids(rig) == Array(1...6))
            served.change { $0.moves = false }
            #expect(try await rig.sync(stream).record?.completeness == .complete)
            #expect(try Self.ids(rig) == Array(2...6))
            // The line that the reason advises lets such a list replace the table.
            served.change { $0.moves = true }
            let settled = rig.stream {
                $0.writeDisposition = .replace
                $0.paginator.limits.ignoresTotal = true
            }
            #expect(try await rig.sync(settled).record?.completeness == .complete)
        }
    }

    @Test func `a record that came twice on a page does not count for one that is missing, unless it always does`()
        async throws
    {
        var source = Source(ids: Array(1...6))
        source.total = 6
        try await Self.run(source) { served, rig, stream in
            var stream = stream
            stream.primaryKey = ["id"]
            _ = try await rig.sync(stream)
            served.change { $0.ids = [1, 2, 3, 3, 5, 6] }
            let outcome = try await rig.sync(stream)
            #expect(outcome.record?.completeness == .unknown)
            #expect(try Self.ids(rig) == Array(1...6))
            let next = try await rig.sync(stream)
            #expect(next.record?.completeness == .complete)
            #expect(next.record?.counts.deleted == 1)
        }
    }

    @Test func `rows that two looks do not find are deleted, and nothing missing takes no further request`()
        async throws
    {
        try await Self.run(Source(ids: Array(1...7))) { served, rig, stream in
            for _ in 1...2 { _ = try await rig.sync(stream) }
            #expect(rig.pagesAsked == [1, 2, 3, 4, 5, 1, 2, 3, 4, 5])
            served.change { $0.ids.removeAll { $0 == 4 } }
            let outcome = try await rig.sync(stream)
            #expect(try Self.ids(rig) == [1, 2, 3, 5, 6, 7])
            #expect(outcome.record?.counts.deleted == 1)
            #expect(rig.pagesAsked.dropFirst(10) == [1, 2, 3, 4, 1, 2, 3, 4])
        }
    }

    @Test func `a list that changes during both looks loses no row`() async throws {
        try await Self.run(Source(ids: Array(1...9))) { served, rig, stream in
            _ = try await rig.sync(stream)
            served.change { source in
                // In each look, the first record goes when the first page has been read.
                source.change = { ids, page in if page == 1 { ids.removeFirst() } }
            }
            let outcome = try await rig.sync(stream)
            let live = served.value.ids.map(Int64.init)
            #expect(try Set(Self.ids(rig)).isSuperset(of: live))
            #expect(outcome.record?.completeness == .unknown)
            #expect(outcome.record?.counts.deleted == 0)
            served.change { $0.change = { _, _ in } }
            _ = try await rig.sync(stream)
            #expect(try Self.ids(rig) == live)
        }
    }

    @Test func `as many records as the total says need no second look`() async throws {
        var source = Source(ids: Array(1...7))
        source.total = 7
        try await Self.run(source) { served, rig, stream in
            _ = try await rig.sync(stream)
            served.change { ($0.ids, $0.total) = (Array(1...6), 6) }
            let asked = rig.pagesAsked.count
            let outcome = try await rig.sync(stream)
            #expect(outcome.record?.counts.deleted == 1)
            #expect(rig.pagesAsked.dropFirst(asked) == [1, 2, 3, 4])
        }
    }

    @Test func `as many records as the total says hide no row for which another one came`() async throws {
        var source = Source(ids: Array(1...8))
        source.total = 8
        try await Self.run(source) { served, rig, stream in
            _ = try await rig.sync(stream)
            // Record 3 moves to the first page when that has been read, and 9 comes at the end.
            served.change { $0.change = { ids, page in if page == 1, ids.first == 1 { ids = Array(2...9) } } }
            let outcome = try await rig.sync(stream)
            #expect(try Set(Self.ids(rig)).isSuperset(of: 2...9))
            #expect(outcome.record?.completeness == .unknown)
            _ = try await rig.sync(stream)
            #expect(try Self.ids(rig) == Array(2...9))
        }
    }

    @Test func `rows that came in the same run do not make half of the old ones few`() async throws {
        try await Self.run(Source(ids: Array(1...14))) { served, rig, stream in
            var stream = stream
            stream.maxDeleteRatio = nil
            _ = try await rig.sync(stream)
            served.change { $0.ids = Array(101...120) }
            let outcome = try await rig.sync(stream)
            #expect(outcome.record?.counts.deleted == 0)
            #expect(outcome.record?.warning?.contains("14 of 14 rows are missing") == true)
            stream.maxDeleteRatio = 0.5
            #expect(try await rig.sync(stream).record?.counts.deleted == 14)
        }
    }

    @Test(
        arguments: [
            LoopbackReply.status(404), .status(422), .status(204), .json("null"), .json(#"{"message":"none"}"#),
        ], [false, true])
    func `a page that was refused once loses no row`(answer: LoopbackReply, replaces: Bool) async throws {
        var source = Source(ids: Array(1...7))
        source.behindLast = answer
        try await Self.run(source) { served, rig, stream in
            var stream = stream
            if replaces { (stream.writeDisposition, stream.deleteMissing) = (.replace, .ignore) }
            _ = try await rig.sync(stream)
            #expect(try Self.ids(rig) == Array(1...7))
            // The third page is short, and the fourth one is refused once.
            served.change { source in
                source.ids = [1, 2, 3, 4, 5]
                source.refusedOnce = [3]
            }
            let outcome = try await rig.sync(stream)
            #expect(try Set(Self.ids(rig)).isSuperset(of: [1, 2, 3, 4, 5]))
            #expect(outcome.status == .succeeded)
        }
    }

    @Test(arguments: [false, true])
    func `a page that was refused once and comes again as it was keeps its rows`(replaces: Bool) async throws {
        try await Self.run(Source(ids: Array(1...7))) { served, rig, stream in
            var stream = stream
            if replaces { (stream.writeDisposition, stream.deleteMissing) = (.replace, .ignore) }
            _ = try await rig.sync(stream)
            for page in [4, 2] {
                served.change { $0.refusedOnce = [page] }
                let outcome = try await rig.sync(stream)
                #expect(try Self.ids(rig) == Array(1...7))
                #expect(outcome.status == .succeeded)
            }
        }
    }

    @Test func `a page of one of several lists that was refused once loses no row`() async throws {
        let refusals = Watched(0)
        try await SyncRig.run({ request in
            let isOfFirst = request.target.contains("/a/")
            if isOfFirst, request.page == 3, refusals.value > 0 {
                refusals.change { $0 -= 1 }
                return .status(404)
            }
            guard request.page <= 3 else { return .status(404) }
            let first = request.page * 2 + (isOfFirst ? 0 : 100)
            // The pages behind the first one are short.
            let rows = (request.page == 1 ? [first, first + 1] : [first]).map { #"{"id":\#($0)}"# }
            return .json("[\(rows.joined(separator: ","))]")
        }) { rig in
            let stream = rig.stream {
                $0.request.path = "{partition.kind}/animals"
                $0.partitions = [Partition(name: "kind", values: ["a", "b"])]
                ($0.paginator, $0.deleteMissing, $0.maxDeleteRatio) = (Paginator(.pageNumber(.init())), .hard, 1)
                $0.retry.baseDelay = .milliseconds(1)
            }
            _ = try await rig.sync(stream)
            let ids = try Self.ids(rig)
            #expect(ids == [2, 3, 4, 6, 102, 103, 104, 106])
            refusals.value = 1
            let outcome = try await rig.sync(stream)
            #expect(outcome.record?.completeness == .complete)
            #expect(try Self.ids(rig) == ids)
            #expect(refusals.value == 0)
        }
    }

    /// Syncs three lists of seven, of which one changes when its first page was answered, and then once more.
    private static func syncOneOfSeveral(
        _ change: @escaping @Sendable (inout [Int]) -> Void,
        _ check: @escaping @Sendable (SyncRig, RunOutcome, _ asked: [Int]) throws -> Void
    ) async throws {
        let lists = Watched(["a": Array(1...7), "b": Array(11...17), "c": Array(21...27)])
        let isChanging = Watched(false)
        try await SyncRig.run({ request in
            let name = request.target.contains("/a/") ? "a" : request.target.contains("/b/") ? "b" : "c"
            let rows = lists.change { lists in
                let rows = lists[name, default: []].dropFirst((request.page - 1) * 2).prefix(2)
                if name == "b", request.page == 1, isChanging.value {
                    isChanging.value = false
                    change(&lists["b", default: []])
                }
                return rows.map { #"{"id":\#($0)}"# }
            }
            return .json(#"{"data":[\#(rows.joined(separator: ","))]}"#)
        }) { rig in
            let stream = rig.stream {
                $0.request.path = "{partition.kind}/animals"
                $0.partitions = [Partition(name: "kind", values: ["a", "b", "c"])]
                ($0.paginator, $0.deleteMissing, $0.maxDeleteRatio) = (Paginator(.pageNumber(.init())), .hard, 1)
            }
            for _ in 1...2 { _ = try await rig.sync(stream) }
            #expect(rig.pagesAsked.count == 30)
            isChanging.value = true
            let outcome = try await rig.sync(stream)
            try check(rig, outcome, Array(rig.pagesAsked.dropFirst(30)))
            _ = try await rig.sync(stream)
            #expect(try Self.ids(rig) == lists.value.values.flatMap(\.self).sorted().map(Int64.init))
        }
    }

    @Test func `a record of one of several lists that moved to a page that was read is not deleted`() async throws {
        try await Self.syncOneOfSeveral({ $0.removeFirst() }) { rig, outcome, asked in
            let ids = try Self.ids(rig)
            #expect(ids.count == 21)
            #expect(outcome.record?.completeness == .unknown)
            #expect(asked.count == 18)
        }
    }

    @Test func `of several lists only the one that lacks records is looked at twice`() async throws {
        try await Self.syncOneOfSeveral({ $0.removeLast() }) { rig, outcome, asked in
            let ids = try Self.ids(rig)
            #expect(ids == Array(1...7) + Array(11...16) + Array(21...27))
            #expect(outcome.record?.completeness == .complete)
            #expect(outcome.record?.counts.deleted == 1)
            #expect(outcome.record?.counts.unchanged == 20)
            #expect(asked.count == 18)
        }
        try await Self.syncOneOfSeveral({ $0.append(18) }) { rig, outcome, asked in
            let ids = try Self.ids(rig)
            #expect(ids.count == 22)
            #expect(outcome.record?.completeness == .complete)
            #expect(asked.count == 15)
        }
    }

    @Test func `a table that is replaced and an incremental stream are read one page at a time`() async throws {
        let underWay = Watched((now: 0, most: 0))
        try await SyncRig.run({ request in
            underWay.change { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            try? await Task.sleep(for: .milliseconds(20))
            underWay.change { $0.now -= 1 }
            let rows = (1...20).contains(request.page) ? #"{"id":\#(request.page),"at":"2026-01-01"}"# : ""
            return .json(#"{"data":[\#(rows)],"total":20}"#)
        }) { rig in
            let paginator = Paginator(.pageNumber(.init(totalPath: try? Selector(parsing: "$.total"))))
            let replaced = rig.stream {
                ($0.paginator, $0.writeDisposition) = (paginator, .replace)
            }
            let incremental = rig.stream("others") {
                ($0.paginator, $0.incremental) = (paginator, Incremental(cursorField: "at"))
            }
            for stream in [replaced, incremental] {
                let outcome = try await rig.sync(stream)
                #expect(outcome.status == .succeeded)
            }
            #expect(underWay.value.most == 1)
        }
    }
}
