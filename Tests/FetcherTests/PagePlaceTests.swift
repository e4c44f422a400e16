import GarnerCatalog
@testable import GarnerFetcher
import GarnerJSON
import GarnerModel
import Testing

/// Pages that state by a number where they stand, and that another one should have come.
struct PagePlaceTests {
    /// The place of the number that tells which page came, what a request asks for, and how the answer writes a number.
    private static let own: [(place: String, parameter: String, member: @Sendable (Int) -> String)] = [
        ("$.links.self", "page", { #""links":{"self":"/v1/animals?page=\#($0)"}"# }),
        ("$.self", "page", { #""self":"https://zoo.example/v1/animals?size=2&page=\#($0)""# }),
        ("$._links.self", "page", { #""_links":{"self":{"href":"?page=\#($0)"}}"# }),
        ("$.number", "page", { #""number":\#($0),"size":2"# }), ("$.number", "page", { #""number":\#($0)"# }),
        ("$.links[0].href", "page", { #""links":[{"rel":"self","href":"?page=\#($0)"}]"# }),
        ("$.next_page", "page", { #""next_page":\#($0 + 1)"# }),
        ("$.next", "page", { #""next":"/v1/animals?page=\#($0 + 1)""# }),
        ("$.links.self", "offset", { #""links":{"self":"?offset=\#($0)"}"# }),
        ("$.startIndex", "startIndex", { #""startIndex":\#($0)"# }),
        ("$['opensearch:startIndex']", "offset", { #""opensearch:startIndex":"\#($0)""# }),
    ]
    private static let numbers: [(stated: [Int], isWhole: Bool)] = [
        ([1, 2, 3], true), ([0, 1, 2], true), ([2, 3, 4], true), ([1, 1, 1], true), ([1, 2, 7], false),
        ([0, 1, 7], false), ([1, 3, 3], false), ([1, 4, 5], false),
    ]

    @Test(arguments: own.indices)
    func `a page whose own address or first record is another one's is not the next one`(index: Int) async throws {
        let (place, parameter, member) = Self.own[index]
        let first = parameter == "page" ? 1 : 0
        let paginator = Paginator(.pageNumber(.init(pageParam: .query(parameter), hasMorePath: "$.more")))
        for (stated, isWhole) in Self.numbers {
            var history = ReadHistory()
            for (page, number) in stated.enumerated() {
                let isLast = page == stated.count - 1
                let read = try await scriptedPage(
                    paginator, at: "animals?\(parameter)=\(first + page)", number: page, history: history,
                    body: #"{"data":[{"id":\#(page)}],"more":\#(!isLast),\#(member(number))}"#)
                if let next = read.next { history = next.history }
                guard isLast else { continue }
                #expect((read.verdict?.completeness == .complete) == isWhole, "\(stated): \(read.verdict as Any)")
                let reason = read.verdict?.reason ?? ""
                #expect(isWhole || reason.contains("ignore: [\"\(place)\"]"), "\(reason)")
            }
        }
    }

    /// The last page of several that are asked for by their numbers says more of itself than it should.
    private static func worth(
        ofLast members: [String], headers: [(String, String)] = []
    ) async throws -> Verdict? {
        let paginator = Paginator(.pageNumber(.init(hasMorePath: "$.more")))
        var history = ReadHistory()
        for (page, member) in members.enumerated() {
            let isLast = page == members.count - 1
            let read = try await scriptedPage(
                paginator, at: "animals?page=\(page + 1)", number: page, history: history,
                body: #"{"data":[{"id":\#(2 * page)},{"id":\#(2 * page + 1)}],"more":\#(!isLast),\#(member)}"#,
                headers: isLast ? headers : [])
            if isLast { return read.verdict }
            history = try #require(read.next).history
            let stored = try #require(read.next.flatMap { PagePosition(checkpoint: $0.checkpoint) })
            #expect(stored.history == history)
        }
        return nil
    }

    /// The numbers of the first records of pages of two. Where some are left out of each page, they grow by more.
    @Test(arguments: [
        ([1, 3, 5], true), ([0, 2, 4], true), ([1, 11, 21], true), ([0, 0, 0], true), ([0, 1, 2], true),
        ([1, 3, 9], false), ([0, 10, 30], false),
    ])
    func `a numbered page that begins with another record is not the next one`(stated: [Int], isWhole: Bool)
        async throws
    {
        let places: [(place: String, member: @Sendable (Int) -> String)] = [
            ("$.from", { #""from":\#($0),"to":\#($0 + 1)"# }), ("$.startIndex", { #""startIndex":\#($0)"# }),
            ("$.offset", { #""offset":\#($0)"# }),
        ]
        for (place, member) in places {
            let verdict = try await Self.worth(ofLast: stated.map(member))
            #expect((verdict?.completeness == .complete) == isWhole, "\(place): \(verdict as Any)")
            #expect(isWhole || verdict?.reason?.contains("ignore: [\"\(place)\"]") == true)
        }
    }

    /// A page that is read behind others: its address, the number of its records, and what it says of its place.
    private typealias Placed = (url: String, count: Int, members: String, headers: [(String, String)])

    /// Returns what a read of some pages is worth, each of which leads to the next one by a link, a cursor and a flag.
    private static func worth(_ paginator: Paginator, of pages: [Placed]) async throws -> Verdict? {
        var (history, first) = (ReadHistory(), 0)
        for (number, page) in pages.enumerated() {
            let list = (first..<first + page.count).map { #"{"id":\#($0)}"# }.joined(separator: ",")
            first += page.count
            let isLast = number == pages.count - 1
            let next = isLast ? "null" : "\"/v1/\(pages[number + 1].url)\""
            let cursor = isLast ? "null" : "\"c\(number + 1)\""
            let read = try await scriptedPage(
                paginator, at: page.url, number: number, history: history,
                body: #"{"data":[\#(list)],"next":\#(next),"cursor":\#(cursor),"more":\#(!isLast),\#(page.members)}"#,
                headers: page.headers)
            if isLast { return read.verdict }
            history = try #require(read.next).history
            let stored = try #require(read.next.flatMap { PagePosition(checkpoint: $0.checkpoint) })
            #expect(stored.history == history)
        }
        return nil
    }

    /// A place of the number of the first record, from 0, of a page of so many, and the member or the field of the head there.
    private typealias PlaceOfStart = (place: String, says: @Sendable (_ first: Int, _ count: Int) -> String)

    private static let withEnds: [PlaceOfStart] = [
        ("$.from", { #""from":\#($0 + 1),"to":\#($0 + $1)"# }), ("$.range", { #""range":"\#($0 + 1)-\#($0 + $1)""# }),
        ("$.meta.start_index", { #""meta":{"start_index":\#($0),"end_index":\#($0 + $1 - 1)}"# }),
        ("$.firstRecord", { #""firstRecord":\#($0 + 1),"lastRecord":\#($0 + $1)"# }),
        ("$.fromRow", { #""fromRow":\#($0),"toRow":\#($0 + $1)"# }),
        ("$.range.start", { #""range":{"start":\#($0),"end":\#($0 + $1 - 1)}"# }),
        ("Content-Range", { "items \($0)-\($0 + $1 - 1)/*" }),
    ]
    private static let alone: [PlaceOfStart] = [
        ("$.offset", { first, _ in #""offset":\#(first)"# }), ("$.skip", { first, _ in #""skip":\#(first)"# }),
        ("$.startIndex", { first, _ in #""startIndex":\#(first + 1)"# }),
    ]

    /// The first page may leap already where pages are full ones, and a leap may be one of a part of a page where the name is sure.
    @Test(arguments: [
        ([0, 10, 20], [10, 10, 3], true), ([0, 20, 40], [10, 10, 3], false), ([0, 10, 25], [10, 10, 10], false),
        ([0, 20, 40], [10, 9, 3], true), ([0, 20, 40], [9, 9, 3], true), ([0, 30, 60], [1, 1, 1], true),
        ([0, 10, 20, 30], [10, 7, 9, 2], true), ([0, 50, 100], [17, 17, 3], true),
    ])
    func `a page that begins behind records which did not come does not follow`(
        starts: [Int], counts: [Int], isWhole: Bool
    ) async throws {
        let ways = [
            Paginator(.cursor(.init(cursorPath: "$.cursor", cursorParam: "after"))),
            Paginator(.pageNumber(.init(hasMorePath: "$.more"))),
        ]
        for (place, says) in Self.withEnds + Self.alone {
            let isInHead = !place.hasPrefix("$")
            for (index, way) in ways.enumerated() {
                let pages: [Placed] = starts.enumerated().map { number, start in
                    let said = says(start, counts[number])
                    let query = index == 0 ? "after=c\(number)" : "page=\(number + 1)"
                    return (
                        "animals?\(query)", counts[number], isInHead ? #""x":1"# : said, isInHead ? [(place, said)] : []
                    )
                }
                let verdict = try await Self.worth(way, of: pages)
                #expect((verdict?.completeness == .complete) == isWhole, "\(place) \(index): \(verdict as Any)")
                guard !isWhole else { continue }
                #expect(verdict?.reason?.contains("ignore: [\"\(place)\"]") == true)
                var settled = way
                settled.limits.ignored = isInHead ? [] : [try Selector(parsing: place)]
                settled.limits.ignoredHeaders = isInHead ? [place.lowercased()] : []
                let again = try await Self.worth(settled, of: pages)
                #expect(again == .complete, "\(place) \(index): \(again as Any)")
            }
        }
    }

    /// A number of bytes leaps far, and the records of a log have their numbers.
    @Test func `a number that is none of records may leap`() async throws {
        let cursors = Paginator(.cursor(.init(cursorPath: "$.cursor", cursorParam: "after")))
        for starts in [[0, 20_480, 40_960], [0, 4_096, 9_000], [1_000, 1_020, 1_040]] {
            let pages: [Placed] = starts.enumerated().map { ("animals?after=c\($0)", 10, #""offset":\#($1)"#, []) }
            let verdict = try await Self.worth(cursors, of: pages)
            #expect(verdict == .complete, "\(starts): \(verdict as Any)")
        }
        var history = ReadHistory()
        for (number, first) in [0, 10, 30, 40].enumerated() {
            let list = (first..<first + 10).map { #"{"offset":\#($0),"value":"v"}"# }.joined(separator: ",")
            let cursor = number == 3 ? "null" : "\"c\(number + 1)\""
            let page = try await scriptedPage(
                cursors, at: "animals?after=c\(number)", number: number, history: history,
                body: #"{"data":[\#(list)],"cursor":\#(cursor),"offset":\#(first)}"#)
            if let next = page.next { history = next.history }
            if number == 3 { #expect(page.verdict == .complete, "\(page.verdict?.reason ?? "")") }
        }
    }

    @Test(arguments: [
        (["?page=1", "?page=3", "?page=5"], false), (["", "?page=3", "?page=4"], false),
        (["", "?page=2", "?page=3"], true), (["", "?page=1", "?page=2"], true), (["?page=0", "?page=2"], false),
        (["", "?page=48", "?page=91"], true), (["", "?page=10", "?page=20"], true),
        (["", "?offset=20", "?offset=40"], false), (["", "?offset=21", "?offset=41"], false),
        (["", "?offset=10", "?offset=20"], true), (["", "?offset=11", "?offset=21"], true),
        (["", "?start=20", "?start=40"], true), (["?page=1", "?page=2", "?page=3", "?page=6 0"], false),
        (["", "?offset=10", "?offset=20", "?offset=50 0"], false), (["", "?offset=10", "?offset=20 0"], true),
        (["?page=1", "?page=2", "?page=3 0"], true),
    ])
    func `a link that leaps over pages, or behind the last one, does not lead to the next one`(
        queries: [String], isWhole: Bool
    ) async throws {
        let pages: [Placed] = queries.map { query in
            ("animals\(query.replacing(" 0", with: ""))", query.hasSuffix(" 0") ? 0 : 10, #""x":1"#, [])
        }
        let verdict = try await Self.worth(Paginator(.jsonLink(.init(nextURLPath: "$.next"))), of: pages)
        #expect((verdict?.completeness == .complete) == isWhole, "\(verdict as Any)")
    }

    /// The numbers of pages of ten in answers to which cursors lead.
    @Test(arguments: [
        ([1, 2, 3], true), ([0, 1, 2], true), ([1, 3, 5], false), ([1, 2, 4], false), ([1, 3, 4], false),
        ([0, 10, 20], true),
    ])
    func `a page that names itself by a number behind the next one does not follow`(
        numbers: [Int], isWhole: Bool
    ) async throws {
        let cursors = Paginator(.cursor(.init(cursorPath: "$.cursor", cursorParam: "after")))
        let places: [@Sendable (Int) -> String] = [
            { #""page":\#($0)"# }, { #""meta":{"pageNumber":\#($0)}"# }, { #""pageNum":\#($0)"# },
            { #""paging":{"page_index":\#($0)}"# }, { #""links":{"self":"?page=\#($0)"}"# },
            { $0 < 1 ? #""prev":null"# : #""prev":"/v1/animals?page=\#($0 - 1)""# },
        ]
        for says in places {
            let pages: [Placed] = numbers.enumerated().map { ("animals?after=c\($0)", 10, says($1), []) }
            let verdict = try await Self.worth(cursors, of: pages)
            #expect((verdict?.completeness == .complete) == isWhole, "\(says(9)): \(verdict as Any)")
        }
        let pages: [Placed] = numbers.enumerated().map {
            ("animals?after=c\($0)", 10, #""x":1"#, [("X-Pagination-Current-Page", "\($1)")])
        }
        let verdict = try await Self.worth(cursors, of: pages)
        #expect((verdict?.completeness == .complete) == isWhole, "\(verdict as Any)")
    }

    /// The second page has the number that was asked for, and the first one, which was asked for without it, says what it is.
    @Test(arguments: [(0, false), (1, true)])
    func `a first page without a number in its request says from which one it counts`(first: Int, isWhole: Bool)
        async throws
    {
        let numbers = Paginator(.pageNumber(.init(hasMorePath: "$.more", omitsFirst: true)))
        let byNumber: [Placed] = [
            ("animals", 10, #""page":\#(first)"#, []), ("animals?page=2", 10, #""page":2"#, []),
            ("animals?page=3", 10, #""page":3"#, []),
        ]
        let ofPages = try await Self.worth(numbers, of: byNumber)
        #expect((ofPages?.completeness == .complete) == isWhole, "\(ofPages as Any)")
        let offsets = Paginator(.offset(.init(baseOffset: 1, limit: 10, omitsFirst: true)))
        // An offset of 11 skips the first eleven where records are counted from 0.
        let second = first == 0 ? 12 : 11
        for (one, two) in [
            (#""offset":\#(first)"#, #""offset":11"#),
            (#""from":1,"to":10"#, #""from":\#(second),"to":\#(second + 9)"#),
        ] {
            let byOffset: [Placed] = [
                ("animals?limit=10", 10, one, []), ("animals?limit=10&offset=11", 10, two, []),
                ("animals?limit=10&offset=21", 0, #""x":1"#, []),
            ]
            let ofOffsets = try await Self.worth(offsets, of: byOffset)
            #expect((ofOffsets?.completeness == .complete) == isWhole, "\(two): \(ofOffsets as Any)")
        }
    }

    /// What pages of ten state as their size, of which some are hidden.
    @Test func `a size that is the number of the records of a page is none`() async throws {
        let numbers = Paginator(.pageNumber(.init(hasMorePath: "$.more")))
        for counts in [[8, 9, 10, 3], [9, 10, 10], [20, 25, 24]] {
            let pages: [Placed] = counts.enumerated().map {
                ("animals?page=\($0 + 1)", $1, #""per_page":\#($1)"#, [("X-Per-Page", "\($1)")])
            }
            let verdict = try await Self.worth(numbers, of: pages)
            #expect(verdict == .complete, "\(counts): \(verdict as Any)")
        }
    }

    /// Where cursors lead on, the numbers of the first records of pages of two. They may overlap, go back and count something else.
    @Test(arguments: [
        ([0, 2, 4], true), ([1, 3, 5], true), ([0, 10, 20], true), ([0, 2, 3], true), ([0, 2, 0], true),
        ([0, 4_096, 9_000], true), ([5, 7, 20], true), ([0, 2, 6], false), ([1, 3, 7], false), ([0, 4, 6], false),
    ])
    func `a page that leaves out others by its own words does not follow`(starts: [Int], isWhole: Bool) async throws {
        let cursors = Paginator(.cursor(.init(cursorPath: "$.cursor", cursorParam: "after")))
        let places: [(place: String, member: @Sendable (Int) -> String)] = [
            ("$.offset", { #""offset":\#($0)"# }), ("$.meta.start", { #""meta":{"start":\#($0)}"# }),
            ("$.from", { #""from":\#($0),"to":\#($0 + 1)"# }), ("$.range", { #""range":"\#($0)-\#($0 + 1)""# }),
            ("$.position", { #""position":\#($0)"# }), ("Content-Range", { "items \($0)-\($0 + 1)/*" }),
        ]
        for (place, member) in places {
            let isInHead = !place.hasPrefix("$")
            let pages: [Placed] = starts.enumerated().map { number, start in
                (
                    "animals?after=c\(number)", 2, isInHead ? #""x":1"# : member(start),
                    isInHead ? [(place, member(start))] : []
                )
            }
            let verdict = try await Self.worth(cursors, of: pages)
            #expect((verdict?.completeness == .complete) == isWhole, "\(place): \(verdict as Any)")
            #expect(isWhole || verdict?.reason?.contains("ignore: [\"\(place)\"]") == true)
        }
    }

    /// A server that leaves records out of its pages goes on by the size of a page.
    @Test func `a short page in the midst leaves no other one out`() async throws {
        let cursors = Paginator(.cursor(.init(cursorPath: "$.cursor", cursorParam: "after")))
        for counts in [[2, 1, 2, 2], [1, 2, 2, 1], [2, 1, 1, 2]] {
            let pages: [Placed] = counts.enumerated().map { number, count in
                ("animals?after=c\(number)", count, #""offset":\#(2 * number)"#, [])
            }
            let verdict = try await Self.worth(cursors, of: pages)
            #expect(verdict == .complete, "\(counts): \(verdict as Any)")
        }
    }

    @Test(arguments: [
        ("page", [1, 2, 3], true), ("page", [0, 1, 2], true), ("page", [0, 10, 20], true), ("page", [1, 3, 5], true),
        ("page", [1, 2, 4], false), ("page", [0, 1, 7], false), ("page", [1, 3, 4], false),
        ("offset", [0, 2, 4], true), ("start", [0, 2, 7], true), ("offset", [0, 10, 20], true),
        ("offset", [0, 2, 6], false), ("offset", [0, 2, 7], false), ("start", [0, 2, 6], false),
    ])
    func `a link that skips a page does not lead to the next one`(name: String, numbers: [Int], isWhole: Bool)
        async throws
    {
        let pages: [Placed] = numbers.map { ("animals?\(name)=\($0)", 2, #""x":1"#, []) }
        let verdict = try await Self.worth(Paginator(.jsonLink(.init(nextURLPath: "$.next"))), of: pages)
        #expect((verdict?.completeness == .complete) == isWhole, "\(verdict as Any)")
        #expect(isWhole || verdict?.reason?.contains("does not follow the page before; set a paginator") == true)
    }

    /// The first page names no number, and pages are counted from 0 in answers and from 1 in addresses.
    @Test func `a number in an address is compared with those in addresses`() async throws {
        for (last, isWhole) in [(3, true), (4, false)] {
            let pages: [Placed] = [
                ("animals", 2, #""page":0"#, []), ("animals?page=2", 2, #""page":1"#, []),
                ("animals?page=\(last)", 1, #""page":2"#, []),
            ]
            let verdict = try await Self.worth(Paginator(.jsonLink(.init(nextURLPath: "$.next"))), of: pages)
            #expect((verdict?.completeness == .complete) == isWhole, "\(verdict as Any)")
        }
    }

    /// How a page states its size, or where its records begin and end.
    private static let sizes: [(place: String, member: @Sendable (_ size: Int, _ first: Int, _ count: Int) -> String)] =
        [
            ("$.per_page", { size, _, _ in #""per_page":\#(size)"# }),
            ("$.meta.limit", { size, _, _ in #""meta":{"limit":\#(size)}"# }),
            ("$.self", { size, _, _ in #""self":"/v1/animals?per_page=\#(size)""# }),
            ("$.from", { _, first, count in #""from":\#(first + 1),"to":\#(first + count)"# }),
            ("X-Per-Page", { size, _, _ in "\(size)" }),
        ]

    @Test(arguments: sizes.indices)
    func `a numbered page that is longer than those before it does not follow them`(index: Int) async throws {
        let (place, member) = Self.sizes[index]
        let isInHead = !place.hasPrefix("$")
        let numbers = Paginator(.pageNumber(.init(hasMorePath: "$.more")))
        let cases: [(pages: [(size: Int, first: Int, count: Int)], isWhole: Bool)] = [
            ([(10, 0, 10), (10, 10, 10), (10, 20, 1)], true), ([(10, 0, 10), (20, 20, 20), (20, 40, 3)], false),
            ([(20, 0, 20), (20, 20, 20), (10, 40, 10)], true),
        ]
        for (said, isWhole) in cases {
            let pages: [Placed] = said.enumerated().map { number, page in
                let text = member(page.size, page.first, page.count)
                return (
                    "animals?page=\(number + 1)", page.count, isInHead ? #""x":1"# : text,
                    isInHead ? [(place, text)] : []
                )
            }
            let verdict = try await Self.worth(numbers, of: pages)
            #expect((verdict?.completeness == .complete) == isWhole, "\(verdict as Any)")
            #expect(isWhole || verdict?.reason?.contains("ignore: [\"\(place)\"]") == true)
        }
    }

    @Test(arguments: [
        ([#""prev":null"#, #""prev":1"#, #""prev":2"#], true), ([#""prev":null"#, #""prev":1"#, #""prev":3"#], false),
        ([#""previous":"""#, #""previous":"?page=1""#, #""previous":"?page=4""#], false),
        ([#""next":"?page=2""#, #""next":null,"previous":"/v1/animals?page=1""#], true),
        ([#""next_page":2"#, #""next_page":3"#, #""next_page":3"#], true),
        ([#""next_page":58123"#, #""next_page":7"#, #""next_page":9"#], true),
    ])
    func `a numbered page that names another one before it is not the next one`(members: [String], isWhole: Bool)
        async throws
    {
        let verdict = try await Self.worth(ofLast: members)
        #expect((verdict?.completeness == .complete) == isWhole, "\(verdict as Any)")
    }

    @Test(arguments: [("X-Next-Page", "3", false), ("X-Next-Page", "", true), ("X-Per-Page", "3", true)])
    func `a field that leads on from the last page that counting asks for counts`(
        name: String, value: String, isWhole: Bool
    ) async throws {
        let verdict = try await Self.worth(ofLast: [#""x":1"#, #""x":1"#], headers: [(name, value)])
        #expect((verdict?.completeness == .complete) == isWhole, "\(verdict as Any)")
        #expect(isWhole || verdict?.reason?.contains("ignore: [\"\(name)\"]") == true)
    }

    /// SCIM counts from 1, and takes 0 for 1.
}
