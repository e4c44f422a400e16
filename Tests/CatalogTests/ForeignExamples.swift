/// Lines of a stream with words of other programs, the hints on them, and the lines without the mistake.
enum ForeignExamples {
    /// Words that another one stands for.
    static let names: [(String, String, String)] = [
        ("endpoint: a", "did you mean 'path'?", "path: a"),
        ("data_selector: a", "did you mean 'record_selector'?", "record_selector: $.a"),
        ("transform: x", "did you mean 'fields'?", "fields: { drop: [x] }"),
        ("incremental: { cursor: at }", "did you mean 'cursor_field'?", "incremental: { cursor_field: at }"),
        ("schema_contract: strict", "did you mean 'freeze'?", "schema_contract: freeze"),
        ("query: { a: 1 }", "did you mean 'params'?", "params: { a: 1 }"),
        ("pagination: { type: page_number }", "did you mean 'paginator'?", "paginator: { type: page_number }"),
        ("authenticator: { type: none }", "did you mean 'auth'?", "auth: { type: none }"),
        ("auth: { type: token, token: \"${T}\" }", "did you mean 'bearer'?", "auth: { type: bearer, token: \"${T}\" }"),
        (
            "paginator: { type: next_link }", "did you mean 'json_link'?",
            "paginator: { type: json_link, next_url_path: $.next }"
        ),
        ("hooks: { on_error: [] }", "did you mean 'on_failure'?", "hooks: { on_failure: [] }"),
        ("hooks: { healthcheck: https://a/b }", "did you mean 'ping'?", "hooks: { ping: https://a/b }"),
        ("query: status=open", "did you mean 'params'?", "params: { status: open }"),
        (
            "incremental: { cursor_field: at, format: epoch }", "did you mean 'cursor_datetime_format'?",
            "incremental: { cursor_field: at, cursor_datetime_format: epoch }"
        ),
        (
            "incremental: { cursor_field: at, start: 2026-01-01 }", "did you mean 'initial_value'?",
            "incremental: { cursor_field: at, initial_value: 2026-01-01 }"
        ),
        (
            "paginator: { type: page_number, per_page: 5 }", "did you mean 'page_size'?",
            "paginator: { type: page_number, page_size: 5 }"
        ),
        (
            "paginator: { type: offset, per_page: 5 }", "did you mean 'limit'?",
            "paginator: { type: offset, limit: 5 }"
        ),
        (
            "paginator: { type: page_number, param: p }", "did you mean 'page_param'?",
            "paginator: { type: page_number, page_param: p }"
        ),
        (
            "paginator: { type: offset, param: p, limit: 3 }", "did you mean 'offset_param'?",
            "paginator: { type: offset, offset_param: p, limit: 3 }"
        ),
        ("limits: { read_timeout: 10s }", "did you mean 'idle'?", "limits: { idle: 10s }"),
        ("limits: { connect_timeout: 9s }", "did you mean 'connect'?", "limits: { connect: 9s }"),
        ("retry: { count: 3 }", "did you mean 'max_attempts'?", "retry: { max_attempts: 3 }"),
        ("retry: { backoff: 2s }", "did you mean 'base_delay'?", "retry: { base_delay: 2s }"),
        ("limits: { timeout: 10s }", "did you mean 'total'?", "limits: { total: 10s }"),
        (
            "params: { a: \"{incremental.start_value}\" }\nincremental: { cursor_field: at, start_value: 1 }",
            "did you mean 'initial_value'?",
            "params: { a: \"{incremental.start_value}\" }\nincremental: { cursor_field: at, initial_value: 1 }"
        ),
        ("auth: { type: bearer, key: \"${T}\" }", "did you mean 'token'?", "auth: { type: bearer, token: \"${T}\" }"),
        ("auth: { type: bearer, value: \"${T}\" }", "did you mean 'token'?", "auth: { type: bearer, token: \"${T}\" }"),
        (
            "auth: { type: bearer, credential: \"${T}\" }", "did you mean 'token'?",
            "auth: { type: bearer, token: \"${T}\" }"
        ),
        (
            "auth: { type: api_key, name: X-A, key: \"${T}\" }", "did you mean 'value'?",
            "auth: { type: api_key, name: X-A, value: \"${T}\" }"
        ),
        (
            "auth: { type: api_key, header: X-A, value: \"${T}\" }", "did you mean 'name'?",
            "auth: { type: api_key, name: X-A, value: \"${T}\" }"
        ),
        ("attachments: [ { url: photo } ]", "did you mean 'field'?", "attachments: [ { field: photo } ]"),
        (
            "paginator: { type: page_number, start_page: 0 }", "did you mean 'base_page'?",
            "paginator: { type: page_number, base_page: 0 }"
        ),
        ("query: { path: /a }", "did you mean 'params'?", "params: { path: /a }"),
        ("webhook: https://a/b", "did you mean 'hooks'?", "hooks: { ping: https://a/b }"),
        (
            "hooks: { on_failure: [ { url: https://a/b } ] }", "did you mean 'post'?",
            "hooks: { on_failure: [ { post: https://a/b } ] }"
        ),
        (
            "hooks: { on_failure: [ { command: [mail] } ] }", "did you mean 'run'?",
            "hooks: { on_failure: [ { run: [mail] } ] }"
        ),
        ("write_disposition: overwrite", "did you mean 'replace'?", "write_disposition: replace"),
        ("response: { format: jsonl }", "did you mean 'json_lines'?", "response: { format: json_lines }"),
        ("fields: { types: { at: timestamp } }", "did you mean 'text'?", "fields: { types: { at: text } }"),
        ("response: { encoding: latin1 }", "did you mean 'charset'?", "response: { charset: iso-8859-1 }"),
    ]
}
