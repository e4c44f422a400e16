import GarnerCatalog
import GarnerModel
import Testing

struct KeyTests {
    @Test(arguments: [
        ("pagintor: {}", "7:9 unknown key 'pagintor'", "did you mean 'paginator'?"),
        ("retry: { max_attemps: 3 }", "7:18 unknown key 'max_attemps'", "did you mean 'max_attempts'?"),
        ("limits: { bdy: 3 }", "7:19 unknown key 'bdy'", "did you mean 'body'?"),
        ("schedule: { evry: 3m, every: 1m }", "7:21 unknown key 'evry'", "did you mean 'every'?"),
        ("paginator: { type: auto, max_page: 3 }", "7:34 unknown key 'max_page'", "did you mean 'max_pages'?"),
        ("auth: { type: none, tokn: x }", "7:29 unknown key 'tokn'", "known here: type"),
        (
            "auth: { type: bearer, token: x, in: header }", "7:41 'auth.in' does not belong here",
            "'bearer' has no such key: it is one of type: api_key (name, in, value)"
        ),
        (
            "paginator: { type: cursor, cursor_path: $.c, limit: 3 }", "7:54 'paginator.limit' does not belong here",
            "'cursor' has no such key: it is one of type: offset"
        ),
        ("base_url: https://a", "7:9 'base_url' does not belong here", "move it into a source"),
        (
            "p\u{430}th: /a", "7:9 unknown key 'p\u{430}th'",
            "did you mean 'path'? It is written with U+0430, which no key has"
        ),
        (
            "\u{440}\u{430}th: /a", "7:9 unknown key '\u{440}\u{430}th'",
            "did you mean 'path'? It is written with U+0440, which no key has"
        ),
        ("{}: 1", "7:9 a key must be text", "key: value"),
    ])
    func `an unknown key is refused with what was meant`(lines: String, summary: String, hint: String) throws {
        let issues = Fixture.issues(Fixture.streamText(lines))
        #expect(issues.map(\.summary) == [summary])
        #expect(issues.first?.hint?.contains(hint) == true, "\(issues)")
    }

    @Test func `an unknown key without a near one lists what is known`() {
        let issues = Fixture.issues("version: 1\nzzz: 1")
        #expect(issues.map(\.hint) == ["known here: version, database, publish, listen, defaults, include, sources"])
    }

    @Test(arguments: [
        ("127.0.0.1:9000", "127.0.0.1:9000"), ("8787", "127.0.0.1:8787"), ("'[::1]:80'", "[::1]:80"),
        ("0.0.0.0:8787", "0.0.0.0:8787"),
    ])
    func `the address of the dashboard is read, and shown with its line`(written: String, shown: String) throws {
        let configuration = try Fixture.parse("version: 1\nlisten: \(written)\nsources: {}\n")
        #expect(configuration.listen?.description == shown)
        let entry = configuration.effective.general.first { $0.path == ["listen"] }
        #expect(entry?.value == .text(shown))
        #expect(entry?.origin == .file(line: 2))
        #expect(try Fixture.parse("version: 1\n").effective.general.map(\.path) == [["database"]])
    }

    @Test(arguments: ["nowhere", "a:b", "127.0.0.1:65536", "'::1:80'", "''", "[1]"])
    func `an address of no dashboard is refused`(written: String) {
        #expect(Fixture.issues("version: 1\nlisten: \(written)\n").map(\.message).count == 1)
    }

    @Test func `a key of another tool is unknown on every level`() {
        #expect(Fixture.issues(Fixture.streamText("frobnicate: {}")).map(\.summary) == ["7:9 unknown key 'frobnicate'"])
        #expect(
            Fixture.issues(Fixture.sourceText("frobnicate: true")).map(\.summary) == ["5:5 unknown key 'frobnicate'"])
        #expect(
            Fixture.issues("version: 1\ndefaults: { frobnicate: 1 }").map(\.summary) == [
                "2:13 unknown key 'frobnicate'"
            ])
    }

    @Test func `an unknown kind of authentication is refused with those that there are`() {
        let issues = Fixture.issues(Fixture.streamText("auth: { type: hmac }"))
        #expect(issues.map(\.message) == ["'auth.type' cannot be 'hmac'"])
        #expect(issues.first?.hint?.contains("bearer") == true, "\(issues)")
    }

    @Test(arguments: [
        ("path", "move it into a stream"), ("table", "move it into a stream"), ("parent", "move it into a stream"),
        ("include_from_parent", "move it into a stream"), ("partitions", "move it into a stream"),
        ("attachments", "move it into a stream"), ("incremental", "move it into a stream"),
        ("json", "move it into a stream"), ("search", "move it into a stream"), ("method", "move it into a stream"),
        ("auth", "move it into a source or a stream"), ("base_url", "move it into a source"),
        ("streams", "move it into a source"),
    ])
    func `a key does not stand above its place`(key: String, hint: String) {
        for text in ["version: 1\n\(key): x", "version: 1\ndefaults:\n  \(key): x"] {
            let issues = Fixture.issues(text)
            #expect(issues.map(\.message) == ["'\(key)' does not belong here"])
            #expect(issues.map(\.hint) == [hint])
        }
        guard hint == "move it into a stream" else { return }
        let issues = Fixture.issues(Fixture.sourceText("\(key): x"))
        #expect(issues.map(\.summary) == ["5:5 '\(key)' does not belong here"])
        #expect(issues.map(\.hint) == [hint])
    }

    @Test(arguments: ["on_success", "on_failure", "on_recovery", "on_stale", "on_change", "ping"])
    func `a hook stands below hooks`(key: String) {
        let summary = "'\(key)' does not belong here"
        for (text, place) in [
            (Fixture.streamText("\(key): []"), "7:9"), (Fixture.sourceText("\(key): []"), "5:5"),
            ("version: 1\ndefaults: { \(key): [] }", "2:13"), ("version: 1\n\(key): []", "2:1"),
        ] {
            let issues = Fixture.issues(text)
            #expect(issues.map(\.summary) == ["\(place) \(summary)"])
            #expect(issues.map(\.hint) == ["move it into 'hooks:'"])
        }
    }

    @Test(arguments: ["rate_limit", "max_concurrency", "proxy", "ca", "client_certificate"])
    func `what all streams of a source share is no stream's own`(key: String) {
        let issues = Fixture.issues(Fixture.streamText("\(key): x"))
        #expect(issues.map(\.summary) == ["7:9 '\(key)' does not belong here"])
        #expect(issues.map(\.hint) == ["move it into a source"])
        #expect(Fixture.issues("version: 1\n\(key): x").map(\.hint) == ["move it into 'defaults:' or a source"])
    }

    @Test func `what is inherited belongs to the defaults, a source or a stream`() {
        let hint = "move it into 'defaults:', a source or a stream"
        for key in ["retry", "hooks", "response_actions", "wait_for_connectivity", "respect_cache_control", "headers"] {
            #expect(Fixture.issues("version: 1\n\(key): x").map(\.hint) == [hint])
        }
    }

    @Test func `braces that are no placeholder may stand in a parameter`() throws {
        let stream = try Fixture.stream("params: { filter: '{\"a\": 1}' }")
        #expect(stream.request.params == [.init(name: "filter", value: .literal("{\"a\": 1}"))])
    }
}
