import GarnerCatalog
import GarnerFetcher
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct RedirectTests {
    /// The `Location` that the server of `https://zoo.example/v1/animals` sends, and the URL that is requested next.
    private static let followed: [(String, String)] = [
        ("https://zoo.example/v2/animals", "https://zoo.example/v2/animals"),
        ("/v2/animals", "https://zoo.example/v2/animals"),
        ("../x", "https://zoo.example/x"), ("?q", "https://zoo.example/v1/animals?q"),
        ("//other.example/x", "https://other.example/x"), ("x#f", "https://zoo.example/v1/x"),
        ("HTTPS://Zoo.Example:443/x", "https://Zoo.Example:443/x"),
        ("https://other.example:8443/", "https://other.example:8443/"),
    ]

    @Test(arguments: followed, [301, 302, 303, 307, 308])
    func `a redirect is followed to where it leads`(redirect: (String, String), status: Int) async throws {
        let (location, target) = redirect
        let asked = Watched<[String]>([])
        let page = try await Self.page { url in
            asked.change { $0.append(url) }
            return url == "https://zoo.example/v1/animals"
                ? Self.redirect(to: location, status: status) : scripted("[1]")
        }
        #expect(page.texts == ["1"])
        #expect(asked.value == ["https://zoo.example/v1/animals", target])
        // What is stored is what the configuration says.
        #expect(page.position.url == "https://zoo.example/v1/animals")
    }

    @Test(arguments: [5, 6]) func `five redirects are followed, and no more`(count: Int) async throws {
        let kind = await failureKind(of: {
            try await Self.page { url in
                let hop = Int(url.split(separator: "hop=").last ?? "") ?? 0
                return hop == count ? scripted("[]") : Self.redirect(to: "?hop=\(hop + 1)")
            }
        })
        #expect(kind == (count == 5 ? nil : .redirect(status: 302, .tooMany(limit: 5))))
    }

    private static let privateHosts = [
        "127.0.0.1", "[::1]", "169.254.169.254", "0x7f.1", "2130706433", "[::ffff:10.0.0.1]", "localhost",
    ]

    @Test(arguments: privateHosts, [nil, true, false] as [Bool?])
    func `a private address behind a redirect is refused, unless it is allowed`(host: String, isAllowed: Bool?)
        async throws
    {
        let kind = await failureKind(of: {
            try await Self.page({ $0.allowsPrivateNetwork = isAllowed }) {
                $0.contains("zoo.example") ? Self.redirect(to: "https://\(host)/latest") : scripted("[]")
            }
        })
        #expect(kind == (isAllowed == true ? nil : .privateNetwork(host: host.filter { !"[]".contains($0) })))
    }

    @Test func `a base URL that is private itself allows no other private host`() async throws {
        let fetcher = try PageFetcher(
            stream: stream(at: "http://10.0.0.1/") { $0.allowsPrivateNetwork = nil },
            transport: ScriptedTransport {
                $0.revealedURL().contains("10.0.0.1") ? Self.redirect(to: "http://10.0.0.2/") : scripted("[]")
            }, timing: timing())
        #expect(
            await failureKind(of: { try await fetcher.page(at: fetcher.firstPosition) })
                == .privateNetwork(host: "10.0.0.2"))
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func `on the way to another origin everything configured stays behind`(status: Int) async throws {
        try await LoopbackServer.serve({ _ in .json("[]") }) { other in
            let location = "\(other.url)/there?key=s3cret-key&also=s3cret-key&token=t0ken-of-zoo&page=1"
            try await LoopbackServer.serve({ request in
                request.target.hasPrefix("/animals")
                    ? .response(status: status, headers: [("Location", "/near?page=1")])
                    : .response(status: status, headers: [("Location", location)])
            }) { server in
                let stream = stream(at: server.url, path: "animals") {
                    $0.request.authentication = .bearer(token: Secret("t0ken-of-zoo"))
                    $0.request.params = [.init(name: "key", value: .secret(Secret("s3cret-key")))]
                    $0.request.headers = [
                        .init(name: "X-Key", value: .secret(Secret("s3cret-key"))),
                        .init(name: "X-Tenant", value: .literal("zoo")),
                        .init(name: "Accept", value: .literal("text/json")),
                    ]
                }
                try await withFetcher(stream) { _ = try await $0.page(at: $0.firstPosition) }
                #expect(server.requests.map(\.target) == ["/animals?key=s3cret-key", "/near?page=1&key=s3cret-key"])
                #expect(server.requests.map { $0["Authorization"] } == ["Bearer t0ken-of-zoo", "Bearer t0ken-of-zoo"])
                #expect(server.requests.map { $0["X-Key"] } == ["s3cret-key", "s3cret-key"])
                let request = try #require(other.requests.first)
                #expect(request.target == "/there?page=1")
                #expect(request["Accept"] == "text/json")
                #expect(
                    Set(request.headers.map { $0.name.lowercased() })
                        == ["host", "accept", "accept-encoding", "user-agent"])
            }
        }
    }

    @Test func `a secret in the path of another origin is not sent there`() async throws {
        let kind = await failureKind(of: {
            try await Self.page({ $0.request.authentication = .bearer(token: Secret("t0ken-of-zoo")) }) { _ in
                Self.redirect(to: "https://other.example/t0ken-of-zoo/x")
            }
        })
        #expect(kind == .redirect(status: 302, .repeatsSecret("https://other.example")))
    }

    @Test func `an error behind a redirect says where that led`() async throws {
        let error = await #expect(throws: FetchError.self) {
            try await Self.page { url in
                url.contains("zoo.example") ? Self.redirect(to: "https://other.example/x") : scripted("null")
            }
        }
        #expect(
            error?.message.hasSuffix(
                " (https://zoo.example/v1/animals, redirected to https://other.example, 2 attempts)") == true)
    }

    @Test func `links are relative to where the page came from`() async throws {
        let page = try await Self.page { url in
            url.hasSuffix("/v1/animals")
                ? Self.redirect(to: "/v2/beasts/") : scripted(#"{"data":[{}],"next":"./two"}"#)
        }
        #expect(page.next?.url == "https://zoo.example/v2/beasts/two")
    }

    @Test func `what may not reach a private address neither connects to it nor uses a connection that does`()
        async throws
    {
        try await LoopbackServer.serve({ _ in .json("[]") }) { server in
            let transports = Transports(userAgent: "garner/test")
            let transport = try transports.transport(for: stream(at: server.url))
            let seen = Watched<Request?>(nil)
            let catching = ScriptedTransport { request in
                seen.value = request
                return scripted("[]")
            }
            // A request as one to a host whose name leads there, which the address alone does not show.
            let fetcher = try PageFetcher(stream: stream(at: server.url), transport: catching, timing: timing())
            _ = try await fetcher.page(at: fetcher.firstPosition)
            var request = try #require(seen.value)
            request.range = .public
            await #expect(throws: TransportError.privateNetwork(address: "127.0.0.1")) {
                _ = try await transport.send(request)
            }
            #expect(server.requests.isEmpty)
            request.range = .any
            #expect(try await transport.send(request).head.status == 200)
            request.range = .public
            await #expect(throws: TransportError.self) { _ = try await transport.send(request) }
            #expect(server.requests.count == 1)
            #expect(server.connectionCount == 1)
            try await transports.shutdown()
        }
    }

    @Test func `a page that the one before has led to is told so where it is missing, or is for people`() async throws {
        let bodies = [
            (Self.redirect(to: nil, status: 404), "the page before leads to this address"),
            (scripted("<html>", type: "text/html"), "the pages before it came as JSON"),
        ]
        for (response, advice) in bodies {
            let fetcher = try PageFetcher(
                stream: stream(at: "https://zoo.example/v1/", path: "animals"),
                transport: ScriptedTransport { _ in response }, timing: timing(clock: ManualClock()))
            let second = PagePosition(url: "https://zoo.example/animals?page=2", number: 1, history: ReadHistory())
            let error = await #expect(throws: FetchError.self) { try await fetcher.page(at: second) }
            #expect(error?.hint.hasPrefix(advice) == true, "\(error?.hint ?? "")")
        }
    }

    private static func page(
        _ change: (inout StreamConfiguration) -> Void = { $0.allowsPrivateNetwork = nil },
        from server: @escaping @Sendable (_ url: String) -> Response
    ) async throws -> Page {
        let fetcher = try PageFetcher(
            stream: stream(at: "https://zoo.example/v1/", path: "animals", change),
            transport: ScriptedTransport { server($0.revealedURL()) }, timing: timing(clock: ManualClock()))
        return try await fetcher.page(at: fetcher.firstPosition)
    }

    private static func redirect(to location: String?, status: Int = 302) -> Response {
        let fields = location.map { [(name: "Location", value: $0)] } ?? []
        return Response(
            head: ResponseHead(status: status, headers: HeaderFields(fields)),
            body: AsyncThrowingStream { $0.finish() })
    }
}
