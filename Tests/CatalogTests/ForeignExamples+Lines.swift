extension ForeignExamples {
    /// Words that stand for a line, or for nothing.
    static let lines: [(String, String, String)] = [
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
        ("history: true\nkeep_history: forever", "leave 'keep_history' out for that", "history: true"),
        (
            "incremental: { cursor_field: at, full_refresh_every: never }",
            "leave 'incremental.full_refresh_every' out for that", "incremental: { cursor_field: at }"
        ),
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
        (
            "incremental: { cursor_field: at, param: updated_since }",
            "write params: { updated_since: \"{incremental.start_value}\" } in the stream, in place of this key",
            "incremental: { cursor_field: at }\nparams: { updated_since: \"{incremental.start_value}\" }"
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
            "na_values: [n/a]", "remove it: a word such as n/a in a column of numbers or times is NULL for SQL anyway",
            ""
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
        (
            "hooks: { slack: https://a/b }", "write on_failure: [ { post: https://… } ]",
            "hooks: { on_failure: [ { post: https://a/b } ] }"
        ),
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
        (
            "retry: { statuses: [500] }", "write response_actions: [ { status: 500, action: retry } ] in the stream",
            "response_actions: [ { status: 500, action: retry } ]"
        ),
        (
            "hooks: { run: [ls] }", "write on_success: [ { run: [./script.sh] } ]",
            "hooks: { on_success: [ { run: [./script.sh] } ] }"
        ),
    ]
}
