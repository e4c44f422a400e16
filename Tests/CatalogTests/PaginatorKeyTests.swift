import GarnerCatalog
import GarnerJSON
import Testing

struct PaginatorKeyTests {
    @Test(arguments: [
        ("{ type: auto }", Paginator()),
        (
            "{ type: auto, max_pages: 7, stop_after_empty_page: false, allow_cross_origin: true }",
            Paginator(limits: PageLimits(maxPages: 7, stopsAfterEmptyPage: false, allowsOtherOrigins: true))
        ),
        ("{ type: single_page }", Paginator(.singlePage)),
        ("{ type: json_link, next_url_path: $.next }", Paginator(.jsonLink(.init(nextURLPath: "$.next")))),
        ("{ type: header_link }", Paginator(.headerLink(.init(relation: "next")))),
        ("{ type: header_link, rel: more }", Paginator(.headerLink(.init(relation: "more")))),
        (
            "{ type: header_cursor, cursor_header: X-Next }",
            Paginator(.headerCursor(.init(cursorHeader: "X-Next", cursorParam: "cursor")))
        ),
        (
            "{ type: header_cursor, cursor_header: X-Next, cursor_param: after, max_pages: 2 }",
            Paginator(
                .headerCursor(.init(cursorHeader: "X-Next", cursorParam: "after")), limits: PageLimits(maxPages: 2))
        ),
        (
            "{ type: cursor, cursor_path: $.c }",
            Paginator(.cursor(.init(cursorPath: "$.c", cursorParam: "cursor", hasMorePath: nil)))
        ),
        (
            "{ type: cursor, cursor_path: $.c, cursor_param: after, has_more_path: $.more, max_pages: 2 }",
            Paginator(
                .cursor(.init(cursorPath: "$.c", cursorParam: "after", hasMorePath: "$.more")),
                limits: PageLimits(maxPages: 2))
        ),
        (
            "{ type: cursor, cursor_path: $.c, first_cursor: start }",
            Paginator(.cursor(.init(cursorPath: "$.c", firstCursor: "start")))
        ),
        (
            "{ type: offset }",
            Paginator(.offset(.init(offsetParam: "offset", limitParam: "limit", limit: 100, totalPath: nil)))
        ),
        (
            "{ type: offset, offset_param: skip, limit_param: top, limit: 50, total_path: $.n }",
            Paginator(.offset(.init(offsetParam: "skip", limitParam: "top", limit: 50, totalPath: "$.n")))
        ),
        (
            "{ type: offset, base_offset: 1 }",
            Paginator(.offset(.init(offsetParam: "offset", baseOffset: 1, limitParam: "limit", limit: 100)))
        ),
        ("{ type: offset, omit_first: true }", Paginator(.offset(.init(omitsFirst: true)))),
        ("{ type: page_number, omit_first: true }", Paginator(.pageNumber(.init(omitsFirst: true)))),
        ("{ type: page_number }", Paginator(.pageNumber(.init(pageParam: "page", basePage: 1)))),
        (
            "{ type: page_number, page_param: p, base_page: 0, page_size_param: n, page_size: 9, total_path: $.t, "
                + "total_pages_path: $.tp, has_more_path: $.more }",
            Paginator(
                .pageNumber(
                    .init(
                        pageParam: "p", basePage: 0, pageSizeParam: "n", pageSize: 9, totalPath: "$.t",
                        totalPagesPath: "$.tp", hasMorePath: "$.more")))
        ),
        (
            "{ type: auto, last_when: $.last == true }",
            Paginator(limits: PageLimits(lastWhen: try? FilterExpression(parsing: "$.last == true")))
        ),
        ("{ type: json_link, next_url_path: [$.a, $.b] }", Paginator(.jsonLink(.init(nextURLPaths: ["$.a", "$.b"])))),
        ("{ type: cursor, cursor_path: [$.a, $.b] }", Paginator(.cursor(.init(cursorPaths: ["$.a", "$.b"])))),
        (
            "{ type: header_cursor, cursor_header: [X-Next, X-After] }",
            Paginator(.headerCursor(.init(cursorHeaders: ["X-Next", "X-After"])))
        ),
    ])
    func `a paginator takes its own keys, and shows them as they are written`(text: String, expected: Paginator) throws
    {
        #expect(try Fixture.stream("paginator: \(text)").paginator == expected)

        let shown = try Fixture.parse(Fixture.streamText("paginator: \(text)")).effective.streams.first?.entries ?? []
        let keys = shown.filter { $0.path.first == "paginator" && $0.value != .automatic }
        let rewritten = keys.map { "\($0.path.dropFirst().joined()): \($0.value)" }.joined(separator: ", ")
        #expect(try Fixture.stream("paginator: { \(rewritten) }").paginator == expected)
    }

    /// Settings, and what is said of them.
    @Test(arguments: [
        ("{ type: auto, last_when: $.last }", "asks only whether there is such a member"),
        ("{ type: page_number, has_more_path: $.last }", "write last_when: $.last == true instead"),
        ("{ type: auto, last_when: last }", "is no condition"),
        ("{ type: single_page, last_when: $.last == true }", "has no such key"),
        ("{ type: json_link, next_url_path: [] }", "is an empty list"),
        ("{ type: cursor, cursor_path: [$.a, b] }", "is not a valid JSONPath"),
    ])
    func `what cannot name the next page or the last one is refused`(text: String, problem: String) {
        let issues = Fixture.issues(Fixture.streamText("paginator: \(text)"))
        #expect(
            issues.contains { $0.message.contains(problem) || $0.hint?.contains(problem) == true }, "\(issues)")
    }
}
