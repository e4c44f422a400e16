import GarnerCatalog
import GarnerFetcher
import TestSupport
import Testing
import GarnerURLSessionTransport

/// The rules that hold for every transport.
@Suite(.timeLimit(.minutes(5)))
struct TransportConformanceTests {
    private static let whole = #"[{"id":1},{"id":2},{"id":3}]"#

    private static func compressed(_ encoding: String, _ body: [UInt8]) -> LoopbackReply {
        .response(headers: [("Content-Type", "application/json"), ("Content-Encoding", encoding)], body: body)
    }

    private static let good: [LoopbackReply] = [
        .json(whole), .chunked([String(whole.prefix(9)), String(whole.dropFirst(9))]),
        compressed("gzip", CompressedBodies.gzip), compressed("deflate", CompressedBodies.deflate),
        .raw("HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n\(whole)", then: .close),
    ]

    @Test(arguments: good.indices, TransportKind.allCases)
    func `a whole body comes in, however it is sent`(index: Int, transport: TransportKind) async throws {
        try await LoopbackServer.serve({ _ in Self.good[index] }) { server in
            let delegate = try await transport.events(of: stream(at: server.url))
            #expect(delegate.milestones == [.head(200, url: server.url), .complete])
            #expect(delegate.text == Self.whole)
        }
    }

    private static let refused: [(LoopbackReply, FetchError.Kind)] = [
        (.status(404), .status(404, retryAfter: nil)), (.status(500), .status(500, retryAfter: nil)),
        (.status(401), .unauthorized(status: 401)), (.status(403), .unauthorized(status: 403)),
        (.response(status: 204), .emptyBody(status: 204)),
        (LoopbackReply(.close), .closed), (LoopbackReply(.reset), .closed), (.raw("HTTP/1.1 ", then: .close), .closed),
    ]

    // What begins with a whole status line and is no whole head is in `FoundationNetworkingTests`.
    @Test(arguments: refused.indices, TransportKind.allCases)
    func `what is no answer is told as what it is`(index: Int, transport: TransportKind) async throws {
        let (reply, kind) = Self.refused[index]
        try await LoopbackServer.serve({ _ in reply }) { server in
            let delegate = try await transport.events(of: stream(at: server.url))
            #expect(delegate.events.value.last == .failed(kind))
            #expect(!delegate.milestones.contains { if case .head = $0 { true } else { false } })
            #expect(server.requests.count == 1)
        }
    }

    @Test(
        arguments: ["Basic realm=\"zoo\"", "Bearer realm=\"zoo\"", "Digest realm=\"zoo\", nonce=\"x\""],
        TransportKind.allCases)
    func `a refusal that asks who it is comes in with its body`(field: String, transport: TransportKind) async throws {
        try await LoopbackServer.serve({ _ in
            .response(status: 401, headers: [("WWW-Authenticate", field)], body: "who is it?")
        }) { server in
            let refused = try await transport.events(of: stream(at: server.url))
            #expect(refused.events.value.last == .failed(.unauthorized(status: 401)))
            #expect(refused.milestones.count == 2)
            let ignored = try await transport.events(
                of: stream(at: server.url) {
                    $0.responseActions = [.init(bodyContains: "who is it?", action: .ignore)]
                })
            #expect(ignored.events.value == [.complete])
        }
    }

    private static let cut: [LoopbackReply] = [
        .raw("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n[1,", then: .close),
        .raw("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n[1,", then: .reset),
        .chunked(["[1,"], isEnded: false),
    ]

    @Test(arguments: cut.indices, TransportKind.allCases)
    func `a body that is cut off is incomplete`(index: Int, transport: TransportKind) async throws {
        try await LoopbackServer.serve({ _ in Self.cut[index] }) { server in
            let delegate = try await transport.events(of: stream(at: server.url))
            #expect(delegate.milestones.last == .failed(.incompleteBody))
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `a refused connection is told as such`(transport: TransportKind) async throws {
        let port = try RefusingPort()
        let delegate = try await transport.events(of: stream(at: "http://127.0.0.1:\(port.number)/"))
        #expect(delegate.events.value == [.failed(.refused)])
    }

    @Test(arguments: [301, 302, 303, 307, 308], TransportKind.allCases)
    func `a transport follows no redirect`(status: Int, transport: TransportKind) async throws {
        try await LoopbackServer.serve({ request in
            request.target == "/a" ? .response(status: status, headers: [("Location", "/b")], body: "x") : .json("[]")
        }) { server in
            let delegate = RecordingDelegate(followsRedirects: false)
            try await transport.fetching(stream(at: server.url, path: "a")) { await $0.deliver(to: delegate) }
            #expect(delegate.events.value.last == .failed(.redirect(status: status, .declined(server.url))))
            #expect(server.requests.count == 1)
        }
    }

    private static let stalled: [LoopbackReply] = [
        LoopbackReply(.stall), .raw("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n[1,", then: .stall),
    ]

    @Test(arguments: stalled.indices, TransportKind.allCases)
    func `cancelling ends the attempt and its connection`(index: Int, transport: TransportKind) async throws {
        try await LoopbackServer.serve({ _ in Self.stalled[index] }) { server in
            let delegate = RecordingDelegate()
            try await transport.fetching(stream(at: server.url)) { fetcher in
                let fetching = Task { await fetcher.deliver(to: delegate) }
                await server.requestsArrived()
                if index == 1 { await delegate.events.until { $0.contains(.chunk("[1,")) } }
                fetching.cancel()
                await fetching.value
                await server.connectionsEnded()
            }
            #expect(delegate.events.value.last == .cancelled)
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `a deadline ends the connection`(transport: TransportKind) async throws {
        let clock = ManualClock()
        try await LoopbackServer.serve({ _ in LoopbackReply(.stall) }) { server in
            let delegate = RecordingDelegate()
            let stream = stream(at: server.url) { $0.limits.total = .seconds(1) }
            try await transport.fetching(stream, clock: clock) { fetcher in
                async let delivered: Void = fetcher.deliver(to: delegate)
                await server.requestsArrived()
                clock.advance(by: .seconds(1))
                await delivered
                await server.connectionsEnded()
            }
            #expect(delegate.events.value == [.failed(.deadline(.total, limit: .seconds(1)))])
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `a body beyond the limit is refused`(transport: TransportKind) async throws {
        try await LoopbackServer.serve({ _ in .chunked(["12345"]) }) { server in
            let delegate = try await transport.events(of: stream(at: server.url) { $0.limits.body = 4 })
            #expect(delegate.events.value.last == .failed(.bodyTooLarge(limit: 4)))
            #expect(delegate.text == "")
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `header fields go out and come in, secrets among them`(transport: TransportKind) async throws {
        try await LoopbackServer.serve({ _ in .json("[]", headers: [("X-Zoo", "north"), ("ETag", "\"1\"")]) }) {
            server in
            let stream = stream(at: server.url, path: "a?q=%C3%A4") {
                $0.request.headers = [
                    .init(name: "accept-encoding", value: .literal("br")),
                    .init(name: "X-Key", value: .literal("open")),
                    .init(name: "user-agent", value: .literal("zoo/1")),
                ]
                $0.request.authentication = .bearer(token: Secret("abc"))
                $0.request.params = [.init(name: "key", value: .secret(Secret("d&f")))]
            }
            let fetched = try await transport.fetching(stream) { try await $0.document() }
            #expect(fetched.head.headers["x-zoo"] == "north")
            #expect(fetched.head.headers["etag"] == "\"1\"")
            #expect(fetched.url == "\(server.url)/a?q=%C3%A4")
            let request = try #require(server.requests.first)
            #expect(request.target == "/a?q=%C3%A4&key=d%26f")
            #expect(request["Authorization"] == "Bearer abc")
            #expect(request["X-Key"] == "open")
            #expect(request["Accept-Encoding"] == "gzip, deflate")
            #expect(request["User-Agent"] == "zoo/1")
            #expect(request["Accept"] == "application/json, */*;q=0.1")
            #expect(request["Cookie"] == nil)
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `a body is posted`(transport: TransportKind) async throws {
        try await LoopbackServer.serve({ _ in .json("[]") }) { server in
            let stream = stream(at: server.url) {
                $0.request.method = .post
                $0.request.body = .object([.init(name: "q", value: .text(.literal("ä")))])
            }
            _ = try await transport.fetching(stream) { try await $0.document() }
            let request = try #require(server.requests.first)
            #expect(request.method == "POST")
            #expect(request.body == #"{"q":"ä"}"#)
            #expect(request["Content-Type"] == "application/json")
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `no cookie and no cached answer is kept`(transport: TransportKind) async throws {
        try await LoopbackServer.serve({ _ in
            .json("[]", headers: [("Set-Cookie", "a=b; Path=/"), ("Cache-Control", "max-age=3600")])
        }) { server in
            try await transport.fetching(stream(at: server.url)) { fetcher in
                for _ in 0..<3 { _ = try await fetcher.document() }
            }
            #expect(server.requests.map { $0["Cookie"] } == [nil, nil, nil])
        }
    }

    @Test func `without a proxy a transport adds no secrets`() async throws {
        let session = URLSessionTransport(userAgent: "garner/test", maximumBody: 1)
        defer { session.shutdown() }
        #expect(session.secrets.isEmpty)
        let transports = Transports(userAgent: "garner/test")
        #expect(try transports.transport(for: stream(at: "http://zoo.example/")).secrets.isEmpty)
        try await transports.shutdown()
    }
}
