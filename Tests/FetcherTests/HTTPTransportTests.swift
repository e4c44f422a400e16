import GarnerCatalog
import GarnerFetcher
import GarnerModel
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct HTTPTransportTests {
    @Test func `a request tells who asks, and for what`() async throws {
        let requests = try await LoopbackServer.serve({ _ in .json("[]") }) { server in
            try await withFetcher(
                stream(at: server.url, path: "/animals?kind=big%20cat") {
                    $0.request.params = [.init(name: "q", value: .literal("ä&b"))]
                }
            ) { _ = try await $0.page(at: $0.firstPosition) }
            return server.requests
        }
        let request = try #require(requests.first)
        #expect(request.method == "GET")
        #expect(request.target == "/animals?kind=big%20cat&q=%C3%A4%26b")
        #expect(request["User-Agent"] == "garner/test")
        #expect(request["Accept-Encoding"] == "gzip, deflate")
        #expect(request["Accept"] == "application/json, */*;q=0.1")
        #expect(request["Authorization"] == nil)
    }

    @Test func `configured headers win, but for the encodings that can be read`() async throws {
        let requests = try await LoopbackServer.serve({ _ in .json("[]") }) { server in
            try await withFetcher(
                stream(at: server.url) {
                    $0.request.headers = [
                        .init(name: "accept", value: .literal("application/vnd.zoo+json")),
                        .init(name: "user-agent", value: .literal("zoo/1")),
                        .init(name: "ACCEPT-ENCODING", value: .literal("br")),
                    ]
                }
            ) { _ = try await $0.page(at: $0.firstPosition) }
            return server.requests
        }
        let request = try #require(requests.first)
        #expect(
            request.headers.filter { $0.name.lowercased() == "accept" }.map(\.value) == ["application/vnd.zoo+json"])
        #expect(request.headers.filter { $0.name.lowercased() == "user-agent" }.map(\.value) == ["zoo/1"])
        #expect(request.headers.filter { $0.name.lowercased() == "accept-encoding" }.map(\.value) == ["gzip, deflate"])
    }

    @Test func `the pages of a read share one connection`() async throws {
        try await LoopbackServer.serve({ request in
            request.number < 5
                ? .json(#"{"data":[{}],"next":"/p\#(request.number + 1)"}"#) : .json(#"{"data":[{}],"next":null}"#)
        }) { server in
            let pages = try await withFetcher(stream(at: server.url)) { fetcher in
                var pages = 0
                var position: PagePosition? = try fetcher.firstPosition
                while let current = position {
                    position = try await fetcher.page(at: current).next
                    pages += 1
                }
                return pages
            }
            #expect(pages == 6)
            #expect(server.connectionCount == 1)
        }
    }

    @Test func `a connection that the server closed between requests is replaced`() async throws {
        try await LoopbackServer.serve({ request in
            request.number == 0 ? .json(#"{"data":[{}],"next":"/p1"}"#).then(.close) : .json(#"{"data":[{}]}"#)
        }) { server in
            try await withFetcher(stream(at: server.url) { $0.retry.maxAttempts = 3 }) { fetcher in
                let first = try await fetcher.page(at: fetcher.firstPosition)
                await server.connectionsEnded()
                _ = try await fetcher.page(at: try #require(first.next))
                #expect(server.connectionCount == 2)
            }
        }
    }

    @Test func `a server's next URL is asked for as it was given`() async throws {
        let target = "/a//b;v=1/%7Ez/..%2F?cursor=a+b%20c%2Fd==&x&x=&y=1,2:3@4!$'()*"
        let targets = try await LoopbackServer.serve({ request in
            request.number == 0 ? .json(#"{"data":[{}],"next":"\#(target)"}"#) : .json(#"{"data":[{}]}"#)
        }) { server in
            try await withFetcher(stream(at: server.url)) { fetcher in
                let first = try await fetcher.page(at: fetcher.firstPosition)
                _ = try await fetcher.page(at: try #require(first.next))
            }
            return server.requests.map(\.target)
        }
        #expect(targets.last == target)
    }

    @Test func `streams with the same limits share their connections`() async throws {
        let transports = Transports(userAgent: "garner/test")
        let count = try await LoopbackServer.serve({ _ in .json("[]") }) { server in
            for name in ["cats", "dogs"] {
                let stream = stream(at: server.url) { $0.name = StreamName(source: "zoo", stream: name) }
                let fetcher = try PageFetcher(
                    stream: stream, transport: transports.transport(for: stream), timing: timing())
                _ = try await fetcher.page(at: fetcher.firstPosition)
            }
            let other = stream(at: server.url) { $0.limits = Limits(body: 1000) }
            let fetcher = try PageFetcher(
                stream: other, transport: transports.transport(for: other), timing: timing())
            _ = try await fetcher.page(at: fetcher.firstPosition)
            return server.connectionCount
        }
        try await transports.shutdown()
        #expect(count == 2)
    }

    @Test func `several pages at once do not disturb one another`() async throws {
        try await LoopbackServer.serve({ .json(#"[{"n":"\#($0.target)"}]"#) }) { server in
            try await withFetcher(stream(at: server.url)) { fetcher in
                let texts = try await withThrowingTaskGroup(of: (String, [String]).self) { group in
                    for number in 0..<50 {
                        let position = PagePosition(url: "\(server.url)/\(number)", number: number)
                        group.addTask { (position.url, try await fetcher.page(at: position).texts) }
                    }
                    return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
                }
                #expect(texts.count == 50)
                #expect((0..<50).allSatisfy { texts["\(server.url)/\($0)"] == [#"{"n":"/\#($0)"}"#] })
            }
        }
    }
}
