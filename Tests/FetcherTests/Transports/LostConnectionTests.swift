import Catalog
import Fetcher
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct LostConnectionTests {
    /// What servers do with the second request of a connection.
    private static let ends: [LoopbackReply] = [
        LoopbackReply(.close), LoopbackReply(.reset), .raw("}]", then: .close), .raw("HTTP/1.1 200 O", then: .close),
    ]

    /// Serves one request on each connection. A second one gets `end`.
    private static func serve(
        _ end: LoopbackReply, _ body: @escaping @Sendable (LoopbackServer) async throws -> Void
    ) async throws {
        let served = Served()
        try await LoopbackServer.serve(
            { request in served.add(request.connection) ? .json("[1]") : end }, body)
    }

    private final class Served: Sendable {
        private let connections = Mutex<Set<Int>>([])

        /// Returns true for a new connection.
        func add(_ connection: Int) -> Bool { connections.withLock { $0.insert(connection).inserted } }
    }

    @Test(arguments: ends.indices) func `a GET that finds its connection lost goes over another one`(index: Int)
        async throws
    {
        try await Self.serve(Self.ends[index]) { server in
            try await withFetcher(stream(at: server.url) { $0.retry.maxAttempts = 1 }) { fetcher in
                for _ in 0..<20 {
                    let texts = try await fetcher.page(at: fetcher.firstPosition).texts
                    #expect(texts == ["1"])
                }
            }
        }
    }

    @Test(arguments: ends.indices) func `a POST is not sent again`(index: Int) async throws {
        try await Self.serve(Self.ends[index]) { server in
            let posting = stream(at: server.url) {
                $0.retry.maxAttempts = 1
                $0.request.method = .post
                $0.request.body = .object([])
            }
            try await withFetcher(posting) { fetcher in
                let texts = try await fetcher.page(at: fetcher.firstPosition).texts
                #expect(texts == ["1"])
                await #expect(throws: FetchError.self) { try await fetcher.page(at: fetcher.firstPosition) }
                #expect(server.requests.count == 2)
            }
        }
    }

    @Test func `a new connection that ends without an answer is the server's answer`() async throws {
        try await LoopbackServer.serve({ _ in LoopbackReply(.close) }) { server in
            try await withFetcher(stream(at: server.url) { $0.retry.maxAttempts = 1 }) { fetcher in
                let error = await #expect(throws: FetchError.self) { try await fetcher.page(at: fetcher.firstPosition) }
                #expect(error?.kind == .closed)
                #expect(server.requests.count == 1)
            }
        }
    }
}
