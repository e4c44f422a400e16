import GarnerCatalog
import Foundation
import TestSupport
import Testing
@testable import GarnerFetcher

/// Requests through an HTTP proxy on loopback to hosts that only the proxy could know.
@Suite(.timeLimit(.minutes(5)))
struct ProxyTests {
    private static let password = "Canary~7&Q='+x"
    private static let basic = "Basic " + Data("me:\(password)".utf8).base64EncodedString()

    @Test func `http goes to the proxy with the whole URL`() async throws {
        let target = "/a//b;v=1/%7Ez?cursor=a+b%20c%2Fd==&x&y=1,2:3@4!$'()*"
        try await LoopbackServer.serve({ request in
            request.number == 0 ? .json(#"{"data":[{}],"next":"\#(target)"}"#) : .json(#"{"data":[{}]}"#)
        }) { proxy in
            let stream = try Self.stream("http://zoo.example:8080/v1/", through: proxy) {
                $0.allowsPrivateNetwork = nil
                $0.request.headers = [.init(name: "Host", value: .literal("other.example"))]
            }
            try await withFetcher(stream) { fetcher in
                let first = try await fetcher.page(at: fetcher.firstPosition)
                _ = try await fetcher.page(at: try #require(first.next))
            }
            #expect(
                proxy.requests.map(\.target) == [
                    "http://zoo.example:8080/v1/animals", "http://zoo.example:8080\(target)",
                ])
            #expect(proxy.requests.map { $0["Host"] } == ["zoo.example:8080", "zoo.example:8080"])
            #expect(proxy.requests.map { $0["Proxy-Authorization"] } == [nil, nil])
            #expect(proxy.connectionCount == 1)
        }
    }

    @Test(arguments: ["http://zoo.example", "http://[2001:db8::1]:81/?q=%5B1%5D"])
    func `a URL without a path, or with an address, reaches the proxy`(url: String) async throws {
        try await LoopbackServer.serve({ _ in .json("[]") }) { proxy in
            let stream = try Self.stream(url, path: "", through: proxy)
            try await withFetcher(stream) { _ = try await $0.page(at: $0.firstPosition) }
            #expect(
                proxy.requests.map(\.target) == [url.hasSuffix("example") ? "\(url)/" : url])
        }
    }

    @Test func `https goes through a tunnel, with TLS up to the server`() async throws {
        let certificates = try TestCertificates.get()
        let context = try certificates.context(.valid)
        try await LoopbackServer.serve({ request in
            request.method == "CONNECT"
                ? .raw("HTTP/1.1 200 Connection established\r\n\r\n", then: .startTLS(context)) : .json("[1]")
        }) { proxy in
            let stream = try Self.stream("https://zoo.example/", through: proxy, password: Self.password) {
                $0.allowsPrivateNetwork = nil
                $0.certificateAuthority = certificates.rootFile
                $0.request.authentication = .bearer(token: Secret("t0ken"))
            }
            let texts = try await withFetcher(stream) { try await $0.page(at: $0.firstPosition).texts }
            #expect(texts == ["1"])
            #expect(proxy.requests.map(\.method) == ["CONNECT", "GET"])
            #expect(proxy.requests.map(\.target) == ["zoo.example:443", "/animals"])
            #expect(proxy.requests.map { $0["Proxy-Authorization"] } == [Self.basic, nil])
            #expect(proxy.requests.map { $0["Authorization"] } == [nil, "Bearer t0ken"])
        }
    }

    @Test func `a proxy's own certificate is not the server's`() async throws {
        let certificates = try TestCertificates.get()
        let context = try certificates.context(.otherHost)
        try await LoopbackServer.serve({ _ in
            .raw("HTTP/1.1 200 OK\r\n\r\n", then: .startTLS(context))
        }) { proxy in
            let stream = try Self.stream("https://zoo.example/", through: proxy) {
                $0.certificateAuthority = certificates.rootFile
            }
            guard case .tls = try await Self.failure(of: stream)?.kind else {
                Issue.record("the certificate was accepted")
                return
            }
            #expect(proxy.requests.map(\.method) == ["CONNECT"])
        }
    }

    private static let refusals: [(String, LoopbackReply, ProxyError, attempts: Int)] = [
        ("http", .response(status: 407), .unauthorized, 1), ("https", .response(status: 407), .unauthorized, 1),
        ("https", .response(status: 403), .noTunnel, 2), ("https", .response(status: 502), .noTunnel, 2),
    ]

    @Test(arguments: refusals)
    func `a proxy that refuses is told with its address alone`(
        scheme: String, answer: LoopbackReply, problem: ProxyError, attempts: Int
    ) async throws {
        try await LoopbackServer.serve({ _ in answer }) { proxy in
            let stream = try Self.stream("\(scheme)://zoo.example/", through: proxy, password: Self.password) {
                $0.retry.maxAttempts = 2
            }
            let error = try #require(try await Self.failure(of: stream))
            #expect(error.kind == .proxy(proxy.url, problem))
            #expect(error.message.contains(proxy.url))
            #expect(error.request?.attempts == attempts)
            #expect(proxy.requests.allSatisfy { $0["Proxy-Authorization"] == Self.basic })
            Self.expectNoTrace(in: error)
        }
    }

    @Test(arguments: ["http", "https"])
    func `a proxy that is not there is told as such`(scheme: String) async throws {
        let port = try RefusingPort()
        let address = try #require(WebAddress("http://127.0.0.1:\(port.number)/"))
        let stream = FetcherTests.stream(at: "\(scheme)://zoo.example/") {
            $0.proxy = .server(address: address, username: nil, password: nil)
        }
        #expect(try await Self.failure(of: stream)?.kind == .proxy("http://127.0.0.1:\(port.number)", .refused))
        let nowhere = FetcherTests.stream(at: "\(scheme)://zoo.example/") {
            $0.proxy = .server(
                address: WebAddress(scheme: "http", authority: "garner.invalid", path: "", query: nil), username: nil,
                password: nil)
        }
        #expect(try await Self.failure(of: nowhere)?.kind == .proxy("http://garner.invalid", .unknownHost))
    }

    @Test func `407 of a server is a status like others`() async throws {
        #expect(try await firstPageFailure { _ in .response(status: 407) } == .status(407, retryAfter: nil))
    }

    @Test(arguments: ["http", "https"])
    func `a literal private host is refused, although the proxy is private too`(scheme: String) async throws {
        try await LoopbackServer.serve({ _ in .json("[]") }) { proxy in
            let stream = try Self.stream("\(scheme)://10.0.0.1/", through: proxy) { $0.allowsPrivateNetwork = false }
            #expect(try await Self.failure(of: stream)?.kind == .privateNetwork(host: "10.0.0.1"))
            #expect(proxy.connectionCount == 0)
        }
    }

    @Test func `an address with https cannot be compared with its certificate`() async throws {
        try await LoopbackServer.serve({ _ in .response(status: 500) }) { proxy in
            let stream = try Self.stream("https://192.0.2.1/", through: proxy)
            #expect(try await Self.failure(of: stream)?.kind == .proxy(proxy.url, .numericHost))
            #expect(proxy.connectionCount == 0)
        }
    }

    @Test func `the environment's proxy and its exceptions count`() async throws {
        try await LoopbackServer.serve({ _ in .json(#"["direct"]"#) }) { server in
            try await LoopbackServer.serve({ _ in .json(#"["proxy"]"#) }) { proxy in
                let value = "http://me:\(PercentEncoding.encoded(Self.password))@127.0.0.1:\(proxy.port)"
                let environment = ["http_proxy": value]
                let stream = FetcherTests.stream(at: server.url)
                let texts = try await Self.texts(of: stream, environment)
                #expect(texts == [#""proxy""#])
                #expect(proxy.requests.map { $0["Proxy-Authorization"] } == [Self.basic])
                let excepted = environment.merging(["no_proxy": "127.0.0.0/8"]) { $1 }
                let exceptedTexts = try await Self.texts(of: stream, excepted)
                #expect(exceptedTexts == [#""direct""#])
                var straight = stream
                straight.proxy = ProxySetting.none
                let straightTexts = try await Self.texts(of: straight, environment)
                #expect(straightTexts == [#""direct""#])
            }
        }
    }

    @Test(arguments: [true, false])
    func `no error tells the proxy's password, even where the proxy does`(isInEnvironment: Bool) async throws {
        try await LoopbackServer.serve({ request in
            let page = "<p>\(request["Proxy-Authorization"] ?? "") \(Self.password)</p>"
            return .response(headers: [("Content-Type", "text/html")], body: page)
        }) { proxy in
            let value = "http://me:\(PercentEncoding.encoded(Self.password))@127.0.0.1:\(proxy.port)"
            let stream = try Self.stream("http://zoo.example/", through: proxy, password: Self.password) {
                if isInEnvironment { $0.proxy = .environment }
            }
            let error = try #require(try await Self.failure(of: stream, ["http_proxy": value]))
            guard case .mediaType("text/html", let excerpt) = error.kind else { Issue.record("\(error)"); return }
            #expect(excerpt == "<p>Basic *** ***</p>")
            Self.expectNoTrace(in: error)
        }
    }

    private static func stream(
        _ url: String, path: String = "animals", through proxy: LoopbackServer, password: String? = nil,
        _ change: (inout StreamConfiguration) -> Void = { _ in }
    ) throws -> StreamConfiguration {
        let address = try #require(WebAddress(proxy.url + "/"))
        return FetcherTests.stream(at: url, path: path) {
            $0.proxy = .server(
                address: address, username: password.map { _ in .literal("me") }, password: password.map(Secret.init))
            change(&$0)
        }
    }

    private static func texts(of stream: StreamConfiguration, _ environment: [String: String]) async throws -> [String]
    {
        try await withFetcher(stream, environment: environment) { try await $0.page(at: $0.firstPosition).texts }
    }

    private static func failure(
        of stream: StreamConfiguration, _ environment: [String: String] = [:]
    ) async throws -> FetchError? {
        try await withFetcher(stream, environment: environment) { fetcher in
            await #expect(throws: FetchError.self) { try await fetcher.page(at: fetcher.firstPosition) }
        }
    }

    private static func expectNoTrace(in error: FetchError) {
        var dumped = ""
        dump(error, to: &dumped)
        for text in ["\(error)", error.message, error.hint, String(reflecting: error), dumped] {
            for trace in ["canary", basic.dropFirst(6).lowercased()] {
                #expect(!text.lowercased().contains(trace), "\(text)")
            }
        }
    }
}
