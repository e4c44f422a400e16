import GarnerCatalog
import GarnerJSON
import GarnerModel
import Testing

@testable import GarnerFetcher

/// Lists that stand in objects of the body, beside what tells of their pages.
struct PagedListTests {
    private static let pagedLists = [
        (
            #"{"artists":{"items":[{"uri":1},{"uri":2}],"next":"?after=2","total":3,"limit":2}}"#,
            "$.artists.items[*]"
        ),
        (
            #"{"photos":{"page":1,"pages":2,"perpage":2,"total":3,"photo":[{"n":1},{"n":2}]},"stat":"ok"}"#,
            "$.photos.photo[*]"
        ),
        (
            #"{"top":{"artist":[{"n":1},{"n":2}],"@attr":{"totalPages":"2","page":"1","perPage":"2","total":"3"}}}"#,
            "$.top.artist[*]"
        ),
        (
            #"{"search-results":{"opensearch:totalResults":"3","opensearch:itemsPerPage":"2","link":[{"@ref":"self","@href":"/x"}],"entry":[{"eid":1},{"eid":2}]}}"#,
            "$['search-results'].entry[*]"
        ),
        (
            #"{"queryContext":{"q":"x"},"webPages":{"totalEstimatedMatches":43,"value":[{"url":"a"},{"url":"b"}]}}"#,
            "$.webPages.value[*]"
        ),
    ]

    /// A table that has the body as its only row keeps that.
    @Test(arguments: pagedLists)
    func `a list in an object beside what tells of its pages is the list of a new table, and told of in an old one`(
        body: String, selector: String
    ) async throws {
        // The first read fails where nothing tells how to ask for the rest.
        let new = try? await scriptedPage(Paginator(limits: PageLimits(maxPages: 1)), body: body)
        #expect(new?.recordCount == 2)
        let fetcher = try scriptedFetcher(Paginator(), body: body)
        let old = try await fetcher.page(at: fetcher.firstPosition, ReadContext(isFirst: false))
        #expect(old.recordCount == 1 && old.verdict?.completeness == .unknown)
        let reason = old.verdict?.reason ?? ""
        #expect(reason.contains("write record_selector: \"\(selector)\""), "\(reason)")
        let selected = try await scriptedPage(Paginator(limits: PageLimits(maxPages: 1)), body: body) {
            $0.recordSelector = selector
        }
        #expect(selected.recordCount == 2)
        let whole = try await scriptedPage(Paginator(), body: body) { $0.recordSelector = "$" }
        #expect(whole.recordCount == 1 && whole.verdict?.kind == .document)
    }

    @Test func `one of two lists beside what tells of their pages is told of`() async throws {
        let list = #"{"items":[{"uri":1}],"next":null}"#
        let page = try await scriptedPage(Paginator(), body: #"{"tracks":\#(list),"albums":\#(list)}"#)
        #expect(page.recordCount == 1 && page.verdict?.completeness == .unknown)
        #expect(page.verdict?.reason?.contains(#"record_selector: "$.tracks.items[*]""#) == true)
    }

    /// Thirty records are as many as a page often has. What stands beside them may tell of something else, so that the body stays a record.
    @Test(arguments: [
        #""next":2"#, #""next":true"#, #""next":"abc""#, #""nextPage":2"#, #""total":43"#, #""after":"x""#,
        #""Marker":"x""#, #""nextOffset":30"#, #""isLast":false"#, #""IsTruncated":true"#,
        #""CountAll":43,"Count":30"#, #""count":43"#,
    ])
    func `a long list in an object beside what may tell of its pages is told of`(members: String) async throws {
        let list = records(30, members).replacing(#""data""#, with: #""things""#)
        for (start, end, selector) in [
            ("", "", "$.stuff.things[*]"), (#"{"outer":"#, "}", "$.outer.stuff.things[*]"),
        ] {
            let body = "\(start){\"stuff\":\(list)}\(end)"
            let page = try await scriptedPage(Paginator(), body: body)
            #expect(page.recordCount == 1 && page.verdict?.completeness == .unknown, "\(page.verdict as Any)")
            let reason = page.verdict?.reason ?? ""
            #expect(reason.contains("record_selector: \"\(selector)\""), "\(reason)")
            let selected = try await scriptedPage(Paginator(limits: PageLimits(maxPages: 1)), body: body) {
                $0.recordSelector = selector
            }
            #expect(selected.recordCount == 30)
            let whole = try await scriptedPage(Paginator(), body: body) { $0.recordSelector = "$" }
            #expect(whole.verdict?.kind == .document)
        }
    }

    @Test(arguments: [
        #""_links":{"next":{"href":"?page=2"}}"#, #""next":{"href":"/v1/animals?page=2"}"#, #""next":"?page=2""#,
    ])
    func `a list two objects deep beside a link is the list of a new table`(members: String) async throws {
        let list = records(3, members).replacing(#""data""#, with: #""things""#)
        for (start, end) in [("", ""), (#"{"outer":"#, "}")] {
            let body = "\(start){\"stuff\":\(list)}\(end)"
            let page = try await scriptedPage(Paginator(), body: body)
            #expect(page.recordCount == 3 && page.next?.url == "https://zoo.example/v1/animals?page=2")
        }
    }

    @Test(arguments: [
        #"{"cart":{"items":[{"sku":1},{"sku":2}],"total":59}}"#, #"{"budget":{"entries":[{"n":1}],"total":4100}}"#,
        #"{"poll":{"results":[{"votes":7},{"votes":10}],"total":17}}"#, #"{"job":{"steps":[{"n":1}],"next":"a/b"}}"#,
        #"{"schedule":{"events":[{"n":1}],"next":"12/01/2026"}}"#, #"{"game":{"rounds":[{"n":1}],"finished":false}}"#,
        #"{"cart":{"items":[{"n":1}],"count":1,"total":59}}"#,
        #"{"cart":{"lines":[{"sku":1}],"total":59}}"#, #"{"book":{"chapters":[{"n":1}],"pages":300}}"#,
        #"{"artist":{"id":7,"tracks":[{"n":1}],"next":null}}"#, #"{"id":7,"tracks":{"items":[{"n":1}],"next":null}}"#,
        #"{"forecast":{"days":[{"n":1}],"place":"x"}}"#, #"{"train":{"stops":[{"n":1}],"next":"Berlin"}}"#,
    ])
    func `a list in a record is a part of it`(body: String) async throws {
        let page = try await scriptedPage(Paginator(), body: body)
        #expect(page.recordCount == 1 && page.verdict?.kind == .document)
    }
}
