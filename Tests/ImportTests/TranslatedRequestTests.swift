import Testing

@testable import GarnerImport

struct TranslatedRequestTests {
    @Test(
        arguments: [
            ("{}", "https://zoo.example/v1/", "/animals"),
            (
                "{ url_base: 'https://zoo.example/v1/', path: 'animals?sort=id' }", "https://zoo.example/v1/",
                "/animals?sort=id"
            ),
            ("{ url_base: 'https://zoo.example/v1/animals', path: null }", "https://zoo.example/v1/", "/animals"),
            (
                "{ url_base: null, url: 'https://zoo.example/v1/animals?a=1', path: null }", "https://zoo.example/v1/",
                "/animals?a=1"
            ),
            ("{ url_base: 'https://zoo.example//v1/', path: '//a//b?c=//d' }", "https://zoo.example/v1/", "/a/b?c=//d"),
            (
                "{ url_base: 'https://zoo.example/{{ stream_partition.region }}//v1' }", "https://zoo.example/",
                "/{partition.region}/v1/animals"
            ),
            ("{ url_base: 'https://zoo.example//v1', path: null }", "https://zoo.example//", "/v1"),
            ("{ url_base: 'https://zoo.example', path: null }", "https://zoo.example/", nil),
            ("{ path: 'https://other.example/a/b' }", "https://other.example/a/", "/b"),
            ("{ url_base: 'zoo.example' }", "https://zoo.example/", "/animals"),
            ("{ url_base: 'https://http://zoo.example' }", "http://zoo.example/", "/animals"),
            ("{ path: '/bot{{ config.key }}/updates' }", "https://zoo.example/v1/", "/bot${API_KEY}/updates"),
            (
                "{ path: '/{{ stream_partition.region }}/a b{}$x' }", "https://zoo.example/v1/",
                "/{partition.region}/a%20b%7B%7D$x"
            ),
            (
                "{ url_base: 'https://zoo.example/{{ stream_partition.region }}/v1' }", "https://zoo.example/",
                "/{partition.region}/v1/animals"
            ),
        ] as [(String, String, String?)])
    func `a URL is cut into the base and the path`(requester: String, base: String, path: String?) throws {
        let translation = try StreamParts(requester: requester, retriever: StreamParts.regions).translated()
        #expect(translation.base == base)
        #expect(translation.stream["path"] == path.map { .text($0) })
    }

    @Test(arguments: [
        ("{ url_base: 'https://{{ stream_partition.region }}.zoo.example' }", "host"),
        ("{ url_base: 'https://{{ config.key }}.zoo.example' }", "secret_in_text"),
        ("{ url_base: null, path: null }", "host"), ("{ url_base: 'https://a:b@zoo.example' }", "host"),
        ("{ request_headers: { 'X A': b } }", "request_option: the header 'X A'"),
        ("{ request_headers: { X-A: \"b\\nc\" } }", "request_option: a line break in the header 'X-A'"),
        ("{ request_parameters: { '': b } }", "request_option: the name ''"),
        ("{ http_method: PATCH }", "method: PATCH"),
        ("{ fetch_properties_from_endpoint: {} }", "properties_from_api"),
        (
            "{ request_parameters: { fields: { type: QueryProperties, property_list: { type: PropertiesFromEndpoint } } } }",
            "properties_from_api"
        ),
        (
            "{ request_parameters: { f: { type: QueryProperties, property_list: [a, b], property_chunking: { property_limit: 1 } } } }",
            "property_chunks"
        ),
        ("{ request_parameters: '{{ response.next }}' }", "request_option"),
        ("{ request_parameters: { a: [[1, 2], [3]] } }", "request_option: a list of lists or objects in 'a'"),
        ("{ request_parameters: { a: { b: 1 } } }", "request_option: an object in 'a'"),
        ("{ url_base: 'file:///etc/passwd' }", "host: the address 'file:' is neither http nor https"),
        ("{ url_base: 'data:text/plain,x' }", "host: the address 'data:' is neither http nor https"),
        ("{ request_parameters: { a: \"{{ 'A' if config.key == 'SEKRIT' else 'B' }}\" } }", "secret_in_text: if"),
        ("{ request_headers: { X-A: '{{ config.regions }}' } }", "request_option: a list in the header 'X-A'"),
    ])
    func `a request that cannot be sent is named`(requester: String, loss: String) throws {
        let losses = try StreamParts(requester: requester, retriever: StreamParts.regions).translated().losses
        let told = losses.map { $0.code.rawValue + ($0.detail.map { ": \($0)" } ?? "") }
        #expect(told.contains { $0.hasPrefix(loss) }, "\(losses)")
        #expect(losses.allSatisfy { $0.effect == .notWritten })
    }

    private static let requests = [
        StreamParts(
            requester:
                "request_parameters: { limit: '100', tag: [a, b], none: '{{ config.empty }}', all: [], on: '{{ config.active }}' }",
            keys: "params: { limit: 100, tag: [a, b], on: true }"),
        StreamParts(
            requester: "request_parameters: [ { a: '{{ config.regions }}' }, { b: '1' } ]",
            keys: "params: { a: [eu, us], b: 1 }"),
        StreamParts(requester: "request_parameters: \"{{ {'a': config.name} }}\"", keys: "params: { a: garner }"),
        StreamParts(requester: "request_parameters: a=1&b=x=y", keys: "params: { a: 1, b: 'x=y' }"),
        StreamParts(
            requester: "request_parameters: { f: { type: QueryProperties, property_list: [a, b] } }",
            keys: "params: { f: 'a,b' }"),
        // A time of windows that the stream does not have.
        StreamParts(
            requester: "request_parameters: { since: \"{{ stream_interval['start_date'] }}\", b: c }",
            keys: "params: { b: c }"),
        StreamParts(
            requester: "request_headers: { X-Key: 'k {{ config.key }}', '{{ config.name }}': x }",
            keys: "headers: { X-Key: 'k ${API_KEY}', garner: x }"),
        // Bodies.
        StreamParts(
            requester:
                "{ http_method: POST, request_body_json: { size: '{{ config.size }}', f: { q: 'a', n: null }, e: '' } }",
            keys: "json: { size: 50, f: { q: a }, e: '' }"),
        StreamParts(
            requester: "{ request_body_json: { n: '5', l: \"['a']\", t: '{{ stream_partition.region }}' } }",
            retriever: StreamParts.regions,
            keys: "{ json: { n: 5, l: [a], t: '{partition.region}' }, method: GET }"),
        StreamParts(
            requester: """
                http_method: POST
                request_body_json: '{"n": "5", "ok": true, "of": "{{ stream_partition.region }}", "at": [{{ config.size }}]}'
                """, retriever: StreamParts.regions,
            keys: "json: { n: '5', ok: true, of: '{partition.region}', at: [50] }"),
        StreamParts(
            requester: """
                http_method: POST
                request_body: { type: RequestBodyGraphQL, value: { query: "{animals(of: \\"{{ stream_partition.region }}\\") {id}}" } }
                """, retriever: StreamParts.regions,
            keys: #"json: { query: '{ animals(of: "{partition.region}") { id}}' }"#),
        StreamParts(
            requester: "{ http_method: POST, request_body_data: { a: 'x', b: '{{ config.key }}' } }",
            keys: "form: { a: x, b: '${API_KEY}' }"),
        StreamParts(
            requester: "{ http_method: POST, request_body: { type: RequestBodyUrlEncodedForm, value: { a: 1 } } }",
            keys: "form: { a: 1 }"),
        StreamParts(
            requester:
                "{ http_method: PUT, request_body: { type: RequestBodyPlainText, value: 'select {{ config.size }}' } }",
            keys: "{ body: select 50, method: PUT }"),
        StreamParts(requester: "http_method: POST", keys: "method: POST"),
        StreamParts(
            requester: "{ http_method: POST, request_body_json: 'no JSON' }", keys: "method: POST",
            losses: ["body_template: a text that is no JSON"]),
        StreamParts(
            requester: "{ http_method: POST, request_body: { type: RequestBodyXML, value: { a: 1 } } }",
            keys: "method: POST", losses: ["body_template: RequestBodyXML"]),
    ]

    @Test(arguments: requests)
    func `parameters, headers and bodies are written as they are sent`(parts: StreamParts) throws {
        try parts.check(["params", "headers", "json", "form", "body", "method"])
    }

    private static func paged(_ strategy: String, _ requester: String, token: String = "") -> StreamParts {
        StreamParts(
            requester: requester,
            retriever: "paginator: { type: DefaultPaginator, pagination_strategy: { \(strategy) } \(token) }")
    }

    private static let cursor = "type: CursorPagination, cursor_value: '{{ response.next }}'"
    private static let token = "next_page_token['next_page_token']"
    private static let tokens = [
        // The paginator has a parameter of its own.
        paged(cursor, "request_parameters: { after: \"{{ \(token) }}\" }")
            .with("paginator: { type: cursor, cursor_path: $.next, cursor_param: after }"),
        paged(cursor, "request_parameters: { after: \"{{ \(token) if next_page_token else '*' }}\" }")
            .with("paginator: { type: cursor, cursor_path: $.next, cursor_param: after, first_cursor: '*' }"),
        paged(cursor, "request_parameters: { after: \"{{ \(token) or '*' }}\" }")
            .with("paginator: { type: cursor, cursor_path: $.next, cursor_param: after, first_cursor: '*' }"),
        // It stands in a text.
        paged(cursor, "request_parameters: { filter: \"id>{{ \(token) or 0 }}\" }").with(
            "{ params: { filter: 'id>{page.cursor}' }, paginator: { type: cursor, cursor_path: $.next, first_cursor: '0' } }"
        ),
        paged(cursor, "request_body_json: { page: [ \"{{ \(token) }}\" ] }").with(
            "{ json: { page: ['{page.cursor}'] }, paginator: { type: cursor, cursor_path: $.next }, method: GET }"),
        paged(
            cursor,
            "request_body_json: { variables: \"{{ {'after': \(token), 'first': 9} if next_page_token else {} }}\" }"
        ).with(losses: ["page_token: next_page_token.next_page_token", "page_token: no request holds it"]),
        paged(cursor, "request_body_json: { variables: \"{{ {'after': \(token)} if next_page_token else {} }}\" }")
            .with(
                "{ json: { variables: { after: '{page.cursor}' } }, paginator: { type: cursor, cursor_path: $.next }, method: GET }"
            ),
        paged("type: OffsetIncrement, page_size: 50", "request_parameters: { limit: \"{{ \(token) or 0 }},50\" }").with(
            "{ params: { limit: '{page.offset},50' }, paginator: { type: offset, limit: 50 } }"),
        paged(
            "type: OffsetIncrement, page_size: 50", "request_parameters: { q: \"from {{ (\(token) or 0) + 1 }} on\" }"
        )
        .with("{ params: { q: 'from {page.offset} on' }, paginator: { type: offset, limit: 50, base_offset: 1 } }"),
        paged("type: OffsetIncrement, page_size: 50", "request_parameters: { from: \"{{ (\(token) or 0) + 1 }}\" }")
            .with("{ params: { from: '{page.offset}' }, paginator: { type: offset, limit: 50, base_offset: 1 } }"),
        paged("type: PageIncrement, start_from_page: 1", "path: \"/list/{{ \(token) or 1 }}\"")
            .with("paginator: { type: page_number, base_page: 1 }"),
        // A URL that the server gives needs no token, and what only the first page has is in that page.
        paged(
            cursor, "request_parameters: { size: \"{{ 10 if not next_page_token }}\" }",
            token: ", page_token_option: { type: RequestPath }"
        )
        .with("{ params: { size: 10 }, paginator: { type: json_link, next_url_path: $.next } }"),
        paged(
            cursor,
            "request_parameters: { from: \"{{ '' if next_page_token else config.name }}\", a: \"{{ \(token) }}\" }"
        )
        .with(
            "paginator: { type: cursor, cursor_path: $.next, cursor_param: a }",
            losses: ["computed_request: a value of the first page only, or of the others only"]),
    ]

    @Test(arguments: tokens)
    func `the token of a page goes where the request has it`(parts: StreamParts) throws {
        try parts.check(["params", "headers", "json", "paginator", "method"])
    }
}

extension StreamParts {
    fileprivate func with(_ keys: String = "{}", losses: [String] = []) -> StreamParts {
        var parts = self
        (parts.keys, parts.losses) = (keys, losses)
        return parts
    }
}
