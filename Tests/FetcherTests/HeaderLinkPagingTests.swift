import GarnerCatalog
import GarnerFetcher
import GarnerJSON
import GarnerModel
import Testing

struct HeaderLinkPagingTests {
    private static let headers: [([(String, String)], String?)] = [
        ([("Link", "<?page=2>; rel=next")], "animals?page=2"),
        ([("Link", "<?page=1>; rel=prev"), ("LINK", "<?page=3>; rel=next")], "animals?page=3"),
        ([("Link", "<?page=1>; rel=\"first prev\", <?page=9>; rel=\"last next\"")], "animals?page=9"),
        ([("Link", "<https://zoo.example/v1/x?after=%7E%2f>; rel=\"NEXT\"")], "x?after=%7E%2f"),
        ([("Link", "<../v1/y>; rel=next; title=\"a, b\"")], "y"),
        ([("Link", "<?page=1>; rel=prev")], nil), ([("Link", "no link")], nil), ([], nil),
    ]

    @Test(arguments: headers)
    func `the link with the configured relation is the next page`(headers: [(String, String)], next: String?)
        async throws
    {
        let page = try await scriptedPage(
            Paginator(.headerLink(.init(relation: "next"))), body: records(1, #""next":"/body""#), headers: headers)
        #expect(page.next?.url == next.map { "https://zoo.example/v1/" + $0 })
    }

    @Test func `a part without such a link leads to another paginator`() async throws {
        let page = try await scriptedPage(
            Paginator(.headerLink(.init(relation: "next"))), body: records(1, #""total":25"#))
        #expect(
            page.verdict?.reason == "1 of 25 records: no header Link has rel=\"next\"; remove the paginator, and run "
                + "'garner init --update', which looks for the right one")
    }

    @Test func `a link in the body leads to the paginator that follows it`() async throws {
        let body = records(1, #""next":"?page=2""#)
        for paginator in [Paginator(.headerLink(.init(relation: "next"))), Paginator(.singlePage)] {
            let page = try await scriptedPage(paginator, body: body)
            #expect(
                page.verdict?.reason == "$.next tells of another page; "
                    + "write paginator: { type: json_link, next_url_path: $.next }")
        }
        let right = try await scriptedPage(Paginator(.jsonLink(.init(nextURLPath: "$.next"))), body: body)
        #expect(right.next?.url == "https://zoo.example/v1/animals?page=2")
    }

    @Test func `the relation is configured, without regard to case`() async throws {
        let page = try await scriptedPage(
            Paginator(.headerLink(.init(relation: "Older"))), body: records(1),
            headers: [("Link", "<?newer=1>; rel=next, <?older=1>; rel=older")])
        #expect(page.next?.url == "https://zoo.example/v1/animals?older=1")
    }
}
