import GarnerCatalog
import GarnerFetcher
import GarnerJSON
import GarnerModel
import TestSupport
import Testing

struct AutoPagingTests {
    /// `R` stands for the reference.
    private static let places = [
        #""next":"R""#, #""next":{"href":"R"}"#, #""links":{"next":"R"}"#, #""links":{"next":{"href":"R"}}"#,
        #""_links":{"next":[{"href":"R"}]}"#, #""links":[{"rel":["self"],"href":"/x"},{"rel":["next"],"href":"R"}]"#,
        #""_links":{"self":{"href":"/x"},"next":{"href":"R"}}"#, #""meta":{"next":"R"}"#, #""paging":{"next":"R"}"#,
        #""@odata.nextLink":"R""#, #""next_page":"R""#, #""after_url":"R","end_of_stream":false"#,
    ]

    private static let references = [
        "https://zoo.example/v1/animals?page=2", "HTTPS://zoo.example/v1/animals?page=2", "/v1/animals?page=2",
        "?page=2",
        "//zoo.example/v1/animals?page=2", "../v1/animals?page=2", "./animals?page=2#top",
    ]

    @Test(arguments: places, references)
    func `a next URL is found and resolved`(place: String, reference: String) async throws {
        let body = records(2, place.replacing("R", with: reference))
        let page = try await scriptedPage(Paginator(), at: "animals?limit=2", body: body)
        #expect(page.next?.url == "https://zoo.example/v1/animals?page=2")
        #expect(page.next?.number == 1)
        #expect(page.verdict == nil)
    }

    @Test(arguments: references)
    func `a Link field is found and resolved`(reference: String) async throws {
        let page = try await scriptedPage(
            Paginator(), at: "animals?limit=2", body: records(2),
            headers: [("link", #"</first>; rel="first", <\#(reference)>; rel="next""#)])
        #expect(page.next?.url == "https://zoo.example/v1/animals?page=2")
    }

    @Test func `a Link field comes before the body, and a URL before a cursor`() async throws {
        let members = #""next":"?from=body","next_cursor":"from-cursor""#
        let both = try await scriptedPage(
            Paginator(), body: records(1, members), headers: [("Link", "<?from=head>; rel=next")])
        #expect(both.next?.url == "https://zoo.example/v1/animals?from=head")
        let body = try await scriptedPage(Paginator(), body: records(1, members))
        #expect(body.next?.url == "https://zoo.example/v1/animals?from=body")
    }

    private static let cursors: [(String, String)] = [
        (#""next_cursor":"abc""#, "cursor=abc"), (#""next_cursor":42"#, "cursor=42"),
        (#""nextCursor":"abc""#, "cursor=abc"), (#""nextPageToken":"abc""#, "pageToken=abc"),
        (#""next_page_token":"abc""#, "page_token=abc"), (#""next_page":3"#, "page=3"), (#""next_page":"3""#, "page=3"),
        (#""next_cursor":"a b&c=d/+é%""#, "cursor=a%20b%26c%3Dd%2F%2B%C3%A9%25"),
        (#""next_cursor":12345678901234567890"#, "cursor=12345678901234567890"),
        (#""has_more":true,"next_cursor":"abc""#, "cursor=abc"),
        (#""has_more":"true","next_cursor":"abc""#, "cursor=abc"),
        (#""isLast":"False","next_cursor":"abc""#, "cursor=abc"),
        (#""start":0,"next_start":2"#, "start=2"), (#""pagination":{"offset":0,"nextOffset":"2"}"#, "offset=2"),
        (#""last":false,"number":0,"totalPages":5"#, "page=1"), (#""has_more":true,"page":1,"total":9"#, "page=2"),
        (#""more_records":true,"offset":0,"total":9"#, "offset=2"),
    ]

    @Test(arguments: cursors)
    func `a cursor becomes its usual parameter`(members: String, parameter: String) async throws {
        let page = try await scriptedPage(Paginator(), at: "animals?limit=2", body: records(2, members))
        #expect(page.next?.url == "https://zoo.example/v1/animals?limit=2&\(parameter)")
    }

    @Test(arguments: [
        ("", "offset=2&"), ("limit=2&skip=0", "limit=2&skip=2&"),
        ("page%5Bsize%5D=2", "page%5Bsize%5D=2&page%5Boffset%5D=2&"),
    ])
    func `an offset for the next page has the name that the request gives it`(query: String, next: String) async throws
    {
        let page = try await scriptedPage(
            Paginator(), at: "animals?\(query)", body: records(2, #""offset":0,"next_offset":2"#))
        #expect("\(page.next?.url ?? "")&".hasSuffix("?\(next)"))
        let body = records(2, #""offset":0,"next_offset":0"#)
        #expect(try await scriptedPage(Paginator(), at: "animals?\(query)", body: body).next == nil)
    }

    @Test(arguments: [Paginator(), Paginator(.offset(.init()))])
    func `an offset for the next page that is that of an empty page leads nowhere`(paginator: Paginator) async throws {
        let page = try await scriptedPage(
            paginator, at: "animals?offset=4", number: 2, history: ReadHistory(records: 4),
            body: records(0, #""offset":4,"next_offset":4"#))
        #expect(page.next == nil && page.verdict == .complete, "\(page.verdict?.reason ?? "")")
    }

    /// The members beside two records of seven, the query, and that of the next page.
    @Test(arguments: [
        (#""startIndex":1,"itemsPerPage":2,"totalResults":7"#, "", "startIndex=3"),
        (#""startIndex":1,"itemsPerPage":2,"totalResults":7"#, "startIndex=1&count=2", "startIndex=3&count=2"),
        (#""startIndex":3,"totalResults":7"#, "startIndex=3&count=2", "startIndex=5&count=2"),
        (#""startIndex":0,"resultsPerPage":2,"totalResults":7"#, "", "startIndex=2"),
        (#""meta":{"results":{"skip":0,"limit":2,"total":7}}"#, "", "skip=2"),
        (#""meta":{"results":{"skip":2,"limit":2,"total":7}}"#, "limit=2&skip=2", "limit=2&skip=4"),
    ])
    func `the number of the first record beside a total leads on`(members: String, query: String, next: String)
        async throws
    {
        let place = query.isEmpty ? "animals" : "animals?\(query)"
        let page = try await scriptedPage(Paginator(), at: place, body: records(2, members))
        #expect(page.next?.url == "https://zoo.example/v1/animals?\(next)")
    }

    @Test func `the offset of CouchDB's views has another name in the request`() async throws {
        let body = #"{"total_rows":7,"offset":0,"rows":[{"id":"a"},{"id":"b"}]}"#
        let page = try await scriptedPage(Paginator(), at: "animals?limit=2", body: body)
        #expect(page.next?.url == "https://zoo.example/v1/animals?limit=2&skip=2")
        let asked = try await scriptedPage(Paginator(), at: "animals?limit=2&offset=0", body: body)
        #expect(asked.next?.url == "https://zoo.example/v1/animals?limit=2&offset=2")
    }

    /// SCIM takes 0 for 1. The list has as many records as two pages, and one more and one fewer.
    @Test(arguments: ["", "?startIndex=0&count=2", "?startIndex=1&count=2"], [3, 4, 5])
    func `a list whose records are numbered from 1 is read whole`(query: String, total: Int) async throws {
        let offset = Paginator.Offset(
            offsetParam: "startIndex", limitParam: "count", limit: 2, totalPath: "$.totalResults")
        // Its first request has a number.
        let paginators = [Paginator()] + (query.isEmpty ? [] : [Paginator(.offset(offset))])
        for paginator in paginators {
            var (place, history) = ("animals\(query)", ReadHistory())
            var ids: [Int] = []
            for number in 0..<4 {
                let asked = place.firstMatch(of: /startIndex=([0-9]+)/).flatMap { Int($0.1) } ?? 1
                let found = Array((1...total).dropFirst(max(asked, 1) - 1).prefix(2))
                ids += found
                let list = found.map { #"{"id":\#($0)}"# }.joined(separator: ",")
                let page = try await scriptedPage(
                    paginator, at: place, number: number, history: history,
                    body: #"{"Resources":[\#(list)],"startIndex":\#(max(asked, 1)),"totalResults":\#(total)}"#)
                guard let next = page.next else {
                    #expect(page.verdict == .complete, "\(page.verdict?.reason ?? "")")
                    break
                }
                (place, history) = (String(next.url.dropFirst("https://zoo.example/v1/".count)), next.history)
            }
            #expect(ids == Array(1...total), "\(paginator)")
        }
    }

    /// Etherscan calls the size of a page so.
    @Test func `an offset beside the number of a page skips nothing`() async throws {
        let page = try await scriptedPage(
            Paginator(), at: "animals?page=1&offset=10", body: records(3, #""next":null"#))
        #expect(page.verdict == .complete)
        let other = try await scriptedPage(
            Paginator(), at: "animals?page=1&limit=10&offset=10", body: records(3, #""next":null"#))
        #expect(other.verdict?.kind == .chosen)
    }

    @Test(arguments: [("", Completeness.complete), (#","last":false"#, .partial), (#","has_more":true"#, .partial)])
    func `an empty page that leads to itself is the end unless it says that there is more`(
        flag: String, completeness: Completeness
    ) async throws {
        let page = try await scriptedPage(
            Paginator(), at: "animals?from=9", body: records(0, #""next":"?from=9""# + flag))
        #expect(page.verdict?.completeness == completeness)
    }

    @Test func `a cursor takes the place of the one before`() async throws {
        let page = try await scriptedPage(
            Paginator(), at: "animals?cursor=old&limit=2", body: records(2, #""next_cursor":"new""#))
        #expect(page.next?.url == "https://zoo.example/v1/animals?cursor=new&limit=2")
    }

    private static let ends = [
        "", #""next":null"#, #""next":"""#, #""next":false"#, #""next":"the red panda""#, #""links":{}"#,
        #""links":null"#, #""next":"the\u00a0red/panda""#,
        #""links":{"next":null}"#, #""links":{"next":""}"#, #""_links":{"next":null}"#,
        #""_links":{"next":{"href":""}}"#,
        #""meta":{"next":null}"#, #""paging":{"next":""}"#, #""@odata.nextLink":null"#, #""@odata.nextLink":"""#,
        #""next_cursor":null"#, #""next_cursor":"""#, #""nextPageToken":"""#, #""nextCursor":null"#,
        #""next_page":null"#,
        #""next_page":"""#, #""next_page":false"#, #""has_more":false"#, #""has_more":null"#,
        #""has_more":false,"next":"/v1/animals?page=2""#, #""hasMore":0,"next_cursor":"abc""#,
        #""has_more":"false","next_cursor":"abc""#, #""is_last":1,"next_cursor":"abc""#,
        #""hasMore":false,"next_cursor":"abc""#,
    ]

    /// Members that say nothing about a next page that Garner understands.
    private static let silent = [
        "", #""next":"the red panda""#, #""next":"the\u00a0red/panda""#, #""links":{}"#, #""links":null"#,
        #""has_more":null"#,
    ]

    @Test(arguments: ends)
    func `nothing more is announced after the last page`(members: String) async throws {
        let page = try await scriptedPage(Paginator(), body: records(2, members))
        #expect(page.next == nil)
        #expect(page.verdict?.kind == (Self.silent.contains(members) ? .silent : .complete))
        #expect(try page.records.count == 2)
    }

    @Test func `has_more false ends in spite of a Link field`() async throws {
        let page = try await scriptedPage(
            Paginator(), body: records(1, #""has_more":false"#), headers: [("Link", "<?page=2>; rel=next")])
        #expect(page.next == nil)
    }

    @Test(arguments: ["has_more", "hasMore"])
    func `more without a way to it is an error`(member: String) async throws {
        let kind = await failureKind(of: {
            try await scriptedPage(Paginator(), body: records(1, #""\#(member)":true,"next":null"#))
        })
        guard case .unclearPaging(let sign, let settings)? = kind else { return #expect(kind == nil) }
        #expect(sign == "$.\(member) tells of another page")
        #expect(settings.contains { $0.setting.contains("has_more_path: $.\(member) }") })
    }

    @Test(arguments: [("$.data[0]", "$.data[*]"), ("$['data'][-1]", "$['data'][*]")])
    func `a selector of one record is the first thing to change where more are counted`(
        selector: String, whole: String
    ) async throws {
        func kind(_ selector: String) async -> FetchError.Kind? {
            await failureKind(of: {
                try await firstPage({ $0.recordSelector = selector }) { _ in
                    .json(#"{"data":[{"id":1},{"id":2}],"total":2}"#)
                }
            })
        }
        guard case .unclearPaging(_, let settings)? = await kind(selector) else {
            return #expect(await kind(selector) == nil)
        }
        #expect(settings.first?.description == "record_selector: \"\(whole)\" for all records of the list")
        #expect(await kind(whole) == nil)
    }

    @Test(arguments: [
        (#""next":"abc123""#, "next"), (#""meta":{"next":"eyJhIjoxfQ=="}"#, "meta.next"),
        (#""paging":{"next":"a-b"}"#, "paging.next"), (#""next_page":"x""#, "next_page"),
    ])
    func `a bare token is no way to the next page`(members: String, member: String) async throws {
        let kind = await failureKind(of: { try await scriptedPage(Paginator(), body: records(1, members)) })
        guard case .unclearPaging(let sign, let settings)? = kind else { return #expect(kind == nil) }
        #expect(sign == "$.\(member) tells of another page")
        #expect(settings.first?.setting.contains("cursor_path: $.\(member)") == true)
    }

    @Test func `a record's own member is no announcement`() async throws {
        #expect(try await scriptedPage(Paginator(), body: #"{"id":1,"next":"Tuesday"}"#).next == nil)
    }

    @Test(arguments: [
        "ftp://zoo.example/x", "javascript:alert(1)", "http://", "https://u:p@zoo.example/",
        "https://zoo.example:99999/",
    ])
    func `a link that cannot be fetched is an error`(reference: String) async throws {
        let kind = await failureKind(of: {
            try await scriptedPage(Paginator(), body: records(1, #""links":{"next":"\#(reference)"}"#))
        })
        #expect(kind == .invalidLink(reference))
    }

    @Test func `an array has a Link field or no next page`() async throws {
        #expect(try await scriptedPage(Paginator(), body: "[1,2]").next == nil)
        let page = try await scriptedPage(
            Paginator(), body: "[1,2]", headers: [("Link", "<?page=2>; rel=next")])
        #expect(page.next?.url == "https://zoo.example/v1/animals?page=2")
    }
}
