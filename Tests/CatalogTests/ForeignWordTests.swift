import GarnerCatalog
import GarnerModel
import Testing

/// Keys, values and spellings of other programs, with what they are called here.
struct ForeignWordTests {
    /// Each advice is followed: the line without its mistake has none.
    @Test(arguments: ForeignExamples.names + ForeignExamples.lines)
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
