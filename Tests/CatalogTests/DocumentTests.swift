import GarnerCatalog
import Testing

struct DocumentTests {
    @Test(arguments: ["", " \n\n", "# only a comment\n", "---\n", "null", "~\n"])
    func `an empty file is said to be empty`(text: String) {
        let issues = Fixture.issues(text)
        #expect(issues.map(\.summary) == ["1:1 the file is empty"])
        #expect(issues.first?.hint?.contains(text.allSatisfy(\.isWhitespace) ? "garner init" : "garner add") == true)
    }

    @Test(arguments: [
        ("version: 2", "1:10 'version' must be 1"), ("version: \"1\"", "1:10 'version' must be 1"),
        ("version: 1.0", "1:10 'version' must be 1"), ("sources: {}", "1:1 'version' is missing"),
        ("- version: 1", "1:1 the file must be a mapping, not a list"),
        ("hello", "1:1 the file must be a mapping, not text"),
    ])
    func `a file begins with its version`(text: String, expected: String) {
        #expect(Fixture.issues(text).map(\.summary) == [expected])
    }

    @Test(arguments: [
        ("version: 1\nsources: {", "quotes"),
        ("version: 1\nsources:\n  a: b: c", "': ' in quotes"), ("version: 1\ndatabase: @x", "in quotes"),
        ("version: 1\nsources:\n\tzoo: 1", "spaces, not with tabs"),
        ("version: 1\ndatabase: *here", "anchor"),
        ("version: 1\n---\nversion: 1", "remove line 2 ('---') if they are one, else what follows it"),
        ("version: 1\n---\nsources:\n  zoo: { base_url: 'http://a/' }", "remove line 2 ('---')"),
        ("version: 1\nsources:\n  zoo:\n    auth: { type: bearer, token: ${TOKEN} }", "double quotes"),
        ("version: 1\ndatabase: \"a\u{1}b\"", "character"),
        ("version: 1\ndatabase: */5", "put the text in quotes"),
        ("version: 1\nsources:\n  - {id}/notes", "put the text in quotes"),
        ("version: 1\ndatabase: {a}/notes", "put the text in quotes"),
        ("version: 1\ndatabase: \"C:\\data\"", "write '\\\\'"),
        ("version: 1\nsources:\n  zoo:\n    base_url: \"https://a/\",\n    streams: {}", "remove the comma"),
    ])
    func `broken YAML has a place and a hint`(text: String, hint: String) throws {
        let issue = try #require(Fixture.issues(text).first)
        #expect(issue.message.hasPrefix("not valid YAML: "))
        #expect(issue.place.file == "folder/garner.yaml")
        #expect((issue.place.line ?? 0) >= 2 && (issue.place.column ?? 0) >= 1)
        #expect(issue.hint?.contains(hint) == true, "\(issue)")
    }

    @Test(arguments: [
        ("{id}/notes", "{"), ("@.id > 3", "@"), ("*/5", "*"), ("`a`", "`"), ("{ a: @b }", "@"), ("[*]", "*"),
    ])
    func `a text that YAML takes for something else is told in plain words`(value: String, start: String) {
        let issue = Fixture.issues("version: 1\ndatabase: \(value)").first
        #expect(issue?.message == "not valid YAML: a text that begins with '\(start)' needs quotes")
        #expect(issue?.hint == "put the text in quotes")
    }

    /// The advice is followed: the lines that it names are removed.
    @Test(arguments: [
        (
            "version: 1\n<<<<<<< HEAD\ndatabase: a.db\n=======\n>>>>>>> main", 2,
            "the marks of a merge conflict stand in the file",
            "keep one of the versions between them, and remove lines 2, 4 and 5"
        ),
        ("```yaml\nversion: 1\n```", 1, "``` is a mark of Markdown around the file", "remove lines 1 and 3"),
        (
            "version: 1\nsources:\n  zoo:\n    base_url: https://z.example/\n    ...\n    streams: {}", 5,
            "'...' stands where something is left out", "remove line 5, or write what belongs there"
        ),
        (
            "version: 1\n\u{FEFF}  database: a.db", 2,
            "line 2 begins with a byte order mark (U+FEFF), which nobody sees",
            "remove it: write the beginning of line 2 anew"
        ),
        (
            "\u{FEFF}version: 1\n\u{FEFF}version: 1\n  \u{FEFF}database: a.db", 2,
            "lines 2 and 3 begin with a byte order mark (U+FEFF), which nobody sees",
            "remove it: write the beginning of lines 2 and 3 anew"
        ),
    ])
    func `lines that belong to no YAML are told of`(text: String, line: Int, problem: String, hint: String) {
        let issues = Fixture.issues(text)
        #expect(issues.map(\.summary) == ["\(line):1 not valid YAML: \(problem)"])
        #expect(issues.map(\.hint) == [hint])
        let numbers = hint.matches(of: /[0-9]+/).compactMap { Int($0.output) }
        let lines = text.split(separator: "\n").enumerated().filter { !numbers.contains($0.offset + 1) }
        #expect(Fixture.issues(lines.map { String($0.element) }.joined(separator: "\n")).isEmpty)
    }

    @Test(arguments: [
        ("version = 1\n\n[sources.api]\nbase_url = 'https://a/'", "the file is written in TOML or the like"),
        ("# mine\n[sources.api]\nbase_url = 'https://a/'", "the file is written in TOML or the like"),
        ("https://a.example/items", "the file is a request"),
        ("curl -s https://a.example/items", "the file is a request"),
        ("GET https://a.example/items", "the file is a request"),
        ("<!DOCTYPE html>\n<html>", "the file is a page of HTML or XML"),
    ])
    func `a file in another notation is told by its name`(text: String, problem: String) {
        #expect(Fixture.issues(text).map(\.message) == ["not valid YAML: \(problem)"])
    }

    @Test func `an anchor that is not there is named`() {
        let issues = Fixture.issues("version: 1\ndefaults: *mine")
        #expect(issues.map(\.message) == ["not valid YAML: no anchor '&mine' stands above '*mine'"])
        #expect(issues.map(\.hint) == ["define the anchor ('&mine') above its use"])
    }

    @Test(arguments: [
        ("version: 1\ndatabase: a\nsources: {}\ndatabase: b\n", "4:1 duplicate key 'database'"),
        (
            Fixture.streamText("path: /a\nlimits:\n  total: 1m\n\n  # more\n  \"total\": 2m"),
            "11:11 duplicate key 'total'"
        ),
        ("version: 1\ndefaults: { retry: {}, retry: {} }", "2:24 duplicate key 'retry'"),
        (
            "version: 1\ndefaults:\n  limits:\n    { total: 1m, total: 2m }\n  x:\n      total: 3m",
            "4:18 duplicate key 'total'"
        ),
        (
            "version: 1\nsources: { 1: { base_url: 'http://a/' }, '1': { base_url: 'http://a/' } }",
            "2:42 duplicate key '1'"
        ),
        (
            "version: 1\nsources: { &a 1: { base_url: 'http://a/' }, '1': { base_url: 'http://a/' } }",
            "2:45 duplicate key '1'"
        ),
    ])
    func `a duplicate key is refused where it stands`(text: String, expected: String) {
        #expect(Fixture.issues(text).map(\.summary) == [expected])
    }

    @Test func `a tag of another program is refused rather than overlooked`() {
        let issues = Fixture.issues(Fixture.streamText("headers: { X-Key: !env TOKEN, X-Text: !!str 1 }"))
        #expect(issues.map(\.summary) == ["7:27 'headers.X-Key' has an unknown tag, '!env'"])
    }

    @Test func `all issues are told at once, in the order of the file`() {
        let text = """
            version: 3
            databse: x
            sources:
              zoo:
                base_url: ftp://example.com
                streams:
                  animals: { flatten_depth: many, primary_key: {} }
            """
        #expect(
            Fixture.issues(text).map(\.summary) == [
                "1:10 'version' must be 1", "2:1 unknown key 'databse'", "5:15 'base_url' is neither http nor https",
                "7:33 'flatten_depth' must be a whole number, not 'many'",
                "7:52 'primary_key' must be text, not a mapping",
            ])
    }

    @Test func `anchors, aliases and merge keys work`() throws {
        let configuration = try Fixture.parse(
            """
            version: 1
            sources:
              zoo:
                base_url: &base https://zoo.example/
                streams:
                  animals: &common { path: /animals, primary_key: code, max_delete_ratio: 0.25 }
                  keepers: { <<: *common, path: /keepers }
              farm:
                base_url: *base
                streams: { fields: { <<: [ *common, { flatten_depth: 3 } ] } }
            """)
        #expect(configuration.streams.map(\.request.path) == ["/animals", "/keepers", "/animals"])
        #expect(configuration.streams.map(\.primaryKey) == [["code"], ["code"], ["code"]])
        #expect(configuration.streams.map(\.flattenDepth) == [1, 1, 3])
        #expect(configuration.streams.last?.request.baseURL == "https://zoo.example/")
    }

    @Test(arguments: ["version: 1", "version: 1\nsources:\n", "version: 1\nsources: {}\ndefaults:\n"])
    func `a file without sources is valid`(text: String) throws {
        let configuration = try Fixture.parse(text)
        #expect(configuration.streams.isEmpty)
        #expect(configuration.database == "folder/garner.db")
    }
}
