import GarnerCatalog
import GarnerJSON
import GarnerModel
import GarnerPersistence
import GarnerSync
import TestSupport
import Testing

/// Reads by a cursor of which a page is refused once: the records on it must come with the next sync.
@Suite(.timeLimit(.minutes(5)))
struct HeldCursorTests {
    private static let refusals: [LoopbackReply] = [
        .status(404), .status(400), .status(204), .json("{}"),
        .response(status: 200, body: ""),
    ]

    private static func number(_ name: String, in request: LoopbackRequest) -> Int? {
        request.target.split(whereSeparator: { "?&".contains($0) }).first { $0.hasPrefix("\(name)=") }
            .flatMap { Int($0.dropFirst(name.count + 1)) }
    }

    /// Seven of so many records, the newest first, from the cursor that the request names.
    private static func page(of count: Int, for request: LoopbackRequest) -> LoopbackReply {
        let since = number("since", in: request) ?? 0
        let ids = (1...count).reversed().filter { $0 >= since }.dropFirst((request.page - 1) * 7).prefix(7)
        return .json(#"{"data":[\#(ids.map { #"{"id":\#($0),"seq":\#($0)}"# }.joined(separator: ","))]}"#)
    }

    private static func readByCursor(_ stream: inout StreamConfiguration) {
        stream.request.params = [.init(name: "since", value: .literal("{incremental.start_value}"))]
        stream.incremental = Incremental(cursorField: "seq")
        stream.paginator = Paginator(.pageNumber(.init()))
    }

    @Test(arguments: refusals.indices)
    func `an answer that says nothing of a later page holds the cursor`(index: Int) async throws {
        let (count, refuses) = (Watched(7), Watched(false))
        try await SyncRig.run({ request in
            if refuses.value, request.page == 2 {
                refuses.value = false
                return Self.refusals[index]
            }
            return Self.page(of: count.value, for: request)
        }) { rig in
            let stream = rig.stream { Self.readByCursor(&$0) }
            _ = try await rig.sync(stream)
            (count.value, refuses.value) = (28, true)
            let odd = try await rig.sync(stream)
            #expect(odd.record?.completeness == .unknown)
            _ = try await rig.sync(stream)
            #expect(try rig.integers("SELECT count(*) FROM animals") == [28])
        }
    }

    @Test func `a page in the midst that is not believed holds the cursor`() async throws {
        let (count, isOdd) = (Watched(7), Watched(false))
        try await SyncRig.run({ request in
            if request.target.hasPrefix("/elsewhere") { return .json(#"{"data":[{"id":900,"seq":0}]}"#) }
            if isOdd.value, request.page == 3 {
                isOdd.value = false
                return .response(status: 302, headers: [("Location", "/elsewhere")], body: "")
            }
            return Self.page(of: count.value, for: request)
        }) { rig in
            let stream = rig.stream { Self.readByCursor(&$0) }
            _ = try await rig.sync(stream)
            (count.value, isOdd.value) = (28, true)
            #expect(try await rig.sync(stream).record?.completeness == .unknown)
            _ = try await rig.sync(stream)
            #expect(try rig.integers("SELECT count(*) FROM animals") == [29])
        }
    }

    @Test func `the windows behind one that was not wholly read hold the cursor, too`() async throws {
        let refuses = Watched(true)
        try await SyncRig.run({ request in
            guard let since = Self.number("since", in: request), let until = Self.number("until", in: request) else {
                return .status(400)
            }
            if refuses.value, since == 21, request.page == 2 {
                refuses.value = false
                return .status(404)
            }
            let ids = (since..<until).dropFirst((request.page - 1) * 7).prefix(7)
            return .json(#"{"data":[\#(ids.map { #"{"id":\#($0),"seq":\#($0)}"# }.joined(separator: ","))]}"#)
        }) { rig in
            let stream = rig.stream {
                $0.request.params = [
                    .init(name: "since", value: .literal("{incremental.start_value}")),
                    .init(name: "until", value: .literal("{incremental.end_value}")),
                ]
                $0.incremental = Incremental(cursorField: "seq", initialValue: "1", endValue: "61", step: .count(20))
                $0.paginator = Paginator(.pageNumber(.init()))
            }
            for _ in 1...2 { _ = try await rig.sync(stream) }
            #expect(try rig.integers("SELECT count(*) FROM animals") == [60])
        }
    }

    @Test func `a page that is not believed holds the cursor of the read that goes on behind it, too`() async throws {
        let turn = Watched(1)
        try await SyncRig.run({ request in
            let page = (2...4).first { request.target.contains("after=c\($0)") } ?? 1
            if turn.value == 2, page == 4 { return .status(500) }
            let since = Self.number("since", in: request) ?? 0
            let all = (1...(turn.value == 1 ? 3 : 12)).filter { $0 >= since }
            let isOdd = turn.value == 2 && page == 2
            let ids = all.dropFirst((page - 1) * 3).prefix(isOdd ? 1 : 3)
            let records = ids.map { #"{"id":\#($0),"seq":\#($0)}"# }.joined(separator: ",")
            let next = page * 3 < all.count ? "\"c\(page + 1)\"" : "null"
            return .response(status: isOdd ? 207 : 200, body: #"{"data":[\#(records)],"next":\#(next)}"#)
        }) { rig in
            let stream = rig.stream {
                Self.readByCursor(&$0)
                $0.paginator = Paginator(.cursor(.init(cursorPath: "$.next", cursorParam: "after")))
            }
            _ = try await rig.sync(stream)
            turn.value = 2
            let failed = try await rig.sync(stream).status
            turn.value = 3
            let odd = try await rig.sync(stream).record?.completeness
            _ = try await rig.sync(stream)
            let rows = try rig.integers("SELECT count(*) FROM animals")
            #expect(failed == .failed && odd == .unknown && rows == [12])
        }
    }
}
