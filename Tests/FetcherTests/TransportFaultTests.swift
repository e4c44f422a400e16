import Catalog
import Fetcher
import TestSupport
import Testing

/// The first check: connected, complete, inside the limits.
@Suite(.timeLimit(.minutes(1)))
struct TransportFaultTests {
    @Test func `a whole response is a page`() async throws {
        let page = try await firstPage { _ in .json(#"[{"id":1},{"id":2}]"#) }
        #expect(page.texts == [#"{"id":1}"#, #"{"id":2}"#])
        #expect(page.requests == 1)
        #expect(page.request.bytes == 19)
        #expect(page.next == nil)
    }

    @Test func `a refused connection says so`() async throws {
        let port = try RefusingPort()
        let error = await #expect(throws: FetchError.self) {
            try await withFetcher(stream(at: "http://127.0.0.1:\(port.number)/")) {
                try await $0.page(at: $0.firstPosition)
            }
        }
        #expect(error?.kind == .refused)
    }

    @Test func `an unknown host says so`() async throws {
        let error = await #expect(throws: FetchError.self) {
            try await withFetcher(stream(at: "http://garner.invalid/")) { try await $0.page(at: $0.firstPosition) }
        }
        #expect(error?.kind == .unknownHost)
    }

    @Test func `plain HTTP behind https is a TLS error`() async throws {
        let kind = try await secureFailure { _ in .raw("HTTP/1.1 400 Bad Request\r\n\r\n", then: .close) }
        guard case .tls = kind else { Issue.record("\(kind)"); return }
    }

    @Test func `a TLS handshake without an answer ends at connect`() async throws {
        let kind = try await secureFailure(connect: .milliseconds(300)) { _ in LoopbackReply(.stall) }
        #expect(kind == .deadline(.connect, limit: .milliseconds(300)))
    }

    private func secureFailure(
        connect: Duration = .seconds(20), _ handler: @escaping LoopbackServer.Handler
    ) async throws -> FetchError.Kind {
        let kind = try await LoopbackServer.serve(handler) { server in
            let stream = stream(at: "https://127.0.0.1:\(server.port)/") {
                $0.limits = Limits(connect: connect, total: .seconds(40))
            }
            return try await withFetcher(stream) { fetcher in
                await failureKind(of: { try await fetcher.page(at: fetcher.firstPosition) })
            }
        }
        return try #require(kind)
    }

    private static let cutHeads: [LoopbackReply] = [
        LoopbackReply(.close), LoopbackReply(.reset), .raw("HTTP/1.1 200 O", then: .close),
        .raw("HTTP/1.1 200 OK\r\nContent-Type: applic", then: .close),
        .raw("HTTP/1.1 200 OK\r\nContent-Type: applic", then: .reset),
    ]

    @Test(arguments: cutHeads)
    func `a connection that ends before the head is complete is closed early`(reply: LoopbackReply) async throws {
        #expect(try await firstPageFailure { _ in reply } == .closed)
    }

    private static let promisesTooMuch =
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n[1,2]"
    private static let endsInChunk =
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n[1"
    private static let cutBodies: [LoopbackReply] = [
        .raw(promisesTooMuch, then: .close), .raw(promisesTooMuch, then: .reset),
        .chunked(["[1,", "2]"], isEnded: false),
        .raw(endsInChunk, then: .close), .raw(endsInChunk, then: .reset),
    ]

    @Test(arguments: cutBodies)
    func `a body cut short is incomplete, even if it is valid JSON so far`(reply: LoopbackReply) async throws {
        #expect(try await firstPageFailure { _ in reply } == .incompleteBody)
    }

    @Test func `a body in chunks is put together`() async throws {
        #expect(try await firstPage { _ in .chunked(["[1,", "2", "]"]) }.texts == ["1", "2"])
    }

    @Test func `a body that ends with its connection is complete where nothing promised more`() async throws {
        let page = try await firstPage { _ in
            .raw("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n[1]", then: .close)
        }
        #expect(page.texts == ["1"])
    }

    private static let noHTTP: [String] = [
        "SSH-2.0-OpenSSH_9.2\r\n", "HTTP/1.1 abc OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n[]",
        "HTTP/1.1 200 OK\r\nBroken header\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n[]\r\n0\r\n\r\n",
    ]

    @Test(arguments: noHTTP)
    func `what is not HTTP is refused`(answer: String) async throws {
        let kind = try await firstPageFailure { _ in .raw(answer, then: .close) }
        guard case .malformedResponse = kind else { Issue.record("\(kind)"); return }
    }

    @Test(arguments: [("gzip", CompressedBodies.gzip), ("deflate", CompressedBodies.deflate)])
    func `a compressed body is decompressed`(encoding: String, body: [UInt8]) async throws {
        let page = try await firstPage { _ in
            .response(headers: [("Content-Type", "application/json"), ("Content-Encoding", encoding)], body: body)
        }
        #expect(page.texts == [#"{"id":1}"#, #"{"id":2}"#, #"{"id":3}"#])
        #expect(page.request.bytes == 28)
    }

    private static let good = CompressedBodies.gzip
    private static let broken: [(String, [UInt8])] = [
        ("cut short", Array(good.dropLast(12))), ("without its end", Array(good.dropLast(4))),
        ("with something behind it", good + [1, 2, 3]), ("twice", good + good),
        ("with a wrong checksum", Array(good.dropLast(8)) + [0, 0, 0, 0] + Array(good.suffix(4))),
        ("not compressed", Array("[1,2,3]".utf8)),
    ]

    @Test(arguments: broken)
    func `a broken compression is refused`(name: String, body: [UInt8]) async throws {
        let kind = try await firstPageFailure { _ in
            .response(headers: [("Content-Type", "application/json"), ("Content-Encoding", "gzip")], body: body)
        }
        guard case .decompression = kind else { Issue.record("\(name): \(kind)"); return }
    }

    @Test(arguments: ["br", "gzip, gzip", "zstd"])
    func `a compression that nobody asked for is refused`(encoding: String) async throws {
        let kind = try await firstPageFailure { _ in
            .response(
                headers: [("Content-Type", "application/json"), ("Content-Encoding", encoding)],
                body: CompressedBodies.gzip)
        }
        guard case .decompression = kind else { Issue.record("\(kind)"); return }
    }

    @Test func `a bomb ends at the limit`() async throws {
        let kind = try await firstPageFailure({ $0.limits.body = 64 << 10 }) { _ in
            .response(
                headers: [("Content-Type", "application/json"), ("Content-Encoding", "gzip")],
                body: CompressedBodies.bomb)
        }
        #expect(kind == .bodyTooLarge(limit: 64 << 10))
    }

    @Test func `a body that says that it is too large is not read`() async throws {
        let kind = try await firstPageFailure({ $0.limits.body = 1000 }) { _ in
            .response(headers: [("Content-Type", "application/json"), ("Content-Length", "1001")]).then(.stall)
        }
        #expect(kind == .bodyTooLarge(limit: 1000))
    }

    @Test func `an endless body ends at the limit, and with its connection`() async throws {
        let kind = try await LoopbackServer.serve({ _ in
            let piece = LoopbackReply.Step.bytes(
                Array("10000\r\n".utf8) + Array(repeating: 0x20, count: 65536) + Array("\r\n".utf8))
            let head = LoopbackReply.Step.bytes(
                LoopbackReply.head(headers: [("Content-Type", "application/json"), ("Transfer-Encoding", "chunked")]))
            return LoopbackReply(steps: [head] + Array(repeating: piece, count: 10_000))
        }) { server in
            let error = await #expect(throws: FetchError.self) {
                try await withFetcher(stream(at: server.url) { $0.limits.body = 200_000 }) {
                    let failed = $0
                    do { _ = try await failed.page(at: failed.firstPosition) } catch {
                        await server.connectionsEnded()
                        throw error
                    }
                }
            }
            return error?.kind
        }
        #expect(kind == .bodyTooLarge(limit: 200_000))
    }

    @Test(arguments: [(count: 10_000, length: 1), (count: 1, length: 1 << 20), (count: 1, length: 70_000)])
    func `a head that is too large is refused`(count: Int, length: Int) async throws {
        let headers = (0..<count).map { ("X-Header-\($0)", String(repeating: "x", count: length)) }
        let kind = try await firstPageFailure { _ in .json("[]", headers: headers) }
        #expect(kind == .headTooLarge(limit: 64 << 10))
    }
}
