import GarnerCatalog
import GarnerModel
import TestSupport
import Testing
@testable import GarnerFetcher

@Suite(.timeLimit(.minutes(5)))
struct ConnectionSharingTests {
    private static let changes: [@Sendable (inout StreamConfiguration) throws -> Void] = [
        { $0.limits.connect = .seconds(7) }, { $0.limits.body = 7 }, { $0.proxy = .none },
        { $0.certificateAuthority = try TestCertificates.get().rootFile },
    ]

    @Test(arguments: changes.indices)
    func `streams share their connections only where nothing about them differs`(change: Int) throws {
        let environment = ["https_proxy": "http://proxy.example"]
        let first = stream(at: "https://zoo.example/")
        var other = first
        try Self.changes[change](&other)
        let settings = try ConnectionSettings(of: first, environment: environment)
        #expect(settings != (try ConnectionSettings(of: other, environment: environment)))
        other = stream(at: "https://other.example/") { $0.limits.total = .seconds(7) }
        #expect(settings == (try ConnectionSettings(of: other, environment: environment)))
    }

    @Test func `as many connections as max_concurrency may have are open at once`() async throws {
        let count = 256
        let arrived = Watched(0)
        try await LoopbackServer.serve({ _ in
            arrived.change { $0 += 1 }
            await arrived.until { $0 == count }
            return .json("[]")
        }) { server in
            let stream = stream(at: server.url) { $0.maxConcurrency = count }
            try await withFetcher(stream) { fetcher in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<count {
                        group.addTask {
                            _ = try await fetcher.page(at: PagePosition(url: "\(server.url)/\(number)", number: number))
                        }
                    }
                    try await group.waitForAll()
                }
            }
            #expect(server.connectionCount == count)
        }
    }

    @Test func `a redirect leaves its connection to the next request`() async throws {
        let body = "It is elsewhere."
        let head = LoopbackReply.head(
            status: 302, headers: [("Location", "/b"), ("Content-Length", "\(body.utf8.count)")])
        let moved = LoopbackReply(.bytes(head), .pause(.milliseconds(20)), .bytes(Array(body.utf8)))
        try await LoopbackServer.serve({ $0.target == "/b" ? .json("[1]") : moved }) { server in
            try await withFetcher(stream(at: server.url, path: "a")) { fetcher in
                for _ in 0..<3 { _ = try await fetcher.page(at: fetcher.firstPosition) }
            }
            #expect(server.requests.map(\.target) == ["/a", "/b", "/a", "/b", "/a", "/b"])
            #expect(server.connectionCount == 1)
        }
    }

    @Test func `a page that has not changed leaves its connection to the next request`() async throws {
        try await LoopbackServer.serve({ request in
            request["If-None-Match"] == nil
                ? .json(#"{"data":[{}],"next":null}"#, headers: [("ETag", #""a""#)]) : .response(status: 304)
        }) { server in
            try await withFetcher(stream(at: server.url)) { fetcher in
                let memory = try await fetcher.page(at: fetcher.firstPosition).memory
                for _ in 0..<200 {
                    _ = try await fetcher.page(
                        at: fetcher.firstPosition, remembered: memory.flatMap(ParsedCachedPage.init))
                }
            }
            #expect(server.requests.count { $0["If-None-Match"] != nil } == 200)
            #expect(server.connectionCount == 1)
        }
    }
}
