import AsyncHTTPClient
import NIOHTTP1
import TestSupport
import Testing
@testable import GarnerFetcher

@Suite(.timeLimit(.minutes(5)))
struct ResponseReceiverTests {
    private final class Reference: Sendable {
        nonisolated(unsafe) weak var receiver: ResponseReceiver?
    }

    @Test(arguments: [0, 1]) func `a response that is not read to its end leaves nothing behind`(chunks: Int)
        async throws
    {
        let body = "[\(String(repeating: " ", count: 1 << 20))]"
        try await LoopbackServer.serve({ _ in .json(body) }) { server in
            let client = HTTPClient(eventLoopGroupProvider: .singleton)
            let reference = Reference()
            do {
                let receiver = ResponseReceiver()
                reference.receiver = receiver
                let head = try await receiver.send(HTTPClient.Request(url: "\(server.url)"), over: client)
                #expect(head.status == .ok)
                for _ in 0..<chunks { #expect(try await receiver.chunk() != nil) }
                // The next chunk waits by now, or comes later.
                receiver.cancel()
                await #expect(throws: HTTPClientError.self) {
                    while try await receiver.chunk() != nil {}
                }
            }
            while reference.receiver != nil { try await Task.sleep(for: .milliseconds(1)) }
            try await client.shutdown()
        }
    }
}
