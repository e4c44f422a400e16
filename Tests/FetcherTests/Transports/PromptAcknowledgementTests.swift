#if canImport(Glibc)
    import NIOCore
    import NIOEmbedded
    import NIOHTTP1
    import Testing
    @testable import Fetcher

    struct PromptAcknowledgementTests {
        private static let head = HTTPClientResponsePart.head(HTTPResponseHead(version: .http1_1, status: .ok))
        private static let body = HTTPClientResponsePart.body(ByteBuffer(string: "[]"))
        private static let end = HTTPClientResponsePart.end(nil)

        @Test(arguments: [
            ([[head]], true), ([[head], [body, end]], true), ([[head, body], [end]], true),
            ([[head, body, end]], false), ([[head, end], [head, body, end]], false),
            // The head of a response comes with the end of the one before.
            ([[head, end, head]], true), ([[head, end], [head]], true),
        ])
        func `what comes without its end is acknowledged at once`(
            reads: [[HTTPClientResponsePart]], isAcknowledged: Bool
        ) throws {
            let channel = EmbeddedChannel(handler: PromptAcknowledgement())
            for parts in reads {
                for part in parts { channel.pipeline.fireChannelRead(part) }
                channel.pipeline.fireChannelReadComplete()
            }
            #expect(channel.options.contains { $0.option is ChannelOptions.Types.SocketOption } == isAcknowledged)
            for part in reads.joined() { #expect(try channel.readInbound() == part) }
        }
    }
#endif
