import GarnerCatalog
import GarnerJSON
import GarnerModel
import Testing

@testable import GarnerFetcher

/// The number of all that a search has found, beside a list that ends before.
struct FoundNumberTests {
    @Test(arguments: [
        #""hits":90,"id":7"#, #""hits":90,"misses":2"#, #""found":3"#, #""num_items":90"#,
        #""row_count":90"#, #""matches":90"#, #""facets":{"found":90}"#, #""page_views":{"hits":90}"#,
        #""found":true"#, #""hits":{"found":90}"#, #""bookmark":null"#, #""matched":[90]"#, #""hits":"90 per page""#,
        #""context":{"returned":3,"matched":3}"#, #""context":{"id":7,"total":90}"#, #""stats":{"total":90}"#,
        #""search":{"total":90,"users":[1]}"#, #""query":{"limit":90}"#, #""total_hits":{"value":90,"unit":"m"}"#,
    ])
    func `a number that counts something else leaves a list whole that ends`(members: String) async throws {
        let page = try await scriptedPage(Paginator(), body: records(3, members + #","next":null"#)) {
            $0.recordSelector = "$.data[*]"
        }
        let isFound = members.hasPrefix(#""hits":{"#)
        #expect((page.verdict == .complete) == !isFound, "\(page.verdict?.reason ?? "")")
    }

    /// A total that is as large as the only page may count that.
    @Test(arguments: [#""total":3"#, #""total_count":3"#, #""count":3"#, #""totalSize":3"#])
    func `more was found than the only page and its total have`(total: String) async throws {
        for members in [#"\#(total),"totalHits":90"#, #""numResults":90,\#(total)"#] {
            let page = try await scriptedPage(Paginator(), body: records(3, members + #","next":null"#))
            #expect(page.verdict?.completeness == .unknown, "\(members)")
        }
    }

    @Test(arguments: [
        #""totalHits":"90 results""#, #""totalHits":"90 ""#, #""totalHits":{"value":90,"relation":"eq"}"#,
        #""found":{"total":90}"#, #""hits":3,"totalHits":90"#,
        #""context":{"returned":3,"matched":90,"limit":100}"#, #""query":{"q":"kea","found":90}"#,
        #""searchInformation":{"searchTime":0.1,"totalResults":"90"}"#, #""search_info":{"total":90}"#,
        #""search":{"page":1,"total_results":90}"#,
    ])
    func `what a search has found counts in its forms and objects, until the line that is advised`(members: String)
        async throws
    {
        let body = records(3, members + #","next":null"#)
        let page = try await scriptedPage(Paginator(), body: body)
        let reason = try #require(page.verdict?.reason)
        let line = try #require(reason.firstMatch(of: /ignore: \["(.+?)"\]/)?.1, "\(reason)")
        var paginator = Paginator()
        paginator.limits.ignored = [try Selector(parsing: String(line))]
        let settled = try await scriptedPage(paginator, body: body)
        #expect(page.verdict?.completeness == .unknown && settled.verdict == .complete, "\(line)")
    }

    /// A total that is too small for the records of the page counts something else, such as pages.
    @Test(arguments: [
        (3, 10, "write total_path: $.meta.record_count in paginator", false),
        (12, 12, "write total_path: $.meta.record_count in paginator, or add ignore:", true),
    ])
    func `a total that counts pages leads to the one that counts records`(
        total: Int, count: Int, words: String, isOpen: Bool
    ) async throws {
        let body = records(count, #""meta":{"page_count":\#(total),"record_count":25}"#)
        let paginator = Paginator(.pageNumber(.init(totalPath: "$.meta.page_count")))
        let page = try await scriptedPage(paginator, body: body)
        let reason = try #require(page.verdict?.reason)
        #expect(page.verdict?.completeness == .unknown && reason.contains(words), "\(reason)")
        #expect(reason.contains("ignore:") == isOpen, "\(reason)")
        let settled = try await scriptedPage(
            Paginator(.pageNumber(.init(totalPath: "$.meta.record_count"))), body: body)
        #expect(settled.next != nil)
    }

    /// A size that was asked for is none that was found, unless it has another name.
    @Test(arguments: [
        ("animals", Completeness.unknown), ("animals?numResults=90", .complete),
        ("animals?num_results=90", .complete), ("animals?limit=90", .unknown),
    ])
    func `a number that the request has is not what was found`(url: String, completeness: Completeness) async throws {
        let page = try await scriptedPage(Paginator(), at: url, body: records(3, #""numResults":90,"next":null"#))
        #expect(page.verdict?.completeness == completeness)
    }
}
