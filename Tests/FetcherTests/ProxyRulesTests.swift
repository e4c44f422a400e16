import GarnerCatalog
import Testing
@testable import GarnerFetcher

struct ProxyRulesTests {
    /// The value of a variable, and the address, user and password in it.
    private static let values: [(String, String, String?, String?)] = [
        ("http://proxy.example:3128", "http://proxy.example:3128", nil, nil),
        ("proxy.example:3128", "http://proxy.example:3128", nil, nil),
        ("proxy.example", "http://proxy.example", nil, nil),
        ("HTTP://Proxy.Example:3128/", "http://proxy.example:3128", nil, nil),
        ("http://[::1]:3128/x?y", "http://[::1]:3128", nil, nil),
        ("http://me:secret@proxy.example:3128", "http://proxy.example:3128", "me", "secret"),
        ("me:secret@proxy.example:3128", "http://proxy.example:3128", "me", "secret"),
        ("http://m%40e:p%3Aa+s%20s@proxy.example", "http://proxy.example", "m@e", "p:a+s s"),
        ("http://me:a:b@c@proxy.example", "http://proxy.example", "me", "a:b@c"),
        ("http://me:\u{301}a+\u{301}@proxy.example", "http://proxy.example", "me", "\u{301}a+\u{301}"),
        ("http://token@proxy.example", "http://proxy.example", "token", ""),
        ("http://@proxy.example", "http://proxy.example", nil, nil),
    ]

    @Test(arguments: values)
    func `a variable names a proxy`(value: String, address: String, username: String?, password: String?) throws {
        let proxy = try #require(Proxy(environmentValue: value))
        #expect("\(proxy)" == address)
        #expect(proxy.credentials?.username.reveal() == username)
        #expect(proxy.credentials?.password.reveal() == password)
    }

    private static let unusable = [
        "socks5://proxy.example:1080", "https://proxy.example", "http://", "http://:3128", "http://proxy.example:port",
        "http://proxy.example:70000", "://x", "http://me:secret@",
    ]

    @Test(arguments: unusable)
    func `what is no HTTP proxy is told where it would be used, without its value`(value: String) throws {
        let rules = ProxyRules(.environment, environment: ["https_proxy": value, "no_proxy": "other.example"])
        let address = try Self.address("https://zoo.example/")
        #expect(throws: TransportError.proxy("https_proxy", .unusable)) { try rules.proxy(to: address) }
        #expect(try rules.proxy(to: Self.address("http://zoo.example/")) == nil)
        #expect(try rules.proxy(to: Self.address("https://other.example/")) == nil)
    }

    @Test func `each scheme has its own variable, in lower case`() throws {
        let rules = ProxyRules(
            .environment,
            environment: [
                "http_proxy": "http://a.example", "https_proxy": "http://b.example", "HTTPS_PROXY": "http://c.example",
                "all_proxy": "http://d.example",
            ])
        #expect(try rules.proxy(to: Self.address("http://zoo.example/")).map { "\($0)" } == "http://a.example")
        #expect(try rules.proxy(to: Self.address("https://zoo.example/")).map { "\($0)" } == "http://b.example")
        let others = ProxyRules(
            .environment, environment: ["HTTP_PROXY": "http://c.example", "https_proxy": "", "all_proxy": "x"])
        #expect(try others.proxy(to: Self.address("http://zoo.example/")) == nil)
        #expect(try others.proxy(to: Self.address("https://zoo.example/")) == nil)
    }

    @Test func `what the configuration says counts instead of the environment`() throws {
        let environment = ["http_proxy": "http://a.example", "no_proxy": "*"]
        #expect(
            try ProxyRules(.none, environment: environment).proxy(to: Self.address("http://zoo.example/")) == nil)
        let setting = ProxySetting.server(
            address: try Self.address("http://b.example:81/"), username: .literal("me"), password: nil)
        let rules = ProxyRules(setting, environment: environment)
        for url in ["http://zoo.example/", "https://zoo.example/"] {
            #expect(try rules.proxy(to: Self.address(url)).map { "\($0)" } == "http://b.example:81")
        }
    }

    @Test func `no rule prints its credentials`() throws {
        let setting = ProxySetting.server(
            address: try Self.address("http://b.example/"), username: .secret(Secret("Canary")),
            password: Secret("Canary2"))
        for rules in [
            ProxyRules(setting, environment: [:]),
            ProxyRules(.environment, environment: ["http_proxy": "http://u:Canary@b.example"]),
            ProxyRules(.environment, environment: ["http_proxy": "http://Canary@b.example"]),
        ] {
            var dumped = ""
            dump(rules, to: &dumped)
            for text in ["\(rules)", String(reflecting: rules), dumped] { #expect(!text.contains("Canary")) }
            #expect(rules.secrets.contains { $0.reveal().contains("Canary") })
        }
    }

    private static func address(_ url: String) throws -> WebAddress { try #require(WebAddress(url)) }
}
