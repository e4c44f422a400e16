import GarnerCatalog
import Testing

/// Keys that are valid and do nothing, or something else than they seem to.
struct EffectTests {
    @Test(arguments: [
        ("keep_history: 30d", "'keep_history' of 'zoo.animals' has no effect", "history: true"),
        ("max_delete_ratio: 0.2", "'max_delete_ratio' of 'zoo.animals' has no effect", "delete_missing: hard"),
        (
            "write_disposition: append\nprimary_key: id",
            "'primary_key' of 'zoo.animals' has no effect: append stores each record that comes once more",
            "write write_disposition: merge"
        ),
        (
            "write_disposition: append\ndelete_missing: soft",
            "'delete_missing' of 'zoo.animals' has no effect: append stores each record that comes once more",
            "write write_disposition: merge to store each key once, or remove 'delete_missing'"
        ),
        (
            "retry: { base_delay: 10m, max_delay: 1m }",
            "'retry.base_delay' has no effect: no delay is longer than max_delay, which is 1m",
            "write max_delay: 10m or more beside it"
        ),
        (
            "paginator: { type: cursor, cursor_path: \"$.data[*].id\" }",
            "'cursor_path' of 'zoo.animals' finds a value in each element of a list, and the first one counts",
            "write cursor_path: \"$.data[-1].id\" for that of the last one"
        ),
        (
            "paginator: { type: json_link, next_url_path: \"$.links[*].href\" }",
            "'next_url_path' of 'zoo.animals' finds a value in each element of a list, and the first one counts",
            "write next_url_path: \"$.links[0].href\" for that of the first one"
        ),
        ("json: '{\"a\": 1}'", "'json' of 'zoo.animals' is one text, and is sent in quotes", "remove the quotes"),
        (
            "json: '{\"a\": 1, \"b\": }'",
            "'json' of 'zoo.animals' is one text, which looks like JSON and is none, and is sent in quotes",
            "as in json: { name: value }"
        ),
        (
            "json: '{\"a\": {now}}'", "'json' of 'zoo.animals' is one text, and is sent in quotes",
            "remove the quotes"
        ),
        (
            "body: '{\"a\": 1,}'\nheaders: { content-type: application/json }",
            "'body' of 'zoo.animals' is sent as application/json, and is none", "as in json: { name: value }"
        ),
        (
            "json: |\n  {\"a\": 1}", "'json' of 'zoo.animals' is one text, and is sent in quotes",
            "the | or > behind 'json:'"
        ),
        (
            "path: /a?x=1&amp;y=2",
            "'path' holds '&amp;', as the text of a web page has it, so that the parameter behind it is sent under another name",
            "write & in the place of &amp;"
        ),
        (
            "params: { \"amp;size\": 2 }",
            "the parameter 'amp;size' begins with 'amp;', as behind &amp; in the text of a web page", "write size"
        ),
        ("body: '[1]'", "'body' of 'zoo.animals' is sent as text/plain, and looks like JSON", "json:"),
        (
            "auth: { type: bearer, token: \"${T}\" }\nheaders: { authorization: Basic }",
            "the header 'authorization' of 'zoo.animals' is not sent, as 'auth' has another one", "auth: { type: none }"
        ),
        (
            "auth: { type: bearer, token: \"${T}\" }\nheaders: { Authorization: \"Token ${T}\" }",
            "the header 'Authorization' of 'zoo.animals' is not sent, as 'auth' has another one", "auth: { type: none }"
        ),
        (
            "auth: { type: api_key, in: query, name: of, value: \"${T}\" }\nparams: { of: a }",
            "the parameter 'of' of 'zoo.animals' is not sent, as 'auth' has another one", "auth: { type: none }"
        ),
        (
            "auth: { type: command, run: [./token.sh] }\nheaders: { Authorization: Basic }",
            "the header 'Authorization' of 'zoo.animals' is not sent, as 'auth' has another one", "auth: { type: none }"
        ),
        (
            "hooks: { on_success: [ { run: [echo, a, \">\", b] } ] }",
            "'hooks.on_success[0].run' starts no shell, so '>' is a word for the program", "sh, -c"
        ),
        (
            "hooks: { on_success: [ { run: [notify, \"--token=$TOKEN\"] } ] }",
            "'hooks.on_success[0].run' starts no shell, so '--token=$TOKEN' is a word for the program", "sh, -c"
        ),
        (
            "hooks: { on_success: [ { run: [\"~/notify.sh\"] } ] }",
            "'hooks.on_success[0].run' starts no shell, so '~' in '~/notify.sh' is no folder", "write the whole path"
        ),
        (
            "hooks: { on_success: [ { run: [\"curl -s https://a/b\"] } ] }",
            "'hooks.on_success[0].run' is one word, and no program has a name with such spaces",
            "write each word by itself, as in run: [curl, -s, \"https://…\"]"
        ),
        (
            "hooks: { on_success: [ { run: [\"/usr/bin/curl -s https://a/b\"] } ] }",
            "'hooks.on_success[0].run' is one word, and no program has a name with such spaces", "run: [sh, -c, \"…\"]"
        ),
        (
            "json: { page: 1, size: 4 }\npaginator: { type: page_number }",
            "'page' stands in 'json' of 'zoo.animals', and the paginator sends it in the URL",
            "write page_param: $.page in paginator"
        ),
        (
            "form: { offset: 0 }\npaginator: { type: offset, limit: 9 }",
            "'offset' stands in 'form' of 'zoo.animals', and the paginator sends it in the URL",
            "write offset_param: $.offset in paginator"
        ),
        (
            "path: animals?limit=5\nparams: { limit: 10 }",
            "the parameter 'limit' of 'zoo.animals' is sent twice: 'path' has it, too", "remove it from one of them"
        ),
        (
            "auth: { type: bearer, token: \"Bearer ${T}\" }",
            "the token of 'auth' of 'zoo.animals' begins with 'Bearer ', which Garner writes before it",
            "remove that word from 'token:'"
        ),
        (
            "params: { q: a%20b }", "'%20' in the parameter 'q' of 'zoo.animals' is sent as '%2520'",
            "write the character itself"
        ),
        (
            "params: { q: \"{{ config['q'] }}\" }",
            "'{{ config['q'] }}' in 'params.q' is text: it is a template of another program", "${NAME}"
        ),
        (
            "auth: { type: bearer, token: \"{{ config['key'] }}\" }",
            "'auth.token' holds '{{…}}', a template of another program, and is sent as it is", "write \"${NAME}\""
        ),
        (
            "auth: { type: api_key, name: X-Any, value: \"a-{now}\" }",
            "'auth.value' holds the placeholder '{now}', which has no value there, and is sent as it is", "${NAME}"
        ),
        (
            "auth: { type: http_basic, username: \"{{ user }}\" }",
            "'auth.username' holds '{{…}}', a template of another program, and is sent as it is", "${NAME}"
        ),
        (
            "incremental: { cursor_field: at, initial_value: \"1970-01-01T00:00:00Z\", step: 1m }",
            "'incremental.step' makes at least 29453760 requests of the first read",
            "write a longer one, such as step: 30d"
        ),
        (
            "incremental: { cursor_field: at, datetime_format: epoch, initial_value: 0, end_value: 1000000, step: 5s }",
            "'incremental.step' makes at least 200000 requests of the first read",
            "write a longer one, such as step: 30d"
        ),
        (
            "incremental: { cursor_field: id, initial_value: 0, end_value: 1000000, step: 10 }",
            "'incremental.step' makes at least 100000 requests of the first read", "write a greater one, or a later"
        ),
        (
            "fields: { hash: { fields: [name], key: \"${T}\" } }",
            "the key of 'fields.hash' of 'zoo.animals' has 1 byte, and can be found by trying", "openssl rand -hex 32"
        ),
    ])
    func `a key without the effect that it seems to have is told of`(lines: String, message: String, hint: String)
        throws
    {
        let warnings = try Fixture.parse(Fixture.streamText(lines), environment: ["T": "s"]).warnings
        let told = warnings.first { $0.message == message }
        #expect(told?.hint?.contains(hint) == true, "\(warnings)")
    }

    /// Each advice is followed: the line in its place has no warning.
    @Test(arguments: [
        ("table: main.users", "'table' is 'main.users' with its dot, which SQL finds in quotes only", "table: users"),
        (
            "primary_key: id, name", "'primary_key' names one field, which is called 'id, name'",
            "primary_key: [id, name]"
        ),
        ("search: name,notes", "'search' names one field", "search: [name, notes]"),
        ("fields:\n  keep: id, $.contact.email", "'fields.keep' names one field", "keep: [id, $.contact.email]"),
        ("fields:\n  drop: \"a, b\"", "'fields.drop' names one field", "drop: [a, b]"),
        (
            "incremental:\n  stop_at_known: true\n  cursor_field: updated_at, id",
            "'incremental.cursor_field' names one field", "cursor_field: [updated_at, id]"
        ),
        (
            "params: { of: \"{partition.repo}\" }\npartitions:\n  repo: \"a, b\"",
            "'partitions.repo' has one value, which is 'a, b'", "repo: [a, b]"
        ),
        (
            "params: { of: \"{partition.year}\" }\npartitions:\n  year: 2022-2024",
            "'partitions.year' has one value, which is '2022-2024'", "year: [2022, 2023, 2024]"
        ),
        (
            "params: { of: \"{partition.n}\" }\npartitions:\n  n: 1..3",
            "'partitions.n' has one value, which is '1..3'",
            "n: [1, 2, 3]"
        ),
    ])
    func `a text that is read as one name is told of`(lines: String, message: String, remedy: String) throws {
        let warnings = try Fixture.parse(Fixture.streamText(lines)).warnings
        #expect(warnings.count == 1 && warnings.first?.message.contains(message) == true, "\(warnings)")
        #expect(warnings.first?.hint?.hasPrefix("write \(remedy)") == true, "\(warnings)")
        let indent = lines.contains("\n") ? "  " : ""
        let mended = (lines.split(separator: "\n").dropLast().map(String.init) + [indent + remedy]).joined(
            separator: "\n")
        #expect(try Fixture.parse(Fixture.streamText(mended)).warnings.isEmpty)
    }

    /// Each advice is followed: the lines in place of those before have no warning, and the others of a row get this one, too.
    @Test(
        arguments: [
            (
                ["params: { limit: 5 }", "path: /a?limit=5"], "paginator: { type: offset }",
                "is not sent as 5: 'paginator' sends 100 there, the default of its 'limit'",
                "write limit: 5 in 'paginator' in its place, or remove it", "paginator: { type: offset, limit: 5 }"
            ),
            (
                ["params: { per_page: 5 }", "path: /a?x=1&per_page=5"],
                "paginator: { type: page_number, page_size_param: per_page, page_size: 10 }",
                "is not sent as 5: 'paginator' sends 10 there, its 'page_size'",
                "write page_size: 5 in 'paginator' in its place, or remove it",
                "paginator: { type: page_number, page_size_param: per_page, page_size: 5 }"
            ),
            (
                ["json: { page: { size: 5 } }"],
                "paginator: { type: offset, offset_param: $.page.at, limit_param: $.page.size }",
                "'$.page.size' in 'json' is not sent as 5: 'paginator' sends 100 there",
                "write limit: 5 in 'paginator'",
                "paginator: { type: offset, offset_param: $.page.at, limit_param: $.page.size, limit: 5 }"
            ),
            (
                ["params: { page: first }"], "paginator: { type: page_number }",
                "is not sent as first: 'paginator' sends 1 there, the default of its 'base_page'",
                "remove it from 'params' if 1 is meant", ""
            ),
            (
                ["params: { cursor: a b }"], "paginator: { type: cursor, cursor_path: $.next, first_cursor: \"*\" }",
                "is not sent as a b: 'paginator' sends * there, its 'first_cursor'",
                "write first_cursor: \"a b\" in 'paginator'",
                "paginator: { type: cursor, cursor_path: $.next, first_cursor: \"a b\" }"
            ),
            (
                ["params: { offset: 20 }"], "paginator: { type: offset, base_offset: 1 }",
                "says that the first page is 20, and not 1, the 'base_offset' of 'paginator'",
                "remove it from 'params' to begin with 1, or 'base_offset' to begin with 20",
                "paginator: { type: offset }"
            ),
            (
                ["params: { limit: \"${T}\" }"], "paginator: { type: offset }",
                "'limit' in 'params' is a secret, and sent with each page",
                "remove it from 'params', and write limit in 'paginator'", ""
            ),
        ] as [([String], String, String, String, String)])
    func `a place that the paginator has, too, is told of with what is sent`(
        written: [String], paginator: String, message: String, hint: String, mended: String
    ) throws {
        for line in written {
            let warnings = try Fixture.parse(Fixture.streamText("\(line)\n\(paginator)"), environment: ["T": "9"])
                .warnings
            let told = warnings.first { $0.message.contains(message) }
            #expect(warnings.count == 1 && told?.hint?.hasPrefix(hint) == true, "\(warnings)")
            guard !mended.isEmpty else { continue }
            #expect(try Fixture.parse(Fixture.streamText("\(line)\n\(mended)")).warnings.isEmpty, "\(mended)")
        }
    }

    @Test func `a page size of the source that a stream changes is not told of`() throws {
        func warnings(ofSource params: String, _ paginator: String) throws -> [ConfigurationIssue] {
            let text = Fixture.streamText(paginator)
            return try Fixture.parse(text.replacing("    streams:", with: "    \(params)\n    streams:")).warnings
        }
        #expect(try warnings(ofSource: "params: { limit: 5 }", "paginator: { type: offset, limit: 9 }").isEmpty)
        #expect(try warnings(ofSource: "params: { limit: 5 }", "paginator: { type: offset }").count == 1)
        #expect(try warnings(ofSource: "paginator: { type: offset, limit: 9 }", "params: { limit: 5 }").count == 1)
    }

    @Test func `hooks that the hooks of a stream replace are told of`() throws {
        func messages(_ hooks: String) throws -> [String] {
            let text = Fixture.streamText("hooks: \(hooks)")
                .replacing(
                    "sources:", with: "defaults:\n  hooks: { on_failure: [ { run: [mail] } ], timeout: 5s }\nsources:")
            return try Fixture.parse(text).warnings.map(\.message)
        }
        #expect(
            try messages("{ on_success: [ { run: [echo] } ] }") == [
                "'hooks' of 'zoo.animals' replaces all hooks around it, so that 'on_failure' is not called"
            ])
        #expect(try messages("{ on_success: [ { run: [echo] } ], on_failure: [] }").isEmpty)
        #expect(try messages("{}").isEmpty)
    }

    @Test func `a header that auth replaces is sent without auth`() throws {
        let lines = "auth: { type: none }\nheaders: { authorization: Basic }"
        let warnings = try Fixture.parse(Fixture.streamText(lines)).warnings
        #expect(!warnings.contains { $0.message.contains("is not sent") })
    }

    @Test(arguments: [
        ("PostgreSQL+psycopg2://u:pw@host/db", "is the URL of a PostgreSQL database, which", 1),
        ("jdbc:postgresql://host/db?password=pw", "is the URL of a PostgreSQL database, which", 1),
        ("mysql://u:pw@host/db", "is the URL of a MySQL database, but", 2), ("ftp://u:pw@host/db", "is a URL, but", 2),
        ("sqlite:///garner.db", "is the URL of a SQLite database, but", 1),
        ("\"${URL}\"", "is the URL of a MySQL database, but", 2),
    ])
    func `a database is no URL, and what it would publish to is told`(url: String, problem: String, count: Int) throws {
        let text = "version: 1\ndatabase: \(url)\nsources: {}\n"
        let issues = Fixture.issues(text, environment: ["URL": "mysql://u:pw@host/db"])
        #expect(issues.map { $0.message.hasPrefix("'database' \(problem) ") } == [true])
        let hint = try #require(issues.first?.hint)
        #expect(!hint.contains("pw"))
        // The advice is taken.
        let lines = hint.matches(of: /(?:database|publish): [^\s;]+/).map { String($0.output) }
        #expect(lines.count == count)
        _ = try Fixture.parse(text.replacing("database: \(url)", with: lines.joined(separator: "\n")))
    }

    @Test(arguments: [
        "keep_history: 30d\nhistory: true", "max_delete_ratio: 0.2\nwrite_disposition: replace",
        "max_delete_ratio: 0.2\ndelete_missing: soft", "json: text", "json: { a: 1 }",
        "write_disposition: append\ndelete_missing: ignore",
        "body: '[1]'\nheaders: { Content-Type: application/json }", "body: '{not json'",
        "hooks: { on_success: [ { run: [sh, -c, \"echo a > b $HOME\"] } ] }",
        "params: { since: \"{now, %Y-%m-%d}\", rate: 5%, part: 50%x }", "headers: { X-Sort-Key: updated_at }",
        "primary_key: Last, first and all", "table: animals-2.0", "params: { key: updated_at_desc }",
        "params: { of: \"{partition.at}\" }\npartitions: { at: [\"1,2\"] }",
    ])
    func `a key with its effect is not told of`(lines: String) throws {
        #expect(try Fixture.parse(Fixture.streamText(lines), environment: ["T": "s"]).warnings.isEmpty)
    }
}
