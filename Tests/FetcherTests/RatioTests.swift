import GarnerCatalog
import TestSupport
import Testing
@testable import GarnerFetcher

@Suite(.timeLimit(.minutes(5)))
struct RatioTests {
    enum Framing: CaseIterable { case length, chunks }

    /// 293 bytes become 262,146.
    @Test(arguments: Framing.allCases, [(895, true), (894, false)])
    func `one compressed byte becomes no more than the ratio`(framing: Framing, limit: (ratio: Int, isKept: Bool))
        async throws
    {
        let kind = await failureKind(of: {
            try await firstPage({ $0.limits.ratio = limit.ratio }) { _ in
                Self.answer(framing, CompressedBodies.spaces)
            }
        })
        #expect(kind == (limit.isKept ? nil : .excessiveRatio(limit: limit.ratio)))
    }

    @Test(arguments: Framing.allCases)
    func `a compressed body is limited both by its ratio and by its size`(framing: Framing) async throws {
        let kind = try await firstPageFailure({
            $0.limits.ratio = 2000
            $0.limits.body = 100_000
        }) { _ in Self.answer(framing, CompressedBodies.spaces) }
        #expect(kind == .bodyTooLarge(limit: 100_000))
    }

    @Test(arguments: Framing.allCases)
    func `no more of a bomb is passed on than the ratio allows`(framing: Framing) async throws {
        // 64 KiB that become 64 MiB.
        let body = Gzip.bomb(size: 64 << 10)
        let seen = Watched<Request?>(nil)
        let catching = ScriptedTransport { request in
            seen.value = request
            return scripted("[]")
        }
        try await LoopbackServer.serve({ _ in Self.answer(framing, body) }) { server in
            let stream = stream(at: server.url) {
                $0.limits.ratio = 100
                $0.limits.body = 1 << 30
            }
            let fetcher = try PageFetcher(stream: stream, transport: catching, timing: timing())
            _ = try await fetcher.page(at: fetcher.firstPosition)
            let request = try #require(seen.value)
            let transports = Transports(userAgent: "garner/test")
            let response = try await transports.transport(for: stream).send(request)
            var count = 0
            let error = await #expect(throws: TransportError.self) {
                for try await chunk in response.body { count += chunk.count }
            }
            try await transports.shutdown()
            #expect(error == .excessiveRatio)
            #expect(count <= 100 * body.count)
            #expect(
                try await firstPageFailure({ $0.limits = stream.limits }) { _ in Self.answer(framing, body) }
                    == .excessiveRatio(limit: 100))
        }
    }

    @Test(arguments: Framing.allCases)
    func `without a ratio of its own, a stream has one for what is long`(framing: Framing) async throws {
        // 1032 bytes from each, and no end.
        let kind = try await firstPageFailure { _ in Self.answer(framing, Gzip.bomb(size: 8 << 10)) }
        #expect(kind == .excessiveRatio(limit: 200))
        let page = try await firstPage { _ in Self.answer(framing, CompressedBodies.spaces) }
        #expect(page.request.bytes == 262_146)
        let trusting = try await firstPageFailure({ $0.limits.ratio = 2000 }) { _ in
            Self.answer(framing, Gzip.bomb(size: 8 << 10))
        }
        #expect(trusting != .excessiveRatio(limit: 2000))
    }

    @Test func `each response counts anew, and one that is not compressed is never too much`() async throws {
        let answers: [LoopbackReply] = [
            .json("[1]"), Self.answer(.length, CompressedBodies.gzip), .chunked(["[2]"]),
            Self.answer(.chunks, CompressedBodies.gzip),
        ]
        try await LoopbackServer.serve({ answers[$0.number] }) { server in
            try await withFetcher(stream(at: server.url) { $0.limits.ratio = 1 }) { fetcher in
                for number in answers.indices {
                    _ = try await fetcher.page(at: PagePosition(url: "\(server.url)/\(number)", number: number))
                }
            }
            #expect(server.connectionCount == 1)
        }
    }

    private static func answer(_ framing: Framing, _ body: [UInt8]) -> LoopbackReply {
        let headers = [("Content-Type", "application/json"), ("Content-Encoding", "gzip")]
        switch framing {
        case .length: return .response(headers: headers, body: body)
        case .chunks:
            let head = LoopbackReply.head(headers: headers + [("Transfer-Encoding", "chunked")])
            let size = Array("\(String(body.count, radix: 16))\r\n".utf8)
            return LoopbackReply(.bytes(head + size + body + Array("\r\n0\r\n\r\n".utf8)))
        }
    }
}
