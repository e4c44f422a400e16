import Testing

@testable import GarnerCatalog

/// Secrets in URLs.
struct HiddenURLTests {
    private static let environment = [
        "API_TOKEN": "12:a/b", "TENANT": "bern", "SID": "AC 7", "API_KEY": "k*9",
    ]

    private static func request(_ lines: String, base: String = "https://api.example.com/") throws -> RequestTemplate {
        let text = Fixture.streamText(lines).replacing("https://api.example.com/", with: base)
        return try #require(try Fixture.parse(text, environment: environment).streams.first).request
    }

    @Test(arguments: [
        ("https://a.example/", "path: \"/bot${API_TOKEN}/x\"", "/bot***/x", "https://a.example/bot12:a%2Fb/x"),
        (
            "https://a.example/", "path: \"/${TENANT}/x?key=${API_KEY}&b=*\"", "/bern/x?key=***&b=%2A",
            "https://a.example/bern/x?key=k%2A9&b=%2A"
        ),
        (
            "\"https://a.example/${API_TOKEN}\"", "path: \"${API_KEY}/${TENANT}\"", "****/bern",
            "https://a.example/12:a%2Fb/k%2A9/bern"
        ),
        (
            "https://a.example/", "path: \"${API_TOKEN}${API_KEY}/${API_KEY}\"", "***/****",
            "https://a.example/12:a%2Fbk%2A9/k%2A9"
        ),
        (
            "https://a.example/", "path: \"Accounts/${SID}/x\"\nauth: { type: bearer, token: \"${SID}\" }",
            "Accounts/***/x", "https://a.example/Accounts/AC%207/x"
        ),
        (
            "https://a.example/", "path: \"/$${API_TOKEN}${TENANT}\"", "/${API_TOKEN}bern", nil
        ),
    ])
    func `a secret in a URL is hidden until it is sent`(base: String, lines: String, path: String, sent: String?) throws
    {
        guard let sent else {
            // Braces that are no placeholder cannot be in a path.
            #expect(throws: ConfigurationError.self) { try Self.request(lines, base: base) }
            return
        }
        let request = try Self.request(lines, base: base)
        #expect(request.path == path)
        let address = try #require(WebAddress(request.baseURL)?.appending(request.path))
        #expect("\(address.revealing(request.urlSecrets))" == sent)
    }

    @Test func `the configuration shows asterisks, and warns once`() throws {
        let text = Fixture.streamText("path: \"/bot${API_TOKEN}/x\"")
        let configuration = try Fixture.parse(text, environment: Self.environment)
        #expect("\(configuration.effective)".contains("/bot***/x"))
        #expect(
            configuration.warnings.map(\.message)
                == ["'path' holds a secret: a URL with a secret is in the server's log"])
        #expect(configuration.streams.first?.request.credentials == "the secret in the URL")
        var dumped = ""
        dump(configuration, to: &dumped)
        #expect(!dumped.contains("12:a"))
        // Another value asks for the same records.
        let other = try Fixture.parse(text, environment: ["API_TOKEN": "13:c"])
        #expect(other.streams.map(\.readIdentity) == configuration.streams.map(\.readIdentity))
    }

    @Test func `a missing secret in a URL is told of, and needs not be there for commands that send nothing`() throws {
        let text = Fixture.streamText("path: \"/bot${API_TOKEN}/x\"")
        #expect(Fixture.issues(text).map(\.message) == ["environment variable 'API_TOKEN' is not set"])
        let configuration = try Configuration(parsing: text, file: "garner.yaml", environment: [:], needsSecrets: false)
        #expect(configuration.streams.map(\.request.path) == ["/bot***/x"])
    }

    @Test func `a token URL may have variables, and a secret in its path or query`() throws {
        let text = """
            auth:
              type: oauth2
              grant_type: client_credentials
              token_url: "https://login.example/${TENANT}/${API_TOKEN}?key=${API_KEY}"
              client_id: me
              client_secret: "${SID}"
            """
        let stream = try Fixture.streamOfSource(text, environment: Self.environment)
        guard case .oauth2(let client) = stream.request.authentication else {
            Issue.record("\(stream.request.authentication)")
            return
        }
        #expect("\(client.tokenURL)" == "https://login.example/bern/***?key=****")
        #expect(
            "\(client.tokenURL.revealing(client.urlSecrets))" == "https://login.example/bern/12:a%2Fb?key=k%2A9")
        let configuration = try Fixture.parse(Fixture.sourceText(text), environment: Self.environment)
        #expect("\(configuration.effective)".contains("https://login.example/bern/***?***"))
    }

    @Test(arguments: ["https://${API_TOKEN}.example/", "https://a.example:${API_TOKEN}/x", "${API_TOKEN}/x"])
    func `a host is never hidden`(base: String) throws {
        let issues = Fixture.issues(
            Fixture.sourceText("", baseURL: "\"\(base)\""), environment: ["API_TOKEN": "https://80"])
        #expect(!issues.isEmpty && !"\(issues)".contains("80"), "\(issues)")
        if base.hasPrefix("https://$") {
            let message = Fixture.issues(
                Fixture.sourceText("", baseURL: "\"\(base)\""), environment: ["API_TOKEN": "shop"]
            ).map(\.message)
            #expect(message == ["'base_url' would show the variable 'API_TOKEN', whose name is that of a secret"])
        }
    }

    /// A configuration that shows a variable wherever one can be shown.
    private static func shown(_ name: String) -> String {
        """
        version: 1
        database: "${\(name)}.db"
        sources:
          zoo:
            base_url: "https://${\(name)}.example/"
            streams:
              animals: { path: /a, table: "a_${\(name)}" }
        """
    }

    @Test(arguments: [
        "MY_TOKEN", "TOKEN", "BOT_TOKEN", "SESSION_TOKEN", "API_KEY", "KEY", "PASS", "MY_PASS", "GITHUB_PAT", "DB_PWD",
        "CREDENTIAL", "MY_CREDENTIALS",
    ])
    func `a variable named like a secret is refused wherever it would be shown`(name: String) throws {
        let issues = Fixture.issues(Self.shown(name), environment: [name: "canary"])
        #expect(
            Set(issues.map(\.message))
                == Set(
                    ["database", "base_url", "table"].map {
                        "'\($0)' would show the variable '\(name)', whose name is that of a secret"
                    }))
        #expect(!"\(issues)".contains("canary"))
        #expect(issues.allSatisfy { $0.hint?.contains("use another variable") == true })
        #expect(try Fixture.parse(Self.shown("PLACE"), environment: ["PLACE": "bern"]).warnings.isEmpty)
    }

    @Test(arguments: ["WEATHER_KEY", "PROJECT_KEY", "SORT_KEY", "PAGE_TOKEN", "PWD", "COMPASS"])
    func `a variable with a name that others than secrets have may be shown`(name: String) throws {
        #expect(try Fixture.parse(Self.shown(name), environment: [name: "bern"]).warnings.isEmpty)
    }

    @Test(arguments: [
        ("WEATHER_KEY", true), ("X_KEY", true), ("maps_key", true), ("MY_PASS", true), ("MY_PAT", true),
        ("GITHUB_PAT", true), ("DB_PWD", true), ("MY_CREDENTIAL", true), ("MY_CREDENTIALS", true),
        ("PRIMARY_KEY", false), ("SORT_KEY", false), ("PARTITION_KEY", false), ("CACHE_KEY", false),
        ("PROJECT_KEY", false), ("JIRA_SPACE_KEY", false), ("PUBLIC_KEY", false), ("MONKEY", false),
        ("COMPASS", false),
        ("KEYS", false), ("PAGE_TOKEN", false),
    ])
    func `the name of a variable says whether a URL hides it`(name: String, isHidden: Bool) throws {
        let configuration = try Fixture.parse(
            Fixture.streamText("path: \"/x?of=${\(name)}\""), environment: [name: "canary"])
        #expect(configuration.streams.map(\.request.path) == [isHidden ? "/x?of=***" : "/x?of=canary"])
        #expect(configuration.warnings.isEmpty == !isHidden)
    }
}
