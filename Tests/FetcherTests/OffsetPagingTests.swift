import GarnerCatalog
import GarnerFetcher
import GarnerJSON
import GarnerModel
import Testing

struct OffsetPagingTests {
    private static func paginator(total: Selector? = nil, stopsAfterEmptyPage: Bool? = nil) -> Paginator {
        Paginator(
            .offset(.init(offsetParam: "skip", limitParam: "take", limit: 3, totalPath: total)),
            limits: PageLimits(stopsAfterEmptyPage: stopsAfterEmptyPage))
    }

    private static let starts: [(String, String)] = [
        ("animals", "animals?skip=0&take=3"), ("animals?q=1", "animals?q=1&skip=0&take=3"),
        ("animals?skip=10", "animals?skip=10&take=3"), ("animals?take=99&q=1", "animals?take=3&q=1&skip=0"),
        ("animals?skip=junk", "animals?skip=0&take=3"),
    ]

    @Test(arguments: starts)
    func `the first request has both parameters`(path: String, first: String) throws {
        let fetcher = try scriptedFetcher(Self.paginator(), body: "") { $0.request.path = path }
        #expect(try fetcher.firstPosition == PagePosition(url: "https://zoo.example/v1/" + first, number: 0))
    }

    @Test func `the first offset may be another one than 0`() throws {
        let paginator = Paginator(.offset(.init(baseOffset: 1, limit: 3)))
        let fetcher = try scriptedFetcher(paginator, body: "") { $0.request.path = "animals" }
        #expect(try fetcher.firstPosition.url == "https://zoo.example/v1/animals?offset=1&limit=3")
    }

    @Test(arguments: [
        ("", true), (#""offset":1"#, true), (#""startIndex":1"#, true), (#""from":1,"to":3"#, true),
        (#""range":"1-3""#, true), (#""from":2,"to":4"#, false), (#""startIndex":2"#, false),
        (#""range":"2-4""#, false), (#""total":3"#, true), (#""total":4"#, false),
    ])
    func `a list that counts from 1 begins with record 1`(members: String, isWhole: Bool) async throws {
        let paginator = Paginator(.offset(.init(baseOffset: 1, limit: 3)))
        let first = try await scriptedPage(paginator, at: "animals?offset=1&limit=3", body: records(3, members))
        let history = try #require(first.next).history
        let last = try await scriptedPage(
            paginator, at: "animals?offset=4&limit=3", number: 1, history: history, body: records(0))
        #expect((last.verdict == .complete) == isWhole, "\(last.verdict?.reason ?? "")")
    }

    @Test func `an offset of 1 that nobody explains leaves a record out`() async throws {
        for (base, url) in [(nil, "animals?offset=1&limit=3"), (2, "animals?offset=2&limit=3")] as [(Int?, String)] {
            let paginator = Paginator(.offset(.init(baseOffset: base, limit: 3)))
            let page = try await scriptedPage(paginator, at: url, body: records(0))
            #expect(page.verdict?.completeness == .partial)
            #expect((page.verdict?.reason?.contains("base_offset: 1") == true) == (base == nil))
        }
    }

    @Test(arguments: [
        (Paginator(.offset(.init(limit: 3, omitsFirst: true))), "animals?limit=3", "animals?limit=3&offset=3"),
        (Paginator(.pageNumber(.init(basePage: 0, omitsFirst: true))), "animals", "animals?page=1"),
    ])
    func `the first request may have no offset and no number`(paginator: Paginator, first: String, second: String)
        async throws
    {
        let fetcher = try scriptedFetcher(paginator, body: "") { $0.request.path = "animals" }
        #expect(try fetcher.firstPosition.url == "https://zoo.example/v1/" + first)
        let page = try await scriptedPage(paginator, at: first, body: records(3))
        #expect(page.next?.url == "https://zoo.example/v1/" + second)
    }

    /// Records of a page, its total, and the offset that follows 6.
    private static let pages: [(Int, String, Int?)] = [
        (3, "", 9), (4, "", 10), (2, "", 8), (0, "", nil), (3, #""n":9"#, nil), (3, #""n":10"#, 9),
        (3, #""n":"10""#, 9), (2, #""n":10"#, 8), (2, #""n":8"#, nil), (3, #""n":0"#, nil), (3, #""n":null"#, 9),
        (2, #""n":null"#, 8), (0, #""n":10"#, nil),
    ]

    @Test(arguments: pages)
    func `an empty page or the total ends`(count: Int, members: String, following: Int?) async throws {
        let page = try await scriptedPage(
            Self.paginator(total: "$.n"), at: "animals?skip=6&take=3", body: records(count, members))
        #expect(page.next?.url == following.map { "https://zoo.example/v1/animals?skip=\($0)&take=3" })
        #expect(page.next?.mayBeMissing != true || !members.contains("10"))
    }

    @Test func `the total goes on over an empty page where empty pages do not end`() async throws {
        let paginator = Self.paginator(total: "$.n", stopsAfterEmptyPage: false)
        let page = try await scriptedPage(paginator, at: "animals?skip=6&take=3", body: records(0, #""n":10"#))
        #expect(page.next?.url == "https://zoo.example/v1/animals?skip=9&take=3")
        let last = try await scriptedPage(paginator, at: "animals?skip=9&take=3", body: records(0, #""n":10"#))
        #expect(last.next == nil)
        #expect(last.verdict?.kind == .contradicted)
    }

    @Test func `an offset beyond all numbers ends`() async throws {
        let page = try await scriptedPage(Self.paginator(), at: "animals?skip=\(Int.max)&take=3", body: records(3))
        #expect(page.next == nil)
    }

    @Test(arguments: [.offset(.init(totalPath: "$.n"))] as [Paginator.Kind])
    func `a negative total is of a server that did not count`(kind: Paginator.Kind) async throws {
        let page = try await scriptedPage(Paginator(kind), body: records(2, #""n":-1"#))
        #expect(page.next != nil)
        #expect(try await scriptedPage(Paginator(kind), body: records(0, #""n":-1"#)).verdict == .complete)
    }
}
