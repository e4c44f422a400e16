import GarnerCatalog
import Testing

struct ProxyTests {
    private func proxy(_ text: String) throws -> ProxySetting {
        try Fixture.streamOfSource("proxy: \(text)", environment: ["P": "hunter2"]).proxy
    }

    @Test func `a proxy is a word or a URL`() throws {
        let address = try #require(WebAddress("http://proxy.example:3128/"))
        #expect(try proxy("none") == ProxySetting.none)
        #expect(try proxy("environment") == .environment)
        #expect(
            try proxy("http://proxy.example:3128") == .server(address: address, username: nil, password: nil))
        #expect(
            try proxy("{ url: http://proxy.example:3128/ }") == .server(address: address, username: nil, password: nil))
        #expect(
            try proxy("{ url: http://proxy.example:3128, username: me, password: \"${P}\" }")
                == .server(address: address, username: .literal("me"), password: Secret("hunter2")))
    }

    @Test(arguments: [
        ("localhost:3128", "write http://localhost:3128"), ("proxy.example:3128", "write http://proxy.example:3128"),
        ("hunter2:3128", "write a URL such as http://proxy.example:3128"), ("nonee", "did you mean 'none'?"),
    ])
    func `a proxy without its scheme leads to the whole URL, unless it may be a secret`(text: String, hint: String) {
        #expect(Fixture.issues(Fixture.sourceText("proxy: \(text)")).map(\.hint) == [hint])
    }

    @Test(arguments: [
        ("proxy.example:3128", "'proxy' is neither none, environment nor a URL"),
        ("hunter2:3128", "'proxy' is neither none, environment nor a URL"),
        ("nonee", "'proxy' is neither none, environment nor a URL"),
        ("https://proxy.example", "'proxy' is no HTTP proxy"), ("socks5://proxy.example", "'proxy' is no HTTP proxy"),
        ("http://me:hunter2@proxy.example", "'proxy' holds a user or a password"),
        ("http://proxy.example/hunter2", "'proxy' holds a path"), ("http://proxy.example?a=b", "'proxy' holds a query"),
        ("http://", "'proxy' names no host"), ("\"${P}\"", "'proxy' cannot hold '${…}'"),
        ("[http://a]", "'proxy' must be text, not a list"), ("", "'proxy' must be text, not empty"),
        ("{ url: proxy.example }", "'proxy.url' is not an absolute URL"), ("{}", "'proxy.url' is missing"),
        ("{ url: \"http://a\", password: \"${P}\" }", "'proxy.password' needs a user"),
        ("{ url: \"http://a\", username: \"a:b\" }", "'proxy.username' has a colon in it"),
        ("{ url: \"http://a\", user: x }", "unknown key 'user'"),
    ])
    func `any other proxy says what is wrong`(text: String, message: String) {
        let issues = Fixture.issues(Fixture.sourceText("proxy: \(text)"), environment: ["P": "hunter2"])
        #expect(issues.map(\.message) == [message])
        #expect(issues.first?.hint != nil)
        #expect(!"\(issues)".contains("hunter2"))
    }

    @Test func `a source's word outweighs the defaults'`() throws {
        let configuration = try Fixture.parse(
            """
            version: 1
            defaults: { proxy: "http://a:1", ca: c.pem, max_concurrency: 7, rate_limit: { requests: 1, per: 1s } }
            sources:
              a: { base_url: "http://a/", streams: { x: } }
              b:
                base_url: http://b/
                proxy: none
                ca: /etc/b.pem
                max_concurrency: 256
                rate_limit: { requests: 2, per: 1ms }
                streams: { y: }
            """)
        let (a, b) = (try #require(configuration.streams.first), try #require(configuration.streams.last))
        #expect(a.proxy != b.proxy && b.proxy == ProxySetting.none)
        #expect([a.certificateAuthority, b.certificateAuthority] == ["folder/c.pem", "/etc/b.pem"])
        #expect([a.maxConcurrency, b.maxConcurrency] == [7, 256])
        #expect(a.rateLimit == RateLimit(requests: 1, per: .seconds(1)))
        #expect(b.rateLimit == RateLimit(requests: 2, per: .milliseconds(1)))
    }
}
