import Testing

@testable import GarnerImport

struct TranslatedValueTests {
    @Test(
        arguments: [
            ("{{ config.name }}", "garner"), ("{{ config.size }}", "50"), ("{{ config.active }}", "true"),
            ("{{ config.missing }}", nil), ("{{ config.empty }}", nil), ("Token {{ config.key }}", "Token ${API_KEY}"),
            ("cost: $5", "cost: $5"), ("${name} $NAME", "$${name} $$NAME"),
            ("$\u{301} $NAME", "$$\u{301} $$NAME"), ("'{{ config.name }} x'", "garner x"),
            ("{{ stream_interval.start_time }}", "{incremental.start_value}"),
            ("{{ stream_slice['end_time'] }}", "{incremental.end_value}"),
            ("{{ stream_state.updated }}", "{incremental.start_value}"),
            ("{{ stream_interval.start_time if stream_interval else '2020-01-01' }}", "{incremental.start_value}"),
            ("{{ stream_state.updated or '2020-01-01' if stream_state else '' }}", "{incremental.start_value}"),
            ("{{ format_datetime(stream_interval.start_time, '%Y-%m-%d') }}", "{incremental.start_value, date}"),
            (
                "{{ format_datetime(stream_interval.start_time, '%Y-%m-%dT%H:%M:%S%:z') }}",
                "{incremental.start_value, %Y-%m-%dT%H:%M:%S+00:00}"
            ),
            ("{{ timestamp(stream_interval.start_time) * 1000 }}", "{incremental.start_value, epoch_ms}"),
            ("{{ stream_interval.start_time.split('T')[0] }}", "{incremental.start_value, date}"),
            ("{{ stream_interval.end_time[:10] }}", "{incremental.end_value, date}"),
            (
                "{{ stream_interval.start_time[:-1] + '+00:00' }}",
                "{incremental.start_value, %Y-%m-%dT%H:%M:%S}+00:00"
            ),
            (
                "{{ stream_interval.start_time[:-1] + '.0' + stream_interval.end_time[-1:] }}",
                "{incremental.start_value, %Y-%m-%dT%H:%M:%S}.0Z"
            ),
            (
                "{{ stream_interval.start_time | replace('Z', '.000') }}",
                "{incremental.start_value, %Y-%m-%dT%H:%M:%S.000}"
            ),
            (
                "[{{ stream_interval.start_time }},{{ stream_interval.end_time }}]",
                "[{incremental.start_value},{incremental.end_value}]"
            ),
            ("{{ stream_partition.region }}", "{partition.region}"),
            ("{{ stream_slice.region or '' }}-x", "{partition.region}-x"),
            ("{{ config.key | trim }}", "${API_KEY}"), ("{{ ' a ' | trim }}", "a"),
            ("{{ stream_interval.start_time | trim }}", "{incremental.start_value}"),
            ("{{ today_utc() }}", "{now, date}"),
            ("{{ day_delta(-7, format='%Y%m%d') }}", "{now - 7d, %Y%m%d}"),
            ("{{ (now_utc() - duration('PT90M')).strftime('%s') }}", "{now - 1h30m, epoch}"),
        ] as [(String, String?)])
    func `a value of a request is known, a secret or a placeholder`(template: String, text: String?) throws {
        let parts = Self.parts(template)
        let translation = try parts.translated()
        let value = translation.stream[mapping: "params"]["x"]
        switch value {
        case .plain(let plain): #expect(plain == text)
        default: #expect(value == text.map { .text($0) }, "\(translation.losses)")
        }
    }

    @Test(arguments: [
        ("{{ config.key }}-{{ stream_partition.region }}", "secret_in_text: a secret and a placeholder in one text"),
        ("{{ config.key | base64encode }}", "secret_in_text: base64encode"),
        ("{{ stream_slice.owner }}", "slice_value: slice.owner"),
        ("{{ stream_interval.start_time | int + 5 }}", "computed_request: interval.start_time (add)"),
        ("{{ response.next }}", "computed_request: response.next"),
        ("{{ stream_interval.start_time[2:] }}", "computed_request: interval.start_time (slice)"),
        (
            "{{ format_datetime(stream_interval.start_time, '%Y-%m-%dT%H:%M:%S%z').split('+')[0] }}",
            "computed_request: interval.start_time (item)"
        ),
        (
            "{{ format_datetime(stream_interval.start_time, '%d %B %Y').replace('M', 'm') }}",
            "computed_request: interval.start_time (replace)"
        ),
        ("{{ stream_slice.region | lower }}", "computed_request: slice.region (lower)"),
        ("{{ stream_slice.region | trim }}", "computed_request: slice.region (trim)"),
        ("a {name} b", "body_template: '{name}' is text and would be a placeholder"),
        ("{{ format_datetime(stream_interval.start_time, '%Y') }}", "time_format: %Y"),
        ("{{ now_utc() | surprise }}", "jinja: Jinja's 'surprise' is not known here"),
        ("{{ config. }}", "jinja: the text is no Jinja"),
        ("{{ {'a': 1} }}", "request_option: an object in 'x'"),
    ])
    func `a value that no request can have is named`(template: String, loss: String) throws {
        let losses = try Self.parts(template).translated().losses.filter { $0.code != .cursor }
        #expect(losses.map { $0.code.rawValue + ($0.detail.map { ": \($0)" } ?? "") }.first == loss)
        #expect(losses.first?.effect == .notWritten)
    }

    @Test func `a stream that is read in full has no state, so that nothing is sent`() throws {
        let requester = "request_parameters: { x: '{{ stream_state.updated }}', y: '{{ stream_state.updated or 3 }}' }"
        try StreamParts(requester: requester, keys: "{ params: { y: 3 } }").check(["params"])
    }

    @Test(.timeLimit(.minutes(5)))
    func `what nests deeply or comes in masses ends as a loss`() throws {
        let splits = String(repeating: ".split('-')[0]", count: 50)
        let nested = try Self.parts("{{ stream_interval.start_time\(splits) }}").translated()
        #expect(nested.losses.contains { $0.effect == .notWritten })
        let many = (0..<5000).map { "p\($0): a" }.joined(separator: ", ")
        let parts = StreamParts(
            requester: "{ request_parameters: { \(many) }, http_method: POST, request_body_json: { \(many) } }")
        #expect(try parts.translated().losses.map(\.code) == [.requestOption, .bodyTemplate])
    }

    private static func parts(_ template: String) -> StreamParts {
        let quoted = template.replacing("'", with: "''")
        return StreamParts(
            requester: "request_parameters: { x: '\(quoted)' }", retriever: StreamParts.regions,
            stream: StreamParts.window)
    }

    @Test func `a value of a parent's parent comes through the columns that streams keep`() throws {
        let parent = """
            { type: DeclarativeStream, name: %, primary_key: id, retriever: { type: SimpleRetriever, record_selector: {},
              requester: { type: HttpRequester, url_base: "https://zoo.example", path: "/%" } } }
            """
        let zoos = parent.replacing("%", with: "zoos")
        let houses = parent.replacing("%", with: "houses").replacing(
            "requester:", with: "partition_router: \(Self.router(of: zoos, "zoo")), requester:"
        ).replacing("/houses", with: "/{{ stream_slice.zoo }}/houses")
        let translation = try StreamParts(
            requester: """
                path: "/{{ stream_slice.parent_slice.zoo }}/{{ stream_slice.house }}/{{ stream_slice.extra_fields['a.b.c'] }}"
                """,
            retriever: "partition_router: \(Self.router(of: houses, "house"))"
        ).translated()
        #expect(translation.stream["path"] == .text("/{parent._zoos_id}/{parent.id}/{parent.a__b__c}"))
        #expect(translation.parents.first?.stream["include_from_parent"] == .list([.text("id")]))
        #expect(translation.parents.first?.stream["flatten_depth"] == .int(2))
        #expect(translation.losses.isEmpty)
    }

    private static func router(of stream: String, _ field: String) -> String {
        """
        { type: SubstreamPartitionRouter, parent_stream_configs: [ { type: ParentStreamConfig, parent_key: id,
          partition_field: \(field), extra_fields: [[a, b, c]], stream: \(stream) } ] }
        """
    }
}
