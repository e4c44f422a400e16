import GarnerCatalog
import GarnerJSON
import GarnerModel
import Testing

@testable import GarnerFetcher

/// Answers that say something which is no end, though nothing can be requested for it.
struct NotUnderstoodTests {
    private static let odd = [
        #""next":" ""#, #""next":"\u00a0""#, #""next_url":" ""#, #""links":{"next":" "}"#,
        #""next":{"id":4}"#, #""next":[1]"#, #""next":2.5"#, #""next_page":{"token":{"a":1}}"#, #""next_url":true"#,
        #""nextLink":3"#, #""nextRecordsUrl":{"x":1}"#, #""next_page_url":["/a"]"#, #""next_cursor":{"id":4}"#,
        #""next_cursor":[4]"#, #""nextPageToken":true"#, #""pagination":{"next":{"title":"b"}}"#,
    ]

    @Test(arguments: odd)
    func `a value that cannot be followed is no end`(members: String) async throws {
        let page = try await scriptedPage(Paginator(), body: records(3, members))
        #expect(page.next == nil)
        #expect(page.verdict?.completeness == .unknown)
        // A number may be that of the next page, which another paginator sends.
        let advice = members.contains(#""nextLink":3"#) ? "if it is the number of the next page" : "set paginator"
        #expect(page.verdict?.reason?.contains("which is not understood; \(advice)") == true)
    }

    @Test(arguments: odd)
    func `a flag that says no more wins over it`(members: String) async throws {
        let page = try await scriptedPage(Paginator(), body: records(3, members + #","has_more":false"#))
        #expect(page.verdict == .complete)
    }

    private static let missing = [
        (#""incomplete_results":true"#, "$.incomplete_results"), (#""timed_out":true"#, "$.timed_out"),
        (#""timed_out":"true""#, "$.timed_out"), (#""partial":true"#, "$.partial"),
        (#""_shards":{"total":5,"failed":1}"#, "$._shards.failed"),
        (#""_shards":{"total":5,"successful":9223372036854775807,"skipped":1}"#, "$._shards.successful"),
        (#""partialFailureError":{"code":3}"#, "$.partialFailureError"),
        (#""meta":{"partial":true}"#, "$.meta.partial"),
        (#""unreachable":["projects/a/locations/eu"]"#, "$.unreachable"),
        (#""failed_sources":["eu"]"#, "$.failed_sources"), (#""meta":{"status":"timeout"}"#, "$.meta.status"),
        (#""status":"PARTIAL_SUCCESS""#, "$.status"), (#""status":"partial""#, "$.status"),
        (#""meta":{"id":3},"status":"running""#, "$.status"), (#""incompleteSearch":true"#, "$.incompleteSearch"),
        (#""partial_failure":true"#, "$.partial_failure"), (#""throttled":true"#, "$.throttled"),
        (#""jobComplete":false"#, "$.jobComplete"), (#""searchedCompletely":false"#, "$.searchedCompletely"),
        (#""meta":{"omitted":{"detail":"x"}}"#, "$.meta.omitted"), (#""omitted":17"#, "$.omitted"),
        (#""failed":[21,22]"#, "$.failed"), (#""failed":{"n1":"down"}"#, "$.failed"),
        (#""meta":{"missing":["a"]}"#, "$.meta.missing"),
        (#""UnprocessedKeys":{"t":{"k":1}}"#, "$.UnprocessedKeys"),
        (#""UnprocessedItems":{"t":{"k":1}}"#, "$.UnprocessedItems"),
        (#""coverage":{"full":false}"#, "$.coverage.full"), (#""extensions":{"partial":true}"#, "$.extensions.partial"),
        (#""_clusters":{"total":3,"successful":1,"skipped":2}"#, "$._clusters.skipped"),
        (#""remark":"runtime error: Query timed out after 2 seconds.""#, "$.remark"),
    ]

    @Test(arguments: missing)
    func `an answer that says that a part is missing is not complete, on any page`(
        members: String, place: String
    ) async throws {
        let ends = #","has_more":false"#
        let page = try await scriptedPage(Paginator(), body: records(3, members + ends))
        #expect(page.verdict?.completeness == .unknown)
        #expect(page.verdict?.reason?.contains("add ignore: [\"\(place)\"] to paginator") == true)
        let first = try await scriptedPage(Paginator(), body: records(3, members + #","next":"?page=2""#))
        let next = try #require(first.next)
        let last = try await scriptedPage(
            Paginator(), at: "animals?page=2", number: 1, history: next.history, body: records(1, #""next":null"#))
        #expect(last.verdict?.completeness == .unknown)
    }

    @Test(arguments: [
        #""truncated":true"#, #""isTruncated":"true""#, #""resultTruncated":"true""#, #""exceededTransferLimit":true"#,
        #""properties":{"exceededTransferLimit":true}"#, #""extensions":{"truncated":true}"#, #""complete":false"#,
        #""is_complete":false"#, #""meta":{"isComplete":"false"}"#,
    ])
    func `a last page that says that there is more is no end`(members: String) async throws {
        let page = try await scriptedPage(
            Paginator(), body: records(3, members + #","next":null"#))
        #expect(page.verdict?.completeness == .unknown)
        let more = try await scriptedPage(Paginator(), body: records(3, members + #","next":"?page=2""#))
        #expect(more.next != nil)
    }

    @Test(arguments: [
        ("bytes 0-499/1200", Completeness.unknown), ("Bytes 0-0/2", .unknown), ("bytes 0-1199/1200", .complete),
        ("bytes 700-1199/1200", .complete), ("bytes 0-499/*", .complete), ("bytes */0", .complete),
        ("bytes 0-499/99999999999999999999", .complete),
    ])
    func `a body that lacks bytes by its own head is no end`(range: String, completeness: Completeness) async throws {
        let headers = [("Content-Range", range)]
        let body = records(3, #""next":null"#)
        let page = try await scriptedPage(Paginator(), body: body, headers: headers)
        #expect(page.verdict?.completeness == completeness, "\(page.verdict?.reason ?? "")")
        let more = try await scriptedPage(
            Paginator(), body: records(3, #""next":"?page=2""#), headers: headers)
        #expect(more.next != nil && more.verdict == nil)
        let settled = try await scriptedPage(Paginator(), body: body, headers: headers) {
            $0.paginator.limits.ignoredHeaders = ["Content-Range"]
        }
        #expect(settled.verdict == .complete)
    }

    @Test(arguments: [
        (#""next":"?page=2","next":null"#, "$.next"), (#""meta":{"total":30,"total":3}"#, "$.meta.total"),
        (#""data":[{"id":7}]"#, "$.data"), (#""has_more":true"#, "$.has_more"),
    ])
    func `a member that stands twice with other values is not understood, until the line that is advised`(
        members: String, place: String
    ) async throws {
        let body = records(3, members + #","has_more":false"#)
        let page = try await scriptedPage(Paginator(), body: body)
        #expect(page.verdict?.completeness == .unknown)
        let line = try #require(page.verdict?.reason?.firstMatch(of: /ignore: \["(.+?)"\]/)?.1)
        #expect(line == place)
        let ignored = try Selector(parsing: String(line))
        let isLast = try FilterExpression(parsing: "@.data")
        let settled = try await scriptedPage(Paginator(), body: body) {
            ($0.paginator.limits.ignored, $0.paginator.limits.lastWhen) = ([ignored], isLast)
        }
        #expect(settled.verdict == .complete, "\(settled.verdict?.reason ?? "")")
    }

    @Test(arguments: [
        #""next":null,"next":null"#, #""note":"a","note":"b""#, #""query":{"page":1,"page":2}"#,
        #""warnings":["a"],"warnings":["b"]"#,
    ])
    func `a member that stands twice and says nothing of the pages says nothing`(members: String) async throws {
        let page = try await scriptedPage(Paginator(), body: records(3, members + #","has_more":false"#))
        #expect(page.verdict == .complete, "\(page.verdict?.reason ?? "")")
    }

    @Test func `an object around the list that stands twice with other values is not understood`() async throws {
        let body = #"{"d":{"items":[{"id":1}]},"d":{"items":[{"id":2}]},"has_more":false}"#
        for (place, completeness) in [(nil, .unknown), ("$.d", .complete)] as [(String?, Completeness)] {
            let ignored = try place.map { [try Selector(parsing: $0)] } ?? []
            let page = try await scriptedPage(Paginator(), body: body) {
                ($0.recordSelector, $0.paginator.limits.ignored) = ("$.d.items[*]", ignored)
            }
            #expect(page.verdict?.completeness == completeness, "\(page.verdict?.reason ?? "")")
        }
    }

    /// The list beside the records, and whether it has what failed, or records that have.
    @Test(arguments: [
        (#""failed":[{"id":3,"error":"timeout"}]"#, Completeness.unknown), (#""omitted":[{"shard":3}]"#, .unknown),
        (#""failed":[{"id":3,"name":"c"}]"#, .complete), (#""failed":[]"#, .complete), (#""missing":0"#, .complete),
        (#""failed":2"#, .complete),
    ])
    func `a list of what did not come says that a part is missing`(members: String, completeness: Completeness)
        async throws
    {
        let page = try await scriptedPage(Paginator(), body: records(3, members + #","has_more":false"#)) {
            $0.recordSelector = "$.data[*]"
        }
        #expect(page.verdict?.completeness == completeness, "\(page.verdict?.reason ?? "")")
    }

    private static let before = [
        #""has_previous":true"#, #""hasPreviousPage":true"#, #""prev":"/v1/animals?page=0""#, #""prev":0"#,
        #""pagination":{"prev":{"page":0,"limit":3}}"#, #""from":11,"to":13"#, #""first":false"#, #""isFirst":false"#,
        #""first_page":false"#, #""first_page":0"#, #""links":{"first":"?page=0"}"#, #""first_page_url":"?page=0""#,
        #""_links":{"first":{"href":"/v1/animals?page=0"}}"#, #""offset":3"#, #""start":4"#, #""startIndex":3"#,
        #""pageable":{"offset":3}"#, #""offset":10"#, #""page":1,"offset":50,"per_page":50"#, #""range":"4-6""#,
        #""range":"3-5/*""#, #""meta":{"showing":"items 4-6"}"#,
    ]

    @Test(arguments: before)
    func `numbered pages that begin in the middle are not complete`(members: String) async throws {
        let numbers = Paginator(.pageNumber(.init(hasMorePath: try? Selector(parsing: "$.more"))))
        let page = try await scriptedPage(numbers, at: "animals?page=1", body: records(3, members + #","more":false"#))
        #expect(page.verdict?.completeness == .unknown)
        #expect(page.verdict?.reason?.contains("base_page: 0") == true)
        let byCursor = try await scriptedPage(Paginator(), body: records(3, members + #","has_more":false"#))
        #expect(byCursor.verdict == .complete)
    }

    @Test(arguments: [
        #""first_page":1"#, #""first":0"#, #""first":true"#, #""links":{"first":"?page=1"}"#, #""offset":0"#,
        #""start":1"#, #""startIndex":1"#, #""offset":3600"#, #""start":1767225600"#, #""range":"1-3""#,
        #""range":"0-2/*""#, #""range":"18-25""#, #""offset":null"#, #""pageable":{"offset":0}"#,
    ])
    func `a first page that states its own place begins with the first record`(members: String) async throws {
        let numbers = Paginator(.pageNumber(.init(hasMorePath: "$.more")))
        let page = try await scriptedPage(numbers, at: "animals?page=1", body: records(3, members + #","more":false"#))
        #expect(page.verdict == .complete, "\(page.verdict?.reason ?? "")")
    }

    @Test(arguments: [
        ("Link", #"</v1/animals?page=0>; rel="first""#, false), ("Link", #"</v1/animals?page=1>; rel="first""#, true),
        ("X-Prev-Page", "0", false), ("X-Prev-Page", "", true), ("Content-Range", "items 3-5/*", false),
        ("Content-Range", "items 0-2/*", true), ("Content-Range", "3-5/6", false),
    ])
    func `a field of the head may say that pages lie before`(name: String, value: String, isWhole: Bool) async throws {
        let numbers = Paginator(.pageNumber(.init(hasMorePath: "$.more")))
        let body = records(3, #""more":false"#)
        let page = try await scriptedPage(numbers, at: "animals?page=1", body: body, headers: [(name, value)])
        #expect((page.verdict == .complete) == isWhole, "\(page.verdict?.reason ?? "")")
        let ignoring = Paginator(
            .pageNumber(.init(hasMorePath: "$.more")), limits: PageLimits(ignoredHeaders: [name.lowercased()]))
        let settled = try await scriptedPage(ignoring, at: "animals?page=1", body: body, headers: [(name, value)])
        #expect(settled.verdict == .complete)
    }

    @Test func `pages lie before one that is counted by any name`() async throws {
        let numbers = Paginator(.pageNumber(.init(pageParam: "p", hasMorePath: "$.more")))
        for (target, isWhole) in [("?p=0", false), ("?p=1", true)] {
            let page = try await scriptedPage(
                numbers, at: "animals?p=1", body: records(3, #""more":false,"links":{"first":"\#(target)"}"#))
            #expect((page.verdict == .complete) == isWhole, "\(page.verdict?.reason ?? "")")
        }
    }

    @Test(arguments: [
        (#""next":null"#, Completeness.complete), (#""next":null,"partial":true"#, .unknown),
        (#""has_more":false"#, .complete), (#""next":null,"total":9"#, .unknown),
    ])
    func `lists of several names stand beside what the answer says of itself`(
        members: String, completeness: Completeness
    ) async throws {
        let body = records(3, #""archived":[{"id":7}],\#(members)"#)
        let page = try await scriptedPage(Paginator(), body: body) {
            $0.recordSelector = "$['data','archived'][*]"
        }
        #expect(page.recordCount == 4 && page.verdict?.completeness == completeness)
        let other = try await scriptedPage(Paginator(), body: #"{"archived":[{"id":7}],\#(members)}"#) {
            $0.recordSelector = "$['data','archived'][*]"
        }
        #expect(other.verdict?.completeness == completeness)
    }

    @Test func `a place that the configuration ignores says nothing`() async throws {
        for (members, place) in Self.missing {
            let limits = PageLimits(ignored: [try Selector(parsing: place)])
            let page = try await scriptedPage(
                Paginator(limits: limits), body: records(3, members + #","has_more":false"#))
            #expect(page.verdict == .complete, "\(place)")
        }
        let shards = PageLimits(ignored: [try Selector(parsing: "$._shards")])
        let page = try await scriptedPage(
            Paginator(limits: shards), body: records(3, #""_shards":{"failed":2},"has_more":false"#))
        #expect(page.verdict == .complete)
    }

    @Test(arguments: [
        #""LastEvaluatedKey":{"id":{"N":"3"}}"#, #""continuation":"x""#, #""marker":"x""#, #""next_max_id":7"#,
        #""after":"x""#, #""iterator":{"next":"x"}"#, #""resumptionToken":"x""#, #""cursor":"x""#, #""remaining":41"#,
        #""from":1,"to":3,"of":90"#, #""matches":90"#, #""complete":false"#, #""limitExceeded":true"#,
        #""is_end":false"#, #""moreResults":true"#, #""more":"Y""#, #""has_more_items":true"#, #""no_more":false"#,
        #""pageState":"x""#, #""row_count":9"#, #""metadata":{"remainingItemCount":3}"#, #""pages_left":2"#,
        #""canLoadMore":true"#,
        #""about":{"next_url":"?page=2"}"#, #""zed":{"nextPageToken":"x"}"#,
        #""cursors":{"nextPageToken":[{"k":1}]}"#,
    ])
    func `a single page beside what may lead to more is not known to be all`(members: String) async throws {
        let page = try await scriptedPage(Paginator(.singlePage), body: records(3, members))
        #expect(page.verdict?.completeness != .complete)
        let automatic = try? await scriptedPage(Paginator(), body: records(3, members))
        #expect(automatic?.verdict?.completeness != .complete)
    }

    @Test(arguments: [
        #""cursor":null"#, #""marker":"""#, #""after":0"#, #""remaining":0"#, #""limit":60,"remaining":41"#,
        #""iterator":{"next":null}"#, #""matches":3"#, #""complete":true"#, #""is_end":true"#, #""moreResults":"N""#,
        #""more_about":"x""#, #""of":90"#, #""row_count":3"#, #""unreachable":[],"failed":[]"#,
        #""failed":{"count":2}"#, #""status":"open""#,
        #""found":true"#, #""about":{"next_url":null,"next_step":"x"}"#,
        #""incompleteSearch":false"#, #""partial_failure":0"#, #""throttled":false"#, #""jobComplete":true"#,
        #""searchedCompletely":true"#, #""meta":{"omitted":{}}"#, #""omitted":{"detail":"x"}"#,
        #""UnprocessedKeys":{}"#, #""UnprocessedItems":{}"#, #""coverage":{"full":true}"#, #""coverage":"wide""#,
        #""_clusters":{"total":3,"successful":3,"skipped":0}"#, #""clusters":{"total":3,"failed":1}"#,
        #""preview":true"#, #""extensions":{"cost":{"partial":true}}"#, #""extensions":{"truncated":false}"#,
        #""properties":{"exceededTransferLimit":false}"#, #""remark":"The zoo's runtime is long""#,
    ])
    func `a word that leads nowhere leaves a single page whole`(members: String) async throws {
        let page = try await scriptedPage(Paginator(.singlePage), body: records(3, members))
        #expect(page.verdict == .complete)
    }

    @Test(arguments: [
        (#""loading":true"#, true), (#""isIndexing":true"#, true), (#""access":false"#, true),
        (#""visible":false"#, true), (#""loading":false"#, false), (#""access":true"#, false),
        (#""visible":"all""#, false),
    ])
    func `an empty list is not understood while the server is at work, or gives no access`(
        members: String, isOdd: Bool
    ) async throws {
        let page = try await scriptedPage(Paginator(.singlePage), body: #"{"data":[],\#(members)}"#)
        #expect((page.verdict?.completeness == .unknown) == isOdd, "\(page.verdict?.reason ?? "")")
        let filled = try await scriptedPage(Paginator(.singlePage), body: #"{"data":[{"id":1}],\#(members)}"#)
        #expect(filled.verdict == .complete)
    }

    @Test(arguments: [("true", Completeness.unknown), ("false", .complete), (#""/a.png""#, .complete)])
    func `results of a search that goes on are not all`(preview: String, completeness: Completeness) async throws {
        let page = try await scriptedPage(
            Paginator(.singlePage), body: #"{"preview":\#(preview),"results":[{"id":1}]}"#)
        #expect(page.verdict?.completeness == completeness)
    }

    @Test(arguments: [
        #""id":7,"status":"pending""#, #""id":7,"complete":false,"next":null"#,
        #""name":"x","is_complete":false,"next":null"#,
    ])
    func `the state of a record that has a list says nothing of the list`(members: String) async throws {
        let paginator = members.contains("next") ? Paginator() : Paginator(.singlePage)
        let page = try await scriptedPage(paginator, body: records(3, members)) {
            $0.recordSelector = "$.data[*]"
        }
        #expect(page.verdict == .complete)
    }

    @Test(arguments: [
        "X-Next-Cursor", "X-Continuation", "X-NextPage", "X-Next-Page-Token", "x-ms-continuation", "Next-Cursor",
        "X-After", "Next", "X-NEXT", "X_Has_More",
        "X-Has-More",
    ])
    func `a header that may lead to more makes a single page unknown, and no numbered one`(name: String) async throws {
        for (value, completeness) in [("abc", Completeness.unknown), ("", .complete), ("null", .complete)] {
            let page = try await scriptedPage(Paginator(.singlePage), body: records(3), headers: [(name, value)])
            #expect(page.verdict?.completeness == completeness, "\(value)")
        }
        let ignoring = Paginator(.singlePage, limits: PageLimits(ignoredHeaders: [name.lowercased()]))
        #expect(try await scriptedPage(ignoring, body: records(3), headers: [(name, "abc")]).verdict == .complete)
        let wrong = Paginator(.headerCursor(.init(cursorHeader: "X-Cursr")))
        let page = try await scriptedPage(wrong, body: records(3), headers: [(name, "abc")])
        #expect(page.verdict?.completeness == .unknown)
        let right = Paginator(.headerCursor(.init(cursorHeader: name)))
        #expect(try await scriptedPage(right, body: records(3), headers: [(name, "abc")]).next != nil)
        let numbered = Paginator(.pageNumber(.init(pageSizeParam: "per_page", pageSize: 5)))
        let short = try await scriptedPage(
            numbered, at: "animals?page=2&per_page=5", number: 1, history: ReadHistory(records: 5, largestPage: 5),
            body: records(3), headers: [(name, "abc")])
        #expect(short.verdict?.completeness != .unknown)
    }

    @Test(arguments: [
        ("X-Partial-Results", "true", false), ("X-Truncated", "1", false), ("X-Incomplete-Results", "Yes", false),
        ("X-Consul-Results-Filtered-By-ACLs", "true", false), ("grpc-status", "14", false),
        ("Warning", #"199 zoo "Partial results""#, false), ("Warning", #"214 zoo "the list is incomplete""#, false),
        ("X-Partial-Results", "false", true), ("X-Truncated", "0", true), ("X-Truncated", "", true),
        ("grpc-status", "0", true), ("Warning", #"199 zoo "It is late""#, true), ("X-Error", "shard down", false),
        ("X-Errors", "2", false), ("X-Error", "", true), ("X-Error", "0", true), ("X-Errors", "None", true),
        ("X-Error", "false", true), ("X-Error", "-", true), ("X-Error", "[]", true), ("X-Error", "{}", true),
        ("X-Error", #""""#, true), ("X-Error", "n/a", true), ("X-Error", "E0", true), ("X-Error", "200", true),
        ("grpc-status", "OK", true), ("X-Error", "500", false), ("X-Error", "E17", false),
        ("grpc-status", "UNAVAILABLE", false),
        ("Warning", #"299 zoo "partial updates are deprecated""#, true), ("X-Results", "partial", true),
    ])
    func `a field that says that a part is missing makes a read unknown`(
        name: String, value: String, isWhole: Bool
    ) async throws {
        let body = records(3, #""next":null"#)
        let page = try await scriptedPage(Paginator(), body: body, headers: [(name, value)])
        #expect(page.verdict?.completeness == (isWhole ? .complete : .unknown))
        #expect(isWhole || page.verdict?.reason?.contains("add ignore: [\"\(name)\"] to paginator") == true)
        let ignoring = Paginator(limits: PageLimits(ignoredHeaders: [name]))
        #expect(try await scriptedPage(ignoring, body: body, headers: [(name, value)]).verdict == .complete)
        let first = try await scriptedPage(
            Paginator(), body: records(3, #""next":"?page=2""#), headers: [(name, value)])
        #expect(first.next != nil)
    }

    /// The sign of the page before is missing, and one of another name leads on.
    @Test(arguments: [
        (Paginator(), ("X-Next-Page", "3"), false), (Paginator(), ("X-Next-Page", ""), true),
        (Paginator(.headerLink(.init())), ("X-Next-Page", "3"), false),
        (Paginator(.headerLink(.init())), ("X-Next-Page", ""), true),
        (Paginator(.headerLink(.init())), ("CB-AFTER", "3"), true),
    ])
    func `a list does not end where its sign has moved elsewhere`(
        paginator: Paginator, header: (String, String), isEnd: Bool
    ) async throws {
        let first = try await scriptedPage(
            paginator, body: records(3), headers: [("Link", "<?page=2>; rel=next"), ("X-Next-Page", "2")])
        let next = try #require(first.next)
        let last = try await scriptedPage(
            paginator, at: "animals?page=2", number: 1, history: next.history, body: records(2),
            headers: [("Link", "<?page=1>; rel=prev, <?page=3>; rel=following"), header])
        #expect((last.verdict?.completeness == .complete) == isEnd, "\(last.verdict as Any)")
    }

    @Test(arguments: [
        #""links":[{"rel":"self","href":"?page=1"},{"rel":"next","href":"?page=2"}]"#,
        #""link":[{"relation":"next","url":"?page=2"}]"#,
    ])
    func `a list of links that name their relation is followed`(members: String) async throws {
        let page = try await scriptedPage(Paginator(), body: records(3, members))
        #expect(page.next?.url == "https://zoo.example/v1/animals?page=2")
        let last = try await scriptedPage(Paginator(), body: records(3, #""links":[{"rel":"prev","href":"?page=1"}]"#))
        #expect(last.verdict == .complete)
    }

    @Test func `the object in X-Pagination tells of the total`() async throws {
        let header = ("X-Pagination", #"{"TotalCount":9,"PageSize":3,"CurrentPage":1,"TotalPages":3}"#)
        let page = try await scriptedPage(Paginator(), body: records(3), headers: [header])
        #expect(
            page.next?.url == "https://zoo.example/v1/animals?page=2" || page.verdict?.completeness == .partial,
            "\(page.next as Any)")
        let single = try await scriptedPage(Paginator(.singlePage), body: records(3), headers: [header])
        #expect(single.verdict?.completeness == .partial)
    }

    @Test(arguments: [
        (#"{"HasNext":true}"#, false), (#"{"hasNextPage":"true"}"#, false), (#"{"HasNext":false}"#, true),
        (#"{"HasNext":null}"#, true), ("HasNext=true", true),
    ])
    func `the object in X-Pagination tells of more`(value: String, isEnd: Bool) async throws {
        for members in [#""x":1"#, #""has_more":false"#] {
            let page = try await scriptedPage(
                Paginator(.singlePage), body: records(3, members), headers: [("X-Pagination", value)])
            #expect((page.verdict?.completeness == .complete) == isEnd)
        }
        let ignoring = Paginator(.singlePage, limits: PageLimits(ignoredHeaders: ["X-Pagination"]))
        let page = try await scriptedPage(ignoring, body: records(3), headers: [("X-Pagination", value)])
        #expect(page.verdict == .complete)
    }

    @Test(arguments: [
        (#""pagination":{"next":{"page":2,"limit":3}}"#, "page=2&limit=3"), (#""next":2"#, "page=2"),
        (#""next":{"offset":3,"limit":3}"#, "offset=3&limit=3"), (#""next_page":2"#, "page=2"),
        (#""additional_data":{"next_cursor":"x"}"#, "cursor=x"), (#""page_info":{"next_cursor":"x"}"#, "cursor=x"),
        (#""navigation":{"next_url":"?page=2"}"#, "page=2"),
    ])
    func `a pager, a number and a sign in a wrapper are followed`(members: String, parameters: String) async throws {
        let page = try await scriptedPage(Paginator(), body: records(3, members))
        #expect(page.next?.url == "https://zoo.example/v1/animals?\(parameters)")
    }

    @Test(arguments: [#""cursors":{"last":false,"total":9}"#, #""my_page":{"more":true}"#])
    func `a word with several meanings in an unusual wrapper says nothing`(members: String) async throws {
        let page = try await scriptedPage(Paginator(), body: records(3, members + #","has_more":false"#))
        #expect(page.verdict == .complete)
    }

    @Test(arguments: [("end_of_stream", true), ("eof", true), ("finished", true), ("last", true), ("isLast", true)])
    func `a sign of the end is one when it is true, and a sign of more when it is false`(
        name: String, isEnd: Bool
    ) async throws {
        let cursor = #","next_cursor":"x""#
        let last = try await scriptedPage(Paginator(), body: records(3, #""\#(name)":\#(isEnd)"# + cursor))
        #expect(last.verdict == .complete)
        let other = try await scriptedPage(Paginator(), body: records(3, #""\#(name)":\#(!isEnd)"# + cursor))
        #expect(other.next != nil)
    }

    @Test(arguments: ["2020,\"to\":2024", "1767225600,\"to\":1769904000", "10,\"to\":500"])
    func `a range that is none of the records on the page tells of no page before it`(range: String) async throws {
        let numbers = Paginator(.pageNumber(.init(hasMorePath: try? Selector(parsing: "$.more"))))
        let page = try await scriptedPage(
            numbers, at: "animals?page=1", body: records(3, #""from":\#(range),"more":false"#))
        #expect(page.verdict == .complete, "\(page.verdict?.reason ?? "")")
    }

    @Test func `the offset of a time zone leads to no page`() async throws {
        for offset in ["+01:00", "-0330", "UTC+5"] {
            let page = try await scriptedPage(
                Paginator(.jsonLink(.init(nextURLPath: "$.next"))),
                body: records(3, #""offset":"\#(offset)","next":null"#))
            #expect(page.verdict == .complete, "\(offset)")
        }
        let cursor = try await scriptedPage(Paginator(), body: records(3, #""offset":"itr1""#))
        #expect(cursor.next?.url == "https://zoo.example/v1/animals?offset=itr1")
    }

    @Test(arguments: ["scrollId", "scroll_id", "_scroll_id"])
    func `null in the place of a scroll is no end`(name: String) async throws {
        for value in ["null", #""""#] {
            let page = try await scriptedPage(Paginator(), body: records(3, #""\#(name)":\#(value)"#))
            #expect(page.verdict?.completeness == .unknown)
        }
        let named = Paginator(.cursor(.init(cursorPath: try Selector(parsing: "$.\(name)"), cursorParam: "scroll")))
        let last = try await scriptedPage(named, body: records(3, #""\#(name)":null"#))
        #expect(last.verdict == .complete)
    }

    /// The last number beside that of the page may be that of a record.
    @Test(arguments: [
        (#""last":1043,"total":43"#, true), (#""last":43,"total":43"#, true),
        (#""last":42,"total":43"#, true), (#""last":5,"total":43"#, true), (#""last":7"#, false),
        (#""last":7,"total":70"#, false),
    ])
    func `the number of the last page agrees with the total`(members: String, isWhole: Bool) async throws {
        let page = try await scriptedPage(
            Paginator(.pageNumber(.init(pageSizeParam: "per_page", pageSize: 10))), at: "animals?page=5&per_page=10",
            number: 4, history: ReadHistory(records: 40, largestPage: 10),
            body: records(3, #""meta":{"page":5,\#(members)}"#))
        #expect((page.next?.history.totalPages == nil) == isWhole)
    }
}
