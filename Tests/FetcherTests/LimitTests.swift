import GarnerCatalog
import GarnerFetcher
import TestSupport
import Testing

/// The limits of a response, at their edges.
@Suite(.timeLimit(.minutes(5)))
struct LimitTests {
    private static let body = "[" + String(repeating: "1,", count: 500) + "1]"

    enum Framing: CaseIterable { case length, chunks, end }

    private static func answer(_ framing: Framing) -> LoopbackReply {
        switch framing {
        case .length: .json(body)
        case .chunks: .chunked([String(body.prefix(600)), String(body.dropFirst(600))])
        case .end: .raw("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n\(body)", then: .close)
        }
    }

    @Test(arguments: Framing.allCases)
    func `a body of exactly the limit is read, and one byte more is too much`(framing: Framing) async throws {
        let size = Self.body.utf8.count
        #expect(try await firstPage({ $0.limits.body = size }) { _ in Self.answer(framing) }.request.bytes == size)
        #expect(
            try await firstPageFailure({ $0.limits.body = size - 1 }) { _ in Self.answer(framing) }
                == .bodyTooLarge(limit: size - 1))
    }

    @Test(arguments: [("gzip", CompressedBodies.gzip), ("deflate", CompressedBodies.deflate)])
    func `the limit counts what comes out of the decompression`(encoding: String, body: [UInt8]) async throws {
        let answer = LoopbackReply.response(
            headers: [("Content-Type", "application/json"), ("Content-Encoding", encoding)], body: body)
        #expect(try await firstPage({ $0.limits.body = 28 }) { _ in answer }.request.bytes == 28)
        #expect(try await firstPageFailure({ $0.limits.body = 27 }) { _ in answer } == .bodyTooLarge(limit: 27))
    }

    @Test func `a head is limited to 64 KiB, or to less`() async throws {
        let headers = (0..<20).map { ("X-Header-\($0)", String(repeating: "x", count: 100)) }
        #expect(try await firstPage({ $0.limits.head = 3000 }) { _ in .json("[1]", headers: headers) }.texts == ["1"])
        let kind = try await firstPageFailure({ $0.limits.head = 2000 }) { _ in .json("[1]", headers: headers) }
        #expect(kind == .headTooLarge(limit: 2000))
        // This is too large for us, but not for the transport.
        let long = [("X-Long", String(repeating: "x", count: 70_000))]
        #expect(try await firstPageFailure { _ in .json("[]", headers: long) } == .headTooLarge(limit: 64 << 10))
    }
}
