import GarnerCatalog
import GarnerFetcher
import TestSupport
import Testing

/// The HTTP client calls `http1_1ConnectionDebugInitializer` for each connection before its first request, on each way to a server.
///
/// The limit of inflation is the last of the steps that hang on it: where it holds, all of them were taken. What the
/// steps do is in GuardedConnectionTests, TLSTests, ProxyTests and RatioTests.
@Suite(.timeLimit(.minutes(5)))
struct ConnectionStepsTests {
    enum Way: CaseIterable {
        case straight, straightTLS, guarded, guardedTLS, relay, tunnel

        /// The server itself speaks TLS; in a tunnel it does so when the proxy has passed on the connection.
        var isTLS: Bool { self == .straightTLS || self == .guardedTLS }
    }

    @Test(arguments: Way.allCases)
    func `the steps are taken for every request, over a used connection and a new one`(way: Way) async throws {
        let certificates = try TestCertificates.get()
        let context = try certificates.context(.valid)
        try await LoopbackServer.serve(
            tls: way.isTLS ? context : nil,
            { request in
                if request.method == "CONNECT" {
                    return .raw("HTTP/1.1 200 Connection established\r\n\r\n", then: .startTLS(context))
                }
                return request.target.hasSuffix("/small") ? .json("[1]") : Self.spaces
            },
            { server in
                let base = Self.address(of: server, way)
                let proxy = WebAddress(server.url + "/")
                let stream = stream(at: base) {
                    $0.limits.ratio = 100
                    $0.certificateAuthority = certificates.rootFile
                    switch way {
                    case .straight, .straightTLS: break
                    case .guarded, .guardedTLS: $0.allowsPrivateNetwork = false
                    case .relay, .tunnel:
                        if let proxy { $0.proxy = .server(address: proxy, username: nil, password: nil) }
                    }
                }
                let lookup = HostLookup(isPublic: { _ in true }) { _ in [IPAddress("127.0.0.1")].compactMap(\.self) }
                try await withFetcher(stream, lookup: way == .guarded || way == .guardedTLS ? lookup : .system) {
                    fetcher in
                    let small = try await fetcher.page(at: PagePosition(url: "\(base)/small", number: 0))
                    #expect(small.texts == ["1"])
                    for number in 1...2 {
                        let kind = await failureKind {
                            try await fetcher.page(at: PagePosition(url: "\(base)/large", number: number))
                        }
                        #expect(kind == .excessiveRatio(limit: 100), "request \(number)")
                    }
                }
                let requests = server.requests.filter { $0.method != "CONNECT" }
                try #require(requests.count == 3)
                #expect(requests[0].connection == requests[1].connection)
                #expect(requests[1].connection != requests[2].connection)
            })
    }

    /// 293 bytes become 262,146.
    private static var spaces: LoopbackReply {
        .response(
            headers: [("Content-Type", "application/json"), ("Content-Encoding", "gzip")], body: CompressedBodies.spaces
        )
    }

    private static func address(of server: LoopbackServer, _ way: Way) -> String {
        switch way {
        case .straight, .straightTLS: server.url
        case .guarded: "http://zoo.example:\(server.port)"
        case .guardedTLS: "https://zoo.example:\(server.port)"
        case .relay: "http://zoo.example"
        case .tunnel: "https://zoo.example"
        }
    }
}
