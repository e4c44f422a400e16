import GarnerCatalog
import Testing

struct RequestTests {
    @Test(arguments: [
        ("{ type: none }", Authentication.none),
        ("{ type: bearer, token: \"${T}\" }", .bearer(token: Secret("s3"))),
        (
            "{ type: api_key, name: X-Key, value: \"${T}\" }",
            .apiKey(name: "X-Key", location: .header, value: Secret("s3"))
        ),
        (
            "{ type: api_key, name: key, in: query, value: \"k${T}\" }",
            .apiKey(name: "key", location: .query, value: Secret("ks3"))
        ),
        (
            "{ type: http_basic, username: me, password: \"${T}\" }",
            .basic(username: .literal("me"), password: Secret("s3"))
        ),
        (
            "{ type: http_basic, username: '', password: \"${T}\" }",
            .basic(username: .literal(""), password: Secret("s3"))
        ),
        (
            "{ type: http_basic, username: \"${T}\", password: '' }",
            .basic(username: .secret(Secret("s3")), password: Secret(""))
        ),
        (
            "{ type: http_basic, username: \"${T}\" }",
            .basic(username: .secret(Secret("s3")), password: Secret(""))
        ),
        (
            "{ type: http_basic, username: \"${T}\", password: \"${T}\" }",
            .basic(username: .secret(Secret("s3")), password: Secret("s3"))
        ),
    ])
    func `each way to authenticate reads its keys`(text: String, expected: Authentication) throws {
        let configuration = try Fixture.parse(Fixture.sourceText("auth: \(text)"), environment: ["T": "s3"])
        #expect(configuration.streams.map(\.request.authentication) == [expected])
        #expect(configuration.warnings.isEmpty)
    }

    @Test(arguments: [
        ("{}", ["'auth.type' is missing"]), ("{ type: basic }", ["'auth.type' cannot be 'basic'"]),
        ("{ type: bearer }", ["'auth.token' is missing"]), ("{ type: bearer, token: '' }", ["'auth.token' is empty"]),
        ("{ type: http_basic }", ["'auth.username' is missing"]),
        ("{ type: http_basic, username: '', password: '' }", ["'auth' has neither a name nor a password"]),
        ("{ type: http_basic, username: '' }", ["'auth' has neither a name nor a password"]),
        ("{ type: http_basic, username: me, password: \"${E}\" }", ["environment variable 'E' is empty"]),
        ("{ type: http_basic, username: \"${E}\", password: '' }", ["environment variable 'E' is empty"]),
        ("{ type: http_basic, username: 'a:b', password: \"${T}\" }", ["'auth.username' has a colon in it"]),
        ("{ type: http_basic, username: 'a:\u{301}', password: \"${T}\" }", ["'auth.username' has a colon in it"]),
        ("{ type: api_key, value: \"${T}\" }", ["'auth.name' is missing"]),
        ("{ type: api_key, name: a b, value: \"${T}\" }", ["this name of a header cannot be sent"]),
        ("{ type: api_key, name: a, in: cookie, value: \"${T}\" }", ["'auth.in' cannot be 'cookie'"]),
        (
            "{ type: oauth2, grant_type: client_credentials }",
            ["'auth.token_url' is missing", "'auth.client_id' is missing", "'auth.client_secret' is missing"]
        ),
        ("bearer", ["'auth' must be a mapping, not text"]),
    ])
    func `incomplete authentication is an issue`(text: String, messages: [String]) {
        let issues = Fixture.issues(Fixture.sourceText("auth: \(text)"), environment: ["T": "s3", "E": ""])
        #expect(issues.map(\.message) == messages)
        #expect(issues.allSatisfy { $0.place.line == 5 && $0.hint != nil })
    }

    @Test func `an empty variable for a password says how to send none`() {
        let text = Fixture.sourceText("auth: { type: http_basic, username: me, password: \"${E}\" }")
        let hints = Fixture.issues(text, environment: ["E": ""]).map(\.hint)
        #expect(hints == ["export E=…, or write password: \"\" if it is empty"])
    }

    @Test(arguments: [
        ("https://api.example.com", "https://api.example.com/"), ("HTTP://a:8080/v1", "HTTP://a:8080/v1"),
        ("https://api.example.com/v1/", "https://api.example.com/v1/"), ("http://[::1]:80/", "http://[::1]:80/"),
    ])
    func `a base URL is absolute`(written: String, expected: String) throws {
        #expect(try Fixture.streamOfSource("headers:", baseURL: written).request.baseURL == expected)
    }

    @Test(arguments: [
        ("api.example.com", "is not an absolute URL"), ("/v1", "is not an absolute URL"),
        ("ftp://a/", "is neither http nor https"),
        ("file:///etc/passwd", "is neither http nor https"), ("https://u@a/", "holds a user or a password"),
        ("https://u:p@a/", "holds a user or a password"), ("\"https://a/#x\"", "holds a fragment ('#…')"),
        ("\"https://a/#\u{301}\"", "holds a fragment ('#…')"), ("\"https://a/?\u{301}\"", "holds a query"),
        ("\"https://u@\u{301}a/\"", "holds a user or a password"),
        ("https://a/?b=c", "holds a query"), ("https://", "names no host"), ("https:///x", "names no host"),
        ("https://:80/", "names no host"), ("https://a:0/", "has a port that cannot be"),
        ("https://a:65536/", "has a port that cannot be"), ("https://a:x/", "has a port that cannot be"),
        ("\"https://a:/\"", "has a port that cannot be"), ("https://[::1/", "names a host that cannot be"),
        ("https://[x]/", "names a host that cannot be"),
        ("https://a b/", "holds a space or another character that no URL has"),
        ("\"https://a\\r\\n/\"", "holds a space or another character that no URL has"),
        ("https://exämple/", "names a host that cannot be"),
    ])
    func `any other base URL says what is wrong`(written: String, problem: String) {
        let issues = Fixture.issues(Fixture.sourceText("headers:", baseURL: written))
        #expect(issues.map(\.summary) == ["4:15 'base_url' \(problem)"])
    }

    @Test(arguments: [
        ("https://joe:hunter2@a.example/", "joe"), ("https://sk_l1ve_8a7b:@a.example/", "\"${API_USER}\""),
        ("https://t0ken@a.example/", "\"${API_USER}\""),
    ])
    func `a user in the URL leads to an auth that is read`(written: String, user: String) throws {
        let issues = Fixture.issues(Fixture.sourceText("headers:", baseURL: written))
        let auth = "auth: { type: http_basic, username: \(user), password: \"${API_PASSWORD}\" }"
        #expect(issues.map(\.hint) == ["use \(auth) instead"])
        let environment = ["API_USER": "a-user", "API_PASSWORD": "a-password"]
        #expect(Fixture.issues(Fixture.sourceText(auth), environment: environment).isEmpty)
    }

    /// The advice is followed: each line that it leads to is a base URL.
    @Test(arguments: [
        ("<https://a.example/>", "stands in '<' and '>'", "remove them", "https://a.example/"),
        (
            "https//a.example/v1", "is no URL without '://' behind https", "write https://a.example/v1",
            "https://a.example/v1"
        ),
        ("http:\\\\a:8080\\v1", "holds '\\' in place of '/'", "write http://a:8080/v1", "http://a:8080/v1"),
        (
            "https:\\/\\/a.example\\/v1", "holds '\\' in place of '/'", "write https://a.example/v1",
            "https://a.example/v1"
        ),
        (
            "https:\\\\a.example\\v1?b", "holds '\\' in place of '/'", "write / in place of each \\",
            "https://a.example/v1"
        ),
        ("http:/a:8080/", "is no URL without '://' behind http", "write http://a:8080/", "http://a:8080/"),
        ("http://::1:8080/", "names an IPv6 address without brackets", "in brackets, as in", "http://[::1]:8080/"),
        ("https://fe80::1/", "names an IPv6 address without brackets", "in brackets, as in", "https://[fe80::1]/"),
        (
            "\"https://{shop}.example/\"", "holds '{shop}', which stands for something else",
            "write what belongs there, or ${SHOP} and export SHOP=…", "https://${SHOP}.example/"
        ),
        ("\"https://a.example/ \"", "begins or ends with a space", "remove it", "https://a.example/"),
        (
            "a.example/v1", "is not an absolute URL", "write https://a.example/v1", "https://a.example/v1"
        ),
        ("localhost:8080", "is not an absolute URL", "write http://localhost:8080", "http://localhost:8080"),
        ("10.0.0.7/v1", "is not an absolute URL", "write http://10.0.0.7/v1", "http://10.0.0.7/v1"),
        ("htpp://a.example/v1", "is neither http nor https", "write http://a.example/v1", "http://a.example/v1"),
        ("htps://a.example/v1", "is neither http nor https", "write https://a.example/v1", "https://a.example/v1"),
        (
            "file:///data/items.json", "is neither http nor https",
            "--bind 127.0.0.1 --directory /data/, and write http://127.0.0.1:8000/, with path: items.json in the stream",
            "http://127.0.0.1:8000/"
        ),
        ("\"https://a.example/\\n\"", "ends with a line break", "in the line of its key", "https://a.example/"),
    ])
    func `a slip in a base URL leads to the one that is meant`(
        written: String, problem: String, hint: String, meant: String
    ) throws {
        let issues = Fixture.issues(Fixture.sourceText("headers:", baseURL: written))
        #expect(issues.map(\.summary) == ["4:15 'base_url' \(problem)"])
        #expect(issues.first?.hint?.contains(hint) == true, "\(issues)")
        _ = try Fixture.streamOfSource("headers:", baseURL: meant, environment: ["SHOP": "mine"])
    }

    @Test func `a source without a base URL is an issue`() {
        let issues = Fixture.issues("version: 1\nsources:\n  zoo:\n    streams: { a: }")
        #expect(issues.map(\.summary) == ["4:5 'base_url' is missing"])
    }

    @Test(arguments: ["a b", "a:b", "", "ä", "a\\nb", "(x)"])
    func `a header's name is a token`(name: String) {
        let issues = Fixture.issues(Fixture.streamText("headers: { \"\(name)\": x }"))
        #expect(issues.map(\.summary) == ["7:20 this name of a header cannot be sent"])
    }

    @Test func `two spellings of one header are a duplicate`() {
        let issues = Fixture.issues(Fixture.streamText("headers: { Accept: a, ACCEPT: b }"))
        #expect(issues.map(\.summary) == ["7:31 duplicate header 'ACCEPT'"])
    }
}
