import GarnerCatalog
import GarnerFetcher
import GarnerJSON
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

    private static func posting(
        to server: LoopbackServer, _ paginator: Paginator = Paginator(.singlePage), _ body: BodyValue = .object([])
    ) -> StreamConfiguration {
        stream(at: server.url, paginator: paginator) {
            $0.retry.maxAttempts = 1
            $0.request.method = .post
            $0.request.body = body
        }
    }

    @Test(arguments: zip(ends.indices, [true, true, false, false]))
    func `a POST for a page goes over another one, unless an answer has begun`(index: Int, isRepeated: Bool)
        async throws
    {
        try await Self.serve(Self.ends[index]) { server in
            try await withFetcher(Self.posting(to: server)) { fetcher in
                let texts = try await fetcher.page(at: fetcher.firstPosition).texts
                #expect(texts == ["1"])
                let kind = await failureKind { try await fetcher.page(at: fetcher.firstPosition) }
                #expect(kind == (isRepeated ? nil : .closed))
                #expect(server.requests.count == (isRepeated ? 3 : 2))
            }
        }
    }

    /// Reads pages by POST from a server that closes each used connection. Returns the cursors that it saw, and the error.
    private static func cursors(_ answers: [String]) async throws -> ([String], FetchError.Kind?) {
        let served = Served()
        let seen = Mutex<[String]>([])
        let kind = try await LoopbackServer.serve({ request in
            guard served.add(request.connection) else { return LoopbackReply(.close) }
            seen.withLock { $0.append(request.body) }
            return .json(answers[min(seen.withLock(\.count), answers.count) - 1])
        }) { server in
            let paginator = Paginator(.cursor(.init(cursorPath: "$.next", cursorParam: "$.cursor")))
            return try await withFetcher(Self.posting(to: server, paginator)) { fetcher in
                await failureKind {
                    var position: PagePosition? = try fetcher.firstPosition
                    while let next = position { position = try await fetcher.page(at: next).next }
                }
            }
        }
        return (seen.withLock(\.self), kind)
    }

    @Test func `a POST with a cursor that changes is sent again`() async throws {
        let (bodies, kind) = try await Self.cursors([
            #"{"d":[{"id":1}],"next":"a"}"#, #"{"d":[{"id":2}],"next":"b"}"#, #"{"d":[{"id":3}],"next":null}"#,
        ])
        #expect(bodies == ["{}", #"{"cursor":"a"}"#, #"{"cursor":"b"}"#])
        #expect(kind == nil)
    }

    @Test(arguments: [#"{"d":[{"id":2}],"next":"a"}"#, #"{"d":[{"id":2}],"next":null}"#])
    func `a POST whose cursor may be one that the server moves is no page after it was sent again`(second: String)
        async throws
    {
        let (_, kind) = try await Self.cursors([#"{"d":[{"id":1}],"next":"a"}"#, second])
        #expect(kind == .closed)
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
