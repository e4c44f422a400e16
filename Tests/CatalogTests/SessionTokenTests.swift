import GarnerCatalog
import GarnerJSON
import Testing

struct SessionTokenTests {
    private static func session(_ text: String) throws -> SessionToken {
        let stream = try Fixture.streamOfSource(
            "auth: { type: session_token, \(text) }", environment: ["PASSWORD": "hunter2"])
        guard case .session(let session) = stream.request.authentication else { throw NotASession() }
        return session
    }

    private struct NotASession: Error {}

    @Test func `a login with a body, the place of its token, its header and its time are read`() throws {
        let session = try Self.session(
            #"request: { path: /login, json: { user: zoo, password: "${PASSWORD}" } }, take: { token: $.data.jwt }, "#
                + #"send: { header: X-Auth, value: "Token {token}" }, expires: 20m"#)
        #expect(session.login.path == "/login")
        #expect(session.login.body?.description == #"{"user":"zoo","password":"***"}"#)
        #expect(session.login.secrets.map { $0.reveal() } == ["hunter2"])
        #expect(session.take == .token(try Selector(parsing: "$.data.jwt")))
        #expect(session.header == SessionToken.Header(name: "X-Auth", value: "Token {token}"))
        #expect(session.expires == .seconds(1200))
    }

    @Test func `a login with a form and headers takes cookies`() throws {
        let session = try Self.session(
            #"request: { path: login, form: { user: zoo, pass: "${PASSWORD}" }, headers: { X-App: "7" } }, take: cookies"#
        )
        #expect(session.login.form.map { "\($0.name)=\($0.value)" } == ["user=zoo", "pass=***"])
        #expect(session.login.headers == [.init(name: "X-App", value: .literal("7"))])
        #expect(session.take == .cookies)
        #expect(session.header == nil && session.expires == nil)
    }

    @Test func `a login elsewhere has a method, parameters and credentials of its own`() throws {
        let session = try Self.session(
            #"request: { url: "https://login.example/a?b=1", method: GET, params: { user: zoo, key: "${PASSWORD}" }, "#
                + #"auth: { type: http_basic, username: zoo, password: "${PASSWORD}" } }, take: { token: $.t }, "#
                + "send: { in: query, name: sid }")
        #expect(session.login.url == WebAddress("https://login.example/a?b=1") && session.login.path.isEmpty)
        #expect(session.login.method == .get)
        #expect(session.login.params.map { "\($0.name)=\($0.value)" } == ["user=zoo", "key=***"])
        #expect(session.login.authentication == .basic(username: .literal("zoo"), password: Secret("hunter2")))
        #expect(session.header?.location == .query && session.header?.name == "sid")
        #expect(session.header?.value == "{token}")
    }

    @Test func `what is not the usual is shown, without secrets`() throws {
        let text = Fixture.sourceText(
            #"auth: { type: session_token, request: { url: "https://login.example/${LOGIN_TOKEN}?b=1", method: PUT, "#
                + #"auth: { type: bearer, token: "${LOGIN_TOKEN}" } }, take: { token: $.t }, send: { in: query, name: q } }"#
        )
        let shown = "\(try Fixture.parse(text, environment: ["LOGIN_TOKEN": "hunter2"]).effective)"
        for part in ["https://login.example/***?***", "PUT", "bearer", "query"] {
            #expect(shown.contains(part), "\(shown)")
        }
        #expect(!shown.contains("hunter2"))
    }

    @Test func `a header without a value carries the bare token`() throws {
        let session = try Self.session("request: { path: a }, take: { token: $ }, send: { header: X-Session }")
        #expect(session.header == SessionToken.Header(name: "X-Session", value: "{token}"))
    }

    @Test(arguments: [
        ("take: cookies", "'auth.request' is missing"),
        ("request: { json: {} }, take: cookies", "'auth.request.path' is missing"),
        ("request: { path: a }", "'auth.take' is missing"),
        ("request: { path: a }, take: token", "'auth.take' cannot be 'token'"),
        ("request: { path: a }, take: {}", "'auth.take.token' is missing"),
        ("request: { path: a }, take: { token: a.b }", "'auth.take.token' is not a valid JSONPath"),
        (
            "request: { path: a }, take: cookies, send: { header: X-Session }", "'auth.send' does not belong here"
        ),
        (
            "request: { path: a }, take: { token: $.t }, send: { header: X-Session, value: Bearer }",
            "'auth.send.value' does not say where the token is"
        ),
        (
            "request: { path: a }, take: { token: $.t }, send: { header: \"a b\" }",
            "this name of a header cannot be sent"
        ),
        (
            "request: { path: a, json: {}, form: {} }, take: cookies", "'auth.request' has both 'json' and 'form'"
        ),
        (
            "request: { path: \"/{partition.a}\" }, take: cookies", "'auth.request.path' holds a placeholder"
        ),
        (
            "request: { path: a, json: { x: [\"{parent.id}\"] } }, take: cookies",
            "'auth.request.json' holds a placeholder"
        ),
        (
            "request: { path: a, url: \"https://x.example/\" }, take: cookies",
            "'auth.request' has both 'path' and 'url'"
        ),
        ("request: { url: /login }, take: cookies", "'auth.request.url' is not an absolute URL"),
        ("request: { url: \"https://x.example/{now}\" }, take: cookies", "'auth.request.url' holds a placeholder"),
        ("request: { path: a, method: GET, json: {} }, take: cookies", "'auth.request.json' does not belong to GET"),
        (
            "request: { path: a, auth: { type: oauth2 } }, take: cookies", "'auth.request.auth.type' cannot be 'oauth2'"
        ),
        ("request: { path: a }, take: { token: $ }, send: { in: query }", "'auth.send.name' is missing"),
        ("request: { path: a }, take: { token: $ }, send: { value: \"{token}\" }", "'auth.send.header' is missing"),
        (
            "request: { path: a }, take: { token: $ }, send: { in: query, name: a, header: X }",
            "'auth.send.header' does not belong here"
        ),
        ("request: { path: https://x.example/ }, take: cookies", "'path' names a host of its own"),
    ])
    func `a wrong login says what is right`(text: String, message: String) {
        let issues = Fixture.issues(Fixture.streamText("auth: { type: session_token, \(text) }"))
        #expect(issues.count == 1 && issues[0].message.hasPrefix(message), "\(issues)")
    }
}
