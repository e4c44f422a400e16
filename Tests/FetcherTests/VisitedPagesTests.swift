import GarnerCatalog
import GarnerFetcher
import GarnerModel
import Testing

struct VisitedPagesTests {
    private let name = StreamName(source: "zoo", stream: "animals")

    @Test func `a position may be visited once`() throws {
        var trail = VisitedPages(stream: name)
        try trail.visit(PagePosition(url: "https://zoo.example/?page=1", number: 0))
        try trail.visit(PagePosition(url: "https://zoo.example/?page=2", number: 1))
        let error = #expect(throws: FetchError.self) {
            try trail.visit(PagePosition(url: "https://zoo.example/?page=1", number: 2))
        }
        #expect(error?.kind == .repeatedPage(url: "https://zoo.example/?page=1"))
        #expect(error?.stream == name)
        #expect(error?.message.contains("https://zoo.example/?page=1") == true)
    }

    /// The next link of each page, by its number.
    private static let circles: [([String], Int)] = [
        (["?page=0"], 1), (["?page=1", "?page=0"], 2), (["?page=1", "?page=2", "?page=1"], 3),
        (["?page=1", "", "x"], 2),
        (["?page=1#a", "?page=1#b"], 2),
    ]

    @Test(arguments: circles)
    func `pages that lead back end the read`(links: [String], visits: Int) async throws {
        var trail = VisitedPages(stream: name)
        var next: PagePosition? = PagePosition(url: "https://zoo.example/v1/animals?page=0", number: 0)
        var visited = 0
        do {
            while let position = next {
                try trail.visit(position)
                let fetcher = try scriptedFetcher(
                    Paginator(.headerLink(.init(relation: "next"))), body: records(1),
                    headers: [("Link", "<\(links[visited])>; rel=next")])
                visited += 1
                next = try await fetcher.page(at: position).next
            }
            Issue.record("the read ended well")
        } catch let error as FetchError {
            guard case .repeatedPage = error.kind else { Issue.record(error); return }
        }
        #expect(visited == visits)
    }

    /// Such a body is no other record where only its number has changed, and a page where it states its size, too.
    @Test(arguments: [("", false), (#","per_page":5"#, true)])
    func `numbered pages that are taken for one record each end`(size: String, atOnce: Bool) async throws {
        var trail = VisitedPages(stream: name)
        for number in 1...20 {
            let body = #"{"mood":"x","herd":{},"page":\#(number)\#(size)}"#
            let page = try await scriptedPage(
                Paginator(.pageNumber(.init())), at: "animals?page=\(number)", number: number - 1, body: body)
            #expect((page.next == nil) == atOnce)
            guard page.next != nil else {
                #expect(page.verdict?.completeness == .unknown)
                return
            }
            do throws(FetchError) {
                try trail.visit(page)
            } catch {
                #expect(error.kind == .repeatedRecords(pages: 10))
                return
            }
        }
        Issue.record("the read did not end")
    }

    @Test func `a cursor that stays the same ends the read`() async throws {
        let fetcher = try scriptedFetcher(Paginator(), body: records(1, #""next_cursor":"same""#))
        var trail = VisitedPages(stream: name)
        let first = try await fetcher.page(at: fetcher.firstPosition)
        let second = try await fetcher.page(at: try #require(first.next))
        try trail.visit(first.position)
        try trail.visit(second.position)
        #expect(throws: FetchError.self) { try trail.visit(try #require(second.next)) }
    }
}
