import GarnerCatalog
import GarnerJSON
import GarnerModel
import GarnerPersistence
import GarnerSync
import TestSupport
import Testing

/// Lists that change between the requests for their numbered pages, which the server does not tell.
@Suite(.timeLimit(.minutes(5)))
struct MovedRecordTests {
    private static let paginators: [Paginator] = [
        Paginator(.pageNumber(.init(pageParam: "page", basePage: 1, totalPath: try? Selector(parsing: "$.total")))),
        Paginator(.jsonLink(.init(nextURLPath: "$.next"))),
    ]

    /// Runs `body` with a server that gives these pages of numbers, and a total that always fits.
    private static func run(
        _ pages: [[Int]], _ paginator: Paginator,
        _ body: @escaping @Sendable (Watched<[[Int]]>, SyncRig, StreamConfiguration) async throws -> Void
    ) async throws {
        let served = Watched(pages)
        try await SyncRig.run({ request in
            let pages = served.value
            guard request.page <= pages.count else { return .json(#"{"data":[],"total":4,"next":null}"#) }
            let rows = pages[request.page - 1].map { #"{"id":\#($0)}"# }.joined(separator: ",")
            let next = request.page < pages.count ? #""?page=\#(request.page + 1)""# : "null"
            return .json(#"{"data":[\#(rows)],"total":4,"next":\#(next)}"#)
        }) { rig in
            let stream = rig.stream {
                $0.paginator = paginator
                $0.deleteMissing = .hard
            }
            try await body(served, rig, stream)
        }
    }

    @Test(arguments: paginators.indices)
    func `a record on two pages makes the read unsure, even the first one`(index: Int) async throws {
        try await Self.run([[1, 2], [3, 2]], Self.paginators[index]) { _, rig, stream in
            let outcome = try await rig.sync(stream)
            #expect(outcome.record?.completeness == .unknown)
            #expect(
                outcome.record?.completenessReason
                    == "the record 2 came on two pages, so the list may have changed while it was read; the next sync checks again"
            )
        }
    }

    @Test(arguments: paginators.indices)
    func `a record that another page hides is not deleted, though the first page came unchanged`(
        index: Int
    ) async throws {
        try await Self.run([[1, 2], [3, 4]], Self.paginators[index]) { served, rig, stream in
            for _ in 1...2 { _ = try await rig.sync(stream) }
            served.value = [[1, 2], [3, 2]]
            let outcome = try await rig.sync(stream)
            #expect(outcome.record?.completeness == .unknown)
            #expect(try rig.integers("SELECT id FROM animals ORDER BY id") == [1, 2, 3, 4])
            served.value = [[1, 2], [3]]
            for _ in 1...2 { _ = try await rig.sync(stream) }
            #expect(try rig.integers("SELECT id FROM animals ORDER BY id").count <= 4)
        }
    }

    /// The ways in which a page leads to the next one.
    enum Style: CaseIterable {
        case query, path, pathFromPlain, header, headerPath

        func address(of page: Int) -> String {
            switch self {
            case .query, .header: "/animals?page=\(page)"
            case .path, .headerPath: "/animals/page/\(page)"
            case .pathFromPlain: page == 1 ? "/animals" : "/animals/page/\(page)"
            }
        }
    }

    /// Plays a read during which record 27 of the sixth page moves to the front, after a page was answered.
    ///
    /// The pages before it and the last six have not changed, so that only their bytes are compared.
    ///
    /// - Parameter text: What each record has beside its number.
    private static func move(
        _ style: Style, after page: Int, text: String = "",
        _ change: @escaping @Sendable (inout StreamConfiguration) -> Void
    ) async throws {
        let list = Watched(Array(1...60))
        let moves = Watched(false)
        try await SyncRig.run({ request in
            let size = 5
            let (now, count) = (list.value, 12)
            let rows = now.dropFirst((request.page - 1) * size).prefix(size).map { #"{"id":\#($0),"text":"\#(text)"}"# }
            if moves.value, request.page == page {
                moves.value = false
                list.change { $0.insert($0.remove(at: 26), at: 0) }
            }
            let next = request.page < count ? style.address(of: request.page + 1) : nil
            guard [.header, .headerPath].contains(style) else {
                let link = next.map { "\"\($0)\"" } ?? "null"
                return .json(#"{"data":[\#(rows.joined(separator: ","))],"next":\#(link)}"#)
            }
            return .json(
                "[\(rows.joined(separator: ","))]", headers: next.map { [("Link", "<\($0)>; rel=\"next\"")] } ?? [])
        }) { rig in
            let stream = rig.stream {
                $0.request.path = String(style.address(of: 1).dropFirst())
                $0.maxConcurrency = 1
                $0.maxDeleteRatio = 1
                change(&$0)
            }
            for _ in 1...2 { #expect(try await rig.sync(stream).record?.completeness == .complete) }
            moves.value = true
            let outcome = try await rig.sync(stream)
            #expect(!moves.value)
            // A mirror looks once more, and finds it.
            let isMirror = stream.deleteMissing != .ignore
            #expect(outcome.record?.completeness == (isMirror ? .complete : .unknown), "\(style), after page \(page)")
            #expect(try rig.integers("SELECT id FROM animals ORDER BY id") == Array(1...60))
            for _ in 1...2 { _ = try await rig.sync(stream) }
            #expect(try rig.integers("SELECT id FROM animals ORDER BY id") == Array(1...60))
        }
    }

    @Test(arguments: Style.allCases, [1, 4])
    func `a record that moves to a page that was read is not deleted, however pages are counted`(
        style: Style, page: Int
    ) async throws {
        try await Self.move(style, after: page) { $0.deleteMissing = .hard }
    }

    @Test(arguments: Style.allCases)
    func `a table that is replaced keeps a record that moves to a page that was read`(style: Style) async throws {
        try await Self.move(style, after: 4) { $0.writeDisposition = .replace }
    }

    /// With more changes than SQLite keeps in memory, the whole transaction of the last page is undone, and the page is stored anew.
    @Test func `a large table that is replaced keeps a record that moves to a page that was read`() async throws {
        try await Self.move(.query, after: 4, text: String(repeating: "long ", count: 16_000)) {
            $0.writeDisposition = .replace
        }
    }

    @Test func `a first read that goes on is unsure if a record has moved to a page that was read`() async throws {
        let (list, fails) = (Watched(Array(1...30)), Watched(true))
        try await SyncRig.run({ request in
            if request.page == 4, fails.value { return .status(500) }
            let rows = list.value.dropFirst((request.page - 1) * 5).prefix(5).map { #"{"id":\#($0)}"# }
            let next = request.page < 6 ? #""?page=\#(request.page + 1)""# : "null"
            return .json(#"{"data":[\#(rows.joined(separator: ","))],"next":\#(next)}"#)
        }) { rig in
            let stream = rig.stream { $0.paginator = Self.paginators[1] }
            let failed = try await rig.sync(stream)
            #expect(failed.status == .failed)
            list.change { $0.insert($0.remove(at: 26), at: 0) }
            fails.value = false
            #expect(try await rig.sync(stream).record?.completeness == .unknown)
            #expect(try await rig.sync(stream).record?.completeness == .complete)
            #expect(try rig.integers("SELECT id FROM animals ORDER BY id") == Array(1...30))
        }
    }

    @Test func `a total differs from that of a page that has not changed, and nothing is deleted`() async throws {
        let (list, removes) = (Watched(Array(1...60)), Watched(false))
        try await SyncRig.run({ request in
            let rows = list.value.dropFirst((request.page - 1) * 5).prefix(5).map { #"{"id":\#($0)}"# }
            let body = #"{"data":[\#(rows.joined(separator: ","))],"total":\#(list.value.count)}"#
            let tag = "\"\(body.hashValue)\""
            if removes.value, request.page == 4 {
                removes.value = false
                list.change { $0.remove(at: 0) }
            }
            if request["If-None-Match"] == tag { return .response(status: 304, headers: [("ETag", tag)]) }
            return .json(body, headers: [("ETag", tag)])
        }) { rig in
            let stream = rig.stream {
                ($0.paginator, $0.deleteMissing, $0.maxDeleteRatio) = (Self.paginators[0], .hard, 1)
                $0.maxConcurrency = 1
            }
            for _ in 1...2 { #expect(try await rig.sync(stream).record?.completeness == .complete) }
            removes.value = true
            // Record 16 is on the third page now, which was read before.
            let outcome = try await rig.sync(stream)
            #expect(outcome.record?.completenessReason == Verdict.totalChanged.reason)
            #expect(try rig.integers("SELECT id FROM animals ORDER BY id") == Array(1...60))
            #expect(try await rig.sync(stream).record?.completeness == .complete)
            #expect(try rig.integers("SELECT id FROM animals ORDER BY id") == Array(2...60))
        }
    }

    @Test func `a record that moves to another page is deleted or kept as it should be`() async throws {
        try await Self.run([[1, 2], [3, 4], [5]], Self.paginators[1]) { served, rig, stream in
            for _ in 1...2 { _ = try await rig.sync(stream) }
            // Record 3 is gone, so 5 has moved to the second page. The first one came unchanged.
            served.value = [[1, 2], [4, 5]]
            let outcome = try await rig.sync(stream)
            #expect(outcome.record?.completeness == .complete)
            #expect(try rig.integers("SELECT id FROM animals ORDER BY id") == [1, 2, 4, 5])
        }
    }

    @Test func `a record at the border of two steps is on no two pages of a list`() async throws {
        try await SyncRig.run({ request in
            func bound(_ name: String) -> Int? {
                request.target.split(separator: "\(name)=").dropFirst().first.flatMap { Int($0.prefix { $0 != "&" }) }
            }
            // Both ends of a range are inclusive, as many APIs have it.
            let ids = (bound("from") ?? 0)...(bound("to") ?? 30)
            let rows = ids.dropFirst(4 * (request.page - 1)).prefix(4).map { "{\"id\":\($0)}" }
            return .json("{\"data\":[\(rows.joined(separator: ","))],\"total\":\(ids.count)}")
        }) { rig in
            let stream = rig.stream {
                $0.request.params = [
                    .init(name: "from", value: .literal("{incremental.start_value}")),
                    .init(name: "to", value: .literal("{incremental.end_value}")),
                ]
                $0.paginator = Self.paginators[0]
                $0.incremental = Incremental(
                    cursorField: "id", initialValue: "0", endValue: "30", step: .count(10))
            }
            let outcome = try await rig.sync(stream)
            #expect(outcome.record?.completeness == .complete, "\(outcome)")
            #expect(try rig.integers("SELECT id FROM animals ORDER BY id") == Array(0...30))
            #expect(try rig.texts("SELECT value FROM _garner_cursors") == ["30"])
        }
    }
}
