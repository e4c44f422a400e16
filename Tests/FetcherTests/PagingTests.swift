import GarnerCatalog
import GarnerFetcher
import GarnerJSON
import GarnerModel
import TestSupport
import Testing

/// The rules that hold for every paginator.
@Suite(.timeLimit(.minutes(5)))
struct PagingTests {
    @Test func `a single page has no next one, whatever it announces`() async throws {
        let page = try await scriptedPage(
            Paginator(.singlePage), body: records(2, #""next":"?page=2","has_more":true"#),
            headers: [("Link", "<?page=2>; rel=next")])
        #expect(page.next == nil)
        #expect(page.verdict?.kind == .chosen)
    }

    @Test func `max_pages ends a read and tells that it is cut short`() async throws {
        let paginator = Paginator(limits: PageLimits(maxPages: 3))
        let second = try await scriptedPage(paginator, at: "animals", number: 1, body: records(1, #""next":"?page=3""#))
        #expect(second.next?.number == 2)
        #expect(second.verdict == nil)
        let third = try await scriptedPage(
            paginator, at: "animals?page=3", number: 2, body: records(1, #""next":"?page=4""#))
        #expect(third.next == nil)
        #expect(third.verdict == Verdict(.chosen, "max_pages: 3"))
        let last = try await scriptedPage(paginator, at: "animals?page=3", number: 2, body: records(1, #""next":null"#))
        #expect(last.next == nil)
        #expect(last.verdict == .complete)
    }

    private static let onward: [@Sendable (PageLimits) -> Paginator] = [
        { Paginator(limits: $0) }, { Paginator(.jsonLink(.init(nextURLPath: "$.next")), limits: $0) },
        { Paginator(.headerLink(.init(relation: "next")), limits: $0) },
        { Paginator(.cursor(.init(cursorPath: "$.next_cursor", cursorParam: "c")), limits: $0) },
    ]

    @Test(arguments: onward, [nil, true, false])
    func `an empty page that announces more is the end only where that is configured`(
        paginator: @Sendable (PageLimits) -> Paginator, stops: Bool?
    ) async throws {
        let page = try await scriptedPage(
            paginator(PageLimits(stopsAfterEmptyPage: stops)), body: records(0, #""next":"?page=2","next_cursor":"x""#),
            headers: [("Link", "<?page=2>; rel=next")])
        #expect((page.next != nil) == (stops == false))
        #expect(page.verdict?.kind == (stops == nil ? .missed : stops == true ? .complete : nil))
    }

    @Test(arguments: [
        (#""total":30"#, "2 of 30 records"), (#""total_pages":6"#, "1 of 6 pages"),
        (#""has_more":true"#, "$.has_more tells of another page"),
    ])
    func `a single page of several says what would read all`(members: String, finding: String) async throws {
        let page = try await scriptedPage(Paginator(.singlePage), body: records(2, members))
        let advice = "single_page reads one page only; for all, remove the paginator and run 'garner init --update'"
        #expect(page.verdict == Verdict(.chosen, finding, advice: advice), "\(page.verdict?.reason ?? "")")
    }

    /// CKAN links to the offset behind each page.
    @Test(arguments: [Paginator(), Paginator(.jsonLink(.init(nextURLPath: "$._links.next")))])
    func `an empty page behind all that the total counts is the end, although its link counts on`(
        paginator: Paginator
    ) async throws {
        for (total, kind) in [(#","total":4"#, Verdict.Kind.complete), (#","total":5"#, .missed), ("", .missed)] {
            let links = #""_links":{"start":"?limit=2","next":"?limit=2&offset=6"}"#
            let page = try await scriptedPage(
                paginator, at: "animals?limit=2&offset=4", number: 2, history: ReadHistory(records: 4),
                body: records(0, links + total))
            #expect(page.next == nil && page.verdict?.kind == kind, "\(page.verdict?.reason ?? "")")
        }
        // A list that is empty from its first page on has no record behind which the link counts.
        let first = try await scriptedPage(paginator, body: records(0, #""_links":{"next":"?offset=2"},"total":0"#))
        #expect(first.verdict?.kind == .missed)
    }

    @Test(arguments: [nil, true, false])
    func `an empty page that leads to itself is the end`(stops: Bool?) async throws {
        let page = try await scriptedPage(
            Paginator(limits: PageLimits(stopsAfterEmptyPage: stops)), at: "animals?cursor=7",
            body: records(0, #""next_cursor":"7""#))
        #expect(page.next == nil)
        #expect(page.verdict == .complete)
    }

    private static let counted: [(Paginator, String, Verdict.Kind)] = [
        (.counted(), "", .complete), (.counted(totalPath: "$.total"), #""total":9"#, .missed),
        (.counted(totalPath: "$.total"), #""total":4"#, .complete),
        (.counted(totalPagesPath: "$.pages"), #""pages":4"#, .missed),
        (.counted(totalPagesPath: "$.pages"), #""pages":3"#, .contradicted),
    ]

    @Test(arguments: counted)
    func `an empty page is the end where no total says otherwise`(
        paginator: Paginator, members: String, kind: Verdict.Kind
    ) async throws {
        let page = try await scriptedPage(
            paginator, at: "animals?page=3", number: 2, history: ReadHistory(records: 4), body: records(0, members))
        #expect(page.next == nil)
        #expect(page.verdict?.kind == kind)
    }

    private static let otherOrigins: [(String, String)] = [
        ("https://zoo.example:444/", "https://zoo.example:444"),
        ("//other.example/x", "https://other.example"),
        ("https://zoo.example.evil.example/", "https://zoo.example.evil.example"),
        ("https://[::1]:8080/x", "https://[::1]:8080"),
    ]

    @Test(arguments: otherOrigins)
    func `a next link to another origin is refused`(link: String, origin: String) async throws {
        let inBody = await failureKind(of: {
            try await scriptedPage(Paginator(), body: records(1, #""next":"\#(link)""#))
        })
        #expect(inBody == .linkToOtherOrigin(origin))
        let inHead = await failureKind(of: {
            try await scriptedPage(
                Paginator(.headerLink(.init(relation: "next"))), body: records(1),
                headers: [("Link", "<\(link)>; rel=next")])
        })
        #expect(inHead == .linkToOtherOrigin(origin))
    }

    @Test(arguments: [
        "https://ZOO.example:443/v1/animals?page=2", "HTTPS://zoo.example/v1/animals?page=2",
        "https://zoo.example:/v1/x",
    ])
    func `another spelling of the same origin is followed as it is written`(link: String) async throws {
        let page = try await scriptedPage(Paginator(), body: records(1, #""next":"\#(link)""#))
        #expect(page.next?.url == link.replacing("HTTPS", with: "https"))
    }

    @Test func `the server's URL is requested exactly as it is`() async throws {
        let target = "/v1/a%2Fb/%7e;p=1,2//c:d@e/?b=2&a=1&a=%7e~%2B+x&&empty=&flag&utf=%c3%A9;d&e='(*)!$'&f=/?:@%25"
        let seen = try await LoopbackServer.serve({ request in
            .json(request.number == 0 ? records(1, #""next":"\#(target)""#) : records(1))
        }) { server in
            try await withFetcher(stream(at: server.url, path: "animals")) { fetcher in
                let first = try await fetcher.page(at: fetcher.firstPosition)
                _ = try await fetcher.page(at: try #require(first.next))
                return server.requests.map(\.target)
            }
        }
        #expect(seen == ["/animals", target])
    }

    @Test func `brackets are encoded, and nothing is encoded twice`() async throws {
        let seen = try await LoopbackServer.serve({ request in
            .json(request.number == 0 ? records(1, #""next":"?page[number]=2&q=%C3%A9%5B""#) : records(1))
        }) { server in
            let path = "animals?page[number]=1&q=é%5B"
            return try await withFetcher(stream(at: server.url, path: path)) { fetcher in
                let first = try await fetcher.page(at: fetcher.firstPosition)
                _ = try await fetcher.page(at: try #require(first.next))
                return server.requests.map(\.target)
            }
        }
        #expect(seen == [1, 2].map { "/animals?page%5Bnumber%5D=\($0)&q=%C3%A9%5B" })
    }

    private static let resumable: [(Paginator, String)] = [
        (Paginator(), "animals?page=4"), (Paginator(.jsonLink(.init(nextURLPath: "$.next"))), "animals?page=4"),
        (Paginator(.headerLink(.init(relation: "next"))), "animals?page=4"),
        (
            Paginator(.cursor(.init(cursorPath: "$.next_cursor", cursorParam: "cursor"))),
            "animals?cursor=3"
        ),
        (
            Paginator(.offset(.init(offsetParam: "offset", limitParam: "limit", limit: 2))),
            "animals?offset=4&limit=2"
        ),
        (
            Paginator(.pageNumber(.init(pageParam: "page", basePage: 1, totalPath: "$.total"))), "animals?page=3"
        ),
    ]

    @Test(arguments: resumable)
    func `a read goes on from any stored position as it went from there before`(paginator: Paginator, path: String)
        async throws
    {
        let body = records(2, #""next":"?page=5","next_cursor":"4","total":9"#)
        let headers = [("Link", "<?page=5>; rel=next")]
        let page = try await scriptedPage(paginator, at: path, number: 7, body: body, headers: headers)
        let stored = try #require(PagePosition(checkpoint: page.position.checkpoint))
        // Another process, which never saw the first page.
        let again = try await scriptedFetcher(paginator, body: body, headers: headers).page(at: stored)
        #expect(again.position == page.position)
        #expect(again.next == page.next)
        #expect(again.next?.number == 8)
    }

    @Test func `a read visits every page once`() async throws {
        let paginator = Paginator(.offset(.init(offsetParam: "skip", limitParam: "n", limit: 2)))
        let pages = try await allPages(paginator) { request in
            let skip = Int(request.target.split(separator: "skip=").last?.prefix { $0.isNumber } ?? "") ?? 0
            return .json("[\((skip..<max(skip, min(skip + 2, 5))).map { #"{"id":\#($0)}"# }.joined(separator: ","))]")
        }
        let seen = pages.compactMap { $0.position.url.split(separator: "/").last }
        #expect(seen == [0, 2, 4, 5].map { "animals?skip=\($0)&n=2" })
    }

    private static let counting: [Paginator] = [
        Paginator(.offset(.init(offsetParam: "at", limitParam: "n", limit: 100))),
        Paginator(.pageNumber(.init(pageParam: "at", basePage: 0, pageSizeParam: "n", pageSize: 100))),
        Paginator(
            .pageNumber(.init(pageParam: "at", basePage: 0, pageSizeParam: "n", pageSize: 100, totalPath: "$.total"))),
    ]

    @Test(arguments: counting, [200, 400, 404, 422])
    func `a server that gives smaller pages than were asked for is read to its end`(
        paginator: Paginator, beyond: Int
    ) async throws {
        let isOffset = paginator.kind.method is Paginator.Offset
        let pages = try await allPages(paginator) { request in
            let at = Int(request.target.split(separator: "at=").last?.prefix { $0.isNumber } ?? "") ?? 0
            let first = isOffset ? at : at * 20
            if first >= 50, beyond != 200 { return .status(beyond) }
            let ids = (first..<max(first, min(first + 20, 50))).map { #"{"id":\#($0)}"# }
            return .json(#"{"data":[\#(ids.joined(separator: ","))],"total":50}"#)
        }
        #expect(try pages.reduce(0) { try $0 + $1.records.count } == 50)
    }

    @Test func `a page that is not there is an error where it was announced`() async throws {
        let paginator = Paginator(.pageNumber(.init(hasMorePath: "$.more")))
        let kind = await failureKind {
            try await allPages(paginator) { $0.number == 0 ? .json(records(2, #""more":true"#)) : .status(404) }
        }
        #expect(kind == .status(404, retryAfter: nil))
    }

    /// An answer behind two pages of two records, and the verdict on the read behind full pages and behind a shorter one.
    private static let behindLast: [(LoopbackReply, Verdict.Kind, Verdict.Kind)] = [
        (.status(404), .silent, .complete), (.status(204), .silent, .complete), (.json(""), .silent, .silent),
        (.json("null"), .silent, .silent), (.json("{}"), .silent, .silent), (.json(#"{"data":{}}"#), .silent, .silent),
        (.json(records(0)), .complete, .complete),
    ]

    @Test(arguments: behindLast.indices, [2, 1])
    func `no answer behind the last page makes a read fail`(index: Int, lastCount: Int) async throws {
        let (answer, full, short) = Self.behindLast[index]
        let paginator = Paginator(.pageNumber(.init(pageSizeParam: "n", pageSize: 2)))
        let pages = try await allPages(paginator) { request in
            guard request.number < 2 else { return answer }
            let records = (0..<(request.number == 0 ? 2 : lastCount)).map { #"{"id":\#(2 * request.number + $0)}"# }
            return .json(#"{"data":[\#(records.joined(separator: ","))]}"#)
        }
        #expect(pages.last?.verdict?.kind == (lastCount == 2 ? full : short))
    }

    /// Paginators of a list without an envelope. The last page of a header link is announced.
    @Test(arguments: [Paginator(.pageNumber(.init())), Paginator(.headerLink(.init()))], ["$", "$[*]"])
    func `null behind shorter pages is no proof of the end`(paginator: Paginator, selector: String) async throws {
        let pages = try await allPages(paginator, { $0.recordSelector = selector }) { request in
            request.number < 2 ? Self.shorter(request) : .json("null")
        }
        #expect(pages.last?.verdict?.kind == .silent)
    }

    @Test func `a short page that announces another one is no end where that is refused`() async throws {
        let pages = try await allPages(Paginator(.pageNumber(.init()))) { request in
            request.number < 2 ? Self.shorter(request) : .status(404)
        }
        #expect(pages.last?.verdict?.kind == .silent)
    }

    @Test(arguments: [(true, Verdict.Kind.silent), (false, .complete)])
    func `the last record of a total is no end where the page announces more, and that is refused`(
        more: Bool, verdict: Verdict.Kind
    ) async throws {
        let pages = try await allPages(Paginator(.offset(.init(limit: 5)))) { request in
            request.number == 0 ? .json(records(2, #""total":2,"moreResults":\#(more)"#)) : .status(404)
        }
        #expect(pages.last?.verdict?.kind == verdict)
    }

    /// A page of three records, or of two, that links to the next one.
    private static func shorter(_ request: LoopbackRequest) -> LoopbackReply {
        .json(
            request.number == 0 ? "[[1],[2],[3]]" : "[[4],[5]]",
            headers: [("Link", #"</animals?page=\#(request.number + 2)>; rel="next""#)])
    }

    @Test(arguments: [([5, 5, 5], false), ([5, 5, 3], true)])
    func `the last page again is the end behind two pages that differ`(counts: [Int], isComplete: Bool) async throws {
        let pages = try await allPages(Paginator(.pageNumber(.init()))) { request in
            let number = min(request.number, counts.count - 1)
            return .json("[\((0..<counts[number]).map { "[\(number),\($0)]" }.joined(separator: ","))]")
        }
        #expect(pages.last?.verdict?.kind == (isComplete ? .complete : .silent))
    }

    /// Counts of the pages before, and whether a refused page then is the end of the source.
    private static let refusedBehind: [([Int], Bool)] = [
        ([5], false), ([5, 5], false), ([5, 3], true), ([3, 5], false), ([5, 3, 4], true),
    ]

    @Test(arguments: refusedBehind, [400, 404])
    func `a refused page is the end where the one before was shorter than another`(
        pages: ([Int], Bool), status: Int
    ) async throws {
        let (counts, isEnd) = pages
        let pages = try await allPages(Paginator(.pageNumber(.init(pageParam: "at", basePage: 0)))) { request in
            let number = Int(request.target.split(separator: "at=").last?.prefix { $0.isNumber } ?? "") ?? 0
            guard number < counts.count else { return .status(status) }
            return .json("[\((0..<counts[number]).map { "[\(number),\($0)]" }.joined(separator: ","))]")
        }
        #expect(pages.last?.verdict?.kind == (isEnd ? .complete : .silent))
    }

    @Test(arguments: counting.prefix(2))
    func `a server whose envelope changes but not its records ignores the count`(paginator: Paginator) async throws {
        let first = try await scriptedPage(paginator, body: records(100, #""request":1"#))
        let next = try #require(first.next)
        let again = try scriptedFetcher(paginator, body: records(100, #""request":2"#))
        #expect(await failureKind(of: { try await again.page(at: next) }) == Self.sameAgain(paginator))
    }

    @Test(arguments: counting.prefix(2))
    func `a server that ignores the count is told from one that has more`(paginator: Paginator) async throws {
        let fetcher = try scriptedFetcher(paginator, body: records(100))
        let first = try await fetcher.page(at: fetcher.firstPosition)
        let next = try #require(first.next)
        #expect(await failureKind(of: { try await fetcher.page(at: next) }) == Self.sameAgain(paginator))
        let stored = try #require(PagePosition(checkpoint: next.checkpoint))
        #expect(await failureKind(of: { try await fetcher.page(at: stored) }) == Self.sameAgain(paginator))
    }

    @Test func `a last page that comes again though more was announced is not taken for an unknown parameter`()
        async throws
    {
        let numbers = Paginator(.pageNumber(.init(totalPath: try Selector(parsing: "$.total"))))
        let kind = await failureKind {
            try await allPages(numbers) { request in
                .json(records(request.target.hasSuffix("page=1") ? 4 : 2, #""total":12"#))
            }
        }
        #expect(kind == .lastPageAgain(pages: 2, records: 6, total: 12))
    }

    /// The failure of a second page that is the first one. A server may take page 0 for page 1.
    private static func sameAgain(_ paginator: Paginator) -> FetchError.Kind {
        paginator.kind.method is Paginator.Offset ? .unchangedPage : .pageZeroAgain
    }

    @Test(arguments: ["$.[", "data", "$[?@.x]"])
    func `a selector that cannot be read is a misconfiguration`(path: String) throws {
        let error = #expect(throws: FetchError.self) {
            try scriptedFetcher(Paginator(), body: "") { $0.recordSelector = path }
        }
        #expect(error?.kind.category == .misconfigured)
    }

    @Test func `a URL that cannot be read is a misconfiguration, told in words`() throws {
        let error = #expect(throws: FetchError.self) {
            try scriptedFetcher(Paginator(.singlePage), body: "") { $0.request.baseURL = "ftp://zoo.example/" }
        }
        #expect(error?.message == "base_url is not an http or https URL without user and password")
    }
}

extension Paginator {
    fileprivate static func counted(totalPath: Selector? = nil, totalPagesPath: Selector? = nil) -> Paginator {
        Paginator(
            .pageNumber(
                .init(
                    pageParam: "page", basePage: 1, totalPath: totalPath,
                    totalPagesPath: totalPagesPath)))
    }
}
