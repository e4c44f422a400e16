import GarnerCatalog
import GarnerFetcher
import TestSupport
import Testing

/// The first check, where it says more than `FaultTests`.
@Suite(.timeLimit(.minutes(5)))
struct TransportFaultTests {
    @Test func `a whole response is a page`() async throws {
        let page = try await firstPage { _ in .json(#"[{"id":1},{"id":2}]"#) }
        #expect(page.texts == [#"{"id":1}"#, #"{"id":2}"#])
        #expect(page.requests == 1)
        #expect(page.request.bytes == 19)
        #expect(page.next == nil)
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

    @Test(arguments: [("gzip", CompressedBodies.gzip), ("deflate", CompressedBodies.deflate)])
    func `a compressed body is decompressed`(encoding: String, body: [UInt8]) async throws {
        let page = try await firstPage { _ in
            .response(headers: [("Content-Type", "application/json"), ("Content-Encoding", encoding)], body: body)
        }
        #expect(page.texts == [#"{"id":1}"#, #"{"id":2}"#, #"{"id":3}"#])
        #expect(page.request.bytes == 28)
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

    @Test func `a head that is too large for us, but not for the transport, is refused`() async throws {
        let headers = [("X-Long", String(repeating: "x", count: 70_000))]
        let kind = try await firstPageFailure { _ in .json("[]", headers: headers) }
        #expect(kind == .headTooLarge(limit: 64 << 10))
    }
}
