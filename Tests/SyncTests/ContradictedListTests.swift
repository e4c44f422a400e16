import GarnerCatalog
import GarnerJSON
import GarnerModel
import GarnerSync
import TestSupport
import Testing

/// Lists whose end another statement of an answer contradicts.
@Suite(.timeLimit(.minutes(5)))
struct ContradictedListTests {
    /// Reads a list of two pages by a paginator, then once more with another last page. Returns what the reads are worth.
    private static func worth(
        _ paginator: Paginator, _ selector: String? = nil, first: String, last: String, now: LoopbackReply
    ) async throws -> [Completeness?] {
        let isOdd = Watched(false)
        let found = Watched<[Completeness?]>([])
        try await SyncRig.run({ request in
            if request.target.hasPrefix("/elsewhere") || request.target.contains("page=7") { return .json(last) }
            guard ["page=2", "offset=2", "after=c2"].contains(where: request.target.contains) else {
                return .json(first)
            }
            return isOdd.value ? now : .json(last)
        }) { rig in
            let stream = rig.stream {
                ($0.paginator, $0.recordSelector) = (paginator, selector)
                ($0.deleteMissing, $0.maxDeleteRatio) = (.hard, 1)
            }
            let before = try await rig.sync(stream).record
            isOdd.value = true
            let after = try await rig.sync(stream).record
            found.value = [before?.completeness, after?.completeness]
        }
        return found.value
    }

    @Test(arguments: [#""true""#, #""yes""#, "1", "12", "true"])
    func `a flag of more may be a text or a number`(flag: String) async throws {
        let paginator = Paginator(.cursor(.init(cursorPath: "$.next", cursorParam: "after", hasMorePath: "$.more")))
        let worth = try await Self.worth(
            paginator, first: #"{"data":[{"id":1}],"next":"c2","more":"true"}"#,
            last: #"{"data":[{"id":2}],"next":null,"more":"false"}"#,
            now: .json(#"{"data":[{"id":2}],"next":null,"more":\#(flag)}"#))
        #expect(worth == [.complete, .partial])
    }

    /// What stands beside the records of all pages, and of the last one in the second read, which is worth so much.
    private static let turned: [(String, String, Completeness)] = [
        (#""code":0"#, #""code":1"#, .unknown), (#""code":1"#, #""code":0"#, .unknown),
        (#""ok":1"#, #""ok":0"#, .unknown), (#""success":true"#, #""success":"no""#, .unknown),
        (#""meta":{"code":"OK"}"#, #""meta":{"code":"E17"}"#, .unknown), (#""code":0"#, #""code":200"#, .complete),
        (#""ok":true"#, #""ok":1"#, .complete), (#""ok":1"#, #""ok":1.0"#, .complete),
        (#""code":200"#, #""code":0"#, .complete), (#""code":"OK""#, #""code":0"#, .complete),
        (#""code":200.0"#, #""code":200"#, .complete), (#""ok":1.0"#, #""ok":0"#, .unknown),
        (#""code":"DE""#, #""code":"FR""#, .complete),
        (#""code":48211"#, #""code":48212"#, .complete), (#""status":1"#, #""status":2"#, .complete),
        (#""ret":0"#, #""ret":1"#, .unknown), (#""rc":0"#, #""rc":-1"#, .unknown),
        (#""returnCode":"0""#, #""returnCode":"1""#, .unknown),
        (#""resultCode":"00""#, #""resultCode":"22""#, .unknown),
        (#""status":1"#, #""status":0"#, .unknown), (#""status":"complete""#, #""status":"interrupted""#, .unknown),
        (#""meta":{"status":"ok"}"#, #""meta":{"status":"degraded"}"#, .unknown),
        (#""ok":"yes""#, #""ok":"no""#, .unknown),
        (#""failed":false"#, #""failed":true"#, .unknown), (#""aborted":false"#, #""aborted":true"#, .unknown),
        (#""interrupted":0"#, #""interrupted":true"#, .unknown), (#""timeout":false"#, #""timeout":"true""#, .unknown),
        (#""isOk":true"#, #""isOk":false"#, .partial), (#""responseCode":"00""#, #""responseCode":"22""#, .unknown),
        (#""terminationReason":"END""#, #""terminationReason":"TIMEOUT""#, .unknown),
        (#""ret":0"#, #""ret":"0000""#, .complete), (#""rc":10"#, #""rc":3"#, .complete),
        (#""status":"ok""#, #""status":"SUCCESS""#, .complete), (#""status":"ok""#, #""status":"finished""#, .complete),
        (#""status":"ok""#, #""status":"no more""#, .complete), (#""status":0"#, #""status":1"#, .complete),
        (#""failed":0"#, #""failed":2"#, .complete), (#""timeout":30"#, #""timeout":60"#, .complete),
        (#""status":"OK""#, #""status":"DELAYED""#, .complete), (#""status":"ok""#, #""status":"nodata""#, .complete),
        (#""stat":"OK""#, #""stat":"OK_LAST""#, .complete), (#""status":"success""#, #""status":"cached""#, .complete),
        (#""code":"ok""#, #""code":"no_more""#, .complete), (#""code":"ok""#, #""code":"TIMEOUT""#, .unknown),
        (#""ok":"ok""#, #""ok":"last""#, .complete), (#""code":0"#, #""code":100"#, .complete),
        (#""rc":200"#, #""rc":43"#, .complete), (#""ret":200"#, #""ret":500"#, .unknown),
        (#""failover":false"#, #""failover":true"#, .complete),
        (#""is_rate_limited":0"#, #""is_rate_limited":true"#, .unknown),
        (#""maintenance_scheduled":false"#, #""maintenance_scheduled":true"#, .complete),
        (#""degradedModeAvailable":false"#, #""degradedModeAvailable":true"#, .complete),
        (#""maintenanceMode":false"#, #""maintenanceMode":true"#, .unknown),
        (#""failed":"no""#, #""failed":false"#, .complete), (#""endReason":"end""#, #""endReason":"all""#, .complete),
    ]

    /// The first page comes unchanged.
    @Test(arguments: turned)
    func `a flag, a code or a status that turns beside records is not believed`(
        before: String, after: String, now: Completeness
    ) async throws {
        let last = { (said: String) in #"{"data":[{"id":2}],"next":null,\#(said)}"# }
        let worth = try await Self.worth(
            Paginator(.jsonLink(.init(nextURLPath: "$.next"))),
            first: #"{"data":[{"id":1}],"next":"?page=2",\#(before)}"#, last: last(before), now: .json(last(after)))
        #expect(worth == [.complete, now])
    }

    @Test func `a code that always turns is ignored by the line that is advised`() async throws {
        try await SyncRig.run({ request in
            let isLast = request.target.contains("page=2")
            return .json(
                #"{"data":[{"id":\#(request.page)}],"next":\#(isLast ? "null" : "\"?page=2\""),"code":\#(request.page - 1)}"#
            )
        }) { rig in
            var stream = rig.stream()
            let reason = try #require(try await rig.sync(stream).record?.completenessReason)
            #expect(reason.hasPrefix("$.code is 1, where it was 0 beside the records of other pages"), "\(reason)")
            let line = try #require(reason.firstMatch(of: /ignore: \["(.+?)"\]/)?.1, "\(reason)")
            stream.paginator.limits.ignored = [try Selector(parsing: String(line))]
            let record = try await rig.sync(stream).record
            #expect(record?.completeness == .complete, "\(line)")
        }
    }

    @Test func `a number of pages that the first page states counts for the last one, too`() async throws {
        let paginator = Paginator(.cursor(.init(cursorPath: "$.next", cursorParam: "after")))
        let last = #"{"data":[{"id":2}],"next":null}"#
        let first = { (pages: Int) in #"{"data":[{"id":1}],"next":"c2","total_pages":\#(pages)}"# }
        #expect(
            try await Self.worth(paginator, first: first(2), last: last, now: .json(last)) == [.complete, .complete])
        #expect(try await Self.worth(paginator, first: first(3), last: last, now: .json(last)) == [.unknown, .unknown])
    }

    @Test(arguments: ["/elsewhere", "/animals?page=7"])
    func `a redirect in the midst of a list is not believed`(target: String) async throws {
        let worth = try await Self.worth(
            Paginator(.pageNumber(.init(totalPagesPath: "$.pages"))), first: #"{"data":[{"id":1}],"pages":2}"#,
            last: #"{"data":[{"id":2}],"pages":2}"#,
            now: .response(status: 302, headers: [("Location", target)], body: ""))
        #expect(worth == [.complete, .unknown])
    }

    @Test(arguments: [
        ("after=c9&page=7", Completeness.unknown), ("page=7", .unknown), ("after=c2&page=7", .complete),
        ("page=7&from=c2", .complete),
    ])
    func `a redirect to another cursor is not believed`(query: String, now: Completeness) async throws {
        let worth = try await Self.worth(
            Paginator(.cursor(.init(cursorPath: "$.next", cursorParam: "after"))),
            first: #"{"data":[{"id":1}],"next":"c2"}"#, last: #"{"data":[{"id":2}],"next":null}"#,
            now: .response(status: 302, headers: [("Location", "/animals?\(query)")], body: ""))
        #expect(worth == [.complete, now])
    }

    @Test func `a page that states another offset than was asked for is another page`() async throws {
        let worth = try await Self.worth(
            Paginator(.offset(.init(limit: 2, totalPath: "$.total"))),
            first: #"{"data":[{"id":1},{"id":2}],"offset":0,"total":3}"#,
            last: #"{"data":[{"id":3}],"offset":2,"total":3}"#, now: .json(#"{"data":[{"id":3}],"offset":4,"total":3}"#)
        )
        #expect(worth == [.complete, .unknown])
    }

    @Test(arguments: [
        #""pageInfo":{"hasNextPage":true}"#, #""has_more":true"#, #""totalCount":7"#, #""truncated":true"#,
    ])
    func `a list inside a record that has more is not whole`(sign: String) async throws {
        let body = { (id: Int, sign: String) in
            #"{"next":\#(id == 1 ? "\"?page=2\"" : "null"),"issues":[{"id":9,"comments":{"nodes":[{"id":\#(id)}],\#(sign)}}]}"#
        }
        let worth = try await Self.worth(
            Paginator(.jsonLink(.init(nextURLPath: "$.next"))), "$.issues[*].comments.nodes[*]",
            first: body(1, #""has_more":false"#), last: body(2, #""totalCount":1"#), now: .json(body(2, sign)))
        #expect(worth == [.complete, .unknown])
    }

    @Test func `what a list inside a record always says is ignored by the line that is advised`() async throws {
        let body = #"{"issues":[{"id":9,"comments":{"nodes":[{"id":1},{"id":2}],"pageInfo":{"hasNextPage":true}}}]}"#
        try await SyncRig.run({ _ in .json(body) }) { rig in
            var stream = rig.stream {
                $0.recordSelector = "$.issues[*].comments.nodes[*]"
                $0.paginator = Paginator(.singlePage)
            }
            let reason = try #require(try await rig.sync(stream).record?.completenessReason)
            let line = try #require(reason.firstMatch(of: /ignore: \["(.+?)"\]/)?.1, "\(reason)")
            stream.paginator.limits.ignored = [try Selector(parsing: String(line))]
            let record = try await rig.sync(stream).record
            #expect(record?.completeness == .complete, "\(line)")
        }
    }

    private static let group = #"{"name":"c","items":[{"id":4},{"id":5}]}"#

    /// Syncs three groups of records, and then two of them with another third one. Returns why the last read is not complete, and the
    /// rows.
    private static func syncGroups(
        then third: String, besides two: String = "", _ ignored: [String] = []
    ) async throws -> (completeness: Completeness?, reason: String, rows: [Int64]) {
        let groups: @Sendable (String, String) -> String = { third, members in
            #"{"groups":[{"name":"a","items":[{"id":1},{"id":2}]\#(members)},{"name":"b","items":[{"id":3}]\#(members)},\#(third)]}"#
        }
        let body = Watched(groups(group, two))
        let ignoring = try ignored.map { try Selector(parsing: $0) }
        let found = Watched<(completeness: Completeness?, reason: String, rows: [Int64])>((nil, "", []))
        try await SyncRig.run({ _ in .json(body.value) }) { rig in
            let stream = rig.stream {
                ($0.recordSelector, $0.paginator) = ("$.groups[*].items[*]", Paginator(.singlePage))
                ($0.deleteMissing, $0.maxDeleteRatio, $0.paginator.limits.ignored) = (.hard, 1, ignoring)
            }
            let first = try await rig.sync(stream).record
            #expect(first?.completeness == .complete, "\(first?.completenessReason ?? "")")
            body.value = groups(third, two)
            let record = try await rig.sync(stream).record
            let rows = try rig.integers("SELECT id FROM animals ORDER BY id")
            found.value = (record?.completeness, record?.completenessReason ?? "", rows)
        }
        return found.value
    }

    private static let failing = [
        (#""error":"timeout","items":[]"#, "error"), (#""errors":["x"],"items":[]"#, "errors"),
        (#""error":"timeout""#, "error"), (#""ok":false,"items":[]"#, "ok"),
        (#""success":false,"items":null"#, "success"),
        (#""status":503,"items":[]"#, "status"), (#""status":"denied","items":[]"#, "status"),
        (#""code":500,"message":"internal","items":[]"#, "code"), (#""timed_out":true,"items":[]"#, "timed_out"),
        (#""partial":true,"items":[{"id":4}]"#, "partial"), (#""count":2,"items":[{"id":4}]"#, "count"),
        (#""items":[{"id":4}],"items@odata.nextLink":"/y""#, "items@odata.nextLink"),
        (#""id":8,"items@odata.count":2,"items":[{"id":4}]"#, "items@odata.count"),
        (#""nextOffset":1,"items":[{"id":4}]"#, "nextOffset"), (#""items":"unavailable""#, "items"),
        (#""items":false"#, "items"), (#""response":{"status":500},"items":[]"#, "response.status"),
        (#""meta":{"error":"x"},"items":[]"#, "meta.error"), (#""message":"Access denied","items":[]"#, "message"),
        (#""meta":{"total":2},"items":[{"id":4}]"#, "meta.total"),
        (#""pagination":{"total_pages":2},"items":[{"id":4}]"#, "pagination.total_pages"),
    ]

    @Test(arguments: failing.indices)
    func `an element of a list that tells of its own failure is not understood, until the line that is advised`(
        index: Int
    ) async throws {
        let (members, name) = Self.failing[index]
        let third = #"{"name":"c",\#(members)}"#
        let odd = try await Self.syncGroups(then: third)
        #expect(odd.completeness == .unknown && odd.rows == [1, 2, 3, 4, 5], "\(odd)")
        let line = try #require(odd.reason.firstMatch(of: /ignore: \["(.+?)"\]/)?.1, "\(odd)")
        #expect(line == (name.contains("@") ? "$.groups[*]['\(name)']" : "$.groups[*].\(name)"))
        let settled = try await Self.syncGroups(then: third, [String(line)])
        #expect(settled.completeness == .complete, "\(settled)")
    }

    @Test func `a text in the place of an object of a list is not understood`() async throws {
        let odd = try await Self.syncGroups(then: #""forbidden""#)
        #expect(odd.completeness == .unknown && odd.rows == [1, 2, 3, 4, 5], "\(odd)")
    }

    /// What a group without records says of a thing, or says as the others do, is no failure of its list.
    @Test(arguments: [
        (#"{"name":"c","items":[]}"#, ""), (#"{"name":"c","items":null}"#, ""), (#"{"name":"c"}"#, ""), ("null", ""),
        (#"{"name":"c","items":[],"items@odata.count":0,"items@odata.nextLink":null}"#, ""),
        (#"{"name":"c","items":""}"#, ""), (#"{"name":"c","count":0,"items":[]}"#, #","count":40"#),
        (#"{"name":"c","count":7,"items":[]}"#, #","count":40"#),
        (#"{"name":"c","status":"failed","items":[]}"#, #","status":"failed""#),
        (#"{"name":"c","status":"running","items":[]}"#, ""), (#"{"name":"c","code":"DE","items":[]}"#, ""),
        (#"{"name":"c","message":"Welcome","items":[]}"#, #","message":"Hello""#),
        (#"{"name":"c","response":{"status":200},"items":[]}"#, ""),
        (#"{"name":"c","total":1999,"items":[]}"#, #","total":40"#),
        (#"{"name":"c","errors":2,"items":[]}"#, ""), (#"{"id":8,"error":"x","items":[]}"#, ""),
        (#"{"name":"c","error":null,"ok":true,"message":"nothing yet","items":[]}"#, ""),
    ])
    func `an element without records is one without a list`(third: String, besides: String) async throws {
        let read = try await Self.syncGroups(then: third, besides: besides)
        #expect(read.completeness == .complete && read.rows == [1, 2, 3], "\(read)")
    }

    @Test(arguments: [(#""a""#, Completeness.unknown), (#""0""#, .complete)])
    func `an object in the place of the list of lists is not understood, unless it is numbered`(
        name: String, completeness: Completeness
    ) async throws {
        let body = Watched(#"{"groups":[\#(Self.group)]}"#)
        try await SyncRig.run({ _ in .json(body.value) }) { rig in
            let stream = rig.stream {
                ($0.recordSelector, $0.paginator) = ("$.groups[*].items[*]", Paginator(.singlePage))
            }
            _ = try await rig.sync(stream)
            body.value = #"{"groups":{\#(name):\#(Self.group)}}"#
            let record = try await rig.sync(stream).record
            #expect(record?.completeness == completeness, "\(record?.completenessReason ?? "")")
        }
    }

    @Test func `a page that was announced and has no list is not the end, whatever else it says`() async throws {
        let worth = try await Self.worth(
            Paginator(.pageNumber(.init(hasMorePath: "$.more"))), first: #"{"data":[{"id":1}],"more":true}"#,
            last: #"{"data":[{"id":2}],"more":false}"#, now: .json(#"{"more":false}"#))
        #expect(worth.first == .complete && worth.last != .complete)
    }

    @Test func `a flag in the head counts beside a cursor that is null`() async throws {
        let last = #"{"data":[{"id":2}],"next":null}"#
        let worth = try await Self.worth(
            Paginator(.cursor(.init(cursorPath: "$.next", cursorParam: "after"))),
            first: #"{"data":[{"id":1}],"next":"c2"}"#, last: last,
            now: .json(last, headers: [("X-Has-More", "true")]))
        #expect(worth.first == .complete && worth.last != .complete)
    }

    @Test(arguments: [
        (#"{"a":1}"#, Completeness.unknown), ("[1]", .unknown), ("2.5", .unknown), (#""soon""#, .unknown),
        ("{}", .complete), ("[]", .complete), ("null", .complete), ("false", .complete),
    ])
    func `a flag of more that is no flag counts beside a cursor that is null`(flag: String, now: Completeness)
        async throws
    {
        let last = { (flag: String) in #"{"data":[{"id":2}],"next":null,"more":\#(flag)}"# }
        let worth = try await Self.worth(
            Paginator(.cursor(.init(cursorPath: "$.next", cursorParam: "after", hasMorePath: "$.more"))),
            first: #"{"data":[{"id":1}],"next":"c2","more":true}"#, last: last("false"), now: .json(last(flag)))
        #expect(worth == [.complete, now])
    }

    @Test(arguments: [
        ("43.0", Completeness.unknown), ("43+", .unknown), (">=43", .unknown), ("at least 43", .unknown),
        ("over 43 items", .unknown), ("about 43", .complete), ("1+", .complete), ("1.0", .complete),
    ])
    func `a total in words counts on an empty page, too, unless it is an estimate`(total: String, now: Completeness)
        async throws
    {
        let worth = try await Self.worth(
            Paginator(.pageNumber(.init())), first: #"{"data":[{"id":1}]}"#, last: #"{"data":[]}"#,
            now: .json(#"{"data":[],"total":"\#(total)"}"#))
        #expect(worth == [.complete, now])
    }

    @Test(arguments: [
        "totalHits", "total_hits", "hitCount", "hits", "found", "matched", "totalDocs", "totalFound", "totalMatches",
        "numResults", "record_count", "availableResults",
    ])
    func `a list of fewer records than were found is not whole, until the line that is advised`(name: String)
        async throws
    {
        let body = Watched(#"{"data":[{"id":1},{"id":2},{"id":3}],"next":null,"\#(name)":3}"#)
        try await SyncRig.run({ _ in .json(body.value) }) { rig in
            var stream = rig.stream { ($0.deleteMissing, $0.maxDeleteRatio) = (.hard, 1) }
            let first = try await rig.sync(stream).record?.completeness
            body.value = #"{"data":[{"id":1},{"id":2}],"next":null,"\#(name)":3}"#
            let odd = try await rig.sync(stream).record
            let kept = try OddList.rows(rig)
            #expect(first == .complete && odd?.completeness == .unknown && kept == [1, 2, 3])
            let reason = try #require(odd?.completenessReason)
            let line = try #require(reason.firstMatch(of: /ignore: \["(.+?)"\]/)?.1, "\(reason)")
            stream.paginator.limits.ignored = [try Selector(parsing: String(line))]
            let settled = try await rig.sync(stream).record?.completeness
            let rows = try OddList.rows(rig)
            #expect(settled == .complete && rows == [1, 2], "\(line)")
        }
    }

    @Test(arguments: [
        Paginator(.jsonLink(.init(nextURLPath: "$.next"))),
        Paginator(.cursor(.init(cursorPath: "$.next", cursorParam: "page"))),
    ])
    func `what was found counts beside the end of an explicit paginator, for all pages`(paginator: Paginator)
        async throws
    {
        let isLinked = paginator.kind == .jsonLink(.init(nextURLPath: "$.next"))
        let next = isLinked ? #""?page=2""# : "2"
        let last = { (found: Int) in #"{"data":[{"id":3}],"next":null,"found":\#(found)}"# }
        let worth = try await Self.worth(
            paginator, first: #"{"data":[{"id":1},{"id":2}],"next":\#(next),"found":3}"#, last: last(3),
            now: .json(last(4)))
        #expect(worth == [.complete, .unknown])
    }

    /// What a page without records, or with fewer than have come, says of it is not the number of all.
    @Test(arguments: [
        (3, "", Completeness.complete), (4, "", .unknown), (4, #","found":0"#, .unknown),
        (4, #","found":null"#, .unknown), (4, #","found":1"#, .unknown), (4, #","found":3"#, .complete),
        (4, #","found":3,"total":3"#, .complete), (4, #","total":3"#, .complete), (4, #","total":1"#, .unknown),
    ])
    func `what the first page says was found counts to the end`(found: Int, last: String, now: Completeness)
        async throws
    {
        let worth = try await Self.worth(
            Paginator(.cursor(.init(cursorPath: "$.next", cursorParam: "after"))),
            first: #"{"data":[{"id":1},{"id":2}],"next":"c2","found":\#(found)}"#,
            last: #"{"data":[{"id":3}],"next":null\#(last)}"#, now: .json(#"{"data":[{"id":3}],"next":null\#(last)}"#))
        #expect(worth == [now, now])
    }

    @Test(arguments: [
        ("/wiki", "/wiki", "base", true), ("/all", "/all", "all", true),
        ("/animals?page=2", "/animals?page=3", "more", false), ("?page=2", "?page=3", "forward", false),
        ("/animals?page=1&format=csv", "/animals?page=2&format=csv", "csv", true),
        ("/animals?format=csv&page=2", "/animals?format=csv&page=3", "more", false),
        ("https://mirror.example/anim%61ls?p%61ge=2#x", "/animals?page=3", "more", false),
    ])
    func `a relation that stood beside the next page's and led elsewhere is no other name of it`(
        first: String, last: String, relation: String, isWhole: Bool
    ) async throws {
        try await SyncRig.run({ request in
            let isLast = request.target.contains("page=2")
            let other = "<\(isLast ? last : first)>; rel=\"\(relation)\""
            let links = isLast ? other : "</animals?page=2>; rel=\"next\", \(other)"
            return .json(#"{"data":[{"id":\#(isLast ? 2 : 1)}]}"#, headers: [("Link", links)])
        }) { rig in
            let stream = rig.stream { $0.paginator = Paginator(.headerLink(.init(relation: "next"))) }
            let record = try await rig.sync(stream).record
            #expect((record?.completeness == .complete) == isWhole, "\(record?.completenessReason ?? "")")
        }
    }

    @Test(arguments: [
        ("\"/animals?page=2\"", "\"/animals?page=3\"", Completeness.partial),
        (#"{"href":"?format=csv&page=2"}"#, #"{"href":"?format=csv&page=3"}"#, .partial),
        ("\"/animals?page=2\"", "\"?page=2\"", .complete), ("\"/animals?page=2\"", "null", .complete),
        ("\"/animals?page=9\"", "\"/animals?page=3\"", .complete), ("\"/animals\"", "\"/animals\"", .complete),
    ])
    func `a place that led where the next page's did is another name of it`(
        first: String, last: String, now: Completeness
    ) async throws {
        for paginator in [Paginator(), Paginator(.jsonLink(.init(nextURLPath: "$.next")))] {
            let worth = try await Self.worth(
                paginator, first: #"{"data":[{"id":1},{"id":2}],"next":"/animals?page=2","forward":\#(first)}"#,
                last: #"{"data":[{"id":3}],"next":null}"#,
                now: .json(#"{"data":[{"id":3}],"next":null,"forward":\#(last)}"#))
            #expect(worth == [.complete, now], "\(first): \(last)")
        }
    }

    /// What stands beside the cursor, which is `%`: a member, or a field of the head. Behind the last record of the last page, too, it is
    /// no sign of another one.
    @Test(arguments: [
        (#""nav":{"forward":"/animals?after=%"}"#, Completeness.partial),
        (#""meta":{"nav":{"more":"?after=%"}}"#, .partial), (#""_links":{"more":{"href":"?after=%&v=1"}}"#, .partial),
        (#""links":[{"rel":"self","href":"/x"},{"rel":"more","href":"?after=%"}]"#, .partial),
        (#""nextKey":"%""#, .partial), (#""nav":{"forward_cursor":"%"}"#, .partial),
        ("X-Next-Url: /animals?after=%", .partial), ("X-Next-Cursor: %", .partial),
        (#"Link: </animals?after=%>; rel="forward""#, .partial),
        (#""last_id":"%""#, .complete), (#""cursors":{"after":"%"}"#, .complete), ("X-Last-Id: %", .complete),
    ])
    func `another name of what leads to the next page counts wherever it stands`(said: String, now: Completeness)
        async throws
    {
        let isCut = Watched(false)
        let isMember = said.hasPrefix("\"")
        try await SyncRig.run({ request in
            let isLast = request.target.contains("after=c2")
            let text = isLast && !isCut.value ? "" : said.replacing("%", with: isLast ? "c3" : "c2")
            let member = isMember && !text.isEmpty ? ",\(text)" : ""
            let field = text.split(separator: ":", maxSplits: 1).map { $0.trimmingPrefix(" ") }
            return .json(
                #"{"data":[{"id":\#(isLast ? 2 : 1)}],"next":\#(isLast ? "null" : "\"c2\"")\#(member)}"#,
                headers: isMember || field.count < 2 ? [] : [(String(field[0]), String(field[1]))])
        }) { rig in
            let stream = rig.stream {
                $0.paginator = Paginator(.cursor(.init(cursorPath: "$.next", cursorParam: "after")))
                ($0.deleteMissing, $0.maxDeleteRatio) = (.hard, 1)
            }
            let before = try await rig.sync(stream).record
            isCut.value = true
            let after = try await rig.sync(stream).record
            #expect(before?.completeness == .complete, "\(before?.completenessReason ?? "")")
            #expect(after?.completeness == now, "\(after?.completenessReason ?? "")")
        }
    }

    /// What stands on both pages: members beside the records, or a field of the head. Four records were announced, and three come.
    @Test(arguments: [
        (#""allCount":4"#, Completeness.unknown), (#""grand_total":4,"count":1"#, .unknown),
        (#""totalItemCount":4"#, .unknown), (#""numberOfRecords":"4""#, .unknown), (#""total_available":4"#, .unknown),
        (#""doc_count":4,"total":1"#, .unknown), (#""listInfo":{"total":4}"#, .unknown),
        (#""resultSet":{"row_count":4}"#, .unknown), ("X-Item-Count: 4", .unknown), ("X-Count: 4", .unknown),
        (#""count":{"page":1,"all":4}"#, .unknown), (#""message":"Showing 3 of 4 records""#, .unknown),
        (#""total_animals":4"#, .unknown), (#""animalCount":4"#, .unknown), ("X-Zoo-Pagination-Total: 4", .unknown),
        ("Zoo-Total-Records: 4", .unknown), ("X-Pagination-Total-Pages: 3", .unknown),
        (#""batch":3,"of":4"#, .unknown), (#""page":"2 of 3""#, .unknown), (#""pageInfo":"Page 2/3""#, .unknown),
        // Counts of the page, of other kinds and of amounts, a total that says that these are all, and names of something else.
        (#""itemCount":3"#, .complete), (#""numberOfItems":1"#, .complete), ("X-Item-Count: 1", .complete),
        (#""all_count":4,"open_count":3"#, .complete), (#""grand_total":4,"currency":"EUR""#, .complete),
        (#""fullCount":4,"total":3"#, .complete), (#""item_limit":4"#, .complete), (#""number":4"#, .complete),
        (#""summary":{"total_count":4}"#, .complete), (#""part":"A2","of":3"#, .complete),
        (#""message":"Showing 4 jobs""#, .complete), ("X-Request-Count: 4", .complete),
        (#""total_animals":4,"total":3"#, .complete), (#""animal_count":4,"keeper_count":2"#, .complete),
        ("X-RateLimit-Total: 4", .complete), (#""plant_count":4"#, .complete),
    ])
    func `a number of all records counts behind the first page under a name of usual words`(
        said: String, now: Completeness
    ) async throws {
        let isMember = said.hasPrefix("\"")
        try await SyncRig.run({ request in
            let isLast = request.target.contains("after=c2")
            let field = said.split(separator: ":", maxSplits: 1).map { String($0.trimmingPrefix(" ")) }
            return .json(
                #"{"data":\#(isLast ? #"[{"id":3}]"# : #"[{"id":1},{"id":2}]"#),"next":\#(isLast ? "null" : #""c2""#)"#
                    + (isMember ? ",\(said)}" : "}"),
                headers: isMember ? [] : [(field[0], field[1])])
        }) { rig in
            let stream = rig.stream {
                $0.paginator = Paginator(.cursor(.init(cursorPath: "$.next", cursorParam: "after")))
            }
            let record = try await rig.sync(stream).record
            #expect(record?.completeness == now, "\(said): \(record?.completenessReason ?? "")")
        }
    }

    @Test(arguments: [
        (#""load_more":true"#, #""load_more":false"#), (#""showMore":true"#, #""showMore":false"#),
        (#""next_page_exists":true"#, #""next_page_exists":false"#), (#""exhausted":false"#, #""exhausted":true"#),
        (#""reached_end":false"#, #""reached_end":true"#), (#""list_complete":false"#, #""list_complete":true"#),
    ])
    func `a word of more counts beside a cursor that is null`(more: String, none: String) async throws {
        let worth = try await Self.worth(
            Paginator(.cursor(.init(cursorPath: "$.next", cursorParam: "after"))),
            first: #"{"data":[{"id":1}],"next":"c2",\#(more)}"#, last: #"{"data":[{"id":2}],"next":null,\#(none)}"#,
            now: .json(#"{"data":[{"id":2}],"next":null,\#(more)}"#))
        #expect(worth == [.complete, .partial], "\(more)")
    }
}
