import Testing

@testable import GarnerImport

struct TranslatedAnswerTests {
    private static func handler(_ filters: String, _ actions: String = "[]", losses: [String] = []) -> StreamParts {
        StreamParts(
            requester: "error_handler: { type: DefaultErrorHandler, \(filters) }",
            keys: actions == "[]" ? "{}" : "response_actions: \(actions)", losses: losses)
    }

    private static let pages =
        "paginator: { type: DefaultPaginator, pagination_strategy: { type: PageIncrement }, "
        + "page_token_option: { type: RequestOption, inject_into: request_parameter, field_name: page } }"

    private static let answers = [
        handler(
            "response_filters: [ { http_codes: [403, 404], action: IGNORE } ]",
            "[ { status: 403, action: ignore }, { status: 404, action: ignore } ]"),
        // Garner does so anyway, unless what follows says something else.
        handler("response_filters: [ { http_codes: [401], action: FAIL }, { http_codes: [429, 503], action: RETRY } ]"),
        handler(
            "response_filters: [ { http_codes: [400], action: FAIL }, { error_message_contains: gone, action: IGNORE } ]",
            "[ { status: 400, action: fail }, { body_contains: gone, action: ignore } ]"),
        handler(
            "response_filters: [ { http_codes: [420], action: RATE_LIMITED }, { http_codes: [500], action: SUCCESS } ]",
            "[ { status: 420, action: retry }, { status: 500, action: accept } ]"),
        handler(
            "response_filters: [ { predicate: '{{ response.code == 40100 }}', action: RETRY } ]",
            "[ { when: $.code == 40100, action: retry } ]"),
        handler(
            "response_filters: [ { predicate: \"{{ 'gone' in response.error.text }}\", action: FAIL } ]",
            "[ { body_contains: gone, action: fail } ]"),
        // One of the tests is enough.
        handler(
            "response_filters: [ { http_codes: [409], error_message_contains: busy, action: RETRY } ]",
            "[ { status: 409, action: retry }, { body_contains: busy, action: retry } ]"),
        handler(
            "response_filters: [ { predicate: '{{ response.a | hash }}', action: IGNORE } ]",
            losses: ["response_filter: response.a (hash)"]),
        handler(
            "response_filters: [ { http_codes: [400], action: RESET_PAGINATION } ]",
            losses: ["response_filter: RESET_PAGINATION"]),
        handler("response_filters: [ { http_codes: [401], action: REFRESH_TOKEN_THEN_RETRY } ]"),
        handler(
            "backoff_strategies: [ { type: WaitTimeFromHeader, header: Retry-After }, { type: ConstantBackoffStrategy } ]"
        ),
        handler(
            "backoff_strategies: [ { type: WaitUntilTimeFromHeader, header: X-Wait }, { class_name: source_zoo.Wait } ]",
            losses: ["waiting_time: X-Wait", "waiting_time: source_zoo.Wait"]),
        StreamParts(
            requester: """
                error_handler: { type: CompositeErrorHandler, error_handlers: [
                { response_filters: [ { http_codes: [404], action: IGNORE } ] }, { class_name: source_zoo.Handler } ] }
                """, retriever: pages, keys: "response_actions: [ { status: 404, action: end } ]",
            losses: ["custom_code: source_zoo.Handler (differs)"]),
    ]

    @Test(arguments: answers)
    func `an error handler becomes the actions that Garner does not do anyway`(parts: StreamParts) throws {
        try parts.check(["response_actions"])
    }

    private static let decoders = [
        StreamParts(retriever: "decoder: { type: JsonDecoder }"),
        StreamParts(retriever: "decoder: { type: GzipDecoder, decoder: { type: JsonDecoder } }"),
        StreamParts(
            retriever:
                "decoder: { type: CompositeRawDecoder, parser: { type: GzipParser, inner_parser: { type: JsonLineParser } } }",
            keys: "response: { media_types: ['*/*'], format: json_lines }"),
        StreamParts(
            retriever: "decoder: { type: CompositeRawDecoder, parser: { type: JsonParser, encoding: latin-1 } }",
            keys: "response: { charset: iso-8859-1 }"),
        StreamParts(
            retriever: "decoder: { type: CompositeRawDecoder, parser: { type: JsonParser, encoding: koi8-r } }",
            losses: ["decoder: koi8-r"]),
        StreamParts(retriever: "decoder: { type: XmlDecoder }", losses: ["decoder: XmlDecoder"]),
        StreamParts(
            retriever: "decoder: { type: CustomDecoder, class_name: source_zoo.Unzip }",
            losses: ["custom_code: source_zoo.Unzip"]),
    ]

    @Test(arguments: decoders)
    func `a decoder says how answers are read`(parts: StreamParts) throws { try parts.check(["response"]) }

    @Test func `the strictest budget of calls is the rate, and the number of threads that of requests`() throws {
        let budget = try ManifestReader.node(
            of: """
                policies:
                  - { type: FixedWindowCallRatePolicy, period: PT1M, call_limit: 120 }
                  - { type: MovingWindowCallRatePolicy, rates: [ { limit: "{{ config.size }}", interval: PT1M } ] }
                  - { type: UnlimitedCallRatePolicy }
                """)
        let concurrency = try ManifestReader.node(
            of: "{ default_concurrency: '{{ config.threads or 10 }}', max_concurrency: 20 }")
        let keys = try StreamParts().translated().translateLimits(budget: budget, concurrency: concurrency)
        let rate = FileMapping(["requests": .int(50), "per": .plain("1m")])
        #expect(keys == FileMapping(["rate_limit": .mapping(rate), "max_concurrency": .int(10)]))
    }
}
