import GarnerCatalog
import GarnerFetcher
import GarnerJSON
import GarnerModel
import Testing

struct CursorPagingTests {
    private static let bodies: [(String, String?)] = [
        (#""c":"abc""#, "abc"), (#""c":17"#, "17"), (#""c":1.50"#, "1.50"), (#""c":"a+b/c==""#, "a%2Bb%2Fc%3D%3D"),
        (#""c":"abc","more":true"#, "abc"), (#""c":"abc","more":null"#, "abc"), (#""c":"abc","more":false"#, nil),
        (#""c":null"#, nil), (#""c":"""#, nil), (#""c":false"#, nil), (#""c":{}"#, nil), (#""more":true"#, nil),
        ("", nil), (#""c":0"#, nil), (#""c":[]"#, nil), (#""c":-1"#, nil), (#""c":"-1""#, nil), (#""c":"0""#, nil),
    ]

    @Test(arguments: bodies)
    func `the cursor in the body becomes the parameter of the next request`(members: String, token: String?)
        async throws
    {
        let page = try await scriptedPage(
            Paginator(.cursor(.init(cursorPath: "$.c", cursorParam: "after", hasMorePath: "$.more"))),
            at: "animals?after=old&limit=2", body: records(2, members))
        #expect(page.next?.url == token.map { "https://zoo.example/v1/animals?after=\($0)&limit=2" })
    }

    @Test(arguments: [#"{"pk":10}"#, "[10]", "true"])
    func `a cursor that no parameter takes leaves it open whether there is more`(value: String) async throws {
        let page = try await scriptedPage(
            Paginator(.cursor(.init(cursorPath: "$.c"))), body: records(2, #""c":\#(value)"#))
        #expect(page.next == nil)
        #expect(page.verdict?.completeness == .unknown)
        #expect(page.verdict?.reason?.hasPrefix("$.c is ") == true)
    }

    @Test(arguments: [#"{"pk":10}"#, "[10]"])
    func `a body takes an object or array as its cursor`(value: String) async throws {
        // A request with a body gets what `grant` says.
        let fetcher = try scriptedFetcher(
            Paginator(.cursor(.init(cursorPath: "$.c", cursorParam: "$.start"))), body: "{}",
            grant: records(2, #""c":\#(value)"#)
        ) {
            ($0.request.method, $0.request.body) = (.post, .object([]))
        }
        let page = try await fetcher.page(at: fetcher.firstPosition)
        #expect(page.next?.body == #"{"start":\#(value)}"#)
    }

    @Test func `of several places the first that has a cursor counts`() async throws {
        let paginator = Paginator(.cursor(.init(cursorPaths: ["$.a", "$.b"])))
        let second = try await scriptedPage(paginator, body: records(2, #""a":null,"b":"x""#))
        #expect(second.next?.url == "https://zoo.example/v1/animals?cursor=x")
        #expect(try await scriptedPage(paginator, body: records(2, #""a":null"#)).verdict == .complete)
    }

    private static let kinds = [Paginator(), Paginator(.cursor(.init(cursorPath: "$.next_cursor")))]

    @Test(arguments: kinds)
    func `a cursor of -1 leads nowhere, and "0" neither where others came before`(paginator: Paginator) async throws {
        let none = try await scriptedPage(paginator, body: records(3, #""next_cursor":-1"#))
        #expect(none.verdict == .complete)
        let only = try await scriptedPage(paginator, body: records(3, #""next_cursor":"0""#))
        #expect(only.verdict?.completeness != .complete)
        let first = try await scriptedPage(paginator, body: records(3, #""next_cursor":"17""#))
        let next = try #require(first.next)
        let last = try await scriptedPage(
            paginator, at: "animals?cursor=17", number: 1, history: next.history,
            body: records(1, #""next_cursor":"0""#))
        #expect(last.next == nil && last.verdict == .complete)
    }

    @Test(arguments: kinds)
    func `"0" on an empty page leads nowhere`(paginator: Paginator) async throws {
        let page = try await scriptedPage(paginator, body: records(0, #""next_cursor":"0""#))
        #expect(page.next == nil && page.verdict == .complete)
    }

    @Test(arguments: [#""next_cursor":"0""#, #""cursor":"0""#, #""next":"0""#, #""cursor":"None""#])
    func `"0" on the only page leads nowhere, unless the page is full`(members: String) async throws {
        let page = try await scriptedPage(Paginator(.singlePage), body: records(3, members))
        #expect(page.verdict == .complete, "\(page.verdict?.reason ?? "")")
        let full = try await scriptedPage(Paginator(.singlePage), body: records(10, members))
        #expect(full.verdict?.completeness != .complete)
    }

    @Test(arguments: [
        #""next":"null""#, #""next_url":"None""#, #""links":{"next":"nil"}"#, #""next_cursor":"undefined""#,
        #""nextPageToken":"NULL""#, #""next_page":"false""#, #""next_page":"0""#, #""start":0,"next_start":"null""#,
    ])
    func `a word for nothing leads nowhere`(members: String) async throws {
        for paginator in [Paginator(), Paginator(.singlePage)] {
            let page = try await scriptedPage(paginator, body: records(3, members))
            #expect(page.next == nil && page.verdict == .complete, "\(page.verdict?.reason ?? "")")
        }
    }

    @Test(arguments: [
        Paginator(.cursor(.init(cursorPath: "$.a"))), Paginator(.jsonLink(.init(nextURLPath: "$.a"))),
    ])
    func `a word for nothing at the place that is read is the end`(paginator: Paginator) async throws {
        let page = try await scriptedPage(paginator, body: records(3, #""a":"None""#))
        #expect(page.next == nil && page.verdict == .complete)
    }

    @Test(
        arguments: [
            (
                .cursor(.init(cursorPath: "$.paging.next")), #""paging":{"after":"5"}"#, [],
                ", and cursor_path ($.paging.next) finds nothing; write cursor_path: $.paging.after in paginator, or add"
            ),
            (
                .jsonLink(.init(nextURLPath: "$.next")), #""marker":"abc""#, [],
                ", and next_url_path ($.next) finds nothing; "
                    + "if it is a cursor, write paginator: { type: cursor, cursor_path: $.marker }, or add"
            ),
            (
                .headerCursor(.init(cursorHeader: "X-Next")), #""a":1"#, [("X-Next-Cursor", "abc")],
                ", and cursor_header (X-Next) finds nothing; write cursor_header: X-Next-Cursor in paginator, or add"
            ),
            (.cursor(.init(cursorPath: "$.next")), #""remaining":41"#, [], "; ask 'garner init --update'"),
        ] as [(Paginator.Kind, String, [(String, String)], String)])
    func `a cursor elsewhere leads to the setting that reads it`(
        kind: Paginator.Kind, members: String, headers: [(String, String)], words: String
    ) async throws {
        let page = try await scriptedPage(Paginator(kind), body: records(3, members), headers: headers)
        #expect(page.verdict?.completeness == .unknown)
        #expect(
            page.verdict?.reason?.contains(" may lead to more records\(words)") == true, "\(page.verdict?.reason ?? "")"
        )
    }

    @Test func `a word of a record is a cursor whatever it is`() async throws {
        let paginator = Paginator(.cursor(.init(cursorPath: "$.data[-1].id")))
        let page = try await scriptedPage(paginator, body: #"{"data":[{"id":"None"}]}"#)
        #expect(page.next?.url == "https://zoo.example/v1/animals?cursor=None")
    }

    @Test func `a number of a record is a cursor whatever it is`() async throws {
        let paginator = Paginator(.cursor(.init(cursorPath: "$.data[-1].id")))
        let page = try await scriptedPage(paginator, body: #"{"data":[{"id":-1}]}"#)
        #expect(page.next?.url == "https://zoo.example/v1/animals?cursor=-1")
    }

    @Test(arguments: [#""next_offset":-1"#, #""next_max_id":"-1""#])
    func `what may lead to more leads nowhere by -1`(members: String) async throws {
        let page = try await scriptedPage(Paginator(.singlePage), body: records(3, members))
        #expect(page.verdict == .complete)
    }

    /// Crossref always gives the cursor of another page.
    @Test(
        arguments: kinds,
        [
            (#""total":8,"#, true), (#""total":9,"#, false), (#""total":7,"#, false),
            (#""total":8,"has_more":true,"#, false), ("", false),
        ] as [(members: String, isEnd: Bool)])
    func `an empty page behind all that are counted is the end, wherever its cursor leads`(
        paginator: Paginator, page: (members: String, isEnd: Bool)
    ) async throws {
        let last = try await scriptedPage(
            paginator, at: "animals?cursor=a", number: 2, history: ReadHistory(records: 8),
            body: records(0, page.members + #""next_cursor":"b""#))
        #expect(last.next == nil && (last.verdict == .complete) == page.isEnd, "\(last.verdict?.reason ?? "")")
    }

    @Test func `an empty page that a flag or a link leads on from is no end, whatever is counted`() async throws {
        let flag = Paginator(.cursor(.init(cursorPath: "$.next_cursor", hasMorePath: "$.m")))
        for paginator in [flag, Paginator(.jsonLink(.init(nextURLPath: "$.next")))] {
            let page = try await scriptedPage(
                paginator, at: "animals?cursor=a", number: 2, history: ReadHistory(records: 8),
                body: records(0, #""total":8,"m":true,"next_cursor":"b","next":"?cursor=b""#))
            #expect(page.verdict?.completeness == .partial)
        }
    }

    /// Google gives it in the place of the token of the next page.
    @Test(arguments: [
        (#""nextSyncToken":"x""#, true), (#""nextSyncToken":"""#, false), (#""nextSyncToken":"x","page":1"#, false),
        (#""nextSyncToken":"x","nextPageToken":"y""#, false), (#""next_sync_token":"x""#, false),
    ])
    func `the token for the next sync ends a list`(members: String, isEnd: Bool) async throws {
        let page = try await scriptedPage(Paginator(), body: records(7, members))
        #expect((page.verdict == .complete) == isEnd)
    }

    /// Records that come or go move others between such pages, so that they are looked for once more.
    @Test(arguments: [("page", true), ("offset", true), ("cursor", false)])
    func `a cursor that is the number of a page makes numbered pages`(parameter: String, isNumbered: Bool) async throws
    {
        let cursor = Paginator(
            .cursor(.init(cursorPath: try Selector(parsing: "$.next"), cursorParam: ParameterPlace(parameter))))
        let page = try await scriptedPage(cursor, body: records(3, #""next":2"#))
        #expect(page.next != nil && page.isNumbered == isNumbered)
    }
}
