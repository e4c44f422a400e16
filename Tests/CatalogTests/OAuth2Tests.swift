import GarnerCatalog
import GarnerJSON
import Testing

struct OAuth2Tests {
    private let environment = ["ID": "me", "SECRET": "hunter2"]

    private func authentication(_ keys: String) throws -> Authentication {
        try Fixture.streamOfSource("auth: { type: oauth2, \(keys) }", environment: environment).request.authentication
    }

    @Test func `client credentials are read`() throws {
        let address = try #require(WebAddress("https://a.example/token?tenant=1"))
        let read = try authentication(
            "grant_type: client_credentials, token_url: \"https://a.example/token?tenant=1\", client_id: \"${ID}\", "
                + "client_secret: \"${SECRET}\", scopes: read write, auth_style: body")
        #expect(
            read
                == .oauth2(
                    OAuth2(
                        grant: .clientCredentials, tokenURL: address, clientID: .secret(Secret("me")),
                        clientSecret: Secret("hunter2"), scopes: ["read", "write"], style: .body)))
    }

    @Test func `further fields, and the places of the token, are read`() throws {
        let read = try authentication(
            "grant_type: client_credentials, token_url: \"https://a.example/token\", client_id: me, "
                + "client_secret: \"${SECRET}\", params: { audience: \"https://b.example/\", key: \"${ID}\" }, "
                + "token_path: $.jwt, expires_path: $.ttl")
        guard case .oauth2(let client) = read else {
            Issue.record("\(read)")
            return
        }
        #expect(
            client.params == [
                .init(name: "audience", value: .literal("https://b.example/")),
                .init(name: "key", value: .secret(Secret("me"))),
            ])
        #expect(client.tokenPath == "$.jwt" && client.expiresPath == "$.ttl")
    }

    @Test(arguments: ["grant_type", "refresh_token", "scope", "client_id", "client_secret"])
    func `a field with a key of its own is no further field`(name: String) {
        let issues = Fixture.issues(
            Fixture.streamText("path: a").replacing(
                "streams:",
                with: "auth: { type: oauth2, grant_type: client_credentials, token_url: \"https://a.example/\", "
                    + "client_id: me, client_secret: x, params: { \(name): y } }\n    streams:"))
        #expect(issues.contains { $0.message == "'auth.params.\(name)' has a key of its own" }, "\(issues)")
    }

    @Test(
        arguments: [
            ("", nil, OAuth2.ClientStyle.body), ("auth_style: body, ", nil, .body),
            ("client_secret: \"${SECRET}\", ", Secret("hunter2"), .header),
            ("client_secret: \"${SECRET}\", auth_style: header, ", Secret("hunter2"), .header),
        ] as [(String, Secret?, OAuth2.ClientStyle)])
    func `a refresh token needs no secret`(keys: String, secret: Secret?, style: OAuth2.ClientStyle) throws {
        let address = try #require(WebAddress("https://a.example/token"))
        let read = try authentication(
            keys + "grant_type: refresh_token, token_url: https://a.example/token, client_id: me, "
                + "refresh_token: \"${SECRET}\", scopes: [a, \"b c\"]")
        #expect(
            read
                == .oauth2(
                    OAuth2(
                        grant: .refreshToken(Secret("hunter2")), tokenURL: address, clientID: .literal("me"),
                        clientSecret: secret, scopes: ["a", "b", "c"], style: style)))
    }

    private static let valid = [
        "grant_type": "client_credentials", "token_url": "https://a.example/token", "client_id": "me",
        "client_secret": "\"${SECRET}\"",
    ]

    @Test(
        arguments: [
            ("grant_type", nil, ["'auth.grant_type' is missing"]),
            ("grant_type", "password", ["'auth.grant_type' cannot be 'password'"]),
            ("grant_type", "refresh_token", ["'auth.refresh_token' is missing"]),
            ("token_url", nil, ["'auth.token_url' is missing"]),
            ("token_url", "/token", ["'auth.token_url' is not an absolute URL"]),
            ("token_url", "https://me:hunter2@a/", ["'auth.token_url' holds a user or a password"]),
            ("token_url", "\"https://a/?b#hunter2\"", ["'auth.token_url' holds a fragment ('#…')"]),
            ("token_url", "ftp://hunter2/", ["'auth.token_url' is neither http nor https"]),
            (
                "token_url", "\"https://a/?b=c d\"",
                ["'auth.token_url' holds a space or another character that no URL has"]
            ),
            ("client_id", nil, ["'auth.client_id' is missing"]), ("client_id", "''", ["'auth.client_id' is empty"]),
            ("client_secret", nil, ["'auth.client_secret' is missing"]),
            ("scopes", "\"a\\nb\"", ["'auth.scopes' holds a character that no scope has"]),
            ("scopes", "[ä]", ["'auth.scopes' holds a character that no scope has"]),
            ("auth_style", "basic", ["'auth.auth_style' cannot be 'basic'"]),
            ("refresh_token", "\"${SECRET}\"", ["'auth.refresh_token' does not belong here"]),
            ("scope", "a", ["unknown key 'scope'"]),
        ] as [(String, String?, [String])])
    func `what is missing or wrong is an issue`(key: String, value: String?, messages: [String]) {
        var keys = Self.valid
        keys[key] = value
        let text = keys.sorted { $0.key < $1.key }.map { "\($0): \($1)" }.joined(separator: ", ")
        let issues = Fixture.issues(
            Fixture.sourceText("auth: { type: oauth2, \(text) }"), environment: environment)
        #expect(issues.map(\.message) == messages)
        #expect(issues.allSatisfy { $0.hint != nil })
        #expect(!"\(issues)".contains("hunter2"))
    }

    @Test func `a header without a secret would prove nothing`() {
        let text = Fixture.sourceText(
            "auth: { type: oauth2, grant_type: refresh_token, refresh_token: \"${SECRET}\", client_id: me, "
                + "token_url: \"https://a/\", auth_style: header }")
        let issues = Fixture.issues(text, environment: environment)
        #expect(issues.map(\.message) == ["'auth.auth_style' is header without a secret"])
    }

    @Test(arguments: [
        ("http://a.example/token", true), ("HTTP://a.example/token", true), ("http://127.evil.example/", true),
        ("http://127.0.0.1:80/token", false), ("\"http://[::1]/token\"", false), ("http://localhost/token", false),
        ("https://a.example/token", false),
    ])
    func `an unencrypted token URL is a warning`(url: String, warns: Bool) throws {
        let configuration = try Fixture.parse(
            Fixture.sourceText(
                "auth: { type: oauth2, grant_type: client_credentials, token_url: \(url), client_id: me, "
                    + "client_secret: \"${SECRET}\" }"), environment: environment)
        #expect(
            configuration.warnings.map(\.message) == (warns ? ["'auth.token_url' sends secrets unencrypted"] : []))
    }
}
