import GarnerCatalog
import Testing

struct PlaceholderTests {
    /// The streams `zoo.animals`, with nothing, and `zoo.feedings` with these lines; the first is line 8, column 9.
    private func text(_ lines: String) -> String {
        let indented = lines.split(separator: "\n").map { "        \($0)" }.joined(separator: "\n")
        return """
            version: 1
            sources:
              zoo:
                base_url: https://api.example.com/
                streams:
                  animals:
                  feedings:

            """ + indented
    }

    @Test(arguments: [
        ("path: /a/{parent.id}/b", "7:15"), ("path: /a?since={incremental.start_value}", "7:15"),
        ("params: { q: \"{partition.repo}\" }", "7:19"), ("json: { q: [\"{parent.id}\"] }", "7:15"),
    ])
    func `a placeholder that nothing fills is refused rather than sent`(lines: String, place: String) {
        let issues = Fixture.issues(Fixture.streamText(lines))
        #expect(issues.count == 1)
        #expect(issues.first?.message.hasPrefix("'{") == true)
        #expect(issues.first?.hint?.contains("add ") == true)
        #expect(issues.first?.place.line == 7)
    }

    @Test(arguments: [
        "{now - 7}", "{now, soon}", "{now - 7d, }", "{now-}", "{incremental.start_value - 1d}",
        "{incremental.end_value, iso}",
    ])
    func `a wrong time in braces is refused`(written: String) {
        let issues = Fixture.issues(text("params: { q: \"\(written)\" }\nincremental: { cursor_field: at }"))
        #expect(issues.map(\.message) == ["wrong placeholder '\(written)' in 'params.q'"])
        #expect(issues.first?.hint?.contains("{now - 7d, date}") == true)
    }

    @Test(arguments: [
        ("{now, %Y}", "the pattern names no day, as %Y-%m-%d, %Y-%j and %s do"),
        ("{now, %H:%M}", "the pattern names no day, as %Y-%m-%d, %Y-%j and %s do"),
        ("{now, %Y-%m-%d %Q}", "%Q is not known; write %Y, %m, %d, %j, %H, %M, %S, %f, %z, %b, %s, %F or %T"),
        ("{now, %F%}", "a % stands at the end"), ("{now, YYYY-MM-DD}", "'YYYY-MM-DD' is no format"),
    ])
    func `a pattern that cannot be used is refused with the reason`(written: String, reason: String) {
        let issues = Fixture.issues(text("params: { q: \"\(written)\" }"))
        #expect(issues.map(\.message) == ["wrong placeholder '\(written)' in 'params.q': \(reason)"])
    }

    @Test(arguments: [
        ("{now, YYYY-MM-DD}", "{now, %Y-%m-%d}"), ("{now - 7d, dd.MM.yyyy}", "{now - 7d, %d.%m.%Y}"),
        ("{now, YYYY-MM-DDTHH:mm:ssZ}", "{now, %Y-%m-%dT%H:%M:%SZ}"),
    ])
    func `a format in the letters of other languages leads to ours`(written: String, ours: String) {
        #expect(Fixture.issues(text("params: { q: \"\(written)\" }")).map(\.hint) == ["write \(ours)"])
        #expect(Fixture.issues(text("params: { q: \"\(ours)\" }")).isEmpty)
    }

    @Test(arguments: [
        (
            "path: /{word}", "{word}", "path",
            "write {partition.word} for a value of 'partitions', {parent.word} for a field of the parent; a space after '{'"
        ),
        ("path: /{o}", "{o}", "path", "write {partition.o} for a value of 'partitions'"),
        ("path: /{items.id}", "{items.id}", "path", "{parent.id} for a field of the parent"),
        ("path: /{partitions.x}", "{partitions.x}", "path", "write {partition.x} for a value of 'partitions'"),
        ("params: { q: \"{start_value}\" }", "{start_value}", "params.q", "did you mean '{incremental.start_value}'?"),
        ("path: /{parent}", "{parent}", "path", "{parent.…}"),
        ("path: /{parent.}", "{parent.}", "path", "{parent.…}"),
        ("params: { q: \"a {incremental.start_valu}\" }", "{incremental.start_valu}", "params.q", "did you mean"),
        ("json: { a: [{ b: \"{wrong.id}\" }] }", "{wrong.id}", "json.a[0].b", "{partition.id} for a value"),
        ("params: { q: \"${T}{word}\" }", "{word}", "params.q", "{parent.word} for a field"),
    ])
    func `an unknown placeholder says which ones are known`(lines: String, shown: String, name: String, hint: String) {
        let issues = Fixture.issues(Fixture.streamText(lines), environment: ["T": "s3"])
        #expect(issues.map(\.message) == ["unknown placeholder '\(shown)' in '\(name)'"])
        #expect(issues.first?.hint?.contains(hint) == true, "\(issues)")
    }

    /// Each is what the text means, and is right where the stream has what it needs.
    @Test(arguments: [
        ("{today}", "{now, date}"), ("{date}", "{now, date}"), ("{YESTERDAY}", "{now - 1d, date}"),
        ("{timestamp}", "{now, epoch}"), ("{utcnow}", "{now}"), ("{start_date}", "{incremental.start_value}"),
        ("{lastRun}", "{incremental.start_value}"), ("{incremental.start}", "{incremental.start_value}"),
        ("{until}", "{incremental.end_value}"), ("{page}", "{page.number}"), ("{next-token}", "{page.cursor}"),
    ])
    func `a placeholder in the words of another program leads to ours`(written: String, ours: String) throws {
        #expect(
            Fixture.issues(Fixture.streamText("params: { q: \"\(written)\" }")).map(\.hint) == [
                "did you mean '\(ours)'?"
            ])
        let paging =
            ours == "{page.number}" ? "page_number" : ours == "{page.cursor}" ? "cursor, cursor_path: $.c" : "auto"
        let lines =
            "params: { q: \"\(ours)\" }\npaginator: { type: \(paging) }\n"
            + "incremental: { cursor_field: at, initial_value: \"2026-01-01\", step: 1d }"
        #expect(Fixture.issues(Fixture.streamText(lines)).isEmpty)
    }

    @Test(arguments: [
        ("{{ now }}", "{now}"), ("{{parent.id}}", "{parent.id}"), ("{ parent.id }", "{parent.id}"),
        ("{{ now - 7d, date }}", "{now - 7d, date}"), ("{now|date}", "{now, date}"),
        ("{{ now | epoch }}", "{now, epoch}"),
        ("{now:%Y-%m-%d}", "{now, %Y-%m-%d}"), ("{now|strftime('%Y')}", "{now}"),
        ("{now|strftime('%Y-%m-%d')}", "{now, %Y-%m-%d}"), ("{parent.id|upper}", "{parent.id}"),
        ("{parent.id:d}", "{parent.id}"),
    ])
    func `braces like those of other programs are told of`(written: String, meant: String) throws {
        let lines = text("parent: animals\nparams: { q: \"\(written)\", id: \"{parent.id}\" }")
        let warnings = try Fixture.parse(lines).warnings
        #expect(warnings.map(\.message) == ["'\(written)' in 'params.q' is text, and no placeholder"])
        #expect(warnings.map(\.hint) == ["write \(meant)"])
    }

    /// The brace beside the placeholder says that a range of Lucene leaves its start or its end out.
    @Test(arguments: [
        "at:{{incremental.start_value}  TO {incremental.end_value}]",
        "at:[{incremental.start_value} TO {incremental.end_value}}",
    ])
    func `a range with a brace of its own is no mistake`(written: String) throws {
        let lines = text(
            "params: { q: \"\(written)\" }\nincremental: { cursor_field: at, initial_value: \"2026-01-01\", step: 1d }")
        let warnings = try Fixture.parse(lines).warnings.map(\.message)
        #expect(warnings.filter { $0.contains("no placeholder") } == [])
        #expect(Template(written).placeholders == [.incrementalStart, .incrementalEnd])
    }

    @Test(arguments: [
        ("path: /$TENANT/a", "path"), ("params: { q: \"a $TENANT\" }", "params.q"),
        ("headers: { X-T: $TENANT }", "headers.X-T"),
    ])
    func `a variable without braces is told of`(lines: String, name: String) throws {
        let warnings = try Fixture.parse(text(lines)).warnings
        #expect(warnings.map(\.message) == ["'$TENANT' in '\(name)' is no variable, and is sent as it is"])
        #expect(warnings.map(\.hint) == ["write \"${TENANT}\""])
        let pasted = text(
            lines.replacing("$TENANT", with: "\"${TENANT}\"").replacing("\"a \"${TENANT}\"\"", with: "\"a ${TENANT}\""))
        let settled = pasted.replacing("/\"${TENANT}\"/a", with: "/${TENANT}/a")
        #expect(try Fixture.parse(settled, environment: ["TENANT": "t"]).warnings.isEmpty)
        #expect(try Fixture.parse(text("params: { q: \"$$TENANT $filter 5$ $1\" }")).warnings.isEmpty)
    }

    @Test(arguments: [
        (":id", "id", true), (":animal_id", "id", true), ("<int:animalId>", "id", true), ("\"[name]\"", "name", true),
        (":id", "id", false),
    ])
    func `a value of a path in the notation of documentation is told of`(written: String, field: String, isBelow: Bool)
        throws
    {
        let bare = written.replacing("\"", with: "")
        let path = isBelow ? "/animals/\(bare)/visits?all=1" : "/zoos/\(bare)"
        let warnings = try Fixture.parse(text("path: \"\(path)\"")).warnings
        #expect(warnings.map(\.message) == ["'path' of 'zoo.feedings' holds '\(bare)', which is sent as it is"])
        let hint = try #require(warnings.first?.hint)
        let meant = path.replacing(bare, with: "{parent.\(field)}")
        guard isBelow else {
            return #expect(
                hint == "write {parent.id} for a field of the parent, or {partition.id} for a value of 'partitions'")
        }
        #expect(hint.hasPrefix("write path: \"\(meant)\" and parent: animals; or {partition."), "\(hint)")
        #expect(try Fixture.parse(text("path: \"\(meant)\"\nparent: animals")).warnings.isEmpty)
    }

    @Test(arguments: ["/animals:search", "/a?t=:id", "/:1", "/a/b:c/<>"])
    func `a colon elsewhere in a path is one`(path: String) throws {
        #expect(try Fixture.parse(text("path: \"\(path)\"")).warnings.isEmpty)
    }

    @Test(arguments: [
        "env:TENANT", "ENV.TENANT", "process.env.TENANT", "%TENANT%", "$(TENANT)", "env(TENANT)", "env('TENANT')",
        "ENV['TENANT']", "os.environ['TENANT']", "os.environ.get('TENANT')", "os.getenv('TENANT')", "os.environ/TENANT",
        "env://TENANT", "$env:TENANT", "secrets.TENANT",
    ])
    func `a variable as other programs have it is told of`(written: String) throws {
        let warnings = try Fixture.parse(text("params: { q: \"\(written)\" }")).warnings
        #expect(warnings.map(\.hint) == ["write \"${TENANT}\""])
        let token = try Fixture.parse(Fixture.streamText("auth: { type: bearer, token: \"\(written)\" }")).warnings
        #expect(token.map(\.hint) == warnings.map(\.hint), "\(token)")
        #expect(try Fixture.parse(text("params: { q: \"env:prod\", r: \"20%\", s: \"100%\" }")).warnings.isEmpty)
    }

    @Test func `a variable as other programs have it keeps the word before it`() throws {
        let warnings = try Fixture.parse(text("headers: { Authorization: \"Bearer env(TENANT)\" }")).warnings
        #expect(warnings.map(\.hint) == ["write \"Bearer ${TENANT}\""], "\(warnings)")
        #expect(Fixture.issues(text("params: { q: \"{env.TENANT}\" }")).map(\.hint) == ["write \"${TENANT}\""])
    }

    @Test(arguments: [
        "query { now: a }", "query { now }", #"{"a": {"b": 1}}"#, "{ name }", "$${{ now }", "{{}}", "{{ now", "{{{",
        "}}{",
    ])
    func `other texts with braces are no placeholders and told of by nobody`(body: String) throws {
        let yaml = body.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        let warnings = try Fixture.parse(text("body: \"\(yaml)\"\nmethod: POST")).warnings
        #expect(!warnings.contains { $0.message.contains("placeholder") })
    }

    @Test(arguments: [
        "parent: animals\npath: /{parent.id}", "parent: animals\nparams: { of: \"{parent.id}\" }",
        "parent: animals\njson: [{ a: { b: \"x{parent.id}\" } }]",
        "parent: animals\nheaders: { X-Id: \"{parent.id}\" }", "parent: animals\nform: { id: [\"{parent.id}\"] }",
        "parent: animals\nbody: \"id = {parent.id}\"", "parent: animals\nparams: { id: [a, \"{parent.id}\"] }",
        "partitions: { repo: [a, b] }\npath: /{partition.repo}",
        "partitions: { repo: a }\nparams: { repo: \"{partition.repo}\" }",
        "incremental: { cursor_field: at }\nparams: { since: \"{incremental.start_value}\" }",
        "params: { since: \"{now - 7d, date}\" }", "path: \"/{now, %Y/%m/%d}\"", "headers: { X-At: \"{now}\" }",
        "incremental: {}\nparams: { until: \"{incremental.end_value}\" }",
        "incremental: { cursor_field: at, datetime_format: epoch }\nbody: \"{incremental.end_value, epoch_ms}\"",
        "incremental: { cursor_field: at, end_value: 9 }\nparams: { until: \"{incremental.end_value}\" }",
        "incremental: { cursor_field: at, initial_value: 1, end_value: 9, step: 2 }\njson: { until: \"{incremental.end_value}\" }",
    ])
    func `a placeholder that is filled may stand in path, params and json`(lines: String) {
        #expect(Fixture.issues(text(lines)).isEmpty)
    }

    @Test(arguments: [
        ("parent: animals", "'parent' is used nowhere: every request would be the same"),
        (
            "headers: { X-Id: \"{parent.id}\" }",
            "'{parent.id}' in 'headers.X-Id' of 'zoo.feedings' needs 'parent'"
        ),
        (
            "partitions: { a: [1], b: [2] }\npath: /{partition.a}",
            "partition 'b' is used nowhere: every request would be the same"
        ),
        (
            "partitions: { repo: [1] }\npath: /{partition.repo}/{partition.rep}",
            "'{partition.rep}' in 'path' of 'zoo.feedings' names no partition"
        ),
        (
            "incremental: { cursor_field: at }\npath: /{incremental.end_value}",
            "'{incremental.end_value}' in 'path' of 'zoo.feedings' needs an end"
        ),
    ])
    func `what fills placeholders is used by all of them`(lines: String, message: String) {
        let issues = Fixture.issues(text(lines))
        #expect(issues.map(\.message) == [message])
        #expect(issues.first?.hint != nil)
    }

    /// Lines with a key that stands below others of its mapping, and the one of them that is meant.
    @Test(arguments: [
        ("params: { a: \"{partition.a}\" }\npartitions:\n  a: [1]\n  b:\n    - 2", "partition 'b' is used nowhere", 3),
        (
            "paginator:\n  type: cursor\n  cursor_path: \"$.data[*].id\"",
            "'cursor_path' of 'zoo.feedings' finds a value in each element", 2
        ),
        (
            "json: { page: 1 }\npaginator:\n  type: page_number\n  base_page: 1\n  page_param: page",
            "'page' stands in 'json'", 4
        ),
        (
            "params: { since: \"{incremental.start_value}\" }\nincremental:\n  cursor_field: at\n  initial_value: 2024-01-01\n  step: 30d",
            "'incremental.step' of 'zoo.feedings' has no end", 4
        ),
    ])
    func `a key of a mapping is told with its own line`(lines: String, message: String, row: Int) throws {
        let text = text(lines)
        let issues = Fixture.issues(text) + ((try? Fixture.parse(text).warnings) ?? [])
        let told = try #require(issues.first { $0.message.hasPrefix(message) }, "\(issues)")
        let start = try #require(text.split(separator: "\n").firstIndex { $0.contains(lines.prefix { $0 != "\n" }) })
        #expect(told.place.line == start + 1 + row, "\(told)")
    }

    /// Texts with a page that nothing fills, what is said, the edit that the hint names, and the line that it leads to.
    private static let pages: [(String, String, String, String)] = [
        (
            "params: { after: \"{page.cursor}\" }",
            "'{page.cursor}' in 'params.after' of 'zoo.feedings' needs another paginator",
            "write paginator: { type: cursor, cursor_path: $.next_cursor }",
            "params: { after: \"{page.cursor}\" }\npaginator: { type: cursor, cursor_path: $.next_cursor }"
        ),
        (
            "paginator: { type: cursor, cursor_path: $.c }\njson: { from: \"{page.offset}\" }",
            "'{page.offset}' in 'json' of 'zoo.feedings' needs another paginator",
            "write {page.cursor}, or paginator: { type: offset, limit: 100 }",
            "paginator: { type: offset, limit: 100 }\njson: { from: \"{page.offset}\" }"
        ),
        (
            "paginator: { type: offset }\npath: /{page.number}",
            "'{page.number}' in 'path' of 'zoo.feedings' needs another paginator",
            "write {page.offset}, or paginator: { type: page_number }",
            "paginator: { type: page_number }\npath: /{page.number}"
        ),
        (
            "paginator: { type: offset }\npath: /{page.number}",
            "'{page.number}' in 'path' of 'zoo.feedings' needs another paginator",
            "write {page.offset}, or paginator: { type: page_number }",
            "paginator: { type: offset }\npath: /{page.offset}"
        ),
        (
            "paginator: { type: cursor, cursor_path: $.c }\nparams: { q: \"from {page.cursor}\" }",
            "'{page.cursor}' in 'params.q' of 'zoo.feedings' has no value on the first page",
            "write first_cursor: \"*\" in paginator, or what else the API takes for its first page",
            "paginator: { type: cursor, cursor_path: $.c, first_cursor: \"*\" }\nparams: { q: \"from {page.cursor}\" }"
        ),
        (
            "paginator: { type: header_cursor, cursor_header: X-C }\nbody: \"{page.cursor}\"",
            "'{page.cursor}' in 'body' of 'zoo.feedings' has no value on the first page",
            "write first_cursor: \"*\" in paginator, or what else the API takes for its first page",
            "paginator: { type: header_cursor, cursor_header: X-C, first_cursor: \"*\" }\nbody: \"{page.cursor}\""
        ),
        (
            "params: { after: \"{cursor}\" }\npaginator: { type: cursor, cursor_path: $.c }",
            "unknown placeholder '{cursor}' in 'params.after'", "did you mean '{page.cursor}'?",
            "params: { after: \"{page.cursor}\" }\npaginator: { type: cursor, cursor_path: $.c }"
        ),
    ]

    @Test(arguments: pages)
    func `a page that nothing fills leads to the line to write`(
        lines: String, message: String, hint: String, pasted: String
    ) throws {
        let issues = Fixture.issues(text(lines))
        #expect(issues.map(\.message) == [message] && issues.map(\.hint) == [hint], "\(issues)")
        #expect(try Fixture.parse(text(pasted)).warnings.isEmpty)
    }

    @Test(arguments: ["{now}", "a {partition.x}", "{word}", "{now - 7}"])
    func `braces in the first cursor are refused, since nothing fills them`(written: String) throws {
        for type in ["type: cursor, cursor_path: $.c", "type: header_cursor, cursor_header: X-C"] {
            let lines = text("paginator: { \(type), first_cursor: \"\(written)\" }")
            let issues = Fixture.issues(lines)
            let placeholder = written.replacing("a ", with: "")
            #expect(
                issues.map(\.message)
                    == ["'paginator.first_cursor' holds '\(placeholder)', and nothing is filled in there"])
            let hint = "write the cursor itself, such as first_cursor: \"*\""
            #expect(issues.map(\.hint) == [hint])
            let pasted = lines.replacing("first_cursor: \"\(written)\"", with: "first_cursor: \"*\"")
            #expect(try Fixture.parse(pasted).warnings.isEmpty)
            let plain = lines.replacing("\"\(written)\"", with: "'{\"id\": 7}'")
            #expect(try Fixture.parse(plain).warnings.isEmpty)
        }
    }

    @Test func `a parameter beside a placeholder of the page is told of`() throws {
        let lines = "params: { limit: \"{page.offset},5\" }\npaginator: { type: offset, limit: 5"
        let warnings = try Fixture.parse(text(lines + ", limit_param: size }")).warnings
        #expect(
            warnings.map(\.message) == [
                "'paginator.limit_param' has no effect in 'zoo.feedings': '{page.offset}' says where the page goes"
            ])
        #expect(warnings.map(\.hint) == ["remove 'limit_param', and write a page size into 'params', 'json' or 'form'"])
        #expect(try Fixture.parse(text(lines + " }")).warnings.isEmpty)
    }

    @Test func `a short name of a partition is found, too`() {
        let issues = Fixture.issues(text("partitions: { o: [0, 1] }\npath: /{partition.ow}"))
        #expect(issues.contains { $0.hint == "did you mean '{partition.o}'?" }, "\(issues)")
        #expect(Fixture.issues(text("partitions: { o: [0, 1] }\npath: /{partition.o}")).isEmpty)
    }

    @Test(arguments: [
        "parent: [x]\npath: /{parent.id}", "partitions: { repo: [] }\npath: /{partition.repo}",
        "incremental: { cursor_field: at, initial_value: 1, end_value: 9, step: 0 }\npath: /{incremental.end_value}",
    ])
    func `what is wrong with its filler is told once`(lines: String) {
        let issues = Fixture.issues(text(lines))
        #expect(issues.count == 1 && issues.first?.message.contains("{") == false, "\(issues)")
    }

    @Test func `an inherited placeholder is checked in each stream`() {
        let issues = Fixture.issues(
            """
            version: 1
            sources:
              zoo:
                base_url: https://api.example.com/
                params: { since: "{incremental.start_value}" }
                streams:
                  a: { incremental: { cursor_field: at } }
                  b:
                  c: { params: { since: 1 } }
            """)
        #expect(
            issues.map(\.summary) == [
                "5:15 '{incremental.start_value}' in 'params.since' of 'zoo.b' needs 'incremental'"
            ])
    }

    @Test(arguments: [
        "params: { q: \"{parent.id}${T}\" }", "json: { q: \"${T}/{parent.id}\" }",
        "params: { api_key: \"{parent.id}\" }", "params: { q: [\"{parent.id}\", \"${T}\"] }",
        "headers: { X-Q: \"{parent.id}${T}\" }", "form: { q: \"{parent.id}${T}\" }", "body: \"{parent.id}${T}\"",
    ])
    func `a secret and a placeholder do not share a text`(line: String) {
        let issues =
            Fixture.issues(text("parent: animals\npath: /{parent.id}\n\(line)"))
            + Fixture.issues(
                text("parent: animals\npath: /{parent.id}\n\(line)"), environment: ["T": "s3cret"])
        #expect(issues.last?.message.contains("holds a secret and the placeholder '{parent.id}'") == true)
        #expect(!"\(issues)".contains("s3cret"))
    }

    @Test func `what a variable says is no placeholder`() throws {
        let stream = try Fixture.stream("params: { q: \"${T}\" }", environment: ["T": "{parent.id}"])
        #expect(stream.request.params.map(\.value) == [.secret(Secret("{parent.id}"))])
    }

    @Test(arguments: ["$${parent.id}", "{\"a\": 1}", "{ word }", "{1}", "{}", "{a b}", "{animals{id name}}"])
    func `braces that hold no name are plain text`(written: String) throws {
        let stream = try Fixture.stream("params: { q: '\(written)' }\njson: { q: '\(written)' }")
        let expected = ConfiguredText.literal(written.replacing("$$", with: "$"))
        #expect(stream.request.params.map(\.value) == [expected])
        #expect(stream.request.body == .object([.init(name: "q", value: .text(expected))]))
        #expect(Template(expected.reveal()).placeholders.isEmpty)
    }

    @Test(arguments: ["/a/{parent.id} /b", "/{parent.id}{", "/{parent.id}#x", "/{ parent.id }"])
    func `a path around its placeholders is still one of a URL`(path: String) {
        #expect(
            Fixture.issues(text("parent: animals\npath: \"\(path)\"")).first?.message.hasPrefix("'path' holds") == true)
    }
}
