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
        ("", nil), (#""c":0"#, nil), (#""c":[]"#, nil),
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
