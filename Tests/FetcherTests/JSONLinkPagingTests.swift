import Catalog
import Fetcher
import JSON
import Testing

struct JSONLinkPagingTests {
    private static let bodies: [(String, String?)] = [
        (#""p":{"n":"https://zoo.example/v1/animals?page=2"}"#, "animals?page=2"),
        (#""p":{"n":"?page=2"}"#, "animals?page=2"),
        (#""p":{"n":"birds"}"#, "birds"), (#""p":{"n":" ?page=2 "}"#, "animals?page=2"),
        (#""p":{"n":"?q=é x&r=%zz"}"#, "animals?q=%C3%A9%20x&r=%25zz"),
        (#""p":{"n":null}"#, nil), (#""p":{"n":""}"#, nil), (#""p":{}"#, nil), (#""p":null"#, nil), ("", nil),
    ]

    @Test(arguments: bodies)
    func `the selected text is the next URL`(members: String, next: String?) async throws {
        let page = try await scriptedPage(Paginator(.jsonLink(.init(nextURLPath: "$.p.n"))), body: records(1, members))
        #expect(page.next?.url == next.map { "https://zoo.example/v1/" + $0 })
    }

    private static let noLinks: [(String, String)] = [
        ("true", "true"), ("7", "7"), (#"{"href":"/x"}"#, #"{"href":"/x"}"#),
        (#""mailto:a@b.example""#, "mailto:a@b.example"),
    ]

    @Test(arguments: noLinks)
    func `what is no URL is an error that shows it`(value: String, shown: String) async throws {
        let kind = await failureKind(of: {
            try await scriptedPage(Paginator(.jsonLink(.init(nextURLPath: "$.n"))), body: records(1, #""n":\#(value)"#))
        })
        #expect(kind == .invalidLink(shown))
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
