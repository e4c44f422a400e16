import GarnerCatalog
import GarnerFetcher
import GarnerJSON
import TestSupport
import Testing

struct PageSampleTests {
    private static let list = #"[{"id":1},{"id":2}]"#

    /// Body, selector, the number of records, whether a person should look at it.
    private static let places: [(String, String, Int, Bool)] = [
        (list, "$[*]", 2, false), (#"{"data":\#(list)}"#, "$.data[*]", 2, false),
        (#"{"odd 'name\\":\#(list)}"#, #"$['odd \'name\\'][*]"#, 2, false), (#"{"é":\#(list)}"#, "$['é'][*]", 2, false),
        ("{\"'\u{301}\":\(list)}", "$['\\'\u{301}'][*]", 2, false),
        (#"{"results":[],"errors":[]}"#, "$.results[*]", 0, true), ("[]", "$[*]", 0, true),
        (#"{"few":[{}],"many":\#(list),"as_many":\#(list)}"#, "$.many[*]", 2, true),
        (#"{"id":7,"tags":\#(list)}"#, "$.tags[*]", 2, true), (#"{"id":7,"name":"x"}"#, "$", 1, true),
        (#"{"data":{"items":\#(list),"total":2}}"#, "$.data.items[*]", 2, false),
        (#"{"hits":{"hits":\#(list),"few":[{}]}}"#, "$.hits.hits[*]", 2, true),
        (#"{"data":{"zoo":{"nodes":\#(list)}}}"#, "$.data.zoo.nodes[*]", 2, false),
        (#"{"QueryResponse":{"Invoice":\#(list),"maxResults":2},"time":"x"}"#, "$.QueryResponse.Invoice[*]", 2, false),
        (
            #"{"collection":{"items":\#(list),"links":[{"rel":"feed","href":"x"}],"queries":[{"rel":"search","data":[{}]}],"template":{"data":[{}]}}}"#,
            "$.collection.items[*]", 2, false
        ), (#"{"id":7,"collection":{"items":\#(list)}}"#, "$", 1, true),
        (#"{"id":7,"data":{"items":\#(list)}}"#, "$", 1, true), (#"{"zoo":{"items":\#(list)}}"#, "$", 1, true),
        (#"{"data":{"items":\#(list)},"data":{"items":[]}}"#, "$.data.items[*]", 0, true),
        (#"{"result":{"items":\#(list)},"errors":[]}"#, "$.result.items[*]", 2, false),
        (#"{"zoo":{"animals":\#(list)},"errors":[]}"#, "$.zoo.animals[*]", 2, false),
        (#"{"data":[],"response":{"users":\#(list)}}"#, "$.response.users[*]", 2, true),
        (#"{"people":{"a":{"id":1}},"errors":[]}"#, "$.people[*]", 1, true),
        (#"{"status":"ok","message":{"total":75,"items":\#(list)}}"#, "$.message.items[*]", 2, false),
        (#"{"status":"ok","message":{"total":0,"items":[]}}"#, "$.message.items[*]", 0, true),
        (#"{"status":"error","message":{"faults":\#(list)}}"#, "$", 1, true),
        (#"{"message":{"errors":\#(list)}}"#, "$", 1, true),
        (#"{"users":[{"id":1}],"badges":[],"topic_list":{"topics":\#(list)}}"#, "$.users[*]", 1, true),
        (#"{"zoo":{"animals":\#(list),"next":null}}"#, "$.zoo.animals[*]", 2, false),
        (
            #"{"zoo":{"animals":\#(list),"next":null},"pets":{"animals":\#(list),"next":null}}"#, "$.zoo.animals[*]", 2,
            true
        ), (#"{"id":7,"zoo":{"animals":\#(list),"next":null}}"#, "$", 1, true),
        (#"{"users":[{"id":1}],"meta":{"facets":\#(list)}}"#, "$.users[*]", 1, false),
    ]

    @Test(arguments: places)
    func `the selector finds the same records again`(body: String, selector: String, count: Int, isDoubtful: Bool)
        async throws
    {
        let records = try await sample(body).records
        #expect(records.finding.value == selector)
        #expect(records.finding.isDoubtful == isDoubtful)
        #expect(records.selection.count == count)
        let page = try await scriptedPage(Paginator(.singlePage), body: body) { $0.recordSelector = selector }
        #expect(try Self.sources(of: page.records) == Self.sources(of: records.selection))
    }

    private static func sources(of selection: Selection) -> [String] {
        var sources: [String] = []
        selection.forEach { sources.append($0.source) }
        return sources
    }

    @Test func `a larger list deeper in the page is said`() async throws {
        let body = #"{"users":[{"id":1}],"topic_list":{"topics":\#(Self.list)}}"#
        #expect(try await sample(body).records.finding.remark.contains("$.topic_list.topics"))
    }

    @Test func `a name that the configuration cannot hold is left to each run`() async throws {
        let finding = try await sample(#"{"${x}":[{"id":1}]}"#).records.finding
        #expect(finding.value == nil)
        #expect(finding.isDoubtful)
    }

    @Test func `nothing that a server writes breaks a line`() async throws {
        let finding = try await sample("{\"a\\n\\u001b\\u2028b\":[{}],\"c\":[{}]}").records.finding
        #expect(finding.remark.unicodeScalars.allSatisfy { (" "..."~").contains($0) })
    }

    @Test(arguments: ["null", "7", "\"x\""])
    func `a body without records is an error`(body: String) async throws {
        let kind = await failureKind(of: { try await sample(body) })
        #expect(kind?.category == .badContent)
    }

    @Test func `an error page is an error`() async throws {
        let notFound = Response(
            head: ResponseHead(status: 404, headers: [:]), body: AsyncThrowingStream { $0.finish() })
        let kind = await failureKind(of: {
            try await PageSample.fetch(
                stream(at: "https://zoo.example/"),
                over: SourceAccess(transport: ScriptedTransport { _ in notFound }, timing: timing()))
        })
        #expect(kind == .status(404, retryAfter: nil))
    }

    // MARK: - Paging

    private static let next = #""https://zoo.example/v1/animals?page=2""#

    /// Members beside 2 records, the URL's query, paginator, whether a person should look at it.
    private static let pagings: [(String, String, Paginator.Kind, Bool)] = [
        (#""next":\#(next)"#, "", .jsonLink(.init(nextURLPath: "$.next")), false),
        (#""next":\#(next)"#, "limit=2&offset=4", .jsonLink(.init(nextURLPath: "$.next")), false),
        (#""_links":{"next":{"href":"?page=2"}}"#, "", .jsonLink(.init(nextURLPath: "$._links.next.href")), false),
        (#""@odata.nextLink":\#(next)"#, "", .jsonLink(.init(nextURLPath: "$['@odata.nextLink']")), false),
        (#""next":"https://other.example/""#, "", .jsonLink(.init(nextURLPath: "$.next")), true),
        (#""links":{"next":"ftp://x/"}"#, "", .jsonLink(.init(nextURLPath: "$.links.next")), true),
        (#""next_cursor":"ab""#, "", .cursor(.init(cursorPath: "$.next_cursor", cursorParam: "cursor")), true),
        (#""next_cursor":"ab""#, "after=x", .cursor(.init(cursorPath: "$.next_cursor", cursorParam: "after")), false),
        (
            #""nextPageToken":"ab","has_more":true"#, "",
            .cursor(.init(cursorPath: "$.nextPageToken", cursorParam: "pageToken", hasMorePath: "$.has_more")), true
        ),
        (#""next_page":2"#, "", .cursor(.init(cursorPath: "$.next_page", cursorParam: "page")), false),
        (#""meta":{"next":"ab"}"#, "", .cursor(.init(cursorPath: "$.meta.next", cursorParam: "cursor")), true),
        (#""next":null"#, "", .auto, false), (#""has_more":false,"total":9"#, "", .auto, false),
        (#""has_more":true"#, "", .auto, true), (#""total":2"#, "", .auto, false), ("", "", .auto, false),
        ("", "limit=5", .auto, true), ("", "sort=id", .auto, false),
        ("", "limit=2", .offset(.init(limit: 2)), true),
        ("", "per_page=2", .pageNumber(.init(pageSizeParam: "per_page", pageSize: 2)), true),
        ("", "page=3", .pageNumber(.init()), true), ("", "page=0", .pageNumber(.init(basePage: 0)), true),
        (
            #""total":9"#, "skip=5&limit=2",
            .offset(.init(offsetParam: "skip", limitParam: "limit", limit: 2, totalPath: "$.total")), false
        ),
        (
            #""total":9"#, "skip=1&limit=2",
            .offset(.init(offsetParam: "skip", baseOffset: 1, limitParam: "limit", limit: 2, totalPath: "$.total")),
            true
        ),
        (#""page":1,"next_page_url":null"#, "", .auto, false),
        (
            #""total":9,"skip":0,"limit":2"#, "",
            .offset(.init(offsetParam: "skip", limitParam: "limit", limit: 2, totalPath: "$.total")), false
        ),
        (#""page":1,"total_pages":5,"total":9"#, "", .pageNumber(.init(totalPagesPath: "$.total_pages")), false),
        (#""page":1,"total":9"#, "", .pageNumber(.init(totalPath: "$.total")), false),
        (
            #""meta":{"current_page":0,"last_page":5}"#, "",
            .pageNumber(.init(basePage: 0, totalPagesPath: "$.meta.last_page")), false
        ),
        (
            #""meta":{"pagination":{"page":1,"pageCount":5}}"#, "",
            .pageNumber(.init(totalPagesPath: "$.meta.pagination.pageCount")), false
        ),
        (#""total":9"#, "", .pageNumber(.init(totalPath: "$.total")), true),
        (#""total":9"#, "limit=2", .offset(.init(limit: 2, totalPath: "$.total")), true),
        (#""page":1,"has_more":true"#, "", .pageNumber(.init(hasMorePath: "$.has_more")), false),
        (#""count":2,"page":"about""#, "", .auto, false), (#""total":1"#, "", .auto, false),
        (#""offset":0,"total":99999999999999999999"#, "", .offset(.init(limit: 2)), true),
    ]

    @Test(arguments: pagings)
    func `the way to the next page is recognised`(
        members: String, query: String, kind: Paginator.Kind, isDoubtful: Bool
    ) async throws {
        let sample = try await sample(records(2, members))
        let found = sample.paging(of: try sample.records, asked: try self.query(query))
        #expect(found.value.kind == kind)
        #expect(found.isDoubtful == isDoubtful, "\(found.remark)")
    }

    /// A GraphQL body, and the place of its cursor.
    @Test(arguments: [
        (#"{"query":"query($after:String){a}","variables":{"first":2}}"#, "$.variables.after"),
        (#"{"query":"query($cursor: String) { a }","variables":{}}"#, "$.variables.cursor"),
        (#"{"query":"{ a }"}"#, "$.variables.after"), (#"{"query":"a lion"}"#, "$.after"),
    ])
    func `the cursor of a GraphQL query is one of its variables`(body: String, place: String) async throws {
        let answer = #"{"data":{"a":{"nodes":[{"id":1}],"pageInfo":{"hasNextPage":true,"endCursor":"x"}}}}"#
        let asked = try #require(BodyValue(json: body))
        let sample = try await sample(answer) { stream in
            stream.request.method = .post
            stream.request.body = asked
        }
        let found = try sample.paging(of: sample.records, asked: query("")).value.line
        #expect(found.contains("cursor_param: \(place),"), "\(found)")
    }

    /// The flag of a page, the query, and the line that is written.
    @Test(arguments: [
        (#""has_more":true"#, "per_page=2", "has_more_path: $.has_more }"),
        (#""last":false"#, "per_page=2", #"last_when: "$.last == true" }"#),
        (#""hasNext":1"#, "per_page=2", #"last_when: "$.hasNext == 0" }"#),
        (#""has_more":"true""#, "per_page=2", #"last_when: "$.has_more == 'false'" }"#),
        (#""has_more":true"#, "limit=2", #"limit: 2, last_when: "$.has_more == false" }"#),
        (#""next_cursor":"a","is_last":false"#, "", #"cursor_param: cursor, last_when: "$.is_last == true" }"#),
        (#""next":\#(next),"has_more":true"#, "", #"next_url_path: $.next, last_when: "$.has_more == false" }"#),
    ])
    func `a flag becomes the key that understands its value`(members: String, query: String, end: String) async throws {
        let sample = try await sample(records(2, members))
        let line = try sample.paging(of: sample.records, asked: self.query(query)).value.line
        #expect(line.hasSuffix(end), "\(line)")
    }

    @Test func `a Link field comes first`() async throws {
        let sample = try await sample(records(2, #""next":"?x=1""#), headers: [("Link", "<?page=2>; rel=next")])
        #expect(try sample.paging(of: sample.records, asked: query("")).value.kind == .headerLink(.init()))
    }

    @Test func `a broken Link field is doubtful`() async throws {
        let sample = try await sample(records(2), headers: [("Link", "/page/2; rel=next")])
        let found = try sample.paging(of: sample.records, asked: query(""))
        #expect(found.value.kind == .headerLink(.init()))
        #expect(found.isDoubtful)
    }

    @Test func `a record has no pages`() async throws {
        let sample = try await sample(#"{"id":1,"next":"Tuesday","total":7}"#)
        #expect(try sample.paging(of: sample.records, asked: query("page=2")).value.kind == .singlePage)
    }

    /// The paginator that is written finds the same next page as `auto`.
    @Test(arguments: pagings.filter { $0.1.isEmpty && !$0.0.contains("skip") }.map { ($0.0, $0.2) })
    func `the next page is the one that auto finds`(members: String, kind: Paginator.Kind) async throws {
        guard let automatic = try? await scriptedPage(Paginator(), body: records(2, members)).next,
            !members.contains("other.example")
        else { return }
        let written = try await scriptedPage(Paginator(kind), body: records(2, members)).next
        #expect(written?.key == automatic.key)
    }

    @Test(arguments: [(1, ""), (0, ""), (1, "startIndex=1&count=2")])
    func `the number of the first record beside a total is followed by auto`(start: Int, text: String) async throws {
        let sample = try await sample(records(2, #""startIndex":\#(start),"totalResults":7"#))
        let found = try sample.records
        let asked = try query(text)
        let finding = sample.paging(of: found, asked: asked)
        #expect(finding.value == Paginator() && !finding.isDoubtful)
        #expect(sample.guesses(of: found, asked: asked).isEmpty)
    }

    @Test func `a redirect is noted`() async throws {
        let stream = stream(at: "https://zoo.example/v1/", path: "animals")
        let transport = ScriptedTransport { request in
            guard request.revealedURL().contains("/v1/") else { return scripted("[]") }
            return Response(
                head: ResponseHead(status: 301, headers: ["Location": "https://www.zoo.example/v2/animals"]),
                body: AsyncThrowingStream { $0.finish() })
        }
        let sample = try await PageSample.fetch(
            stream,
            over: SourceAccess(transport: transport, timing: timing(clock: ManualClock(), random: 0.5)))
        #expect("\(sample.source)" == "https://www.zoo.example/v2/animals")
    }

    // MARK: -

    private func sample(
        _ body: String, headers: [(String, String)] = [], _ change: (inout StreamConfiguration) -> Void = { _ in }
    ) async throws -> PageSample {
        try await PageSample.fetch(
            stream(at: "https://zoo.example/v1/", path: "animals", change),
            over: SourceAccess(
                transport: ScriptedTransport { _ in scripted(body, headers: headers) },
                timing: timing(clock: ManualClock(), random: 0.5)))
    }

    private func query(_ text: String) throws -> StarterQuery {
        try #require(StarterAddress("https://zoo.example/v1/animals?\(text)")).query
    }
}
