import GarnerCatalog
import GarnerFetcher
import GarnerJSON
import GarnerModel
import Testing

struct PageNumberPagingTests {
    private static func paginator(base: Int, size: Int? = 2, stopsAfterEmptyPage: Bool? = nil) -> Paginator {
        Paginator(
            .pageNumber(
                .init(
                    pageParam: "page", basePage: base, pageSizeParam: size == nil ? nil : "per", pageSize: size,
                    totalPath: "$.total",
                    totalPagesPath: "$.pages")), limits: PageLimits(stopsAfterEmptyPage: stopsAfterEmptyPage))
    }

    private static let starts: [(String, Int, Int?, String)] = [
        ("animals", 1, 2, "animals?page=1&per=2"), ("animals", 0, nil, "animals?page=0"),
        ("animals?page=5", 1, 2, "animals?page=5&per=2"), ("animals?per=9&q=x", 1, 2, "animals?per=2&q=x&page=1"),
    ]

    @Test(arguments: starts)
    func `the first request has the page and its size`(path: String, base: Int, size: Int?, first: String) throws {
        let fetcher = try scriptedFetcher(Self.paginator(base: base, size: size), body: "") { $0.request.path = path }
        #expect(try fetcher.firstPosition.url == "https://zoo.example/v1/" + first)
    }

    /// Base, page, size, records, members, and the page that follows; four records came before.
    private static let pages: [(Int, Int, Int?, Int, String, Int?)] = [
        (1, 3, 2, 2, "", 4), (1, 3, 2, 1, "", 4), (1, 3, 2, 0, "", nil), (1, 3, nil, 1, "", 4),
        (1, 3, nil, 0, "", nil),
        (1, 3, 2, 2, #""pages":3"#, nil), (1, 3, 2, 2, #""pages":4"#, 4), (1, 3, 2, 1, #""pages":"4""#, 4),
        (0, 3, 2, 2, #""pages":4"#, nil), (0, 3, 2, 2, #""pages":5"#, 4), (1, 3, 2, 2, #""total":6"#, nil),
        (1, 3, 2, 2, #""total":7"#, 4), (1, 3, 2, 1, #""total":7"#, 4), (1, 3, 100, 2, #""total":6"#, nil),
        (1, 3, 100, 2, #""total":7"#, 4), (1, 3, nil, 2, #""total":6"#, nil), (1, 3, nil, 2, #""total":7"#, 4),
        (1, 3, 2, 2, #""total":null,"pages":null"#, 4), (1, 3, 2, 2, #""total":1000,"pages":3"#, nil),
        (1, Int.max, 2, 2, "", nil),
        (-1, Int.max, 2, 2, #""pages":9"#, nil),
    ]

    @Test(arguments: pages)
    func `an empty page, the total or the total pages end`(page: (Int, Int, Int?, Int, String, Int?)) async throws {
        let (base, number, size, count, members, following) = page
        let fetched = try await scriptedPage(
            Self.paginator(base: base, size: size), at: "animals?page=\(number)", history: ReadHistory(records: 4),
            body: records(count, members))
        #expect(fetched.next?.url == following.map { "https://zoo.example/v1/animals?page=\($0)" })
    }

    @Test func `total pages go on over an empty page where empty pages do not end`() async throws {
        let paginator = Self.paginator(base: 1, stopsAfterEmptyPage: false)
        let goingOn = try await scriptedPage(paginator, at: "animals?page=3", body: records(0, #""pages":5"#))
        #expect(goingOn.next?.url == "https://zoo.example/v1/animals?page=4")
        #expect(try await scriptedPage(paginator, at: "animals?page=3", body: records(0)).next == nil)
    }

    /// Followed, the advice leads to the next page.
    @Test(
        arguments: [
            (.pageNumber(.init(totalPath: "$.per_page")), "total_path ($.per_page)"),
            (.pageNumber(.init(totalPagesPath: "$.page")), "total_pages_path ($.page)"),
            (.offset(.init(totalPath: "$.pages")), "total_path ($.pages)"),
        ] as [(Paginator.Kind, String)])
    func `a place of another number than the total is named`(kind: Paginator.Kind, place: String) async throws {
        let body = records(2, #""page":1,"per_page":2,"pages":2,"total":4"#)
        let wrong = try await scriptedPage(Paginator(kind), body: body)
        #expect(
            wrong.verdict?.reason?.hasPrefix("2 of 4 records, as \(place) says that these are all; correct ") == true,
            "\(String(describing: wrong.verdict))")
        #expect(wrong.verdict?.kind == .missed)
        // Without another total, nothing says that these are all.
        let alone = try await scriptedPage(Paginator(kind), body: records(2, #""page":1,"per_page":2"#))
        #expect(alone.next != nil || alone.verdict?.kind == .silent, "\(String(describing: alone.verdict))")
        let removed: Paginator.Kind = place.hasSuffix("($.pages)") ? .offset(.init()) : .pageNumber(.init())
        #expect(try await scriptedPage(Paginator(removed), body: body).next != nil)
    }

    /// A number that may be that of the page's records, or of the pages, is no total.
    @Test(arguments: [
        (#""found":8,"total":900"#, 6, true), (#""found":2,"total":900"#, 6, false),
        (#""found":450,"total":900,"pages":450"#, 448, false),
    ])
    func `the total that is named wins over another one`(members: String, before: Int, wins: Bool) async throws {
        let page = try await scriptedPage(
            Paginator(.offset(.init(limit: 2, totalPath: "$.found"))), at: "animals?offset=\(before)&limit=2",
            number: 3, history: ReadHistory(records: before), body: records(2, members))
        #expect(page.next == nil && (page.verdict == .complete) == wins, "\(page.verdict?.reason ?? "")")
    }

    /// The warning's end is nil where nothing is told.
    @Test(
        arguments: [
            (
                .pageNumber(.init(totalPagesPath: "$.n")), 2, #""pages":9,"total":18"#,
                "write total_pages_path: $.pages in paginator"
            ),
            (.pageNumber(.init(totalPagesPath: "$.n")), 2, #""total":18"#, "write total_path: $.total in paginator"),
            (.pageNumber(.init(totalPath: "$.n")), 2, #""total":18"#, "write total_path: $.total in paginator"),
            (.offset(.init(totalPath: "$.n")), 2, #""total":18"#, "write total_path: $.total in paginator"),
            (.pageNumber(.init(totalPagesPath: "$.n")), 10, "", "correct it, or remove it from paginator"),
            (
                .pageNumber(.init(pageSizeParam: "size", pageSize: 2, totalPath: "$.n")), 2, "",
                "correct it, or remove it from paginator"
            ),
            (.pageNumber(.init(totalPath: "$.n")), 2, "", nil),
            (.pageNumber(.init(totalPath: "$.n")), 10, #""n":null"#, nil),
            (.pageNumber(.init(totalPath: "$.n", totalPagesPath: "$.m")), 10, #""m":7"#, nil),
        ] as [(Paginator.Kind, Int, String, String?)])
    func `a place of a total that a page does not have is told`(
        kind: Paginator.Kind, count: Int, members: String, remedy: String?
    ) async throws {
        let page = try await scriptedPage(Paginator(kind), body: records(count, members))
        #expect(page.warning.map { $0.contains(" ($.n) finds nothing") } == remedy.map { _ in true })
        #expect(remedy.map { page.warning?.hasSuffix("; \($0)") == true } ?? true, "\(page.warning ?? "")")
    }

    /// The warning's end is nil where nothing is told.
    @Test(
        arguments: [
            (
                .cursor(.init(cursorPath: "$.c", hasMorePath: "$.m")), #""c":"x","meta":{"more":true}"#,
                "write has_more_path: $.meta.more in paginator"
            ),
            (
                .cursor(.init(cursorPath: "$.c", hasMorePath: "$.m")), #""c":"x""#,
                "correct it, or remove it from paginator"
            ),
            (.cursor(.init(cursorPath: "$.c", hasMorePath: "$.m")), #""c":"x","m":null"#, nil),
            (.cursor(.init(cursorPath: "$.c", hasMorePath: "$.m")), #""c":null"#, nil),
            (
                .pageNumber(.init(hasMorePath: "$.m")), #""has_more":true"#,
                "write has_more_path: $.has_more in paginator"
            ),
            (.pageNumber(.init(hasMorePath: "$.m")), "", nil),
        ] as [(Paginator.Kind, String, String?)])
    func `a place of a flag that a page does not have is told`(kind: Paginator.Kind, members: String, remedy: String?)
        async throws
    {
        let page = try await scriptedPage(Paginator(kind), body: records(2, members))
        #expect(page.warning.map { $0.hasPrefix("has_more_path ($.m) finds nothing") } == remedy.map { _ in true })
        #expect(remedy.map { page.warning?.hasSuffix("; \($0)") == true } ?? true, "\(page.warning ?? "")")
    }

    /// The warning is nil where the place may be on another page.
    @Test(
        arguments: [
            (.pageNumber(.init(totalPath: "$.n")), "total_path ($.n) finds nothing"),
            (.pageNumber(.init(totalPagesPath: "$.n")), "total_pages_path ($.n) finds nothing"),
            (.offset(.init(totalPath: "$.n")), "total_path ($.n) finds nothing"),
            (.pageNumber(.init(hasMorePath: "$.n")), "has_more_path ($.n) finds nothing"),
            (.cursor(.init(cursorPath: "$[-1].id", hasMorePath: "$.n")), "has_more_path ($.n) finds nothing"),
            (.pageNumber(.init(totalPath: "$[7].n")), nil),
        ] as [(Paginator.Kind, String?)])
    func `a place that no list has is told, however many records came`(kind: Paginator.Kind, warning: String?)
        async throws
    {
        let page = try await scriptedPage(Paginator(kind), body: #"[{"id":1},{"id":2}]"#)
        #expect(page.next != nil)
        #expect((page.warning == nil) == (warning == nil), "\(page.warning ?? "")")
        #expect(page.warning?.hasPrefix(warning ?? "") != false, "\(page.warning ?? "")")
    }

    @Test(
        arguments: [.pageNumber(.init(totalPath: "$.n")), .pageNumber(.init(totalPagesPath: "$.n"))] as [Paginator.Kind]
    )
    func `a negative total is of a server that did not count`(kind: Paginator.Kind) async throws {
        let page = try await scriptedPage(Paginator(kind), body: records(2, #""n":-1"#))
        #expect(page.next != nil)
        #expect(try await scriptedPage(Paginator(kind), body: records(0, #""n":-1"#)).verdict == .complete)
    }
}
