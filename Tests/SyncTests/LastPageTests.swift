import GarnerCatalog
import GarnerJSON
import GarnerModel
import GarnerPersistence
import GarnerSync
import TestSupport
import Testing

/// Lists that name their last page.
@Suite(.timeLimit(.minutes(5)))
struct LastPageTests {
    /// Returns the judgements on a right answer and on two odd ones.
    private static func reads(of stream: StreamConfiguration, _ rig: SyncRig, _ isOdd: Watched<Bool>) async throws -> (
        Completeness?, Completeness?, Completeness?
    ) {
        let first = try await rig.sync(stream).record?.completeness
        isOdd.value = true
        let second = try await rig.sync(stream).record?.completeness
        return (first, second, try await rig.sync(stream).record?.completeness)
    }

    @Test func `a later last page counts in the head of a body that came as it was`() async throws {
        let hasMore = Watched(false)
        try await SyncRig.run({ request in
            let last = hasMore.value ? #", </animals?page=3>; rel="last""# : ""
            let link = #"</animals?page=2>; rel="next"\#(last)"#
            let headers = [("Content-Type", "application/json")] + (request.page == 1 ? [("Link", link)] : [])
            return .response(headers: headers, body: #"[{"id":\#(request.page)}]"#)
        }) { rig in
            let first = try await rig.sync().record?.completeness
            hasMore.value = true
            let second = try await rig.sync().record?.completeness
            #expect(first == .complete && second != .complete)
        }
    }

    /// Each time, and not where the bytes alone have come before.
    @Test(arguments: OddList.modes.indices, [(202, nil), (207, nil), (226, nil), (200, "<http://"), (200, "garbage")])
    func `a page with the same bytes beside another status or an odd link is no end`(
        mode: Int, odd: (status: Int, link: String?)
    ) async throws {
        let isOdd = Watched(false)
        try await SyncRig.run({ request in
            let page = request.page
            let isLast = page == 3 || page == 2 && isOdd.value
            let link = isLast ? (page == 2 ? odd.link : nil) : #"</animals?page=\#(page + 1)>; rel="next""#
            return .response(
                status: isOdd.value && page == 2 ? odd.status : 200,
                headers: [("Content-Type", "application/json")] + (link.map { [("Link", $0)] } ?? []),
                body: #"[{"id":\#(page)}]"#)
        }) { rig in
            let stream = rig.stream {
                OddList.modes[mode](&$0)
                $0.paginator = Paginator(.headerLink(.init()))
            }
            let (first, second, third) = try await Self.reads(of: stream, rig, isOdd)
            let rows = try OddList.rows(rig)
            #expect(first == .complete && second != .complete && third != .complete && rows == [1, 2, 3])
        }
    }

    /// By a number of pages or by the address of the last one, in a page that came anew or has not changed.
    @Test(arguments: OddList.modes.indices, [true, false])
    func `pages that the first one announces are missed behind an empty one`(mode: Int, byNumber: Bool) async throws {
        let (isOdd, bodies) = (Watched(false), Watched(0))
        let pages = try Selector(parsing: "$.pages")
        let next = try Selector(parsing: "$.next")
        try await SyncRig.run({ request in
            let (page, isUnchanged) = (request.page, request["If-None-Match"] != nil)
            let headers = [("ETag", "\"\(page)\""), ("Content-Type", "application/json")]
            if page > 1, isOdd.value { return .json(#"{"data":[]}"#) }
            if page == 1, isUnchanged { return .response(status: 304, headers: headers, body: "") }
            bodies.change { $0 += page == 1 ? 1 : 0 }
            let announced = byNumber ? #""pages":3"# : #""links":{"last":"?page=3"}"#
            let following = page < 3 ? #","next":"?page=\#(page + 1)""# : ""
            return .response(
                headers: headers,
                body: #"{"data":[{"id":\#(2 * page)},{"id":\#(2 * page + 1)}],\#(announced)\#(following)}"#)
        }) { rig in
            let stream = rig.stream {
                OddList.modes[mode](&$0)
                $0.paginator = Paginator(
                    byNumber ? .pageNumber(.init(totalPagesPath: pages)) : .jsonLink(.init(nextURLPath: next)))
            }
            _ = try await rig.sync(stream)
            isOdd.value = true
            #expect(try await rig.sync(stream).record?.completeness != .complete)
            #expect(try OddList.rows(rig) == [2, 3, 4, 5, 6, 7])
            #expect(bodies.value == 1 || mode == 1)
        }
    }

    /// The last of five pages is named on the first one or on each, and a page in the midst comes without links, or not at all.
    @Test(arguments: [#"{"data":[]}"#, #"{"data":[{"id":30},{"id":31}]}"#, nil], [true, false])
    func `a list does not end before the last page that its links name`(odd: String?, onEach: Bool) async throws {
        for (mode, name) in OddList.modes.flatMap({ [($0, "page"), ($0, "p")] }) {
            let isOdd = Watched(false)
            try await SyncRig.run({ request in
                let page = request.target.firstMatch(of: /[?&]p(?:age)?=(\d+)/).flatMap { Int($0.1) } ?? 1
                if page == 3, isOdd.value { return odd.map { .json($0) } ?? .status(404) }
                let last = onEach || page == 1 ? #","links":{"last":"?\#(name)=5"}"# : ""
                return .json(
                    page > 5 ? #"{"data":[]}"# : #"{"data":[{"id":\#(10 * page)},{"id":\#(10 * page + 1)}]\#(last)}"#)
            }) { rig in
                let stream = rig.stream {
                    mode(&$0)
                    $0.paginator = Paginator(.pageNumber(.init(pageParam: .query(name))))
                }
                let whole = try await rig.sync(stream).record?.completeness
                isOdd.value = true
                let part = try await rig.sync(stream).record?.completeness
                #expect(whole == .complete)
                // A page without links may lead on by its number.
                #expect(part == (odd?.contains("30") == true ? .complete : .unknown))
                #expect(try rig.integers("SELECT count(*) FROM animals") == [10])
            }
        }
    }

    /// The validator is of the body alone, as Rails makes it, and the list becomes shorter by a page.
    @Test func `a link to the last page counts as the head of an unchanged page has it`() async throws {
        let pages = Watched(3)
        try await SyncRig.run({ request in
            let (page, count) = (request.page, pages.value)
            let next = page < count ? ["<?page=\(page + 1)>; rel=\"next\"", "<?page=\(count)>; rel=\"last\""] : []
            let body = page > count ? "[]" : #"[{"id":\#(2 * page)},{"id":\#(2 * page + 1)}]"#
            let headers = [("ETag", "\"\(body.count)-\(page)\""), ("Content-Type", "application/json")]
            let all = next.isEmpty ? headers : headers + [("Link", next.joined(separator: ", "))]
            let isSame = request["If-None-Match"] == headers[0].1
            return .response(status: isSame ? 304 : 200, headers: all, body: isSame ? "" : body)
        }) { rig in
            let stream = rig.stream {
                ($0.deleteMissing, $0.maxDeleteRatio) = (.hard, 1)
                $0.paginator = Paginator(.headerLink(.init()))
            }
            _ = try await rig.sync(stream)
            pages.value = 2
            #expect(try await rig.sync(stream).record?.completeness == .complete)
            #expect(try OddList.rows(rig) == [2, 3, 4, 5])
        }
    }

    @Test(arguments: [("animals?page=1", "?page=1"), ("animals", "?page=1")])
    func `a list whose last page is the page itself, or the first one, is whole`(path: String, first: String)
        async throws
    {
        let body = #"{"data":[{"id":1},{"id":2}],"links":{"self":"?page=1","first":"\#(first)","last":"?page=1"}}"#
        try await SyncRig.run({ _ in .json(body) }) { rig in
            let stream = rig.stream { $0.request.path = path }
            let completeness = try await rig.sync(stream).record?.completeness
            #expect(completeness == .complete)
        }
    }

    /// A list from page 0 whose last page, as its number says, has the records of the page before.
    @Test func `a last page that is the one before is not known to be the end`() async throws {
        try await SyncRig.run({ request in
            let page = request.target.contains("page=") ? request.page : 0
            let ids = [2 * min(page, 1) + 1, 2 * min(page, 1) + 2].map { #"{"id":\#($0)}"# }
            return .json(#"{"page":\#(page),"last_page":2,"data":[\#(ids.joined(separator: ","))]}"#)
        }) { rig in
            let record = try #require(try await rig.sync().record)
            #expect(record.completeness == .unknown)
            #expect(try OddList.rows(rig) == [1, 2, 3, 4])
        }
    }

    @Test(arguments: [(2, Completeness.unknown), (1, .complete)])
    func `a last page behind the number that a page states is missing, although the page is asked for by a token`(
        last: Int, expected: Completeness
    ) async throws {
        try await SyncRig.run({ request in
            let isFirst = !request.target.contains("token=")
            let body =
                #"{"data":[{"id":\#(isFirst ? 1 : 2)}],"page":\#(isFirst ? 0 : 1),"next_token":\#(isFirst ? "\"t\"" : "null"),"has_more":\#(isFirst)}"#
            return .response(
                headers: [("Content-Type", "application/json"), ("Link", "</animals?page=\(last)>; rel=\"last\"")],
                body: body)
        }) { rig in
            let stream = rig.stream {
                $0.paginator = Paginator(.cursor(.init(cursorPath: "$.next_token", cursorParam: "token")))
            }
            let record = try await rig.sync(stream).record
            #expect(record?.completeness == expected)
        }
    }

    /// In the body or in the head, whose other fields are as they were. The link is back then.
    @Test(
        arguments: OddList.modes.indices,
        [
            (#""has_more":true"#, #""has_more":false"#),
            (#""pageInfo":{"hasNextPage":true}"#, #""pageInfo":{"hasNextPage":false}"#),
            (#""next_page":9"#, #""next_page":null"#), ("X-Has-More", "X-Has-More"),
        ])
    func `a page with the same bytes whose link is gone is judged by all it says`(
        mode: Int, said: (more: String, last: String)
    ) async throws {
        let isOdd = Watched(false)
        let isInHead = !said.more.hasPrefix("\"")
        try await SyncRig.run({ request in
            let page = request.page
            var headers: [(String, String)] = []
            if isInHead { headers.append((said.more, page < 3 ? "true" : "false")) }
            if page < 3, page == 1 || !isOdd.value {
                headers.append(("Link", #"</animals?page=\#(page + 1)>; rel="next""#))
            }
            let sign = isInHead ? #""a":1"# : (page < 3 ? said.more : said.last).replacing("9", with: "\(page + 1)")
            return .json(#"{"items":[{"id":\#(page)}],\#(sign)}"#, headers: headers)
        }) { rig in
            let stream = rig.stream {
                OddList.modes[mode](&$0)
                $0.paginator = Paginator(.headerLink(.init()))
            }
            let (first, second, third) = try await Self.reads(of: stream, rig, isOdd)
            let rows = try OddList.rows(rig)
            isOdd.value = false
            let last = try await rig.sync(stream).record?.completeness
            #expect(first == .complete && second != .complete && third != .complete, "\(second as Any) \(third as Any)")
            #expect(rows == [1, 2, 3] && last == .complete)
        }
    }

    /// What the first page says of the last one, where two of three pages come at last.
    @Test(arguments: [
        (#""links":{"last":"/animals?page=3"}"#, "", Completeness.unknown),
        (#""last_page_url":"/animals?page=3""#, "", .unknown), (#""page":1,"of":3"#, "", .unknown),
        ("", #"</animals?page=3>; rel="last""#, .unknown), (#""page":1,"of":2"#, "", .complete),
        ("", #"</animals?page=2>; rel="last""#, .complete), (#""page":1,"of":4"#, "", .complete),
    ])
    func `the last page that the first one names counts behind cursors, too`(
        said: String, link: String, now: Completeness
    ) async throws {
        for isLinked in [false, true] {
            try await SyncRig.run({ request in
                let isLast = request.target.contains("after=c2")
                let next = isLast ? "null" : isLinked ? #""?after=c2""# : #""c2""#
                let member = isLast || said.isEmpty ? "" : ",\(said)"
                return .json(
                    #"{"data":\#(isLast ? #"[{"id":3},{"id":4}]"# : #"[{"id":1},{"id":2}]"#),"next":\#(next)\#(member)}"#,
                    headers: isLast || link.isEmpty ? [] : [("Link", link)])
            }) { rig in
                let cursor = Paginator(.cursor(.init(cursorPath: "$.next", cursorParam: "after")))
                let stream = rig.stream {
                    $0.paginator = isLinked ? Paginator(.jsonLink(.init(nextURLPath: "$.next"))) : cursor
                }
                let record = try await rig.sync(stream).record
                #expect(record?.completeness == now, "\(said)\(link): \(record?.completenessReason ?? "")")
            }
        }
    }
}
