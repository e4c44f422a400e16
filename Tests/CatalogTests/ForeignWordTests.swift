import GarnerCatalog
import GarnerModel
import Testing

/// Keys, values and spellings of other programs, with what they are called here.
struct ForeignWordTests {
    /// Each advice is followed: the line without its mistake has none.
    @Test(arguments: [
        ("endpoint: a", "did you mean 'path'?", "path: a"),
        ("data_selector: a", "did you mean 'record_selector'?", "record_selector: $.a"),
        (
            "replication_key: at",
            "write incremental: { cursor_field: at }, and where its requests say from when on, such as "
                + "params: { since: \"{incremental.start_value}\" }",
            "incremental: { cursor_field: at }\nparams: { since: \"{incremental.start_value}\" }"
        ),
        (
            "bookmark: at",
            "write incremental: { cursor_field: at }, and where its requests say from when on, such as "
                + "params: { since: \"{incremental.start_value}\" }",
            "incremental: { cursor_field: at }\nparams: { since: \"{incremental.start_value}\" }"
        ),
        ("retries: 3", "write retry: { max_attempts: 3 }", "retry: { max_attempts: 3 }"),
        ("every: 15m", "write schedule: { every: 15m }", "schedule: { every: 15m }"),
        ("cron: 0 6 * * *", "write schedule: { cron: \"0 6 * * *\" }", "schedule: { cron: \"0 6 * * *\" }"),
        ("pagination: page", "write paginator: { type: page_number }", "paginator: { type: page_number }"),
        ("transform: x", "did you mean 'fields'?", "fields: { drop: [x] }"),
        ("incremental: { cursor: at }", "did you mean 'cursor_field'?", "incremental: { cursor_field: at }"),
        ("schema_contract: strict", "did you mean 'freeze'?", "schema_contract: freeze"),
        ("history: true\nkeep_history: forever", "leave 'keep_history' out for that", "history: true"),
        (
            "incremental: { cursor_field: at, full_refresh_every: never }",
            "leave 'incremental.full_refresh_every' out for that", "incremental: { cursor_field: at }"
        ),
        ("query: { a: 1 }", "did you mean 'params'?", "params: { a: 1 }"),
        ("pagination: { type: page_number }", "did you mean 'paginator'?", "paginator: { type: page_number }"),
        ("authenticator: { type: none }", "did you mean 'auth'?", "auth: { type: none }"),
        ("auth: { type: token, token: \"${T}\" }", "did you mean 'bearer'?", "auth: { type: bearer, token: \"${T}\" }"),
        (
            "auth: { type: bearer, token: { env: T } }", "write \"${T}\"", "auth: { type: bearer, token: \"${T}\" }"
        ),
        ("params: { since: {now} }", "write \"{now}\" with the quotes", "params: { since: \"{now}\" }"),
        ("json: { since: {now} }", "write \"{now}\" with the quotes", "json: { since: \"{now}\" }"),
        (
            "params: { since: {now - 7d} }", "write \"{now - 7d}\" with the quotes",
            "params: { since: \"{now - 7d}\" }"
        ),
        ("auth: { type: bearer, token: { file: ~/t } }", "write the whole path: only a shell knows '~'", ""),
        (
            "paginator: { type: next_link }", "did you mean 'json_link'?",
            "paginator: { type: json_link, next_url_path: $.next }"
        ),
        (
            "paginator: header_link", "write paginator: { type: header_link }", "paginator: { type: header_link }"
        ),
        (
            "paginator: json_link", "write paginator: { type: json_link, next_url_path: $.next }",
            "paginator: { type: json_link, next_url_path: $.next }"
        ),
        ("paginator: none", "write paginator: { type: single_page }", "paginator: { type: single_page }"),
        ("paginator: page", "write paginator: { type: page_number }", "paginator: { type: page_number }"),
        (
            "auth: { type: oauth2, grant_type: authorization_code, token_url: \"https://a/t\", client_id: a, client_secret: \"${T}\" }",
            "write client_credentials if the API has it; else let a person log in once by another program, and write "
                + "grant_type: refresh_token, refresh_token: \"${REFRESH_TOKEN}\"",
            "auth: { type: oauth2, grant_type: refresh_token, refresh_token: \"${T}\", token_url: \"https://a/t\", client_id: a }"
        ),
        (
            "auth: { type: oauth2, grant_type: \"urn:ietf:params:oauth:grant-type:device_code\", token_url: \"https://a/t\" }",
            "write client_credentials if the API has it; else let a person log in once by another program, and write "
                + "grant_type: refresh_token, refresh_token: \"${REFRESH_TOKEN}\"",
            "auth: { type: oauth2, grant_type: client_credentials, token_url: \"https://a/t\", client_id: a, client_secret: \"${T}\" }"
        ),
        (
            "auth: { type: oauth2, grant_type: password, token_url: \"https://a/t\", client_id: a, username: joe, password: \"${T}\" }",
            "write auth: { type: session_token, request: { url: \"https://a/t\", form: { grant_type: \"password\", "
                + "client_id: \"a\", username: \"joe\", password: \"${T}\" } }, take: { token: $.access_token } }",
            "auth: { type: session_token, request: { url: \"https://a/t\", form: { grant_type: \"password\", "
                + "client_id: \"a\", username: \"joe\", password: \"${T}\" } }, take: { token: $.access_token } }"
        ),
        (
            "streams: { notes: { path: \"items/{parent.id}/notes\" } }",
            "write 'notes:' beside 'animals:', in the same column, with 'parent: animals' below it", ""
        ),
        (
            "paginator: { type: page_number, cursor_path: $.next }",
            "'page_number' has no such key: it is one of type: cursor",
            "paginator: { type: cursor, cursor_path: $.next }"
        ),
        (
            "paginator: { type: single_page, page_size: 9 }",
            "'single_page' has no such key: it is one of type: page_number",
            "paginator: { type: page_number, page_size: 9 }"
        ),
        (
            "params: { since: { type: incremental, cursor_path: meta.at, initial_value: '2024-01-01' } }",
            "write \"{incremental.start_value}\" in its place, and in the stream incremental: "
                + "{ cursor_field: $.meta.at, initial_value: \"2024-01-01\" }",
            "params: { since: \"{incremental.start_value}\" }\n"
                + "incremental: { cursor_field: $.meta.at, initial_value: \"2024-01-01\" }"
        ),
        ("hooks: { on_error: [] }", "did you mean 'on_failure'?", "hooks: { on_failure: [] }"),
        ("hooks: { healthcheck: https://a/b }", "did you mean 'ping'?", "hooks: { ping: https://a/b }"),
        (
            "limit: 5",
            "write params: { limit: 5 }, or paginator: { type: offset, limit: 5 } if the API skips records",
            "params: { limit: 5 }"
        ),
        (
            "limit: 5",
            "write params: { limit: 5 }, or paginator: { type: offset, limit: 5 } if the API skips records",
            "paginator: { type: offset, limit: 5 }"
        ),
        (
            "per_page: 50",
            "write params: { per_page: 50 }, or paginator: { type: page_number, page_size: 50, page_size_param: per_page } "
                + "if its pages are numbered",
            "paginator: { type: page_number, page_size: 50, page_size_param: per_page }"
        ),
        (
            "params: { a: b }\npaginator: { type: header_link }\npage_size: big", "write page_size: 100 in 'params'",
            "params: { a: b, page_size: 100 }\npaginator: { type: header_link }"
        ),
        (
            "paginator: { type: offset }\npage_size: 50", "write limit: 50, limit_param: page_size in 'paginator'",
            "paginator: { type: offset, limit: 50, limit_param: page_size }"
        ),
        (
            "paginator: { type: page_number }\nlimit: 50", "write page_size: 50, page_size_param: limit in 'paginator'",
            "paginator: { type: page_number, page_size: 50, page_size_param: limit }"
        ),
        (
            "cursor_path: $.meta.next", "write paginator: { type: cursor, cursor_path: $.meta.next }",
            "paginator: { type: cursor, cursor_path: $.meta.next }"
        ),
        (
            "cursor_path: $.items[-1].id", "write paginator: { type: cursor, cursor_path: \"$.items[-1].id\" }",
            "paginator: { type: cursor, cursor_path: \"$.items[-1].id\" }"
        ),
        (
            "cursor_path: updated_at",
            "write incremental: { cursor_field: updated_at }, and where its requests say from when on, such as "
                + "params: { since: \"{incremental.start_value}\" }",
            "incremental: { cursor_field: updated_at }\nparams: { since: \"{incremental.start_value}\" }"
        ),
        ("timeout: 30", "write limits: { total: 30s }", "limits: { total: 30s }"),
        ("timeout: 2m", "write limits: { total: 2m }", "limits: { total: 2m }"),
        ("timeout: long", "write limits: { total: 30s }", "limits: { total: 30s }"),
        ("limits: { idle: 5s }\ntimeout: 30", "write total: 30s in 'limits'", "limits: { idle: 5s, total: 30s }"),
        ("limits: 20", "write limits: { total: 20s }", "limits: { total: 20s }"),
        ("retry: 3", "write retry: { max_attempts: 3 }", "retry: { max_attempts: 3 }"),
        ("retry: true", "write retry: { max_attempts: 5 }", "retry: { max_attempts: 5 }"),
        (
            "incremental: changed_at",
            "write incremental: { cursor_field: changed_at }, and where its requests say from when on, such as "
                + "params: { since: \"{incremental.start_value}\" }",
            "incremental: { cursor_field: changed_at }\nparams: { since: \"{incremental.start_value}\" }"
        ),
        (
            "query: \"{items{id}}\"",
            "write json: { query: \"{ items{ id}}\" }, which is sent with method: POST",
            "json: { query: \"{ items{ id}}\" }"
        ),
        (
            "graphql: |\n  query Q {\n    items { name }\n  }",
            "write json: { query: \"query Q { items { name } }\" }, which is sent with method: POST",
            "json: { query: \"query Q { items { name } }\" }\nmethod: POST"
        ),
        ("query: status=open", "did you mean 'params'?", "params: { status: open }"),
        (
            "incremental: { cursor_field: at, param: updated_since }",
            "write params: { updated_since: \"{incremental.start_value}\" } in the stream, in place of this key",
            "incremental: { cursor_field: at }\nparams: { updated_since: \"{incremental.start_value}\" }"
        ),
        (
            "incremental: { cursor_field: at, format: epoch }", "did you mean 'cursor_datetime_format'?",
            "incremental: { cursor_field: at, cursor_datetime_format: epoch }"
        ),
        (
            "incremental: { cursor_field: at, start: 2026-01-01 }", "did you mean 'initial_value'?",
            "incremental: { cursor_field: at, initial_value: 2026-01-01 }"
        ),
        ("attachments: [photo]", "write { field: photo }", "attachments: [ { field: photo } ]"),
        ("attachments: photo", "write attachments: [ { field: photo } ]", "attachments: [ { field: photo } ]"),
        ("retry.max_attempts: 3", "write retry: { max_attempts: 3 }", "retry: { max_attempts: 3 }"),
        ("schedule.every: 15m", "write schedule: { every: 15m }", "schedule: { every: 15m }"),
        (
            "headers.Accept: application/json", "write headers: { Accept: application/json }",
            "headers: { Accept: application/json }"
        ),
        (
            "headers.Authorization: Bearer hunter2", "write headers: { Authorization: \"${NAME}\" }",
            "headers: { Authorization: \"${T}\" }"
        ),
        (
            "retry: { max_attempts: 2 }\nretry.base_delay: 2s", "write base_delay: 2s in 'retry'",
            "retry: { max_attempts: 2, base_delay: 2s }"
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
        (
            "na_values: [n/a]", "remove it: a word such as n/a in a column of numbers or times is NULL for SQL anyway",
            ""
        ),
        ("limits: { timeout: 10s }", "did you mean 'total'?", "limits: { total: 10s }"),
        (
            "params: { a: \"{incremental.start_value}\" }\nincremental: { cursor_field: at, start_value: 1 }",
            "did you mean 'initial_value'?",
            "params: { a: \"{incremental.start_value}\" }\nincremental: { cursor_field: at, initial_value: 1 }"
        ),
        (
            "enabled: false", "comment the stream out, or write schedule: none, so that only 'garner sync' fetches it",
            "schedule: none"
        ),
        ("form: { filter: { a: 1, b: x } }", "write \"filter[a]\": 1, \"filter[b]\": …", "form: { \"filter[a]\": 1 }"),
        ("params: { filter: { a: 1 } }", "write \"filter[a]\": 1", "params: { \"filter[a]\": 1 }"),
        (
            "params: { a: \"${incremental.start_value}\" }\nincremental: { cursor_field: at }",
            "leave out the $ before {incremental.start_value}",
            "params: { a: \"{incremental.start_value}\" }\nincremental: { cursor_field: at }"
        ),
        ("params: { a: \"${now}\" }", "leave out the $ before {now}, or export now=…", "params: { a: \"{now}\" }"),
        ("body: { a: 1 }", "write 'json:' or 'form:' in the place of 'body:'", "json: { a: 1 }"),
        ("params: { a: * }", "put the text in quotes", "params: { a: \"*\" }"),
        ("cursor_field: at", "move it into 'incremental'", "incremental: { cursor_field: at }"),
        ("max_pages: 3", "move it into 'paginator'", "paginator: { type: auto, max_pages: 3 }"),
        ("drop: [a]", "move it into 'fields'", "fields: { drop: [a] }"),
        ("max_attempts: 3", "move it into 'retry'", "retry: { max_attempts: 3 }"),
        ("data_types: evolve", "move it into 'schema_contract'", "schema_contract: { data_types: evolve }"),
        (
            "token: \"${T}\"", "write auth: { type: bearer, token: \"${T}\" }",
            "auth: { type: bearer, token: \"${T}\" }"
        ),
        (
            "auth: { type: none }\ntoken: \"${T}\"", "move it into 'auth'", "auth: { type: bearer, token: \"${T}\" }"
        ),
        (
            "apiKey: \"${T}\"", "write auth: { type: api_key, name: X-API-Key, value: \"${T}\" }",
            "auth: { type: api_key, name: X-API-Key, value: \"${T}\" }"
        ),
        ("auth: { token: \"${T}\" }", "add 'type: bearer'", "auth: { type: bearer, token: \"${T}\" }"),
        (
            "auth: { username: a, password: \"${T}\" }", "add 'type: http_basic'",
            "auth: { type: http_basic, username: a, password: \"${T}\" }"
        ),
        (
            "timezone: UTC", "move it into 'incremental' or 'schedule'",
            "schedule: { cron: \"0 6 * * *\", timezone: UTC }"
        ),
        (
            "incremental: { cursor_field: updated_at, primary_key: id }",
            "write it beside 'incremental', not in it: primary_key: id",
            "incremental: { cursor_field: updated_at }\nprimary_key: id"
        ),
        (
            "paginator: { type: page_number, record_selector: $.items }", "write it beside 'paginator', not in it",
            "paginator: { type: page_number }\nrecord_selector: $.items"
        ),
        (
            "retry: { max_attempts: 3, rate_limit: { requests: 1, per: 1s } }", "move it into the source",
            "retry: { max_attempts: 3 }"
        ),
        ("fields: { table: pets }", "move it into the stream: table: pets", "table: pets"),
        (
            "schedule: { every: 1h, max_attempts: 3 }", "move it into 'retry'",
            "schedule: { every: 1h }\nretry: { max_attempts: 3 }"
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
        ("write_disposition: { mode: scd2 }", "write merge, append or replace", "write_disposition: merge"),
        ("record_selector: results", "write \"$.results\"", "record_selector: \"$.results\""),
        ("record_selector: .results[]", "write \"$.results[*]\"", "record_selector: \"$.results[*]\""),
        ("record_selector: data.0.items", "write \"$.data[0].items\"", "record_selector: \"$.data[0].items\""),
        ("record_selector: data.*.items", "write \"$.data[*].items\"", "record_selector: \"$.data[*].items\""),
        (
            "record_selector: \"$.items[?(@.id > 1)]\"",
            "write record_selector: \"$.items[*]\" and record_filter: \"@.id > 1\"",
            "record_selector: \"$.items[*]\"\nrecord_filter: \"@.id > 1\""
        ),
        (
            "record_selector: \"$[?@.a == 'x' && (@.b > 1)]\"",
            "write record_selector: \"$[*]\" and record_filter: \"@.a == 'x' && (@.b > 1)\"",
            "record_selector: \"$[*]\"\nrecord_filter: \"@.a == 'x' && (@.b > 1)\""
        ),
        (
            "record_selector: \"items[?id > `1`]\"",
            "write record_selector: \"$.items[*]\" and record_filter: \"@.id > 1\"",
            "record_selector: \"$.items[*]\"\nrecord_filter: \"@.id > 1\""
        ),
        (
            "record_selector: \".items[] | select(.id > 1)\"",
            "write record_selector: \"$.items[*]\" and record_filter: \"@.id > 1\"",
            "record_selector: \"$.items[*]\"\nrecord_filter: \"@.id > 1\""
        ),
        ("record_selector: /data/items", "write \"$.data.items\"", "record_selector: \"$.data.items\""),
        ("record_selector: $data", "write \"$.data\"", "record_selector: \"$.data\""),
        ("record_selector: \"[a\"", "write a JSONPath such as $.data[*]", "record_selector: $.a"),
        ("record_selector: *data", "write record_selector: \"$.data[*]\"", "record_selector: \"$.data[*]\""),
        (
            "replication_method: INCREMENTAL",
            "remove it for reads of all records; for those of new ones alone write incremental: { cursor_field: updated_at }",
            "incremental: { cursor_field: updated_at }"
        ),
        (
            "env: { T: x }",
            "remove it: export NAME=… where garner runs, and write \"${NAME}\" where the value stands",
            "auth: { type: bearer, token: \"${T}\" }"
        ),
        (
            "endpoint: { path: /a, params: { b: 1 } }",
            "write 'path' and 'params' here, without 'endpoint:' around them",
            "path: /a\nparams: { b: 1 }"
        ),
        ("query: { path: /a }", "did you mean 'params'?", "params: { path: /a }"),
        (
            "requester: { url_base: \"https://a/\", path: /a }",
            "write path, params and headers of it in the stream itself, and url_base as base_url in the source; "
                + "'garner init --from manifest.yaml' does so with a manifest of Airbyte", "path: /a"
        ),
        (
            "user_agent: a/1", "write headers: { User-Agent: \"NAME/1.0\" }", "headers: { User-Agent: \"NAME/1.0\" }"
        ),
        (
            "start_date: 2024-01-01",
            "write incremental: { cursor_field: updated_at, initial_value: \"2024-01-01\" } in the stream, and "
                + "\"{incremental.start_value}\" where its requests say from when on",
            "incremental: { cursor_field: updated_at, initial_value: \"2024-01-01\" }\n"
                + "params: { since: \"{incremental.start_value}\" }"
        ),
        (
            "auth: { type: api_key, name: sid, in: cookie, value: \"${T}\" }",
            "write headers: { Cookie: \"NAME=${KEY}\" } in the place of 'auth'", "headers: { Cookie: \"sid=${T}\" }"
        ),
        (
            "auth: { type: http_basic, username: \"u:pw\" }",
            "write only what stands before the colon, and what is behind it as password: \"${NAME}\"",
            "auth: { type: http_basic, username: u, password: \"${T}\" }"
        ),
        (
            "schedule: { every: 1d, at: \"06:30\" }",
            "write schedule: { cron: \"30 6 * * *\" } for a time of day", "schedule: { cron: \"30 6 * * *\" }"
        ),
        (
            "schedule: { every: 1d, at: morning }", "write schedule: { cron: \"0 6 * * *\" } for a time of day",
            "schedule: { cron: \"0 6 * * *\" }"
        ),
        (
            "hooks: { on_success: [ { run: [mail], after: 3 } ] }",
            "remove it: only on_failure and on_recovery wait for several failures in a row",
            "hooks: { on_success: [ { run: [mail] } ], on_failure: [ { run: [mail], after: 3 } ] }"
        ),
        (
            "hooks: { on_failure: [ { post: https://a/b, body: no } ] }",
            "remove it: the run is posted as JSON; for a text of your own write "
                + "{ run: [curl, --data, \"it failed\", \"https://…\"] }",
            "hooks: { on_failure: [ { run: [curl, --data, \"it failed\", \"https://a/b\"] } ] }"
        ),
        (
            "hooks: { on_failure: [ { email: you@example.org } ] }",
            "write { run: [sh, -c, 'mail -s \"garner: $GARNER_STREAM failed\" you@example.org'] }, with a program of this "
                + "machine that sends mail",
            "hooks: { on_failure: [ { run: [sh, -c, 'mail -s \"garner: $GARNER_STREAM failed\" you@example.org'] } ] }"
        ),
        (
            "hooks: { email: you@example.org }",
            "write on_failure: [ { run: [sh, -c, 'mail -s \"garner: $GARNER_STREAM failed\" you@example.org'] } ]",
            "hooks: { on_failure: [ { run: [sh, -c, 'mail -s \"garner: $GARNER_STREAM failed\" you@example.org'] } ] }"
        ),
        (
            "attachments: [ { field: photo, dir: pictures } ]",
            "remove it: files are kept in the database; 'garner export TABLE --attachments FOLDER' writes them",
            "attachments: [ { field: photo } ]"
        ),
        ("webhook: https://a/b", "did you mean 'hooks'?", "hooks: { ping: https://a/b }"),
        (
            "hooks: { slack: https://a/b }", "write on_failure: [ { post: https://… } ]",
            "hooks: { on_failure: [ { post: https://a/b } ] }"
        ),
        (
            "hooks: { on_failure: [ { url: https://a/b } ] }", "did you mean 'post'?",
            "hooks: { on_failure: [ { post: https://a/b } ] }"
        ),
        (
            "hooks: { on_failure: [ { command: [mail] } ] }", "did you mean 'run'?",
            "hooks: { on_failure: [ { run: [mail] } ] }"
        ),
        ("write_disposition: overwrite", "did you mean 'replace'?", "write_disposition: replace"),
        ("schedule: 5m", "write schedule: { every: 5m }", "schedule: { every: 5m }"),
        ("schedule: \"@hourly\"", "write schedule: { every: 1h }", "schedule: { every: 1h }"),
        ("schedule: 0 3 * * 1", "write schedule: { cron: \"0 3 * * 1\" }", "schedule: { cron: \"0 3 * * 1\" }"),
        ("schedule: 5 minutes", "write schedule: { every: 5m }", "schedule: { every: 5m }"),
        (
            "schedule: [{ cron: \"0 6 * * *\" }, { cron: \"0 18 * * *\" }]",
            "write one: schedule: { cron: \"0 6,18 * * *\" }", "schedule: { cron: \"0 6,18 * * *\" }"
        ),
        (
            "schedule: [\"0 6 * * *\", \"30 18 * * *\"]",
            "write one: schedule: { cron: \"0 6 * * *\" }; a second stream with the same path can have another one",
            "schedule: { cron: \"0 6 * * *\" }"
        ),
        ("schedule: [{ every: 5m }]", "write one: schedule: { every: 15m }", "schedule: { every: 15m }"),
        (
            "incremental: { cursor_field: at, full_refresh_every: weekly }", "write 7d",
            "incremental: { cursor_field: at, full_refresh_every: 7d }"
        ),
        (
            "record_filter: \"@.name is not null\"", "write record_filter: \"@.name != null\"",
            "record_filter: \"@.name != null\""
        ),
        (
            "record_filter: state = 'open' AND total <> 0",
            "write record_filter: \"@.state == 'open' && @.total != 0\"",
            "record_filter: \"@.state == 'open' && @.total != 0\""
        ),
        (
            "deleted_when: not (active = true or name IS NULL)",
            "write deleted_when: \"!(@.active == true || @.name == null)\"",
            "deleted_when: \"!(@.active == true || @.name == null)\""
        ),
        (
            "response_actions: [ { when: code = 1, action: fail } ]", "write when: \"@.code == 1\"",
            "response_actions: [ { when: \"@.code == 1\", action: fail } ]"
        ),
        (
            "record_filter: active", "write record_filter: \"@.active == true\"",
            "record_filter: \"@.active == true\""
        ),
        (
            "paginator: { type: auto, last_when: isLast }", "write last_when: \"$.isLast == true\"",
            "paginator: { type: auto, last_when: \"$.isLast == true\" }"
        ),
        (
            "record_filter: \"@.status == open\"", "write record_filter: \"@.status == 'open'\"",
            "record_filter: \"@.status == 'open'\""
        ),
        (
            "record_filter: \"@.n > 3 && (@.status != in-progress || @.kind == a)\"",
            "write record_filter: \"@.n > 3 && (@.status != 'in-progress' || @.kind == 'a')\"",
            "record_filter: \"@.n > 3 && (@.status != 'in-progress' || @.kind == 'a')\""
        ),
        (
            "record_filter: state = open", "write record_filter: \"@.state == 'open'\"",
            "record_filter: \"@.state == 'open'\""
        ),
        (
            "record_filter: [\"@.status == 'open'\", \"@.n > 3 || @.n == 0\"]",
            "write record_filter: \"@.status == 'open' && (@.n > 3 || @.n == 0)\"",
            "record_filter: \"@.status == 'open' && (@.n > 3 || @.n == 0)\""
        ),
        (
            "record_filter: [\"@.status == open\"]", "write record_filter: \"@.status == 'open'\"",
            "record_filter: \"@.status == 'open'\""
        ),
        (
            "record_filter: { status: open }", "write record_filter: \"@.status == 'open'\"",
            "record_filter: \"@.status == 'open'\""
        ),
        (
            "deleted_when: { field: at }", "write deleted_when: \"@.deleted == true\"",
            "deleted_when: \"@.deleted == true\""
        ),
        ("primary_key: [[id]]", "write primary_key: [id], with one pair of brackets", "primary_key: [id]"),
        ("response: { format: jsonl }", "did you mean 'json_lines'?", "response: { format: json_lines }"),
        (
            "schedule: { cron: \"CRON_TZ=Europe/Berlin 0 6 * * *\" }",
            "write timezone: Europe/Berlin beside cron: \"0 6 * * *\"",
            "schedule: { cron: \"0 6 * * *\", timezone: Europe/Berlin }"
        ),
        (
            "record_filter: \"@.at > 2026-01-05 && @.to < 2026-01-05T10:00:00Z\"",
            "write record_filter: \"@.at > '2026-01-05' && @.to < '2026-01-05T10:00:00Z'\"",
            "record_filter: \"@.at > '2026-01-05' && @.to < '2026-01-05T10:00:00Z'\""
        ),
        (
            "headers: { Accept: application/json, text/plain }",
            "put the whole value into quotes if this is the part behind a comma, as in Accept: \"text/plain, text/html\"",
            "headers: { Accept: \"application/json, text/plain\" }"
        ),
        (
            "fields: { keep: \"*\" }",
            "remove 'fields.keep' if all fields are meant; a field of this name is $['*']",
            "fields: { keep: \"$['*']\" }"
        ),
        (
            "schedule: every day at 5", "write schedule: { cron: \"0 5 * * *\" }", "schedule: { cron: \"0 5 * * *\" }"
        ),
        (
            "schedule: nightly, at 11:30 pm", "write schedule: { cron: \"30 23 * * *\" }",
            "schedule: { cron: \"30 23 * * *\" }"
        ),
        (
            "auth: { type: command, run: \"cat token.json | jq -r .token\" }",
            "write run: [sh, -c, \"cat token.json | jq -r .token\"]",
            "auth: { type: command, run: [sh, -c, \"cat token.json | jq -r .token\"] }"
        ),
        (
            "hooks: { on_success: [ { run: \"./notify.sh done\" } ] }", "write run: [\"./notify.sh\", done]",
            "hooks: { on_success: [ { run: [\"./notify.sh\", done] } ] }"
        ),
        (
            "hooks: { on_success: [ { run: \"curl -H 'Authorization: Bearer abc' a.example\" } ] }",
            "write run: [program, argument]", "hooks: { on_success: [ { run: [curl] } ] }"
        ),
        ("schedule: soon", "write schedule: { every: 15m }", "schedule: { every: 15m }"),
        ("keep_runs: forever", "write keep_runs: 0 for that", "keep_runs: 0"),
        ("schedule: { every: minute }", "write 1m", "schedule: { every: 1m }"),
        (
            "incremental: { cursor_field: at, initial_value: \"2026-01-01\", step: 1M }", "write 30d",
            "incremental: { cursor_field: at, initial_value: \"2026-01-01\", step: 30d }"
        ),
        ("fields: { types: { at: timestamp } }", "did you mean 'text'?", "fields: { types: { at: text } }"),
        ("response: { encoding: latin1 }", "did you mean 'charset'?", "response: { charset: iso-8859-1 }"),
        (
            "retry: { statuses: [500] }", "write response_actions: [ { status: 500, action: retry } ] in the stream",
            "response_actions: [ { status: 500, action: retry } ]"
        ),
        (
            "hooks: { run: [ls] }", "write on_success: [ { run: [./script.sh] } ]",
            "hooks: { on_success: [ { run: [./script.sh] } ] }"
        ),
    ])
    func `a word of another program leads to ours`(line: String, hint: String, remedy: String) throws {
        let issues = Fixture.issues(Fixture.streamText(line), environment: ["T": "s"])
        #expect(issues.map(\.hint) == [hint])
        #expect(Fixture.issues(Fixture.streamText(remedy), environment: ["T": "s"]).isEmpty)
    }

    /// What stands in place of the mapping, and the type that it leads to. The line is pasted.
    @Test(arguments: [
        ("auth: bearer", "bearer"), ("auth: Bearer", "bearer"), ("auth: baerer", "bearer"),
        ("auth: basic", "http_basic"),
        ("auth: http-basic", "http_basic"), ("auth: api_key", "api_key"), ("auth: oauth2", "oauth2"),
        ("auth: command", "command"), ("auth: session_token", "session_token"), ("authentication: token", "bearer"),
        ("paginator: cursor", "cursor"), ("paginator: header_cursor", "header_cursor"), ("paginator: Offset", "offset"),
        ("record_shape: rows", "rows"), ("record_shape: entries", "entries"), ("username: me", "http_basic"),
        ("client_id: me", "oauth2"), ("access_token: s3cret", "bearer"), ("api_key: s3cret", "api_key"),
    ])
    func `a type alone, and a key beside it, lead to a whole line`(written: String, type: String) throws {
        let hint = try #require(Fixture.issues(Fixture.streamText(written)).first?.hint)
        let line = try #require(hint.wholeMatch(of: /write ([a-z_]+: \{ type: (\w+)\b.*\})/), "\(hint)")
        #expect(String(line.2) == type && !hint.contains("s3cret"))
        let names = ["TOKEN", "USERNAME", "PASSWORD", "API_KEY", "CLIENT_ID", "CLIENT_SECRET"]
        let environment = Dictionary(uniqueKeysWithValues: names.map { ($0, "x") })
        #expect(Fixture.issues(Fixture.streamText(String(line.1)), environment: environment).isEmpty, "\(line.1)")
    }

    @Test func `a stream inside of another one works beside it`() {
        #expect(
            Fixture.issues(
                Fixture.source("      a: { path: /a }\n      notes: { parent: a, path: \"/a/{parent.id}/notes\" }")
            ).isEmpty)
    }

    @Test func `a key of the file below the sources is moved out of them`() {
        let lines = [
            "sources:\n", "  defaults: { primary_key: id }\n", "  a: { base_url: https://a/, streams: { b: } }\n",
        ]
        let issues = Fixture.issues("version: 1\n" + lines.joined())
        #expect(issues.map(\.hint) == ["move it to the left, into the column of 'sources:'"])
        #expect(Fixture.issues("version: 1\ndefaults: { primary_key: id }\n\(lines[0])\(lines[2])").isEmpty)
    }

    /// The line of the warning has none.
    @Test(arguments: [
        ("yesterday", "2026-01-01"), ("now", "2026-01-01"), ("last week", "2026-01-01"), ("true", "2026-01-01"),
        ("2026/3/1", "2026-03-01"), ("2026-02", "2026-02-01"), ("1 January 2026", "2026-01-01"),
        ("Sept 5, 2025", "2025-09-05"),
    ])
    func `a first cursor in words is told of with a day`(text: String, day: String) throws {
        func warnings(_ value: String) throws -> [String?] {
            try Fixture.parse(Fixture.streamText("incremental: { cursor_field: at, initial_value: \(value) }"))
                .warnings.filter { $0.message.contains("no time that Garner knows") }.map(\.hint)
        }
        let hint = "write initial_value: \(day), unless the cursors of the API are written like it"
        #expect(try warnings("\"\(text)\"") == [hint])
        #expect(try warnings(day).isEmpty && warnings("01ARZ3NDEK").isEmpty && warnings("abc").isEmpty)
    }

    @Test func `a placeholder in base_url is told of`() throws {
        func warnings(_ url: String) throws -> [ConfigurationIssue] {
            try Fixture.parse(Fixture.sourceText("", baseURL: url), environment: ["VERSION": "v1"]).warnings
        }
        let told = try warnings("https://a.example/{version}/")
        #expect(told.map(\.place.line) == [4])
        #expect(told.first?.hint?.hasPrefix("write what belongs there, or ${VERSION} and export VERSION=…") == true)
        #expect(try warnings("https://a.example/${VERSION}/").isEmpty)
    }

    @Test func `keys with a dot lead to one mapping`() {
        let issues = Fixture.issues(Fixture.streamText("schedule.cron: 0 6 * * *\nschedule.timezone: Europe/Berlin"))
        let line = "schedule: { cron: \"0 6 * * *\", timezone: Europe/Berlin }"
        #expect(issues.map(\.hint) == ["write \(line)", "write \(line)"])
        #expect(Fixture.issues(Fixture.streamText(line)).isEmpty)
    }

    @Test(arguments: ["schedule: { every: 1h }", "paginator: { type: single_page }", "headers: { A: b }"])
    func `a key of a stream beside the sources is not a source without a URL`(line: String) throws {
        let text = Fixture.sourceText("") + "\n  \(line)\n"
        let issue = try #require(Fixture.issues(text).first)
        #expect(issue.message.hasSuffix("stands beside the sources, and is taken for one"), "\(issue)")
        #expect(Fixture.issues(Fixture.sourceText(line)).isEmpty)
    }

    @Test(arguments: [
        ("$(cat t)", "write { file: t } in its place"),
        ("`pass show api`", "write auth: { type: command, run: [pass, show, api] }"),
    ])
    func `a command of a shell in place of a secret is told of`(text: String, hint: String) throws {
        let warnings = try Fixture.parse(Fixture.streamText("auth: { type: bearer, token: \"\(text)\" }")).warnings
        #expect(warnings.count == 1 && warnings.first?.hint?.hasPrefix(hint) == true, "\(warnings)")
    }

    /// Limits of all requests stand in the source, wherever other programs have theirs.
    @Test(arguments: [
        ("limits: { rate_limit: 5 }", "move it into the source", "rate_limit: { requests: 5, per: 1s }"),
        (
            "limits: { requests_per_second: 5 }", "write rate_limit: { requests: 10, per: 1s } in the source",
            "rate_limit: { requests: 10, per: 1s }"
        ),
        (
            "requests_per_minute: 60", "write rate_limit: { requests: 60, per: 1m } in the source",
            "rate_limit: { requests: 60, per: 1m }"
        ),
        ("threads: 4", "write max_concurrency: 4 in the source", "max_concurrency: 4"),
        (
            "verify_ssl: false",
            "certificates are always checked; write ca: FILE in the source, with a PEM file of the certificates to trust",
            "ca: root.pem"
        ),
        (
            "tls_config: { insecure_skip_verify: true }",
            "certificates are always checked; write ca: FILE in the source, with a PEM file of the certificates to trust",
            "ca: root.pem"
        ),
        (
            "no_proxy: localhost",
            "write proxy: none in the source, or export no_proxy=HOST where garner runs for some of its hosts",
            "proxy: none"
        ),
    ])
    func `a limit of all requests leads into the source`(line: String, hint: String, remedy: String) {
        #expect(Fixture.issues(Fixture.streamText(line)).map(\.hint) == [hint])
        #expect(Fixture.issues(Fixture.sourceText(remedy)).isEmpty)
    }

    /// Whatever other programs write to switch a schedule off, leads to the one word that does it here.
    @Test(arguments: ["off", "Never", "false", "null", "", "manual", "{ every: never }", "{ every: }"])
    func `another word for no schedule leads to none`(value: String) throws {
        func text(_ value: String) -> String {
            Fixture.streamText("schedule: \(value)")
                .replacing("sources:", with: "defaults: { schedule: { every: 15m } }\nsources:")
        }
        #expect(
            Fixture.issues(text(value)).map(\.hint) == [
                "write schedule: none if 'garner serve' is not to fetch it, or schedule: { every: 15m }"
            ])
        #expect(try Fixture.parse(text("none")).streams.map(\.schedule) == [nil])
    }

    /// The keys of a source in the words of dlt.
    @Test(arguments: [
        (
            "base_url: https://a.example/\n    resources: { pets: { path: /p } }", "did you mean 'streams'?",
            "base_url: https://a.example/\n    streams: { pets: { path: /p } }"
        ),
        (
            "client: { base_url: https://a.example/, headers: { A: b } }\n    streams: { pets: { path: /p } }",
            "write 'base_url' and what else is below it beside 'streams'",
            "base_url: https://a.example/\n    headers: { A: b }\n    streams: { pets: { path: /p } }"
        ),
    ])
    func `a key of a source in the words of another program leads to ours`(lines: String, hint: String, remedy: String)
        throws
    {
        func text(_ lines: String) -> String { "version: 1\nsources:\n  zoo:\n    \(lines)\n" }
        #expect(Fixture.issues(text(lines)).contains { $0.hint == hint })
        #expect(try Fixture.parse(text(remedy)).streams.map(\.name.description) == ["zoo.pets"])
    }

    /// The top of a file in the words of other programs.
    @Test(arguments: [
        (
            "services: { zoo: { base_url: https://a.example/, streams: { pets: { path: /p } } } }",
            "did you mean 'sources'?"
        ),
        ("on: { schedule: [] }", "write schedule: { cron: \"0 6 * * *\" } in a stream"),
        (
            "env_file: .env",
            "remove it: a shell reads such a file with 'set -a; . ./.env; set +a' before garner, and a secret alone is written "
                + "{ file: path }"
        ),
        (
            "log_level: debug",
            "remove it: 'garner serve --verbose' logs each request, and --log-format json writes JSON"
        ),
        (
            "plugins: { extractors: [] }",
            "this is a key of Meltano; 'garner init URL --config api.yaml' writes a file of Garner"
        ),
    ])
    func `a key of a file in the words of another program leads to ours`(line: String, hint: String) {
        #expect(Fixture.issues("version: 1\n\(line)\n").map(\.hint) == [hint])
        #expect(Fixture.issues(Fixture.streamText("schedule: { cron: \"0 6 * * *\" }")).isEmpty)
    }

    @Test(arguments: [
        (
            "version: 4.3.0\ntype: DeclarativeSource\nstreams: []", "a connector of Airbyte",
            "init --from folder/garner.yaml"
        ),
        ("openapi: 3.1.0\npaths: {}", "an OpenAPI document", "init --openapi folder/garner.yaml"),
        ("on: push\njobs: {}", "a workflow of GitHub", "init URL"),
        ("apiVersion: v1\nkind: Pod", "an object of Kubernetes", "init URL"),
    ])
    func `a file of another program is told of once`(text: String, name: String, command: String) {
        let issues = Fixture.issues(text)
        #expect(issues.map(\.message) == ["the file is \(name)"])
        let hint = issues.first?.hint ?? ""
        #expect(hint.contains("garner \(command)") && hint.contains("--config api.yaml"), "\(issues)")
    }

    @Test func `a stream that is only its path leads to the mapping`() throws {
        let text = Fixture.source("      people: people/all")
        #expect(Fixture.issues(text).map(\.hint) == ["write { path: PATH } in its place"])
        #expect(Fixture.issues(text.replacing("people/all", with: "{ path: people/all }")).isEmpty)
    }

    @Test func `a table of two names and a value of partitions in words of a range are told`() throws {
        let named = try Fixture.parse(Fixture.streamText("table: people, pets")).warnings
        #expect(named.map(\.message) == ["'table' names one table, which is called 'people, pets'"])
        let range = Fixture.issues(Fixture.streamText("path: /{partition.x}\npartitions: { x: { from: 1, to: 5 } }"))
        #expect(range.contains { $0.hint == "write the values themselves as a list, such as [1, 2, 3]" }, "\(range)")
        #expect(Fixture.issues(Fixture.streamText("path: /{partition.x}\npartitions: { x: [1, 2, 3] }")).isEmpty)
    }

    @Test(arguments: ["{ env: hunter2 }", "{hunter2}", "{ env: \"hunter2\" }"])
    func `what may be a misplaced secret is not advised`(token: String) {
        let issues = Fixture.issues(Fixture.streamText("auth: { type: bearer, token: \(token) }"))
        #expect(!issues.isEmpty && issues.allSatisfy { $0.hint?.contains("hunter2") == false }, "\(issues)")
    }

    /// A list of streams or sources, as other programs have it, becomes a mapping where the advice is followed.
    @Test(arguments: [
        (Fixture.source("      - name: people\n        path: /p\n      - name: pets\n        path: /q"), 2),
        (Fixture.source("      - people:\n          path: /p\n      - pets"), 2),
        ("version: 1\nsources:\n  - name: zoo\n    base_url: https://z/\n    streams: { a: { path: /a }, b: }", 2),
    ])
    func `a list of names is told how to be a mapping`(text: String, streams: Int) throws {
        let issue = try #require(Fixture.issues(text).first)
        #expect(issue.message.hasSuffix("' must be a mapping of names, not a list"))
        let lines = (issue.hint ?? "").matches(of: /'([^']+:)' in place of '(- [^']+)'/)
        let mended = lines.reduce(text) { $0.replacing($1.output.2, with: $1.output.1) }
        #expect(Fixture.issues(mended).isEmpty, "\(issue)")
        #expect(try Fixture.parse(mended).streams.count == streams)
    }

    @Test func `an unknown key of a stream does not list forty others`() {
        let hint = Fixture.issues(Fixture.streamText("zzz: 1")).first?.hint ?? ""
        #expect(hint.contains("others; 'garner config schema' and the index of docs/configuration.md have all of them"))
        #expect(hint.utf8.count < 250)
    }

    @Test(arguments: ["\u{201C}id\u{201D}", "\u{201E}id\u{201C}", "\u{2018}id\u{2019}"])
    func `typographic quotes are told of`(text: String) throws {
        let warnings = try Fixture.parse(Fixture.streamText("primary_key: \(text)")).warnings
        #expect(
            warnings.map(\.message) == ["the quotes around 'primary_key' are typographic ones, and a part of the text"])
        #expect(try Fixture.parse(Fixture.streamText("primary_key: \"id\"")).warnings.isEmpty)
        // Where they make the value wrong, they are the cause.
        let issues = Fixture.issues(Fixture.streamText("schedule: { every: \(text) }"))
        #expect(issues.map(\.hint) == ["write \" or ' in their place"])
        #expect(issues.first?.message.contains("the quotes around 'schedule.every' are typographic ones") == true)
    }

    @Test(arguments: ["now()", "NOW", "$now", "today", "CURRENT_TIMESTAMP"])
    func `a time as SQL writes it is told of where it is text`(text: String) throws {
        func warnings(_ text: String) throws -> [String?] {
            try Fixture.parse(Fixture.streamText("fields: { add: { at: \"\(text)\" } }")).warnings.map(\.hint)
        }
        #expect(try warnings(text) == ["write \"{now}\", or \"{now, date}\" for the day"])
        #expect(try warnings("{now}").isEmpty && warnings("{now, date}").isEmpty && warnings("now or never").isEmpty)
    }

    @Test(arguments: [
        ("id // the key", "//"), ("id /* the key */", "/*"), ("a//b", nil), ("\"a // b\"", nil), ("a/*", nil),
    ])
    func `a comment of another language is told of`(text: String, mark: String?) throws {
        for written in [text, "[\(text)]"] {
            let hints = try Fixture.parse(Fixture.streamText("primary_key: \(written)")).warnings.map(\.hint)
            #expect(hints == (mark.map { ["a comment begins with '#': write # in place of \($0)"] } ?? []))
        }
    }

    @Test(arguments: [("id\"", true), ("\"id\"", false), ("id", false), ("the \"id\"", false)])
    func `a quote that only ends a text is told of`(text: String, isTold: Bool) throws {
        let warnings = try Fixture.parse(Fixture.streamText("primary_key: \(text)")).warnings
        #expect(
            warnings.map(\.message)
                == (isTold ? ["the quote at the end of 'primary_key' is a part of the text, as none begins it"] : []))
    }
}
