import GarnerCatalog
import GarnerJSON
import GarnerModel
import Testing

@testable import GarnerFetcher

struct JSONLinkPagingTests {
    private static let bodies: [(String, String?)] = [
        (#""p":{"n":"https://zoo.example/v1/animals?page=2"}"#, "animals?page=2"),
        (#""p":{"n":"?page=2"}"#, "animals?page=2"),
        (#""p":{"n":"birds"}"#, "birds"), (#""p":{"n":" ?page=2 "}"#, "animals?page=2"),
        (#""p":{"n":"?q=é x&r=%zz"}"#, "animals?q=%C3%A9%20x&r=%25zz"),
        (#""p":{"n":null}"#, nil), (#""p":{"n":""}"#, nil), (#""p":{}"#, nil), (#""p":null"#, nil), ("", nil),
        (#""p":{"n":false}"#, nil), (#""p":{"n":0}"#, nil), (#""p":{"n":{}}"#, nil), (#""p":{"n":[]}"#, nil),
    ]

    @Test(arguments: bodies)
    func `the selected text is the next URL`(members: String, next: String?) async throws {
        let page = try await scriptedPage(Paginator(.jsonLink(.init(nextURLPath: "$.p.n"))), body: records(1, members))
        #expect(page.next?.url == next.map { "https://zoo.example/v1/" + $0 })
    }

    /// A wrong place is named with the one that tells of the next page, and the advice is followed.
    @Test func `a place that no page has is named with the right one`() async throws {
        let members = #""links":{"next":"?page=2"}"#
        let wrong = try await scriptedPage(
            Paginator(.jsonLink(.init(nextURLPath: "$.next"))), body: records(1, members))
        #expect(
            wrong.verdict?.reason == "$.links.next tells of another page, and next_url_path ($.next) finds nothing; "
                + "write next_url_path: $.links.next in paginator")
        #expect(wrong.verdict?.kind == .missed)
        let total = try await scriptedPage(
            Paginator(.jsonLink(.init(nextURLPath: "$.next"))), body: records(1, members + #","total":25"#))
        #expect(total.verdict?.reason?.hasPrefix("1 of 25 records: $.links.next tells of another page") == true)
        let alone = try await scriptedPage(
            Paginator(.jsonLink(.init(nextURLPath: "$.next"))), body: records(1, #""total":25"#))
        #expect(
            alone.verdict?.reason
                == "1 of 25 records: next_url_path ($.next) finds nothing; correct next_url_path in paginator")
        let right = try await scriptedPage(
            Paginator(.jsonLink(.init(nextURLPath: "$.links.next"))), body: records(1, members))
        #expect(right.next?.url == "https://zoo.example/v1/animals?page=2")
        for (path, links) in [
            ("$.links.prev", #"{"prev":null,"next":"?page=2"}"#), ("$.links", #"{"next":"?page=2"}"#),
        ] {
            let other = try await scriptedPage(
                Paginator(.jsonLink(.init(nextURLPath: try Selector(parsing: path)))),
                body: records(1, #""links":\#(links)"#))
            #expect(
                other.verdict?.reason
                    == "$.links.next tells of another page, and next_url_path (\(path)) leads nowhere; "
                    + "write next_url_path: $.links.next in paginator")
        }
        // A flag is no place of a URL.
        let flag = try await scriptedPage(
            Paginator(.jsonLink(.init(nextURLPath: "$.next"))), body: records(1, #""has_more":true"#))
        #expect(flag.verdict?.reason == "$.has_more tells of another page")
    }

    /// The reason is nil where the page may be the whole list.
    @Test(
        arguments: [
            (.jsonLink(.init(nextURLPath: "$.next")), "[{},{}]", [], "the answer is a list, which has no $.next"),
            (
                .cursor(.init(cursorPaths: ["$.a.b", "$['c']"], hasMorePath: "$.more")), "[{},{}]", [],
                "the answer is a list, which has no $.a.b, $['c']"
            ),
            (
                .jsonLink(.init(nextURLPath: "$.next")), "[{},{}]", [("X-Total-Count", "25")],
                "2 of 25 records: the answer is a list, which has no $.next"
            ),
            (
                .jsonLink(.init(nextURLPath: "$.next")), "[{},{}]", [("Link", "<?page=2>; rel=next")],
                "Link tells of another page, and the answer is a list, which has no $.next"
            ),
            (.jsonLink(.init(nextURLPath: "$.next")), "[{},{}]", [("X-Total-Count", "2")], nil),
            (.jsonLink(.init(nextURLPath: "$.next")), "[]", [], nil),
            (.jsonLink(.init(nextURLPath: "$[5].next")), "[{},{}]", [], nil),
            (.cursor(.init(cursorPath: "$.next")), records(2), [], nil),
        ] as [(Paginator.Kind, String, [(String, String)], String?)])
    func `a name leads nowhere in a list, which is no end`(
        kind: Paginator.Kind, body: String, headers: [(String, String)], reason: String?
    ) async throws {
        let page = try await scriptedPage(Paginator(kind), body: body, headers: headers)
        let advice = "; remove the paginator, and run 'garner init --update', which looks for the right one"
        #expect(page.verdict?.reason == reason.map { $0 + advice })
        #expect((page.verdict == .complete) == (reason == nil), "\(String(describing: page.verdict))")
        // What is stored of the page says the same.
        if reason != nil, let stored = page.facts.memory?.summary {
            #expect(PageSummary(text: stored)?.markers.isNameless == true, "\(stored)")
        }
    }

    @Test func `a number that may be a secret is not kept with the last page`() async throws {
        let members = #""next":"?page=2","links":{"last":"?page=5&api_key=12345"}"#
        let page = try await scriptedPage(
            Paginator(.jsonLink(.init(nextURLPath: "$.next"))), body: records(1, members))
        let kept = (page.facts.memory?.summary ?? "") + (page.next?.checkpoint ?? "")
        #expect(kept.contains("last_numbers") && !kept.contains("12345"))
    }

    /// The base, the link, and the page that it leads to from https://zoo.example/v1/animals.
    private static let based: [(String, String, String)] = [
        ("https://zoo.example/wiki", "/rest?start=10", "https://zoo.example/wiki/rest?start=10"),
        ("http://zoo.example/wiki/", "/rest", "https://zoo.example/wiki/rest"),
        // Confluence's second version has the base's path in its links.
        ("https://zoo.example/wiki", "/wiki/rest", "https://zoo.example/wiki/rest"),
        ("https://zoo.example/wiki", "/wikis", "https://zoo.example/wiki/wikis"),
        ("https://zoo.example", "/rest", "https://zoo.example/rest"),
        ("https://zoo.example/", "/rest", "https://zoo.example/rest"),
        ("https://other.example/wiki", "/rest", "https://zoo.example/rest"),
        ("wiki", "/rest", "https://zoo.example/rest"),
        ("https://zoo.example/wiki", "https://zoo.example/rest", "https://zoo.example/rest"),
    ]

    @Test(arguments: based, [Paginator(), Paginator(.jsonLink(.init(nextURLPath: "$._links.next")))])
    func `a path is below the base that stands beside it`(link: (String, String, String), paginator: Paginator)
        async throws
    {
        let members = #""_links":{"base":"\#(link.0)","next":"\#(link.1)"}"#
        let page = try await scriptedPage(paginator, body: records(1, members))
        #expect(page.next?.url == link.2)
    }

    /// The link, and the page that it leads to from https://zoo.example/v1/animals.
    private static let plain: [(String, String)] = [
        ("http://zoo.example/v1/animals?page=2", "https://zoo.example/v1/animals?page=2"),
        ("http://ZOO.example:80/v1/animals?page=2", "https://zoo.example/v1/animals?page=2"),
        ("http://zoo.example:443/v1/animals?page=2", "https://zoo.example/v1/animals?page=2"),
    ]

    @Test(arguments: plain)
    func `a link by http to the same host is followed by https, with a warning`(link: String, next: String) async throws
    {
        let inBody = try await scriptedPage(Paginator(), body: records(1, #""next":"\#(link)""#))
        let inHead = try await scriptedPage(Paginator(), body: "[{}]", headers: [("Link", "<\(link)>; rel=next")])
        for page in [inBody, inHead] {
            #expect(page.next?.url == next)
            #expect(page.warning == "links to the next page name http, and are asked by https, as base_url is")
        }
        let usual = try await scriptedPage(Paginator(), body: records(1, #""next":"\#(next)""#))
        #expect(usual.warning == nil)
    }

    @Test(arguments: ["http://other.example/", "http://zoo.example:8080/"])
    func `a link by http to another place is not followed, and no hint leads there`(link: String) async throws {
        let kind = await failureKind(of: {
            try await scriptedPage(Paginator(), body: records(1, #""next":"\#(link)""#))
        })
        #expect(kind == .linkToOtherOrigin(String(link.dropLast())))
        #expect(kind?.hint.contains("base_url") == false)
    }

    @Test func `a text that is no URL is an error that shows it`() async throws {
        let kind = await failureKind(of: {
            try await scriptedPage(
                Paginator(.jsonLink(.init(nextURLPath: "$.n"))), body: records(1, #""n":"mailto:a@b.example""#))
        })
        #expect(kind == .invalidLink("mailto:a@b.example"))
    }

    @Test(arguments: ["true", "7", #"{"href":"/x"}"#, #"["/x"]"#])
    func `a value that is neither a URL nor an end leaves it open whether there is more`(value: String) async throws {
        let page = try await scriptedPage(
            Paginator(.jsonLink(.init(nextURLPath: "$.n"))), body: records(1, #""n":\#(value)"#))
        #expect(page.next == nil)
        #expect(page.verdict?.completeness == .unknown)
        #expect(page.verdict?.reason?.hasPrefix("$.n is ") == true)
    }

    /// The members beside the records of page 3, and whether it is the last one.
    @Test(arguments: [
        (#""n":"?page=3","has_more":false"#, true), (#""n":"/v1/animals?page=3","is_last":true"#, true),
        (#""n":"?page=3""#, false), (#""n":"?page=4","has_more":false"#, false),
    ])
    func `a link to the page itself ends the read where a flag says so`(members: String, isLast: Bool) async throws {
        let page = try await scriptedPage(
            Paginator(.jsonLink(.init(nextURLPath: "$.n"))), at: "animals?page=3", number: 2, body: records(1, members))
        #expect((page.next == nil) == isLast)
        #expect((page.verdict?.completeness == .complete) == isLast)
    }

    /// The members of a page, and the query of the next one.
    @Test(arguments: [
        (#""a":"?p=1","b":"?p=2""#, "?p=1"), (#""a":null,"b":"?p=2""#, "?p=2"), (#""a":{},"b":"?p=2""#, "?p=2"),
        (#""b":"?p=2""#, "?p=2"), (#""a":"","b":null"#, nil),
    ])
    func `of several places the first that has a URL counts`(members: String, next: String?) async throws {
        let page = try await scriptedPage(
            Paginator(.jsonLink(.init(nextURLPaths: ["$.a", "$.b"]))), body: records(1, members))
        #expect(page.next?.url == next.map { "https://zoo.example/v1/animals\($0)" })
        #expect(next != nil || page.verdict == .complete)
    }

    @Test func `an endless link is shown up to 200 characters`() async throws {
        let link = "x:" + String(repeating: "y", count: 5000)
        let kind = await failureKind(of: {
            try await scriptedPage(
                Paginator(.jsonLink(.init(nextURLPath: "$.n"))), body: records(1, #""n":"\#(link)""#))
        })
        #expect(kind == .invalidLink(String(link.prefix(200))))
    }
}
