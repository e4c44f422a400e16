import Testing

@testable import GarnerImport

struct TranslationPagesTests {
    private static func option(_ place: String, _ name: String) -> String {
        "{ type: RequestOption, inject_into: \(place), field_name: \(name) }"
    }

    private static let inParameter = option("request_parameter", "after")

    @Test(arguments: [
        (
            "{ type: PageIncrement, page_size: 9, start_from_page: 1 }",
            "{type: page_number, page_param: after, base_page: 1}", ""
        ),
        ("{ type: PageIncrement }", "{type: page_number, page_param: after, base_page: 0, omit_first: true}", ""),
        (
            "{ type: PageIncrement, inject_on_first_request: true }",
            "{type: page_number, page_param: after, base_page: 0}", ""
        ),
        ("{ type: OffsetIncrement, page_size: \"{{ 9 }}\" }", "{type: offset, limit: 9}", "{after: {page.offset}}"),
        ("{ type: OffsetIncrement }", "{type: offset}", "{after: {page.offset}}"),
    ])
    func `pages with numbers`(strategy: String, paginator: String, parameters: String) throws {
        let stream = try TranslatedStream([
            "paginator": "{ page_token_option: \(Self.inParameter), pagination_strategy: \(strategy) }"
        ])
        #expect(stream["paginator"] == paginator)
        #expect(stream["params"] == parameters)
        #expect(stream.losses == [])
    }

    @Test(arguments: [
        ("request_parameter", "params", "", "{type: cursor, cursor_path: $.next, cursor_param: t}"),
        ("header", "headers", "{t: {page.cursor}}", "{type: cursor, cursor_path: $.next}"),
        ("body_json", "json", "{t: {page.cursor}}", "{type: cursor, cursor_path: $.next}"),
        ("body_data", "form", "{t: {page.cursor}}", "{type: cursor, cursor_path: $.next}"),
    ])
    func `a cursor goes where the connector puts it`(place: String, key: String, value: String, paginator: String)
        throws
    {
        let stream = try TranslatedStream([
            "paginator": """
            { page_token_option: \(Self.option(place, "t")),
              pagination_strategy: { type: CursorPagination, cursor_value: "{{ response.next }}" } }
            """
        ])
        #expect(stream[key] == value)
        #expect(stream["paginator"] == paginator)
    }

    /// The keys of a cursor behind its type and its parameter.
    @Test(arguments: [
        ("response.next", "", "{type: cursor, cursor_path: $.next, cursor_param: after}"),
        (
            "response.get('meta', {}).get('next', '')", "",
            "{type: cursor, cursor_path: $.meta.next, cursor_param: after}"
        ),
        ("response.a or response.b", "", "{type: cursor, cursor_path: [$.a, $.b], cursor_param: after}"),
        ("headers['X-Next']", "", "{type: header_cursor, cursor_header: X-Next, cursor_param: after}"),
        ("last_record['id']", "", "{type: cursor, cursor_path: $.data[-1].id, cursor_param: after}"),
        ("last_records[-1]['id']", "", "{type: cursor, cursor_path: $.data[-1].id, cursor_param: after}"),
        ("(last_records | last)['id']", "", "{type: cursor, cursor_path: $.data[-1].id, cursor_param: after}"),
        ("response.page + 1", "", "{type: page_number, page_param: after, base_page: 1}"),
        ("response.start + response.count", "", "{type: offset}"),
        // What ends the list by itself.
        ("response.next", "not response.next", "{type: cursor, cursor_path: $.next, cursor_param: after}"),
        (
            "response.meta.next", "'next' not in response.meta",
            "{type: cursor, cursor_path: $.meta.next, cursor_param: after}"
        ),
        (
            "response.next", "last_page_size < 100",
            "{type: cursor, cursor_path: $.next, cursor_param: after, stop_after_empty_page: true}"
        ),
        (
            "response.next", "not response.data",
            "{type: cursor, cursor_path: $.next, cursor_param: after, stop_after_empty_page: true}"
        ),
        (
            "response.next", "response.data | length == 0 or not response.next",
            "{type: cursor, cursor_path: $.next, cursor_param: after, stop_after_empty_page: true}"
        ),
        // A flag.
        (
            "response.next", "response.has_more == false",
            "{type: cursor, cursor_path: $.next, cursor_param: after, has_more_path: $.has_more}"
        ),
        (
            "response.next", "response.has_more | string | lower == 'false'",
            "{type: cursor, cursor_path: $.next, cursor_param: after, has_more_path: $.has_more}"
        ),
        (
            "response.next if response.has_more else ''", "",
            "{type: cursor, cursor_path: $.next, cursor_param: after, has_more_path: $.has_more, "
                + "stop_after_empty_page: true}"
        ),
        (
            "response.next", "response.is_last",
            "{type: cursor, cursor_path: $.next, cursor_param: after, last_when: $.is_last == true}"
        ),
        // A condition on the answer.
        (
            "response.next", "response.state == 'done' or response.left <= 0",
            "{type: cursor, cursor_path: $.next, cursor_param: after, last_when: $.state == 'done' || $.left <= 0}"
        ),
        (
            "response.next", "response.page >= response.pages",
            "{type: cursor, cursor_path: $.next, cursor_param: after, last_when: $.page >= $.pages}"
        ),
        (
            "response.page + 1", "response.page >= response.total_pages",
            "{type: page_number, page_param: after, base_page: 1, total_pages_path: $.total_pages}"
        ),
        (
            "response.start + response.count", "response.start + response.count >= response.total",
            "{type: offset, total_path: $.total}"
        ),
    ])
    func `a cursor and its end`(value: String, stop: String, paginator: String) throws {
        let stream = try TranslatedStream([
            "paginator": """
            { page_token_option: \(Self.inParameter), pagination_strategy: { type: CursorPagination,
              cursor_value: "{{ \(value) }}"\(stop.isEmpty ? "" : ", stop_condition: \"{{ \(stop) }}\"") } }
            """
        ])
        #expect(stream["paginator"] == paginator)
        #expect(stream.losses == [])
    }

    @Test(arguments: [
        ("{{ response.links.next }}", "{type: json_link, next_url_path: $.links.next}", ""),
        ("{{ headers['link']['next']['url'] }}", "{type: header_link}", ""),
        ("{{ headers.link.more.url }}", "{type: header_link, rel: more}", ""),
        ("https://zoo.example{{ response.next }}", "{type: json_link, next_url_path: $.next}", ""),
        ("https://zoo.example/v2{{ response.next }}", "", "page_token notWritten: response.next"),
        ("{{ headers['X-Next'] }}", "", "page_token notWritten: a next URL in the header X-Next"),
    ])
    func `the next page is a URL`(value: String, paginator: String, loss: String) throws {
        let stream = try TranslatedStream([
            "paginator": """
            { page_token_option: { type: RequestPath },
              pagination_strategy: { type: CursorPagination, cursor_value: "\(value)" } }
            """
        ])
        #expect(stream["paginator"] == paginator)
        #expect(stream.losses.joined() == loss)
    }

    @Test(arguments: [
        ("response.next_url.split('page=')[1]", "", "follows_url none: $.next_url"),
        ("response.token.split('=')[1]", "", "page_token notWritten: cut out of response.token (item)"),
        ("headers['X-Range'].split('/')[0]", "", "page_token notWritten: cut out of headers['X-Range'] (item)"),
        ("response.token | upper", "", "page_token notWritten: response.token (upper)"),
        ("response.token | lower", "", "page_token notWritten: response.token (lower)"),
        ("response.token | trim", "", "page_token notWritten: response.token (trim)"),
        ("response.a if response.b else response.c", "", "page_token notWritten: chosen by a condition"),
        ("5", "", "page_token notWritten: a constant"),
        ("response.next", "last_record['at'] < '2024'", "stop_condition notWritten: last_record.at (lt)"),
        ("response.next", "last_records[-1].done", "stop_condition notWritten: last_records[-1].done"),
        ("response.next", "response.text.startswith('x')", "stop_condition notWritten: response.text (startswith)"),
    ])
    func `a page that cannot be told`(value: String, stop: String, loss: String) throws {
        let stream = try TranslatedStream([
            "paginator": """
            { page_token_option: \(Self.inParameter), pagination_strategy: { type: CursorPagination,
              cursor_value: "{{ \(value) }}"\(stop.isEmpty ? "" : ", stop_condition: \"{{ \(stop) }}\"") } }
            """
        ])
        #expect(stream.losses == [loss])
    }

    @Test(arguments: [
        (
            "page_token_option: { type: RequestOption, inject_into: request_parameter, field_name: cursor }",
            ["paginator differs: values of the slice on the first page only"]
        ),
        ("page_token_option: { type: RequestPath }", []),
    ])
    func `what is sent with the first page alone is named`(token: String, losses: [String]) throws {
        let stream = try TranslatedStream([
            "ignore_stream_slicer_parameters_on_paginated_requests": "true",
            "partition_router": """
            { type: ListPartitionRouter, cursor_field: kind, values: [bird, fish],
              request_option: { type: RequestOption, inject_into: request_parameter, field_name: kind } }
            """,
            "paginator": """
            { type: DefaultPaginator, \(token),
              pagination_strategy: { type: CursorPagination, cursor_value: "{{ response.next }}" } }
            """,
        ])
        #expect(stream.losses == losses)
    }

    /// The link leads to the page that the token asks for.
    @Test(arguments: [
        (
            "headers.get('Link', {}).split(';')[0][1:-1]", "'next' not in headers.get('Link', {})",
            "{type: header_link, stop_after_empty_page: true}"
        ),
        ("last_record['id']", "not 'next' in headers.get('Link')", "{type: header_link}"),
    ])
    func `a token that stands in the header Link is its link`(value: String, stop: String, paginator: String) throws {
        let stream = try TranslatedStream([
            "paginator": """
            { page_token_option: \(Self.inParameter), pagination_strategy: { type: CursorPagination,
              cursor_value: "{{ \(value) }}", stop_condition: "{{ \(stop) }}" } }
            """
        ])
        #expect(stream["paginator"] == paginator)
        #expect(stream.losses == ["follows_url none: the header Link"])
    }

    @Test func `a token in a text of JSON is a member of an object`() throws {
        let stream = try TranslatedStream([
            "requester": "http_method: POST, request_body_json: { query: '{ animals }' }",
            "paginator": """
            { page_token_option: \(Self.option("body_json", "variables")), pagination_strategy: { type: CursorPagination,
              cursor_value: '{{ ''{"after": "'' + response.page.end + ''"}'' if response.page.end else "" }}',
              stop_condition: "{{ response.page.more is false }}" } }
            """,
        ])
        #expect(stream["json"] == "{query: { animals }, variables: {after: {page.cursor}}}")
        #expect(stream["paginator"] == "{type: cursor, cursor_path: $.page.end, has_more_path: $.page.more}")
        #expect(stream.losses == [])
    }

    @Test(arguments: ["PageIncrement", "OffsetIncrement"])
    func `pages that no request asks for are the first one`(type: String) throws {
        let stream = try TranslatedStream([
            "paginator": """
            { page_size_option: \(Self.option("request_parameter", "limit")),
              pagination_strategy: { type: \(type), page_size: 9 } }
            """
        ])
        #expect(stream["paginator"] == "{type: single_page}")
        #expect(stream["params"] == "{limit: 9}")
        #expect(stream.losses == ["page_token none: no request holds it"])
    }

    @Test(arguments: [
        ("PageIncrement", "{type: page_number, page_param: after, base_page: 0, omit_first: true}"),
        ("OffsetIncrement", "{type: offset, limit: 9}"),
    ])
    func `a size whose parameter has no name is not sent`(type: String, paginator: String) throws {
        let stream = try TranslatedStream([
            "paginator": """
            { page_token_option: \(Self.inParameter),
              page_size_option: \(Self.option("request_parameter", "\"{{ config['nothing'] }}\"")),
              pagination_strategy: { type: \(type), page_size: 9 } }
            """
        ])
        #expect(stream["paginator"] == paginator)
        #expect(stream.losses == [])
    }

    /// A list has no members by name.
    @Test(arguments: ["last_records.next", "last_records['next', 'token'] or ''"])
    func `a token that never has a value leads to no page`(value: String) throws {
        let stream = try TranslatedStream([
            "paginator": """
            { page_token_option: \(Self.inParameter), pagination_strategy: { type: CursorPagination,
              cursor_value: "{{ \(value) }}" } }
            """
        ])
        #expect(stream["paginator"] == "{type: single_page}")
        #expect(stream.losses == ["page_token none: it never has a value"])
        let comments = stream.translation.stream[mapping: "paginator"].entries.first?.comments
        #expect(comments?.first?.hasSuffix("Airbyte reads the first page alone; `auto` looks for others.") == true)
    }

    @Test func `a list without pages is one page`() throws {
        #expect(try TranslatedStream([:])["paginator"] == "{type: single_page}")
        #expect(try TranslatedStream(["paginator": "{ type: NoPagination }"])["paginator"] == "{type: single_page}")
    }
}
