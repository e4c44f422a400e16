import GarnerCatalog
import GarnerJSON
import GarnerModel
import Testing

@testable import GarnerFetcher

/// Relations of the Link field that are none of the next page, or that nobody knows.
struct LinkRelationTests {
    @Test func `a relation that Link does not have is told with the one that it has`() async throws {
        let page = try await scriptedPage(
            Paginator(.headerLink(.init(relation: "next_page"))), body: records(3),
            headers: [("Link", "</v1/animals?page=2>; rel=\"next\"")])
        #expect(page.verdict?.reason?.hasSuffix("remove rel from paginator, or write rel: next") == true)
    }

    @Test func `a Link field without a relation of pages is no end for header_link`() async throws {
        for (field, completeness) in [
            ("</x?page=2>", Completeness.unknown), ("</x?page=2>; rel=\"seite\"", .unknown),
            ("</x?page=1>; rel=\"first\"", .complete), ("</style.css>; rel=preload", .complete),
            ("</x>; rel=describedby, </y>; rel=\"service-desc sunset\"", .complete),
            ("</wp-json/>; rel=\"https://api.w.org/\"", .complete),
            ("</doc>; rel=\"http://www.w3.org/ns/hydra/core#apiDocumentation\"", .complete),
        ] {
            let page = try await scriptedPage(
                Paginator(.headerLink(.init())), body: "[{\"id\":1}]", headers: [("Link", field)])
            #expect(page.verdict?.completeness == completeness, "\(field)")
        }
    }

    /// The pages before had the relation beside that of the next page.
    @Test(arguments: [
        ("</v1/animals?after=b>", "</v1/animals?after=c>; rel=\"more-results\"", false),
        ("</v1/animals?after=b>", "</v1/animals?after=b>; rel=\"more-results\"", true),
        ("</docs>", "</docs>; rel=\"more-results\"", true),
        ("</v1/animals?after=b>", "</v1/animals?after=a>; rel=\"prev\"", true),
    ])
    func `another name of the relation of the next page tells of it`(
        target: String, last: String, isEnd: Bool
    ) async throws {
        for paginator in [Paginator(), Paginator(.headerLink(.init()))] {
            let first = try await scriptedPage(
                paginator, body: records(3),
                headers: [("Link", "</v1/animals?after=b>; rel=\"next\", \(target); rel=\"more-results\"")])
            let next = try #require(first.next)
            let stored = try #require(PagePosition(checkpoint: next.checkpoint))
            for history in [next.history, stored.history] {
                let page = try await scriptedPage(
                    paginator, at: "animals?after=b", number: 1, history: history, body: records(2),
                    headers: [("Link", "</v1/animals>; rel=\"first\", \(last)")])
                #expect((page.verdict?.completeness == .complete) == isEnd, "\(page.verdict?.reason ?? "")")
            }
        }
    }

    /// The advice leaves the paginator its own field.
    @Test func `a last page with a relation that nobody knows is the end where Link is ignored`() async throws {
        let odd = "</x?page=2>; rel=\"seite\""
        let cases: [([String], Completeness)] = [([], .unknown), (["Link"], .complete)]
        for (ignored, completeness) in cases {
            let paginator = Paginator(.headerLink(.init()), limits: PageLimits(ignoredHeaders: ignored))
            let first = try await scriptedPage(
                paginator, body: records(10), headers: [("Link", "</v1/animals?page=2>; rel=\"next\"")])
            let next = try #require(first.next)
            let last = try await scriptedPage(
                paginator, at: "animals?page=2", number: 1, history: next.history, body: records(10),
                headers: [("Link", odd)])
            #expect(last.verdict?.completeness == completeness, "\(last.verdict?.reason ?? "")")
        }
    }
}
