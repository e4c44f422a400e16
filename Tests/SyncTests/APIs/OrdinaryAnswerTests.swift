import GarnerCatalog
import GarnerModel
import GarnerPersistence
import GarnerSync
import SimulatedAPIs
import Testing

/// Answers that are right and look odd: they are whole, and their dangerous neighbours are not.
@Suite(.timeLimit(.minutes(5)))
struct OrdinaryAnswerTests {
    /// What two syncs gave.
    struct Seen {
        var line = ""
        var stored = 0
        var completeness: [Completeness?] = []
        var reason = ""
        var failures: [String] = []
        var requests = 0

        var isWhole: Bool { completeness == [.complete, .complete] }
    }

    /// Syncs an API twice: with these lines of the stream, or as `garner init` writes it.
    private static func seen(_ api: SimulatedAPI, with lines: [String]?) async throws -> Seen {
        try await APIRig.run(api) { rig in
            let stream = if let lines { try rig.stream(lines) } else { try await rig.initialized() }
            var seen = Seen(line: "\(stream.recordSelector ?? "") \(stream.paginator.line)")
            for _ in 1...2 {
                let before = rig.transport.requestCount
                let outcome = try await rig.sync(with: stream)
                seen.completeness.append(outcome.record?.completeness)
                seen.reason = outcome.record?.completenessReason ?? ""
                if let failure = outcome.failure { seen.failures.append(failure.message) }
                seen.requests = rig.transport.requestCount - before
            }
            seen.stored = try rig.storedCount(of: stream)
            return seen
        }
    }

    /// Returns where the page of a cursor such as `c10x` begins.
    private static func begin(_ request: APIRequest, _ parameter: String) -> Int {
        request[parameter].flatMap { Int($0.filter(\.isNumber)) } ?? 0
    }

    // MARK: - A cursor on the last page

    private static let link = ["paginator: { type: json_link, next_url_path: $.paging.next }"]

    /// Facebook's pages: each has the cursors of its records, and no link is on the last one.
    ///
    /// - Parameters:
    ///   - pages: The number of pages that have their link where there is more.
    ///   - parameter: The parameter that the server knows.
    private static func facebook(
        _ count: Int, linked pages: Int = .max, _ parameter: String = "after"
    ) -> SimulatedAPI {
        SimulatedAPI(name: "Facebook", path: "posts", count: count) { request, records in
            let page = APIPage(records, from: Self.begin(request, parameter), 10)
            guard !page.ids.isEmpty else { return APIReply(#"{"data":[]}"#) }
            let hasLink = page.hasMore && page.start / 10 < pages
            let next = hasLink ? #","next":"https://api.example.test/v1/posts?\#(parameter)=c\#(page.end)x""# : ""
            let cursors = #""cursors":{"before":"c\#(page.start)x","after":"c\#(page.end)x"}"#
            return APIReply(#"{"data":\#(page.list),"paging":{\#(cursors)\#(next)}}"#)
        }
    }

    @Test(arguments: [7, 43])
    func `a cursor without a link is asked for, whoever set the paginator`(count: Int) async throws {
        for lines in [[], Self.link, nil] as [[String]?] {
            let seen = try await Self.seen(Self.facebook(count), with: lines)
            #expect(seen.isWhole && seen.stored == count, "\(seen)")
            #expect(seen.requests == count / 10 + 2, "\(seen)")
        }
    }

    @Test func `a link that is lost loses no record behind its cursor`() async throws {
        let seen = try await Self.seen(Self.facebook(43, linked: 2), with: Self.link)
        #expect(seen.isWhole && seen.stored == 43, "\(seen)")
    }

    @Test(arguments: [7, 43])
    func `a server that does not know the cursor leaves it open whether there is more`(count: Int) async throws {
        for pages in [Int.max, 2] {
            let seen = try await Self.seen(Self.facebook(count, linked: pages, "from"), with: Self.link)
            #expect(seen.failures.isEmpty && !seen.completeness.contains(.complete), "\(seen)")
            #expect(seen.stored == min(count, pages == 2 ? 30 : count), "\(seen)")
        }
    }

    /// Crossref gives the cursor of another page on each.
    @Test(arguments: [7, 43])
    func `a cursor on an empty page leads nowhere where the total has come`(count: Int) async throws {
        for announced in [count, count + 2] {
            let api = SimulatedAPI(name: "Crossref", path: "works?cursor=*", count: count) { request, records in
                let page = APIPage(records, from: Self.begin(request, "cursor"), 10)
                let next = #""next-cursor":"c\#(page.end)\#(page.ids.isEmpty ? "y" : "x")""#
                return APIReply(
                    #"{"status":"ok","message":{\#(next),"total-results":\#(announced),"items":\#(page.list)}}"#)
            }
            for lines in [[], nil] as [[String]?] {
                let seen = try await Self.seen(api, with: lines)
                #expect(seen.stored == count && seen.isWhole == (announced == count), "\(seen)")
            }
        }
    }

    @Test(arguments: [7, 43])
    func `the token of the next sync ends a calendar`(count: Int) async throws {
        let api = SimulatedAPI(name: "calendar", path: "events", count: count) { request, records in
            let page = APIPage(records, from: Self.begin(request, "pageToken"), 10)
            let token = page.hasMore ? #""nextPageToken":"c\#(page.end)x""# : #""nextSyncToken":"CPDA=""#
            return APIReply(#"{"kind":"calendar#events",\#(token),"items":\#(page.list)}"#)
        }
        for lines in [[], nil] as [[String]?] {
            let seen = try await Self.seen(api, with: lines)
            #expect(seen.stored == count && seen.isWhole, "\(seen)")
        }
    }

    // MARK: - Totals

    /// Directus counts what the request selects beside all that there is.
    private static func directus(_ count: Int, _ names: (all: String, selected: String)) -> SimulatedAPI {
        SimulatedAPI(name: "Directus", path: "items?meta=*", count: count) { request, records in
            let page = APIPage(records, from: request.int("offset", 0), 10)
            let meta = #""meta":{"\#(names.all)":900,"\#(names.selected)":\#(records.count)}"#
            return APIReply(#"{"data":\#(page.list),\#(meta)}"#)
        }
    }

    @Test func `the records that a request selects are all that there are`() async throws {
        let names = (all: "total_count", selected: "filter_count")
        for (count, lines) in [(7, []), (7, nil), (43, nil)] as [(Int, [String]?)] {
            let seen = try await Self.seen(Self.directus(count, names), with: lines)
            #expect(seen.stored == count && seen.isWhole, "\(seen)")
        }
        let lines = ["paginator: { type: offset, limit: 10, total_path: $.meta.matching }"]
        let named = try await Self.seen(Self.directus(43, (all: "total_count", selected: "matching")), with: lines)
        #expect(named.stored == 43 && named.isWhole, "\(named)")
    }

    /// A number of filters is none of records.
    @Test(arguments: [
        (all: "total_count", selected: "filters"), (all: "total", selected: "filter_count"),
    ])
    func `another number beside the total is none`(names: (all: String, selected: String)) async throws {
        let seen = try await Self.seen(Self.directus(7, names), with: ["paginator: { type: offset, limit: 10 }"])
        #expect(!seen.completeness.contains(.complete), "\(seen)")
    }

    /// CKAN counts all that its search has found. Others count the page.
    @Test(arguments: [(#","search_facets":{}"#, true), (#","facets":{}"#, false), ("", false)])
    func `a count beside the facets of a search is the total`(facets: String, isTotal: Bool) async throws {
        let api = SimulatedAPI(name: "CKAN", path: "package_search?rows=10", count: 7) { request, records in
            let page = APIPage(records, from: request.int("start", 0), 10)
            return APIReply(
                #"{"success":true,"result":{"count":\#(page.ids.count),"sort":"x","results":\#(page.list)\#(facets)}}"#)
        }
        let alone = try await Self.seen(api, with: [])
        #expect(alone.stored == 7 && alone.isWhole == isTotal, "\(alone)")
        let initialized = try await Self.seen(api, with: nil)
        #expect(initialized.stored == 7 && (initialized.isWhole || !isTotal), "\(initialized)")
    }

    // MARK: - Words and places

    /// Etherscan's status is 0 where there are no records, and where a key has asked too often.
    @Test(arguments: [
        ("No transactions found", true), ("NOTOK", false), ("Max rate limit reached", false),
        ("No API key found", false),
    ])
    func `an empty page ends a list by words that say that there are none`(message: String, isEnd: Bool) async throws {
        for count in [7, 43] {
            let api = SimulatedAPI(name: "Etherscan", path: "api?module=account", count: count) { request, records in
                let page = APIPage(records, from: (request.int("page", 1) - 1) * 10, 10)
                let (status, said) = page.ids.isEmpty ? ("0", message) : ("1", "OK")
                return APIReply(#"{"status":"\#(status)","message":"\#(said)","result":\#(page.list)}"#)
            }
            for lines in [["paginator: { type: page_number }"], nil] as [[String]?] {
                let seen = try await Self.seen(api, with: lines)
                #expect(seen.stored == count && seen.isWhole == isEnd, "\(seen)")
            }
        }
    }

    /// QuickBooks names a list after its records, and Collection+JSON has other lists beside it.
    @Test(arguments: [
        (
            #"{"QueryResponse":{"Invoice":LIST,"startPosition":1,"maxResults":7},"time":"x"}"#,
            "$.QueryResponse.Invoice[*]"
        ),
        (
            #"{"collection":{"href":"x","items":LIST,"links":[{"rel":"feed","href":"x"}],"queries":[{"rel":"search","data":[{"name":"q"}]}],"template":{"data":[{"name":"n"}]}}}"#,
            "$.collection.items[*]"
        ),
    ])
    func `a list below a name of its own is found`(body: String, selector: String) async throws {
        let api = SimulatedAPI(name: selector, path: "query", count: 7) { _, records in
            APIReply(body.replacing("LIST", with: APIPage(records, from: 0, 10).list))
        }
        let initialized = try await Self.seen(api, with: nil)
        #expect(initialized.stored == 7 && initialized.line.hasPrefix("\(selector) "), "\(initialized)")
        // Nothing says that these are all.
        let alone = try await Self.seen(api, with: [])
        #expect(alone.stored == 7 && alone.completeness == [.unknown, .unknown], "\(alone)")
    }

    /// QuickBooks's `maxResults` is the number of records that came. Ten are as many as a full page often has.
    @Test(arguments: [(7, true), (43, true), (10, false)])
    func `a number that counts the records of a page is no size of it`(count: Int, isWhole: Bool) async throws {
        let api = SimulatedAPI(name: "QuickBooks", path: "query", count: count) { _, records in
            let list = APIPage(records, from: 0, 100).list
            return APIReply(
                #"{"QueryResponse":{"Invoice":\#(list),"startPosition":1,"maxResults":\#(count)},"time":"x"}"#)
        }
        let seen = try await Self.seen(
            api, with: ["record_selector: \"$.QueryResponse.Invoice[*]\"", "paginator: { type: single_page }"])
        #expect(seen.stored == count && seen.isWhole == isWhole, "\(seen)")
    }
}
