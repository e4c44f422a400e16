import AsyncHTTPClient
import GarnerCatalog
import Dispatch
import NIOCore
import TestSupport
import Testing

@testable import GarnerFetcher

/// Hosts whose names lead where a request may not go, and others.
@Suite(.timeLimit(.minutes(5)))
struct GuardedConnectionTests {
    @Test(arguments: ["http", "https"], [nil, false] as [Bool?])
    func `a name that leads to a private address is refused, and nothing connects to it`(
        scheme: String, isAllowed: Bool?
    ) async throws {
        let tls = scheme == "https" ? try TestCertificates.get().context(.valid) : nil
        let roots = try TestCertificates.get().rootFile
        try await LoopbackServer.serve(tls: tls, { _ in .json("[1]") }) { server in
            let kind = await failureKind {
                try await Self.page("\(scheme)://evil.test:\(server.port)/", .loopback) {
                    $0.allowsPrivateNetwork = isAllowed
                }
            }
            #expect(kind == .privateNetwork(host: "127.0.0.1"))
            // Connections are accepted in their order: one before this would have been counted.
            let page = try await Self.page(server.url, .system) {
                $0.certificateAuthority = roots
                $0.allowsPrivateNetwork = true
            }
            #expect(page.texts == ["1"])
            #expect(server.connectionCount == 1)
        }
    }

    @Test(arguments: ["http", "https"])
    func `an open port and a closed one are refused alike`(scheme: String) async throws {
        let closed = try RefusingPort()
        try await LoopbackServer.serve({ _ in .json("[1]") }) { server in
            var errors: [FetchError] = []
            for port in [closed.number, server.port] {
                let error = await #expect(throws: FetchError.self) {
                    try await Self.page("\(scheme)://evil.test:\(port)/", .loopback) { $0.retry.maxAttempts = 3 }
                }
                errors.append(try #require(error))
            }
            #expect(errors.map(\.kind) == [.privateNetwork(host: "127.0.0.1"), .privateNetwork(host: "127.0.0.1")])
            #expect(errors.map(\.category) == [.misconfigured, .misconfigured])
            #expect(errors.map { $0.request?.attempts } == [1, 1])
        }
    }

    @Test func `of the addresses of a name only the public ones are connected to`() async throws {
        try await LoopbackServer.serve({ _ in .json("[1]") }) { server in
            // Nothing listens on the public one, and the private one, where something does, is no way out.
            let kind = await failureKind {
                try await Self.page(
                    "http://mixed.test:\(server.port)/", .names("127.0.0.1", "127.0.0.2", public: "127.0.0.2"))
            }
            #expect(kind == .refused)
            let page = try await Self.page(
                "http://mixed.test:\(server.port)/", .names("127.0.0.2", "127.0.0.1", public: "127.0.0.1"))
            #expect(page.texts == ["1"])
            #expect(server.connectionCount == 1)
        }
    }

    @Test(arguments: [["127.0.0.2", "127.0.0.1"], ["::1", "127.0.0.1"], ["127.0.0.1", "::1", "127.0.0.2"]])
    func `the addresses of a name are tried until one accepts`(addresses: [String]) async throws {
        try await LoopbackServer.serve({ _ in .json("[1]") }) { server in
            let lookup = HostLookup(isPublic: { _ in true }) { _ in addresses.compactMap { IPAddress($0) } }
            let page = try await Self.page("http://zoo.example:\(server.port)/", lookup)
            #expect(page.texts == ["1"])
            #expect(server.requests.map { $0["Host"] } == ["zoo.example:\(server.port)"])
        }
    }

    @Test func `a name that nobody knows is told as such`() async throws {
        #expect(await failureKind { try await Self.page("http://zoo.example/", .names()) } == .unknownHost)
    }

    @Test func `server name, certificate and Host are those of the name`() async throws {
        let asked = Watched<[String?]>([])
        let context = try TestCertificates.get().context(.otherHost) { name in asked.change { $0.append(name) } }
        let roots = try TestCertificates.get().rootFile
        try await LoopbackServer.serve(tls: context, { _ in .json("[1]") }) { server in
            let lookup = HostLookup.names("127.0.0.1", public: "127.0.0.1")
            let page = try await Self.page("https://other.example:\(server.port)/", lookup) {
                $0.certificateAuthority = roots
            }
            #expect(page.texts == ["1"])
            #expect(asked.value == ["other.example"])
            #expect(server.requests.map { $0["Host"] } == ["other.example:\(server.port)"])
            let kind = await failureKind {
                try await Self.page("https://zoo.example:\(server.port)/", lookup) { $0.certificateAuthority = roots }
            }
            #expect(kind == .tls(reason: "the certificate is for another host"))
            #expect(server.requests.count == 1)
        }
    }

    @Test func `a name is looked up once for its connections, and again when they have ended`() async throws {
        let lookups = Watched(0)
        let lookup = HostLookup(isPublic: { $0 == IPAddress("127.0.0.1") }) { _ in
            lookups.change { count in
                count += 1
                // The second answer is another one, as of a server that wants to get inside.
                return [IPAddress(count == 1 ? "127.0.0.1" : "127.0.0.2")].compactMap(\.self)
            }
        }
        try await LoopbackServer.serve({ request in
            request.number >= 2 ? .json("[1]").then(.close) : .json("[1]")
        }) { server in
            try await withFetcher(Self.guarded("http://zoo.example:\(server.port)/"), lookup: lookup) { fetcher in
                for _ in 0..<3 { _ = try await fetcher.page(at: fetcher.firstPosition) }
                #expect(lookups.value == 1)
                #expect(server.connectionCount == 1)
                // The client learns of the connection's end a little after the server.
                var kind: FetchError.Kind?
                repeat {
                    kind = await failureKind { try await fetcher.page(at: fetcher.firstPosition) }
                } while kind == .closed || kind == nil
                #expect(kind == .privateNetwork(host: "127.0.0.2"))
                #expect(lookups.value == 2)
            }
        }
    }

    @Test func `an address that does not answer any more is looked for anew`() async throws {
        let lookups = Watched(0)
        let lookup = HostLookup(isPublic: { _ in true }) { _ in
            lookups.change { count in
                count += 1
                return [IPAddress(count == 1 ? "127.0.0.2" : "127.0.0.1")].compactMap(\.self)
            }
        }
        try await LoopbackServer.serve({ _ in .json("[1]") }) { server in
            let page = try await Self.page("http://zoo.example:\(server.port)/", lookup) { $0.retry.maxAttempts = 2 }
            #expect(page.texts == ["1"])
            #expect(lookups.value == 2)
        }
    }

    @Test func `an address that a name still has is connected to without trying the others`() async throws {
        let lookup = HostLookup(isPublic: { _ in true }) { _ in ["127.0.0.2", "127.0.0.1"].compactMap { IPAddress($0) }
        }
        try await LoopbackServer.serve({ _ in .json("[1]", headers: [("Connection", "close")]) }) { server in
            try await withFetcher(Self.guarded("http://zoo.example:\(server.port)/"), lookup: lookup) { fetcher in
                for _ in 0..<4 { _ = try await fetcher.page(at: fetcher.firstPosition) }
            }
            // One was to find out which address accepts.
            #expect(server.connectionCount == 5)
        }
    }

    @Test func `the connections to many names do not add up`() async throws {
        try await LoopbackServer.serve({ _ in .json("[1]") }) { server in
            let lookup = HostLookup.names("127.0.0.1", public: "127.0.0.1")
            let transports = Transports(userAgent: "garner/test", lookup: lookup)
            for number in 0..<40 {
                let stream = Self.guarded("http://zoo\(number).example:\(server.port)/")
                let fetcher = try PageFetcher(
                    stream: stream, transport: transports.transport(for: stream), timing: timing())
                _ = try await fetcher.page(at: fetcher.firstPosition)
            }
            await server.connectionsEnded(5)
            try await transports.shutdown()
            #expect(server.connectionCount == 40)
        }
    }

    @Test(arguments: ["redirect", "link", "file", "token"])
    func `no way leads a request to a private address by its name`(way: String) async throws {
        try await LoopbackServer.serve({ _ in .json("[]") }) { inside in
            let evil = "http://evil.test:\(inside.port)/"
            try await LoopbackServer.serve({ _ in
                way == "redirect"
                    ? .response(status: 302, headers: [("Location", evil)])
                    : .json(#"{"data":[{"id":1}],"next":"\#(evil)"}"#)
            }) { server in
                let stream = stream(at: server.url, paginator: Paginator(limits: PageLimits(allowsOtherOrigins: true)))
                {
                    $0.allowsPrivateNetwork = nil
                    if way == "token" { $0.request.authentication = .oauth2(.client(at: evil)) }
                }
                let kind = await failureKind {
                    try await withFetcher(stream, lookup: .loopback) { fetcher in
                        if way == "file" {
                            _ = try await fetcher.file(at: evil, mediaTypes: ["image/*"])
                        } else {
                            let first = try await fetcher.page(at: fetcher.firstPosition)
                            _ = try await fetcher.page(at: try #require(first.next))
                        }
                    }
                }
                let refused = FetchError.Kind.privateNetwork(host: "127.0.0.1")
                #expect(kind == (way == "token" ? .token(endpoint: evil, .failed(refused)) : refused))
            }
            _ = try await Self.page(inside.url, .system) { $0.allowsPrivateNetwork = true }
            #expect(inside.connectionCount == 1)
        }
    }

    @Test(arguments: ["ZOO.example", "zoo.example.", "z%6Fo.example", "zo_o.example", "xn--zo-fka.example"])
    func `a name is looked up as it is connected to`(host: String) async throws {
        let asked = Watched<[String]>([])
        let lookup = HostLookup(isPublic: { _ in true }) { name in
            asked.change { $0.append(name) }
            return [IPAddress("127.0.0.1")].compactMap(\.self)
        }
        try await LoopbackServer.serve({ _ in .json("[1]") }) { server in
            // The system knows none of these names: only what was found for them gets there.
            let page = try await Self.page("http://\(host):\(server.port)/", lookup)
            #expect(page.texts == ["1"])
            #expect(asked.value == [host == "z%6Fo.example" ? "zoo.example" : host])
        }
    }

    @Test func `an HTTP client that goes its own way is stopped before it sends anything`() async throws {
        try await LoopbackServer.serve({ _ in .json("[1]") }) { server in
            let settings = try ConnectionSettings(of: stream(at: server.url), environment: [:])
            let clients = HTTPClients(settings, lookup: .names("127.0.0.2", public: "127.0.0.2"))
            let lease = try await clients.lease(
                for: .guarded(GuardedPlace(host: "zoo.example", port: server.port)))
            await #expect(throws: TransportError.privateNetwork(address: "127.0.0.1")) {
                _ = try await lease.client.execute(HTTPClientRequest(url: server.url), deadline: .distantFuture)
            }
            try await clients.shutdown()
            #expect(server.requests.isEmpty)
        }
    }

    @Test func `a lookup takes no longer than connecting may`() async throws {
        let isOver = DispatchSemaphore(value: 0)
        defer { isOver.signal() }
        let lookup = HostLookup { _ in
            isOver.wait()
            return []
        }
        let kind = await failureKind {
            try await Self.page("http://zoo.example/", lookup) { $0.limits.connect = .milliseconds(10) }
        }
        #expect(kind == .deadline(.connect, limit: .milliseconds(10)))
    }

    @Test func `a cancelled request does not wait for its lookup`() async throws {
        let (isOver, isAsked) = (DispatchSemaphore(value: 0), Watched(false))
        defer { isOver.signal() }
        let lookup = HostLookup { _ in
            isAsked.value = true
            isOver.wait()
            return []
        }
        let task = Task { try await Self.page("http://zoo.example/", lookup) }
        await isAsked.until { $0 }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test(arguments: ["nas", "nas.local", "nas.lan", "nas.home.arpa", "api.corp.internal"])
    func `a local name in base_url may lead to a private address, but not to one of one link`(
        host: String
    ) async throws {
        try await LoopbackServer.serve({ _ in .json("[1]") }) { server in
            let url = "http://\(host):\(server.port)/"
            for lookup in [HostLookup.loopback, .names("169.254.169.254", "fe80::1", "127.0.0.1")] {
                let page = try await Self.page(url, lookup)
                #expect(page.texts == ["1"])
            }
            #expect(server.connectionCount == 2)
            let kind = await failureKind { try await Self.page(url, .names("169.254.169.254", "fd00:ec2::254")) }
            #expect(kind == .privateNetwork(host: "169.254.169.254"))
            let forbidden = await failureKind {
                try await Self.page(url, .loopback) { $0.allowsPrivateNetwork = false }
            }
            #expect(forbidden == .privateNetwork(host: "127.0.0.1"))
        }
    }

    @Test func `a redirect and a link of a local host lead to no other local host`() async throws {
        try await LoopbackServer.serve({ request in
            let other = (request["Host"] ?? "").replacing("nas", with: "other")
            return request.target == "/redirect"
                ? .response(status: 302, headers: [("Location", "http://\(other)/")])
                : .json(#"{"data":[{"id":1}],"next":"http://\#(other)/"}"#)
        }) { server in
            let url = "http://nas.lan:\(server.port)/"
            let kind = await failureKind { try await Self.page(url, .loopback) { $0.request.path = "redirect" } }
            #expect(kind == .privateNetwork(host: "127.0.0.1"))
            var linked = Self.guarded(url)
            linked.paginator = Paginator()
            linked.paginator.limits.allowsOtherOrigins = true
            try await withFetcher(linked, lookup: .loopback) { fetcher in
                let next = try #require(try await fetcher.page(at: fetcher.firstPosition).next)
                let refused = await failureKind { try await fetcher.page(at: next) }
                #expect(refused == .privateNetwork(host: "127.0.0.1"))
            }
            #expect(server.requests.count == 2)
        }
    }

    private static func guarded(_ url: String) -> StreamConfiguration {
        stream(at: url) { $0.allowsPrivateNetwork = nil }
    }

    private static func page(
        _ url: String, _ lookup: HostLookup, _ change: (inout StreamConfiguration) -> Void = { _ in }
    ) async throws -> Page {
        var stream = guarded(url)
        change(&stream)
        return try await withFetcher(stream, lookup: lookup) { try await $0.page(at: $0.firstPosition) }
    }
}

extension HostLookup {
    /// All names lead to 127.0.0.1, which is not public.
    static var loopback: HostLookup { HostLookup { _ in [IPAddress("127.0.0.1")].compactMap(\.self) } }

    /// All names lead to `addresses`, of which only one is public.
    static func names(_ addresses: String..., public: String = "") -> HostLookup {
        let all = addresses.compactMap { IPAddress($0) }
        return HostLookup(isPublic: { $0 == IPAddress(`public`) }) { _ in all }
    }
}
