import GarnerCatalog
import Foundation
import GarnerJSON
import GarnerModel
import GarnerPersistence
import GarnerSync
import Synchronization
import TestSupport
import Testing

/// Numbered pages of a slow server, several of which are requested at the same time.
@Suite(.timeLimit(.minutes(60)))
struct PagesAheadTests {
    /// A list of records on numbered pages, served slowly enough that storing waits for it.
    private final class Source: Sendable {
        struct State {
            var ids: [Int]
            var perPage = 3
            /// The form in which a page states how many there are.
            var total = Total.records
            /// The time that each answer takes.
            var delay = Duration.milliseconds(2)
            var refusals: [Int: [Int]] = [:]
            /// Called before each answer.
            var change: @Sendable (inout [Int], _ page: Int) -> Void = { _, _ in }
            var underWay = 0
            var mostUnderWay = 0
            var refusedPage: Int?
            /// True since the refused page was requested again.
            var isLater = false
            /// The requests that came since then.
            var underWayLater = 0
            var mostUnderWayLater = 0
            var requests = 0
        }

        enum Total: CaseIterable { case records, pages, links, paths }

        let state: Mutex<State>

        init(_ ids: [Int], _ change: (inout State) -> Void = { _ in }) {
            var state = State(ids: ids)
            change(&state)
            self.state = Mutex(state)
        }

        func answer(_ request: LoopbackRequest) async -> LoopbackReply {
            let page = request.page
            let (delay, isLater) = state.withLock { state in
                state.requests += 1
                state.underWay += 1
                state.mostUnderWay = max(state.mostUnderWay, state.underWay)
                if state.refusedPage == page { state.isLater = true }
                state.underWayLater += state.isLater ? 1 : 0
                state.mostUnderWayLater = max(state.mostUnderWayLater, state.underWayLater)
                return (state.delay, state.isLater)
            }
            try? await Task.sleep(for: delay)
            return state.withLock { state in
                state.underWay -= 1
                state.underWayLater -= isLater ? 1 : 0
                if let status = state.refusals[page]?.popLast() {
                    if [429, 503].contains(status) { state.refusedPage = page }
                    return .status(status)
                }
                state.change(&state.ids, page)
                let count = (state.ids.count + state.perPage - 1) / state.perPage
                guard page <= count else { return .status(404) }
                let rows = state.ids.dropFirst((page - 1) * state.perPage).prefix(state.perPage)
                    .map { #"{"id":\#($0)}"# }.joined(separator: ",")
                let more =
                    switch state.total {
                    case .records: #""total":\#(state.ids.count)"#
                    case .pages: #""total_pages":\#(count)"#
                    case .links: #""next":\#(page < count ? #""?page=\#(page + 1)""# : "null")"#
                    case .paths: #""next":\#(page < count ? #""/animals/page/\#(page + 1)""# : "null")"#
                    }
                return .json(#"{"data":[\#(rows)],\#(more)}"#)
            }
        }
    }

    private static func paginator(_ total: Source.Total, maxPages: Int? = nil) -> Paginator {
        var limits = PageLimits()
        limits.maxPages = maxPages
        let kind: Paginator.Kind =
            switch total {
            case .records: .pageNumber(.init(totalPath: try? Selector(parsing: "$.total")))
            case .pages: .pageNumber(.init(totalPagesPath: try? Selector(parsing: "$.total_pages")))
            case .links, .paths: .jsonLink(.init(nextURLPath: "$.next"))
            }
        return Paginator(kind, limits: limits)
    }

    private static func run(
        _ source: Source, _ body: @escaping @Sendable (SyncRig, StreamConfiguration) async throws -> Void
    ) async throws {
        let total = source.state.withLock(\.total)
        try await SyncRig.run({ await source.answer($0) }) { rig in
            let stream = rig.stream {
                $0.paginator = paginator(total)
                $0.deleteMissing = .hard
                $0.maxDeleteRatio = 1
            }
            try await body(rig, stream)
        }
    }

    private static func ids(_ rig: SyncRig, _ table: String = "animals") throws -> [Int64] {
        try rig.integers("SELECT id FROM \(table) ORDER BY id")
    }

    @Test(arguments: Source.Total.allCases)
    private func `pages are requested at the same time, and stored in their order`(total: Source.Total) async throws {
        let source = Source(Array(1...90)) {
            $0.total = total
            $0.delay = .milliseconds(60)
        }
        try await Self.run(source) { rig, stream in
            for round in 1...2 {
                let outcome = try await rig.sync(stream)
                #expect(outcome.record?.completeness == .complete)
                #expect(outcome.record?.counts.pages == 30)
                #expect(try Self.ids(rig) == Array(1...90))
                // Only a stored page tells where a link leads before it comes.
                let isAhead = round == 2 || [.records, .pages].contains(total)
                #expect(source.state.withLock { $0.mostUnderWay > 1 } == isAhead)
            }
            let counted = try rig.integers("SELECT sum(attempts) FROM _garner_requests")
            #expect(counted == [Int64(source.state.withLock(\.requests))])
        }
    }

    @Test func `after 429 no request begins beside another one`() async throws {
        for status in [429, 503] {
            let source = Source(Array(1...120)) {
                $0.delay = .milliseconds(60)
                $0.refusals = [20: [status]]
            }
            try await Self.run(source) { rig, stream in
                var stream = stream
                stream.retry = RetryPolicy(maxAttempts: 3, baseDelay: .milliseconds(10))
                let outcome = try await rig.sync(stream)
                #expect(outcome.status == .succeeded)
                #expect(outcome.record?.completeness == .complete)
                #expect(source.state.withLock(\.mostUnderWay) > 1)
            }
            #expect(source.state.withLock(\.mostUnderWayLater) == 1)
        }
    }

    @Test func `an error of a page ahead counts when its turn comes, and the next run goes on there`() async throws {
        let source = Source(Array(1...90)) {
            $0.delay = .milliseconds(60)
            $0.refusals = [17: [500, 500]]
        }
        try await Self.run(source) { rig, stream in
            let failed = try await rig.sync(stream)
            #expect(failed.status == .failed)
            #expect(try Self.ids(rig) == Array(1...48))
            source.state.withLock { $0.refusals = [:] }
            #expect(try await rig.sync(stream).status == .succeeded)
            #expect(try Self.ids(rig) == Array(1...90))
        }
    }

    @Test func `pages that are refused behind the end end no read`() async throws {
        // Its total counts records that it does not show, so that pages behind the end are requested.
        let ids = Array(1...60)
        let script = Mutex(0)
        try await SyncRig.run({ request in
            try? await Task.sleep(for: .milliseconds(60))
            guard request.page <= 20 else {
                script.withLock { $0 += 1 }
                return .status(404)
            }
            let rows = ids.dropFirst((request.page - 1) * 3).prefix(3).map { #"{"id":\#($0)}"# }.joined(separator: ",")
            return .json(#"{"data":[\#(rows)],"total":90}"#)
        }) { rig in
            let stream = rig.stream {
                $0.paginator = Self.paginator(.records)
                $0.deleteMissing = .hard
            }
            let outcome = try await rig.sync(stream)
            #expect(try Self.ids(rig) == Array(1...60))
            #expect(script.withLock { $0 } >= 1)
            var inOrder = rig.stream("others") {
                $0.paginator = Self.paginator(.records)
                $0.deleteMissing = .hard
                $0.maxConcurrency = 1
            }
            inOrder.request.path = "animals"
            let other = try await rig.sync(inOrder)
            #expect(outcome.status == other.status)
            #expect(outcome.record?.completeness == other.record?.completeness)
        }
    }

    @Test func `no page behind max_pages is requested, and none at the same time under a rate limit`() async throws {
        let source = Source(Array(1...90)) { $0.delay = .milliseconds(60) }
        try await Self.run(source) { rig, stream in
            var limited = stream
            limited.paginator = Self.paginator(.records, maxPages: 12)
            _ = try await rig.sync(limited)
            #expect(rig.pagesAsked.max() == 12)
            #expect(source.state.withLock(\.mostUnderWay) > 1)
            source.state.withLock { $0.mostUnderWay = 0 }
            var slow = rig.stream("animals") { $0.table = "slow" }
            slow.paginator = Self.paginator(.records)
            slow.rateLimit = RateLimit(requests: 1000, per: .seconds(1))
            _ = try await rig.sync(slow)
            #expect(source.state.withLock(\.mostUnderWay) == 1)
        }
    }

    @Test func `numbers at the end of all numbers are no reason to stop`() async throws {
        try await SyncRig.run({ request in
            try? await Task.sleep(for: .milliseconds(60))
            guard request.page <= 20 else { return .status(404) }
            let most = Int.max
            return .json(#"{"data":[{"id":\#(request.page)}],"page":\#(most),"total_pages":\#(most),"total":\#(most)}"#)
        }) { rig in
            let stream = rig.stream { $0.paginator = Self.paginator(.pages) }
            _ = try await rig.sync(stream)
            #expect(try Self.ids(rig) == Array(1...20))
        }
    }

    @Test func `a run that is cancelled waits for no page ahead`() async throws {
        try await SyncRig.run({ request in
            try? await Task.sleep(for: .milliseconds(60))
            guard request.page <= 15 else { return LoopbackReply(.stall) }
            return .json(#"{"data":[{"id":\#(request.page)}],"total_pages":100}"#)
        }) { rig in
            let stream = rig.stream {
                $0.paginator = Self.paginator(.pages)
                $0.limits.firstByte = .seconds(3600)
                $0.limits.total = .seconds(3600)
            }
            let run = Task { try await rig.sync(stream) }
            // The page in turn is one of those that were requested ahead.
            try await eventually { rig.pagesAsked.contains(17) }
            try await eventually { try Self.ids(rig).count == 15 }
            run.cancel()
            #expect(try await run.value.status == .cancelled)
        }
    }

    @Test func `a page that leads elsewhere than expected is followed there, and what it leaps over stays`()
        async throws
    {
        let leadsElsewhere = Mutex(false)
        try await SyncRig.run({ request in
            try? await Task.sleep(for: .milliseconds(60))
            let jumps = request.page == 10 && leadsElsewhere.withLock(\.self)
            let next = request.page < 20 ? #""?page=\#(jumps ? 13 : request.page + 1)""# : "null"
            return .json(#"{"data":[{"id":\#(request.page)}],"next":\#(next)}"#)
        }) { rig in
            let stream = rig.stream {
                $0.paginator = Self.paginator(.links)
                $0.deleteMissing = .hard
            }
            _ = try await rig.sync(stream)
            leadsElsewhere.withLock { $0 = true }
            let outcome = try await rig.sync(stream)
            #expect(rig.pagesAsked.dropFirst(20).contains(11), "it was not requested ahead")
            #expect(outcome.record?.counts.pages == 18)
            #expect(outcome.record?.completeness == .unknown)
            #expect(try Self.ids(rig) == Array(1...20))
        }
    }

    @Test func `a page ahead that came unchanged counts only behind as many records as when it was stored`()
        async throws
    {
        let isShort = Mutex(false)
        try await SyncRig.run({ request in
            try? await Task.sleep(for: .milliseconds(60))
            guard request.page <= 20 else { return .json(#"{"data":[],"total":40}"#) }
            let isShorter = request.page == 18 && isShort.withLock(\.self)
            let rows = [request.page * 2 - 1, request.page * 2].dropLast(isShorter ? 1 : 0)
            return .json(#"{"data":[\#(rows.map { #"{"id":\#($0)}"# }.joined(separator: ","))],"total":40}"#)
        }) { rig in
            let ahead = rig.stream {
                $0.paginator = Self.paginator(.records)
                $0.deleteMissing = .hard
            }
            var inOrder = ahead
            (inOrder.name, inOrder.table) = (StreamName(source: "zoo", stream: "ordered"), "ordered")
            inOrder.maxConcurrency = 1
            for shortens in [false, true] {
                isShort.withLock { $0 = shortens }
                let one = try #require(try await rig.sync(ahead).record)
                let other = try #require(try await rig.sync(inOrder).record)
                #expect(one.completeness == other.completeness && one.completenessReason == other.completenessReason)
                #expect(one.counts.pages == other.counts.pages)
                #expect(try Self.ids(rig) == (try Self.ids(rig, "ordered")))
            }
        }
    }

    @Test func `links without a number are followed one after the other`() async throws {
        let underWay = Mutex((now: 0, most: 0))
        try await SyncRig.run({ request in
            underWay.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            try? await Task.sleep(for: .milliseconds(60))
            underWay.withLock { $0.now -= 1 }
            let number = request.target.firstRange(of: "after=k").flatMap { Int(request.target[$0.upperBound...]) } ?? 1
            let next = number < 20 ? #""?after=k\#(number + 1)""# : "null"
            return .json(#"{"data":[{"id":\#(number)}],"next":\#(next)}"#)
        }) { rig in
            let stream = rig.stream { $0.paginator = Self.paginator(.links) }
            for _ in 1...2 { _ = try await rig.sync(stream) }
            #expect(try Self.ids(rig) == Array(1...20))
            #expect(underWay.withLock(\.most) == 1)
        }
    }

    @Test func `servers at rest are read alike in order and ahead`() async throws {
        var generator = SplitMix64(seed: 20)
        var ahead = 0
        let count = ProcessInfo.processInfo.environment["GARNER_AHEAD_SERVERS"].flatMap { Int($0) } ?? 20
        for number in 0..<count {
            let total = Source.Total.allCases.randomElement(using: &generator) ?? .records
            // The first one is so long and slow that it is read ahead on any machine.
            let isLong = number == 0
            let ids = Array((1...(isLong ? 60 : Int.random(in: 1...80, using: &generator))).shuffled(using: &generator))
            let perPage = isLong ? 2 : Int.random(in: 1...5, using: &generator)
            let later = ids.filter { _ in Int.random(in: 0...9, using: &generator) > 0 } + [1000]
            let source = Source(ids) {
                ($0.total, $0.perPage) = (total, perPage)
                if isLong { $0.delay = .milliseconds(60) }
            }
            try await Self.run(source) { rig, stream in
                var inOrder = rig.stream("ordered") { $0.paginator = stream.paginator }
                (inOrder.deleteMissing, inOrder.maxDeleteRatio, inOrder.maxConcurrency) = (.hard, 1, 1)
                for list in [ids, ids, later] {
                    source.state.withLock { $0.ids = list }
                    let one = try #require(try await rig.sync(stream).record)
                    let other = try #require(try await rig.sync(inOrder).record)
                    #expect(one.status == other.status && one.completeness == other.completeness)
                    #expect(one.completenessReason == other.completenessReason)
                    #expect(one.counts.pages == other.counts.pages)
                    #expect(one.counts.inserted == other.counts.inserted)
                    #expect(one.counts.deleted == other.counts.deleted)
                    #expect(one.counts.unchanged == other.counts.unchanged)
                    #expect(try Self.ids(rig) == Self.ids(rig, "ordered"))
                }
            }
            ahead += source.state.withLock { $0.mostUnderWay > 1 } ? 1 : 0
        }
        #expect(ahead > 0)
    }

    @Test func `no record that was there throughout is deleted while a list changes`() async throws {
        var generator = SplitMix64(seed: 21)
        let count = ProcessInfo.processInfo.environment["GARNER_AHEAD_SERVERS"].flatMap { Int($0) } ?? 20
        for _ in 0..<count {
            let total = [Source.Total.pages, .links, .paths].randomElement(using: &generator) ?? .links
            let random = Mutex(SplitMix64(seed: generator.next()))
            let perPage = Int.random(in: 2...4, using: &generator)
            let source = Source(Array(1...60)) {
                ($0.total, $0.perPage) = (total, perPage)
                $0.delay = .milliseconds(2)
            }
            try await Self.run(source) { rig, stream in
                for _ in 1...2 { _ = try await rig.sync(stream) }
                // New records come first, as in a feed, while the pages are read.
                source.state.withLock { state in
                    state.change = { ids, _ in
                        let isNew = random.withLock { Int.random(in: 0..<4, using: &$0) == 0 }
                        if isNew { ids.insert((ids.max() ?? 0) + 1, at: 0) }
                    }
                }
                for _ in 1...3 {
                    _ = try await rig.sync(stream)
                    #expect(try Set(Self.ids(rig)).isSuperset(of: 1...60))
                }
                source.state.withLock { $0.change = { _, _ in } }
                // Pages that came unchanged are read once more, until all are known.
                for _ in 1...2 { _ = try await rig.sync(stream) }
                let ids = source.state.withLock { $0.ids.map(Int64.init).sorted() }
                #expect(try Self.ids(rig) == ids)
            }
        }
    }
}
