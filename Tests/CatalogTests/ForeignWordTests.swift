import GarnerCatalog
import Testing

/// Keys, values and spellings of other programs, with what they are called here.
struct ForeignWordTests {
    /// Each advice is followed: the line without its mistake has none.
    @Test(arguments: [
        ("endpoint: a", "did you mean 'path'?", "path: a"),
        ("data_selector: a", "did you mean 'record_selector'?", "record_selector: $.a"),
        ("replication_key: at", "did you mean 'incremental'?", "incremental: { cursor_field: at }"),
        ("incremental: { cursor: at }", "did you mean 'cursor_field'?", "incremental: { cursor_field: at }"),
        ("query: { a: 1 }", "did you mean 'params'?", "params: { a: 1 }"),
        ("pagination: { type: page_number }", "did you mean 'paginator'?", "paginator: { type: page_number }"),
        ("authenticator: { type: none }", "did you mean 'auth'?", "auth: { type: none }"),
        ("auth: { type: token, token: \"${T}\" }", "did you mean 'bearer'?", "auth: { type: bearer, token: \"${T}\" }"),
        (
            "auth: { type: bearer, token: { env: T } }", "write \"${T}\"", "auth: { type: bearer, token: \"${T}\" }"
        ),
        ("params: { since: {now} }", "write \"{now}\" with the quotes", "params: { since: \"{now}\" }"),
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
            "paginator: header_link", "write paginator: { type: header_link }, with the other keys that it needs",
            "paginator: { type: header_link }"
        ),
        ("write_disposition: overwrite", "did you mean 'replace'?", "write_disposition: replace"),
        ("schedule: 5m", "write schedule: { every: 5m }", "schedule: { every: 5m }"),
        ("schedule: \"@hourly\"", "write schedule: { every: 1h }", "schedule: { every: 1h }"),
        ("schedule: 0 3 * * 1", "write schedule: { cron: \"0 3 * * 1\" }", "schedule: { cron: \"0 3 * * 1\" }"),
        ("schedule: soon", "write schedule: { every: 15m }", "schedule: { every: 15m }"),
    ])
    func `a word of another program leads to ours`(line: String, hint: String, remedy: String) throws {
        let issues = Fixture.issues(Fixture.streamText(line), environment: ["T": "s"])
        #expect(issues.map(\.hint) == [hint])
        #expect(Fixture.issues(Fixture.streamText(remedy), environment: ["T": "s"]).isEmpty)
    }

    @Test(arguments: ["{ env: hunter2 }", "{hunter2}", "{ env: \"hunter2\" }"])
    func `what may be a misplaced secret is not advised`(token: String) {
        let issues = Fixture.issues(Fixture.streamText("auth: { type: bearer, token: \(token) }"))
        #expect(!issues.isEmpty && issues.allSatisfy { $0.hint?.contains("hunter2") == false }, "\(issues)")
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
    }
}
