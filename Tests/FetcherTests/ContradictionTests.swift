import GarnerCatalog
@testable import GarnerFetcher
import GarnerJSON
import GarnerModel
import Testing

/// Last pages that seem to be the end, and say something else elsewhere.
struct ContradictionTests {
    private static let beside: [(members: String, headers: [(String, String)])] = [
        (#""links":{"next":null,"last":"/v1/animals?page=5"}"#, []),
        (#""_links":{"last":{"href":"/v1/animals?page=5"}}"#, []),
        (#""next":null,"last_page_url":"/v1/animals?page=5""#, []), (#""next":null,"last":"/v1/animals?page=5""#, []),
        (#""next":null"#, [("X-Last-Page", "5")]),
        (#""links":[{"rel":"last","href":"/v1/animals?page=5"}]"#, []),
        (#""next":null"#, [("Link", #"</v1/animals?page=1>; rel="first", </v1/animals?page=5>; rel="last""#)]),
        (#""next":null"#, [("Link", #"</v1/animals?page=2>; rel="http://zoo.example/rels/next-page""#)]),
        (#""next":null,"total":"1,037""#, []), (#""next":null,"total":"28 items""#, []),
        (#""next":null,"numberMatched":35"#, []), (#""next":null,"total_rows":35"#, []),
        (#""next":null"#, [("X-Total-Count", "1,000")]), (#""next":null,"page":1,"maxPage":5"#, []),
        (#""next":null"#, [("X-Pages", "4")]), (#""next":null"#, [("Total-Count", "35")]),
        (#""next":null"#, [("Total", "35")]), (#""next":null"#, [("X-Total-Records", "35")]),
        (#""next":null"#, [("X-Result-Count", "35")]), (#""next":null"#, [("Pagination-Count", "35")]),
        (#""next":null,"meta":{"page":1,"last":5}"#, []), (#""next":null,"page":1,"of":2"#, []),
        (#""next":null,"meta":{"page":3,"last":5,"total":6}"#, []),
        (#""next":null,"pagination":{"page":3,"of":5}"#, []),
        (#""next":null,"pagination":{"current_page":1,"last":5}"#, []),
        (#""next":null,"range":"1-3/43""#, []), (#""next":null,"meta":{"range":"items 4-6/43"}"#, []),
        (#""next":null"#, [("X-Page-Count", "4")]), (#""next":null"#, [("Total-Pages", "4")]),
        (#""next":null,"total":"4-6 of 43""#, []), (#""next":null,"total_count":"6/430""#, []),
        (#""next":null,"total":"Showing 4 to 6 of 1,037 entries""#, []), (#""next":null,"count":"6 of 43+""#, []),
        (#""next":null,"total":{"total":43}"#, []), (#""next":null,"count":{"value":43,"relation":"eq"}"#, []),
        (#""next":null,"total_pages":"2 of 5""#, []), (#""next":null,"range":"4-6 of 43""#, []),
        (#""next":null,"pagination":"items 4 – 6 of 43""#, []), (#""next":null,"meta":{"showing":"4 - 6/43"}"#, []),
    ]

    @Test(arguments: beside.indices)
    func `a last page that counts more, or names one behind it, is no end`(index: Int) async throws {
        let (members, headers) = Self.beside[index]
        do {
            let page = try await scriptedPage(
                Paginator(), at: "animals?page=1", number: 1, history: ReadHistory(records: 3),
                body: records(3, members),
                headers: headers)
            #expect(page.next != nil || page.verdict?.kind != .complete, "\(page.verdict?.reason ?? "complete")")
        } catch let error as FetchError {
            #expect("\(error)".contains("tells of another page, but nothing says where the next page is"))
        }
    }

    @Test(arguments: [
        #""links":{"next":null,"last":"/v1/animals?page=1"}"#, #""next":null,"total":"3 items""#,
        #""next":null,"total":"3""#, #""next":null,"title":"28 items""#,
        #""next":null,"last_page_url":"/v1/animals?page=1""#, #""next":null,"last":"ask for ?page=5 at noon""#,
        #""next":null,"meta":{"page":1,"last":1}"#, #""next":null,"meta":{"page":1,"first":1,"last":3}"#,
        #""next":null,"page":1,"last":700"#, #""next":null,"page":1,"of":3"#, #""next":null,"page":1,"of":43"#,
        #""next":null,"page":1,"from":1,"to":3,"of":2"#, #""next":null,"page":1,"of":"birds""#,
        #""next":null,"range":"1-3/3""#, #""next":null,"range":"bytes 1-3/43""#,
        #""next":null,"range":"01-10/2026""#, #""next":null,"total":"1-3 of 3""#, #""next":null,"range":"1-2 of 43""#,
        #""next":null,"pagination":"1-3 of 3""#, #""next":null,"total":{"count":3}"#,
        #""next":null,"count":{"value":90,"unit":"kg"}"#, #""next":null,"count":{"total":90,"currency":"EUR"}"#,
        #""next":null,"paging":{"count":10,"total":3,"page":1,"pages":1}"#,
    ])
    func `a last page that counts itself is the end`(members: String) async throws {
        let page = try await scriptedPage(Paginator(), at: "animals?page=1", body: records(3, members))
        #expect(page.verdict == .complete)
    }

    @Test(arguments: [
        ("X-Total-Count", Completeness.complete), ("Total", .complete), ("X-Result-Count", .unknown),
        ("Pagination-Count", .unknown),
    ])
    func `a total of the head ends a list, and what may count the page alone does not`(
        name: String, completeness: Completeness
    ) async throws {
        let page = try await scriptedPage(Paginator(.singlePage), body: records(10), headers: [(name, "10")])
        #expect(page.verdict?.completeness == completeness)
    }

    @Test(arguments: [
        #"rel="next""#, #"{"next":"/v1/animals?page=2"}"#, #"</v1/animals?page=1>; rel="first, <x?page=4>; rel="next""#,
        #"<x?page=1>; rel="first"; <x?page=4>; rel="next""#,
    ])
    func `a Link field that cannot be read is an error`(field: String) async throws {
        await #expect(throws: FetchError.self) {
            _ = try await scriptedPage(Paginator(), body: records(3), headers: [("Link", field)])
        }
    }

    /// The number that each page states, and whether the read is complete: a cache may answer with another page.
    @Test(arguments: [
        ([1, 2, 3], true), ([0, 1, 2], true), ([1, 1, 1], true),
        ([1, 4], false), ([1, 2, 1], false), ([0, 3], false),
    ])
    func `a page that states another number than the one asked for is not the next one`(stated: [Int], isWhole: Bool)
        async throws
    {
        let numbers = Paginator(.pageNumber(.init(hasMorePath: try Selector(parsing: "$.more"))))
        for place in ["$.page", "$.meta.page"] {
            var history = ReadHistory()
            for (index, number) in stated.enumerated() {
                let isLast = index == stated.count - 1
                let page = place == "$.page" ? #""page":\#(number)"# : #""meta":{"page":\#(number)}"#
                let body = #"{"data":[{"id":\#(index)}],"more":\#(!isLast),\#(page)}"#
                let read = try await scriptedPage(
                    numbers, at: "animals?page=\(index + 1)", number: index, history: history, body: body)
                if let next = read.next {
                    history = next.history
                    #expect(PagePosition(checkpoint: next.checkpoint) == next)
                }
                #expect((read.next == nil) == isLast)
                guard isLast else { continue }
                #expect((read.verdict?.completeness == .complete) == isWhole, "\(stated)")
                #expect(isWhole || read.verdict?.reason?.contains("ignore: [\"\(place)\"]") == true)
            }
        }
    }

    @Test(arguments: [
        ("animals", [1, 0]), ("animals?page=0", [0]), ("animals?page=1", [1]), ("animals?page=-1", [0]),
    ])
    func `advice on numbered pages begins with the number that is asked for`(url: String, bases: [Int]) async throws {
        let kind = await failureKind {
            try await scriptedPage(Paginator(), at: url, body: records(3, #""has_more":true"#))
        }
        guard case .unclearPaging(_, let settings)? = kind else {
            Issue.record("\(kind as Any)")
            return
        }
        let numbered = settings.map(\.setting).filter { $0.contains("page_number") }
        #expect(numbered.map { $0.contains("base_page: 0") ? 0 : 1 } == bases)
    }

    /// The API takes page 1 for its second page, and counts pages for people.
    @Test func `a first page that states that it is the second one is told with base_page`() async throws {
        let page = try await scriptedPage(
            Paginator(.pageNumber(.init(hasMorePath: "$.more"))), body: records(3, #""page":2,"more":false"#))
        #expect(page.verdict?.completeness == .partial)
        #expect(page.verdict?.reason?.contains("base_page: 0") == true)
    }

    @Test(arguments: [("animals", false), ("animals?page=1", true)])
    func `advice on page 0 names the number in path, which counts more than base_page`(path: String, isNamed: Bool)
        async throws
    {
        let paginator = Paginator(.pageNumber(.init(totalPagesPath: "$.pages")))
        let first = try await scriptedPage(paginator, body: records(3, #""pages":2"#)) { $0.request.path = path }
        let next = try #require(first.next)
        let page = try await scriptedPage(
            paginator, at: "animals?page=2", number: 1, history: next.history, body: records(0, #""pages":2"#)
        ) { $0.request.path = path }
        let advice = page.verdict?.reason ?? ""
        #expect(advice.contains("write base_page: 0 in paginator if the pages are numbered from 0"))
        #expect(advice.contains("begin with page=0 in path or params") == isNamed, "\(advice)")
    }

    @Test func `the first record of a page may be that of two requests`() async throws {
        var history = ReadHistory()
        for (asked, stated) in [(0, 1), (2, 2), (4, 4)] {
            let body = #"{"data":[{"id":\#(asked)},{"id":\#(asked + 1)}],"startIndex":\#(stated),"totalResults":6}"#
            let read = try await scriptedPage(
                Paginator(.offset(.init(offsetParam: "startIndex", limit: 2, totalPath: "$.totalResults"))),
                at: "animals?startIndex=\(asked)", number: asked / 2, history: history, body: body)
            if let next = read.next { history = next.history } else { #expect(read.verdict == .complete) }
        }
    }

    @Test func `links that cannot be told apart are no error where none leads on`() async throws {
        let field = #"<x?page=1>; rel="first"; <x?page=1>; rel="up""#
        let page = try await scriptedPage(Paginator(), body: records(3), headers: [("Link", field)])
        #expect(page.next == nil)
    }

    @Test func `a link to an empty page is no link`() async throws {
        let link = #"</v1/animals?cursor=0:100:0>; rel="next"; results="false"; cursor="0:100:0""#
        for paginator in [Paginator(), Paginator(.headerLink(.init()))] {
            let page = try await scriptedPage(paginator, body: records(3), headers: [("Link", link)])
            #expect(page.next == nil && page.verdict == .complete)
        }
    }

    @Test(arguments: [#"[28]"#, "true", #"{"n":5}"#, #""soon""#, "1e30", #""~43""#, #""1k""#, #""about 43""#])
    func `a total that cannot be read is not understood`(total: String) async throws {
        let places = Paginator(.pageNumber(.init(totalPath: try Selector(parsing: "$.total"))))
        let page = try await scriptedPage(places, body: #"{"data":[],"total":\#(total)}"#) {
            $0.recordSelector = "$.data"
        }
        #expect(page.verdict?.completeness == .unknown)
    }

    @Test(arguments: [
        (#""status":"error""#, "$.status"), (#""code":401"#, "$.code"),
        (#""meta":{"status":"error"}"#, "$.meta.status"),
        (#""error":true"#, "$.error"), (#""error":1"#, "$.error"), (#""Error":"x""#, "$.Error"),
        (#""errors":[{}]"#, "$.errors"), (#""success":false"#, "$.success"), (#""errorCode":"E7""#, "$.errorCode"),
        (#""error_message":"x""#, "$.error_message"), (#""isError":true"#, "$.isError"),
        (#""hasErrors":true"#, "$.hasErrors"), (#""exception":"x""#, "$.exception"),
        (#""failures":["x"]"#, "$.failures"), (#""errno":-6"#, "$.errno"), (#""retcode":"1034""#, "$.retcode"),
        (#""retCode":1034"#, "$.retCode"), (#""userErrors":[{"message":"x"}]"#, "$.userErrors"),
        (#""fault":{"faultstring":"x"}"#, "$.fault"), (#""faultstring":"x""#, "$.faultstring"),
        (#""error":{"code":"ok","message":"slow down"}"#, "$.error"),
        (#""error":{"code":0,"details":["x"]}"#, "$.error"),
        (#""error":{"code":7,"message":""}"#, "$.error"), (#""error":{"message":"","log_id":"7"}"#, "$.error"),
        (#""errors":{"count":2,"items":[]}"#, "$.errors"), (#""errors":{"count":0,"items":["x"]}"#, "$.errors"),
        (#""error":{"code":0,"retryable":true}"#, "$.error"), (#""error":"Not OK""#, "$.error"),
        (#""error":"7""#, "$.error"), (#""errorCode":"NoQuota""#, "$.errorCode"),
        (#""errors":["","x"]"#, "$.errors"), (#""errors":[{"code":0},{"code":7}]"#, "$.errors"),
        (#""errors":[{"message":""}]"#, "$.errors"), (#""errors":{"total":2}"#, "$.errors"),
    ])
    func `records beside an error are a part, unless its place is ignored`(members: String, place: String) async throws
    {
        let page = try await scriptedPage(Paginator(), body: records(3, members + #","next":null"#))
        #expect(page.verdict?.completeness == .partial)
        #expect(page.verdict?.reason?.contains("add ignore: [\"\(place)\"] to paginator") == true)
        let ignoring = Paginator(limits: PageLimits(ignored: [try Selector(parsing: place)]))
        let ignored = try await scriptedPage(ignoring, body: records(3, members + #","next":null"#))
        #expect(ignored.verdict == .complete)
        let other = try await scriptedPage(ignoring, body: records(3, members + #","failures":["y"],"next":null"#))
        #expect(other.verdict?.completeness == .partial || place == "$.failures")
    }

    @Test(arguments: [
        #""status":"ok""#, #""code":200"#, #""error":false"#, #""error":null"#, #""errorCode":0"#, #""errors":[]"#,
        #""error_message":"""#, #""failed":2"#, #""timeout":30"#, #""errno":0"#, #""retcode":"0000""#,
        #""retcode":200"#, #""retcode":"SUCCESS""#, #""userErrors":[]"#, #""fault":null"#, #""faultstring":"""#,
        #""error":{"code":"ok","message":"","log_id":"2021"}"#, #""error":{"code":0,"message":""}"#,
        #""error":{"status":false,"code":200,"message":"Success"}"#, #""error":"0""#, #""error":"OK""#,
        #""error":"None""#, #""error":"No error""#, #""errors":{"count":0,"items":[]}"#, #""errorCode":"NoError""#,
        #""errors":[""]"#, #""errors":[null,"None"]"#, #""errors":[{"code":0,"message":"Success"}]"#,
        #""errors":{"total":0}"#,
    ])
    func `records beside words of other meaning are all`(members: String) async throws {
        let page = try await scriptedPage(Paginator(), body: records(3, members + #","next":null"#))
        #expect(page.verdict == .complete)
    }

    @Test(arguments: [
        (#""e1":{"v":1},"e2":{"v":2},"error":{"v":9}"#, Completeness.complete),
        (#""e1":{"v":1},"e2":{"v":null},"errors":{"v":0.5}"#, .complete),
        (#""e1":{"v":1},"e2":{"v":2},"error":{"v":"timeout"}"#, .partial),
        (#""e1":{"v":1},"e2":{"v":2},"error":{"w":9}"#, .partial), (#""e1":{"v":1},"error":{"v":9}"#, .partial),
        (#""e1":{"message":"a"},"e2":{"message":"b"},"error":{"message":"c"}"#, .partial),
    ])
    func `an entry like the others is no error by its name`(entries: String, completeness: Completeness) async throws {
        let page = try await scriptedPage(Paginator(.singlePage), body: "{\(entries)}") {
            ($0.recordSelector, $0.recordShape) = ("$", .entries(keyField: "id", valueField: "value"))
        }
        #expect(page.verdict?.completeness == completeness, "\(page.verdict?.reason ?? "")")
    }

    @Test func `an error in the object around the list is named with its place`() async throws {
        let list = #"{"response":{"errorCode":7,"items":[{"id":1}]},"next":null}"#
        let page = try await scriptedPage(Paginator(), body: list)
        #expect(page.verdict?.reason?.contains("ignore: [\"$.response.errorCode\"]") == true)
        let waiting = try await scriptedPage(
            Paginator(), body: records(0, #""next":null"#), headers: [("Retry-After", "7")])
        #expect(waiting.verdict?.reason?.contains("ignore: [\"Retry-After\"]") == true)
        let ignoring = Paginator(limits: PageLimits(ignoredHeaders: ["Retry-After"]))
        let ignored = try await scriptedPage(
            ignoring, body: records(0, #""next":null"#), headers: [("Retry-After", "7")])
        #expect(ignored.verdict == .complete)
    }

    @Test func `a server that asks to wait beside records, too, has looked`() async throws {
        let headers = [("Retry-After", "7")]
        let first = try await scriptedPage(Paginator(), body: records(3, #""next":"?page=2""#), headers: headers)
        let next = try #require(first.next)
        let last = try await scriptedPage(
            Paginator(), at: "animals?page=2", number: 1, history: next.history, body: records(0, #""next":null"#),
            headers: headers)
        #expect(last.verdict == .complete, "\(last.verdict?.reason ?? "")")
    }

    @Test func `a null offset is an echo of the request`() async throws {
        let page = try await scriptedPage(
            Paginator(), at: "animals?limit=20", body: records(20, #""offset":null,"limit":20"#))
        #expect(page.verdict?.completeness == .unknown)
    }

    @Test(arguments: [
        ("1,000", 1000), ("1 234 567", 1_234_567), ("28 items", 28), ("23+", 23), (">15", 16), ("7", 7), ("-1", -1),
        ("43.0", 43), ("+43.0", nil), ("15, 23", nil), ("1,5", nil),
        ("1-30 of 43", 43), ("30 / 430", 430), ("1–30 of 1,037 items", 1037), ("Page 1 of 3", 3), ("1 of 2 of 5+", 5),
        ("30 of 43 (70%)", nil), ("1 of 7 days", nil), ("none", nil), ("", nil),
        ("99999999999999999999", nil),
    ])
    func `a count is read as servers spell it for people`(text: String, count: Int?) {
        #expect(StatedCount(text)?.value == count)
    }
}
